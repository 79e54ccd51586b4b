/** A project, and operations by the real command there. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { TestContext } from "node:test";
import { bin } from "../../program.ts";
import type { CommandAnswer } from "../../standing-command.ts";
import { type World, world } from "../../world.ts";

export interface Scratch extends Omit<World, "hookline"> {
  hookline(words: readonly string[], input?: string): CommandAnswer;
  /** The same without blocking this process, which may be the server that the command speaks to. */
  started(words: readonly string[], more?: Record<string, string>): Promise<CommandAnswer>;
  /** As one sees it whose output is a terminal. */
  onTerminal(words: readonly string[]): Promise<CommandAnswer>;
}

export function scratch(t: TestContext): Scratch {
  const here = world(t, {}, { workspace: "shop", variables: { SECRET_TEXT: "hunter2-hunter2" } });
  const { workspace, environment } = here;
  const started: Scratch["started"] = (words, more = {}) => {
    const child = spawn(process.execPath, [bin, ...words], { cwd: workspace, env: { ...environment, ...more } });
    const ended: CommandAnswer = { status: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      ended.stdout += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      ended.stderr += piece;
    });
    return new Promise((resolve) => child.on("close", (status) => resolve({ ...ended, status })));
  };
  const asTerminal = "data:text/javascript,Object.assign(process.stdout,{isTTY:true,columns:300})";
  return {
    ...here,
    hookline: (words, input = "") => here.hooklineWith(input, ...words),
    started,
    onTerminal: (words) => started(words, { NODE_OPTIONS: `--import ${asTerminal}` }),
  };
}

/** What models and others wrote, by so many of the commands that show it. */
export async function reachesTerminalAsText(t: TestContext, count: number): Promise<void> {
  const { json, hookline, onTerminal } = scratch(t);
  const trick = "\u001b[2J\u001b[31mred\u202edeh";
  const { id } = json("task", "create", trick);
  json("note", "write", "plan", trick);
  json("memory", "add", `remember ${trick}`);
  json("automation", "create", `tell ${trick}`, "--id", "tell", "--every", "60", "--prompt-template", trick);
  const all = [
    ["task", "start", id],
    ["note", "show", "plan"],
    ["memory", "search", "remember"],
    ["automation", "edit", "tell", "--cooldown-seconds", "1"],
    ["automation", "export"],
    ["project", "list"],
  ];
  for (const words of all.slice(0, count)) {
    const { stdout, status } = await onTerminal(words);
    assert.equal(status, 0, stdout);
    for (const one of ["\u001b[2J", "\u001b[31m", "\u202e"]) assert.ok(!stdout.includes(one), words.join(" "));
  }
  assert.equal(hookline(["note", "show", "plan"]).stdout, `${trick}\n`, "a file gets the note as it is");
  assert.ok(!hookline(["task", "start", id, "--force"]).stdout.includes("\u001b"), "lines about it are none of it");
}
