/** What the shells offer, asked of the shells themselves. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { runCommand } from "../../program.ts";

const environment = { PATH: process.env.PATH ?? "", HOME: tmpdir() };
const completion = (shell: string): string => runCommand(["completion", shell], { cwd: tmpdir(), environment }).stdout;

/** What each shell would offer for the last of the words. */
const asks: Readonly<Record<string, (words: readonly string[]) => readonly [program: string, line: string]>> = {
  bash: (words) => [
    "bash",
    `COMP_WORDS=(hookline ${words.join(" ")}); COMP_CWORD=${words.length}; _hookline; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (words) => [
    "zsh",
    `words=(hookline ${words.join(" ")}); CURRENT=${words.length + 1}; _describe() { print -l -- $found }; _files() {}; _hookline`,
  ],
  fish: (words) => ["fish", `complete -C "hookline ${words.join(" ").replaceAll("''", "")}"`],
};
/** What completion needs of zsh is there only where a person types. */
const before: Readonly<Record<string, string>> = { zsh: "compdef() {}\n" };
const isThere = (program: string): boolean => spawnSync(program, ["-c", "exit 0"]).status === 0;

for (const [shell, ask] of Object.entries(asks))
  test(`${shell} completes commands, actions, flags and what can follow them`, {
    skip: !isThere(shell) && `no ${shell} here`,
  }, () => {
    const script = completion(shell);
    const offered = (...words: string[]): string[] => {
      const [program, line] = ask(words);
      const { stdout, stderr } = spawnSync(program, ["-c", `${before[shell] ?? ""}${script}\n${line}`], {
        env: environment,
        encoding: "utf8",
      });
      assert.equal(stderr, "");
      return stdout.split("\n").map((one) => one.split(/[\t:]/)[0] ?? "");
    };
    const cases: readonly (readonly [words: readonly string[], offer: string])[] = [
      [["ru"], "runs"],
      [["runs", "''"], "tail"],
      [["runs", "--st"], "--status"],
      [["runs", "--status", "f"], "failed"],
      [["runs", "--status", "failed", "--"], "--since"],
      [["task", "c"], "create"],
      [["task", "create", "--pri"], "--priority"],
      [["guard", "o"], "off"],
      [["guard", "off", "--f"], "--for"],
      [["install", "''"], "claude-code"],
      [["install", "codex", "--layer", "''"], "project"],
      [["emit", "PreT"], "PreToolUse"],
    ];
    for (const [words, offer] of cases) assert.ok(offered(...words).includes(offer), `${words.join(" ")}: ${offer}`);
  });

test("a shell without completion is wrong use, which names those that have it", () => {
  const { status, stderr } = runCommand(["completion", "tcsh"], { cwd: tmpdir(), environment });
  assert.equal(status, 2);
  assert.match(stderr, /no completion for "tcsh".*bash\|zsh\|fish/);
});
