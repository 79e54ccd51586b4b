/** A workspace whose names and texts drive a terminal, and what commands show of it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { codeCache } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Sets the title, clears the screen, turns the text round, hides, and goes to the beginning of the line. */
const hostile = "a\u001b]0;owned\u0007\u001b[2J\u202egnp\u200b\u009b31m\rb";

function hostileWorkspace(t: TestContext): { project: string; home: string } {
  const folder = temporaryFolder(t);
  const [project, home] = [join(folder, `project-${hostile}`), join(folder, "home")];
  for (const name of [".git", ".hookline/rules", ".hookline/hooks"])
    mkdirSync(join(project, name), { recursive: true });
  mkdirSync(home);
  const hook = { type: "command", command: `echo '${hostile}'; exit 2`, name: hostile, statusMessage: hostile };
  const settings = {
    hooks: { PreToolUse: [{ matcher: hostile, hooks: [{ ...hook, [hostile]: 1 }] }, { hooks: [hook] }] },
  };
  const write = (name: string, content: string): void => writeFileSync(join(project, name), content);
  write(".git/HEAD", "ref: refs/heads/main\n");
  write(".hookline/hooks.json", JSON.stringify(settings));
  write(`.hookline/rules/${hostile}.yaml`, `hooks:\n  - id: ${JSON.stringify(hostile)}\n    ${hostile}: [\n`);
  const rule = {
    id: hostile,
    on: "tool_start",
    condition: { type: "always" },
    action: { type: "gate", reason: hostile },
  };
  write(".hookline/rules/team.yaml", JSON.stringify({ hooks: [rule] }));
  write(
    `.hookline/hooks/${hostile}.sh`,
    `#!/bin/bash\n# ---\n# name: ${hostile}\n# type: session\n# ---\necho '${hostile}'\n`,
  );
  chmodSync(join(project, `.hookline/hooks/${hostile}.sh`), 0o755);
  return { project, home };
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const event: readonly string[] = [
  "PreToolUse",
  "--data",
  JSON.stringify({ tool_name: hostile, tool_input: { command: hostile } }),
];

export const commands: readonly (readonly string[])[] = [
  ["list"],
  ["emit", ...event],
  ["check"],
  ["trust"],
  ["trust", "list"],
  ["trust", "diff"],
  ["explain", ...event],
  ["emit", ...event, "--json"],
  ["runs"],
  ["why", "last"],
  ["status"],
  ["pause", hostile],
  ["run", hostile],
  ["task", "create", hostile],
  [hostile],
];

const hasTerminals = spawnSync("script", ["--version"]).status === 0;

export const onTerminal: { skip: string | false } = { skip: !hasTerminals && "script is not installed" };

/** How many of the commands have shown a hostile text. */
export function showing(t: TestContext, commands: readonly (readonly string[])[]): number {
  const { project, home } = hostileWorkspace(t);
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SHELL: "/bin/sh",
    TERM: "xterm",
    NODE_COMPILE_CACHE: codeCache,
    HOOKLINE_DAEMON: "off",
  };
  let shown = 0;
  for (const words of commands) {
    const line = [process.execPath, bin, ...words].map(quoted).join(" ");
    const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], {
      cwd: project,
      env,
      encoding: "utf8",
      input: "n",
    });
    const own = stdout.replaceAll("\r\n", "\n").replaceAll(ownColours, "");
    assert.doesNotMatch(own, driving, `hookline ${words.join(" ")}: ${JSON.stringify(own)}`);
    if (own.includes("\\u202e")) shown += 1;
  }
  return shown;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const ownColours = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;

const driving = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/u;
