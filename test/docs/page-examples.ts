/**
 * The examples of a page, as a stranger follows them: files are written, commands typed, and what is printed is what the page shows.
 * With HOOKLINE_EXAMPLES=write the pages get what was printed instead; look at it before you keep it.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { examplesIn } from "../../scripts/docs/examples.ts";
import { project } from "../../scripts/docs/project.ts";
import { bin, codeCache, runCommand } from "../program.ts";
import { emptyRepository } from "../repository.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Pages that people read first: npm test tries theirs, npm run test:slow those of all others. */
export const firstPages: readonly string[] = ["README.md", "docs/rules.md"];

/** A test for each example of a page. */
export function tryExamplesOf(page: string): void {
  for (const [index, steps] of examplesIn(project.read(page) ?? "").entries())
    test(`example ${index + 1} of ${page} does what the page shows`, (t) => {
      const { home, workspace, run } = placeFor(t);
      for (const { is, name, text } of steps) {
        if (is === "file") {
          const path = name.startsWith("~/") ? join(home, name.slice(2)) : join(workspace, name);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, (text ?? "").replaceAll("/home/you/app", workspace));
          if (text?.startsWith("#!")) chmodSync(path, 0o755);
          continue;
        }
        const { status, printed } = run(name);
        if (text === undefined) assert.equal(status, 0, `${name}\n${printed}`);
        else if (patternOf(plain(text)).test(plain(printed))) continue;
        else if (process.env.HOOKLINE_EXAMPLES !== "write") assert.equal(printed, text, name);
        else rewrite(page, `$ ${name}\n${text}`, `$ ${name}\n${printed.replace(/(?<!\n)$/, "\n").replace(/^\n$/, "")}`);
      }
    });
}

function rewrite(page: string, from: string, to: string): void {
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(from, () => to),
  );
}

interface ExamplePlace {
  home: string;
  workspace: string;
  run(command: string): { status: number | null; printed: string };
}

/** A home, and in it a project under git, with `hookline` on the PATH. What is printed names them as the pages do. */
function placeFor(t: Pick<TestContext, "after">): ExamplePlace {
  const folder = temporaryFolder(t);
  const home = join(folder, "home");
  const workspace = join(home, "app");
  const programs = join(folder, "bin");
  for (const one of [workspace, programs]) mkdirSync(one, { recursive: true });
  const started = `'${process.execPath}' '${bin}'`;
  writeFileSync(join(programs, "hookline"), `#!/bin/sh\nexec ${started} "$@"\n`, { mode: 0o755 });
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: `${programs}:${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
    HOME: home,
    COLUMNS: "200",
    NO_COLOR: "1",
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
  };
  writeFileSync(
    environment.GIT_CONFIG_GLOBAL,
    "[user]\n\tname = You\n\temail = you@example.com\n[init]\n\tdefaultBranch = main\n",
  );
  const run: ExamplePlace["run"] = (command) => {
    const line = command.replaceAll("/home/you/app", workspace);
    const alone = process.env.HOOKLINE_EXAMPLES === "write" ? undefined : commandAlone(line);
    const { status, stdout, stderr } = alone
      ? runCommand(alone.words, { cwd: workspace, environment, input: alone.input })
      : spawnSync("sh", ["-c", `exec 2>&1\n${line}`], { cwd: workspace, env: environment, encoding: "utf8" });
    const printed = (stdout + stderr).replaceAll(workspace, "/home/you/app").replaceAll(home, "/home/you");
    return { status, printed };
  };
  emptyRepository(workspace);
  return { home, workspace, run };
}

const word = /(?:[\w./:=@,-]+|'[^']*'|"[^"\\$`]*")(?= |\n|$)/;
const oneCommand = new RegExp(`^(?:echo '([^']*)' \\| )?hookline((?:(?: | ?\\\\\\n *)${word.source})+)\\n?$`);

/**
 * The words of a line that is one command of hookline, and what `echo` gives it: it needs neither a shell nor a process of its own.
 * Undefined: the line does more.
 */
function commandAlone(line: string): { words: string[]; input: string } | undefined {
  const [, input, rest] = oneCommand.exec(line) ?? [];
  if (rest === undefined) return undefined;
  const words = (rest.match(new RegExp(word, "g")) ?? []).map((one) => one.replaceAll(/^(['"])(.*)\1$/gs, "$2"));
  return { words, input: input === undefined ? "" : `${input}\n` };
}

/** What differs from run to run, by its kind; columns are as wide as the longest of these. */
const plain = (text: string): string =>
  text
    .replaceAll(/\b01[0-9a-z]{11,}\b/g, "ID")
    .replaceAll(/\b[0-9a-f]{8,}\b/g, "HASH")
    .replaceAll(/\b\d+\/\d+\/\d{4}, \d+:\d\d:\d\d\s[AP]M/g, "TIME")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\bHASH-[0-9a-f]+\b/g, "ID")
    .replaceAll(/(?<=\b(?:completed|failed|skipped) +)\d+|\d+(?= ms\b| +ID\b)/g, "MS")
    .replaceAll(/\bjust now\b|\b\d+ s ago\b/g, "AGO")
    .replaceAll(/(?<=process )\d+/g, "PID")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ ?$/gm, "")
    .trim();

/** A line of the page that is … stands for any lines, and … in a line for any text. */
const patternOf = (text: string): RegExp =>
  new RegExp(
    `^${text
      .replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll(/^…\n/gm, "(?:.*\n)*?")
      .replaceAll(/\n…$/g, "[\\s\\S]*")
      .replaceAll("…", ".*")}$`,
  );
