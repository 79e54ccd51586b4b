/** What a settings hook's program reads and answers (specification 002): Claude Code's JSON, and its exit codes. */
import type { HookEvent, HookId } from "../../../engine/event.ts";
import type { Protocol, StepResult } from "../../../engine/ports.ts";
import type { Ended } from "../../../engine/program.ts";
import { launchFailure } from "./launch-failure.ts";
import { readAnswer } from "./settings-answer.ts";
import { blocked } from "./settings-keys.ts";
import { exitReason, failed, unfinished } from "./unfinished.ts";

export { readAnswer };

export const settings: Protocol = { write, read, detaches };

/** The base fields come first and cannot be replaced; whatever else the agent sent passes through (C55). */
function write(event: HookEvent, as: string): string {
  const base = {
    ...(event.session === undefined ? {} : { session_id: event.session }),
    cwd: event.cwd,
    hook_event_name: as,
  };
  const agent = event.agent && {
    agent_id: event.agent.id,
    ...(event.agent.type === undefined ? {} : { agent_type: event.agent.type }),
  };
  return JSON.stringify({ ...base, ...agent, ...event.data, ...base });
}

function read(ended: Ended, event: HookEvent, hook: HookId): StepResult {
  const without = unfinished(ended);
  if (without) return without;
  if (ended.code === 0) return readAnswer(ended.stdout, event, hook);
  const launch = launchFailure(ended);
  if (launch !== undefined) return failed("launch", launch);
  if (ended.code === 2) return block(ended, hook);
  return failed("exit", exitReason(ended));
}

/** Exit 2 blocks whatever stdout holds (R16). */
function block({ stdout, stderr }: Ended, hook: HookId): StepResult {
  const reason = stderr.trim() || blocked;
  const notes = stdout.trim() === "" ? undefined : ["stdout was not read: exit 2 blocks whatever it holds"];
  return { ok: true, output: {}, outcome: { verdict: { is: "deny", reason, by: hook } }, ...(notes ? { notes } : {}) };
}

/** The first line is `{"async": true}`: the program goes on by itself (C37). */
function detaches(line: string): boolean {
  try {
    return JSON.parse(line.replace(/^\uFEFF/, ""))?.async === true;
  } catch {
    return false; // some other first line
  }
}
