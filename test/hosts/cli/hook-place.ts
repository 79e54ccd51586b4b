/** A project with hooks, and the command that Claude Code calls for each of its tool calls. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { bin, runCommand } from "../../program.ts";
import type { CommandAnswer } from "../../standing-command.ts";
import { type World, world } from "../../world.ts";

export interface Scratch extends World {
  hook(input: string, cwd?: string): CommandAnswer;
  start(input: string): ChildProcess;
}

export function scratchWith(t: TestContext, hooks: object): Scratch {
  const here = world(t, { "workspace/.hookline/hooks.json": JSON.stringify({ hooks }) });
  const { workspace, environment } = here;
  const words = [bin, "hook", "claude-code", "--event", "PreToolUse"];
  return {
    ...here,
    hook: (input, cwd = workspace) => runCommand(words.slice(1), { cwd, environment, input }),
    start(input) {
      const child = spawn(process.execPath, words, {
        cwd: workspace,
        env: environment,
        stdio: ["pipe", "pipe", "inherit"],
      });
      child.stdin?.end(input);
      return child;
    },
  };
}

export const payload = (workspace: string, command: string): string =>
  JSON.stringify({
    session_id: "s",
    cwd: workspace,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "t",
  });

/** A tool call with so many bytes is decided. */
export function decidesLarge(t: TestContext, count: number): void {
  const scratch = scratchWith(t, {
    PreToolUse: [{ hooks: [{ command: "wc -c >size.txt; echo 'too much' >&2; exit 2" }] }],
  });
  const { status, stdout } = scratch.hook(payload(scratch.workspace, "x".repeat(count)));
  assert.equal(status, 0);
  assert.match(stdout, /too much/);
  assert.ok(Number(readFileSync(join(scratch.workspace, "size.txt"), "utf8")) > count);
}
