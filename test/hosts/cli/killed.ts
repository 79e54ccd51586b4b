/** Commands that are killed while hooks of theirs run, without a daemon. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { bin } from "../../program.ts";
import { end, goes } from "../../runtime/processes/gone.ts";
import { world } from "../../world.ts";

const payload = JSON.stringify({
  ...{ tool_name: "Write", tool_input: { file_path: "a.mute" }, tool_response: {} },
  ...{ session_id: "s", hook_event_name: "PostToolUse" },
});

/** Its program starts one more, says which they are, and goes on for ever. */
const line = 'sleep 100000 & echo "$$ $!" > pids.new; mv pids.new pids; trap "" TERM; wait; wait';

/** What the files of the project are, by their paths below it. */
export type Files = Readonly<Record<string, string>>;
export const ofCommand: Files = {
  ".hookline/hooks.json": JSON.stringify({
    hooks: { PostToolUse: [{ hooks: [{ type: "command", command: line, timeout: 600 }] }] },
  }),
};
/** Servers that read nothing, not even the end of their input. */
export const ofServers: Readonly<Record<string, Files>> = {
  "a tool server": {
    "hookline.yaml": `mcp_servers: { mute: { command: sh, args: [-c, ${JSON.stringify(line)}] } }\n`,
    ".hookline/rules/a.yaml":
      "hooks:\n  - id: a\n    on: PostToolUse\n    timeout: 600\n    condition: { type: always }\n    action: { type: module_action_inject, module: mute, action: t }\n",
  },
  "a language server": {
    "hookline.yaml": `language_servers: { mute: { command: sh, args: [-c, ${JSON.stringify(line)}], extensions: [.mute] } }\n`,
    ".hookline/rules/a.yaml":
      "hooks:\n  - id: a\n    on: PostToolUse\n    timeout: 600\n    condition: { type: always }\n    action: { type: lsp_diagnose }\n",
    "a.mute": "text",
  },
};

/** The command is killed once its hook's program is there. */
async function killed(t: TestContext, words: readonly string[], files: Files): Promise<number[]> {
  const own = Object.entries({ ".hookline/none": "", ...files }).map(([path, text]) => [`home/app/${path}`, text]);
  const { workspace: cwd, environment } = world(
    t,
    { "home/.hookline/none": "", ...Object.fromEntries(own) },
    { workspace: "home/app" },
  );
  const command = spawn(process.execPath, [bin, ...words], {
    cwd,
    env: environment,
    stdio: ["pipe", "ignore", "ignore"],
  });
  command.stdin.end(payload);
  const file = join(cwd, "pids");
  while (!existsSync(file) && command.exitCode === null) await pause(10);
  const pids = readFileSync(file, "utf8").trim().split(" ").map(Number);
  t.after(() => pids.forEach(end));
  command.kill("SIGKILL");
  await once(command, "exit");
  return pids;
}

/** Whoever reads /proc finds what is left. */
export const linux: { skip: boolean } = { skip: process.platform !== "linux" };

/** Nothing that the command has started goes on. */
export async function leavesNothing(t: TestContext, words: readonly string[], files: Files): Promise<void> {
  for (const pid of await killed(t, words, files)) assert.ok(await goes(pid), `${pid} goes on`);
}
