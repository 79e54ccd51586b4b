/** A workspace below a program that is called as an agent is, or in a shell that an agent has started. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { runCommand } from "../../program.ts";
import type { CommandAnswer } from "../../standing-command.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const isShown = process.platform === "linux" && existsSync("/usr/bin/script") && existsSync("/bin/bash");

export const skip: string | false = isShown ? false : "nothing here shows a process's ancestors and makes a terminal";

/** Below a program that is called as the agent is, or in a shell that the agent has started. */
export function placeBelow(t: TestContext): {
  bash(line: string): { status: number | null; said: string };
  /** Without a process of its own, so below nothing that this test starts. */
  hookline(...words: string[]): CommandAnswer;
} {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "shop");
  mkdirSync(join(workspace, ".hookline"), { recursive: true });
  writeFileSync(
    join(workspace, ".hookline", "hooks.json"),
    '{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] } }',
  );
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const env = {
    NODE_COMPILE_CACHE: join(packageForTests("asked"), "code"),
    ...{
      PATH: process.env.PATH ?? "",
      HOME: folder,
      HOOKLINE_DAEMON: "off",
      CI: "true",
      TERM: "xterm",
      SHELL: "/bin/sh",
    },
    HOOKLINE: `'${process.execPath}' '${bin}'`,
  };
  const bash = (line: string): { status: number | null; said: string } => {
    const { status, stdout, stderr } = spawnSync("/bin/bash", ["-c", line], { cwd: workspace, env, encoding: "utf8" });
    return { status, said: (stdout + stderr).replaceAll(/\s+/g, " ") }; // a terminal breaks lines
  };
  return { bash, hookline: (...words) => runCommand(words, { bin, cwd: workspace, environment: env }) };
}

/** Each of these lines is refused below an agent. */
export function refusedBelow(t: TestContext, lines: readonly string[]): void {
  const { bash } = placeBelow(t);
  for (const line of lines) {
    const named = bash(`exec -a claude bash -c ${JSON.stringify(line).replaceAll("$", "\\$")}'; true $?; exit $?'`);
    assert.match(named.said, /stands above it, is Claude Code — only a person at a terminal can do this/, line);
  }
}
