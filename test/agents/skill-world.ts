/** A folder with skills, and what hooks say of their lines. */
import { deepEqual } from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { runCommand } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface Place {
  home: string;
  work: string;
  put(file: string, text: string): void;
  run(words: string | string[], input?: string): ReturnType<typeof runCommand>;
  /** What the agent is told about this payload. */
  hook(wire: Fields, agent?: string): Fields | undefined;
}

export function createPlace(t: TestContext, files: Readonly<Record<string, string>> = {}, headless = "0"): Place {
  const folder = realpathSync(temporaryFolder(t));
  const [home, work] = [join(folder, "home"), join(folder, "work")];
  const environment = { PATH: process.env.PATH ?? "", HOME: home, HOOKLINE_HEADLESS: headless };
  const put = (file: string, text: string): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  mkdirSync(home);
  put("work/.hookline/hooks.local.json", rules);
  for (const [file, text] of Object.entries(files)) put(file, text);
  const run = (words: string | string[], input = ""): ReturnType<typeof runCommand> =>
    runCommand(typeof words === "string" ? words.split(" ") : words, { cwd: work, environment, input });
  return {
    ...{ home, work, put, run },
    hook(wire, agent = "claude-code") {
      const { status, stdout, stderr } = run(`hook ${agent}`, JSON.stringify({ session_id: "s", cwd: work, ...wire }));
      deepEqual([status, stderr], [0, ""]);
      return stdout === "" ? undefined : JSON.parse(stdout);
    },
  };
}
export const rules: string = JSON.stringify({
  hooks: { PreToolUse: [{ deny: ["Bash(git push --force *)"] }, { ask: ["Bash(git tag *)"] }] },
});

export const line = (command: string): Fields => ({
  hook_event_name: "PreSkillShellCommand",
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id: "t1",
  command_name: "release",
  command_source: "projectSettings",
  invoked_by: "claude",
});

export const said = (answer: Fields | undefined): unknown[] => {
  const specific = isRecord(answer?.hookSpecificOutput) ? answer.hookSpecificOutput : {};
  return [specific.hookEventName, specific.permissionDecision];
};

export const written = (file_path: string, content: string): Fields => ({
  hook_event_name: "PreToolUse",
  tool_name: "Write",
  tool_input: { file_path, content },
  tool_use_id: "t2",
});
export const skill = "---\nname: x\ndescription: releases\n---\nPublish it.\n\n";
export const verdictOf = (answer: Fields | undefined): unknown => said(answer)[1];
