/** Events and ends of programs for the protocol's tests. */

import { settings } from "../../../../src/actions/command/protocols/settings.ts";
import type { EventName, Fields, HookEvent } from "../../../../src/engine/event.ts";
import type { Hook } from "../../../../src/engine/hook.ts";
import type { StepResult } from "../../../../src/engine/ports.ts";
import type { Ended } from "../../../../src/engine/program.ts";

export function eventOf(name: EventName, data: Fields = {}): HookEvent {
  return { id: "event-1", name, at: 0, cwd: "/project", session: "session-1", sender: "test", data };
}

export const endOf = (end: Partial<Ended>): Ended => ({
  how: "exit",
  code: 0,
  stdout: "",
  stderr: "",
  dropped: 0,
  containment: "pgroup",
  survivors: 0,
  ...end,
});

export const bash: Fields = { tool_name: "Bash", tool_input: { command: "ls" } };

/** What the step becomes when a program on this event exits 0 with this on its stdout. */
export function answered(name: EventName, said: unknown, data: Fields = bash): StepResult {
  const stdout = typeof said === "string" ? said : JSON.stringify(said);
  return settings.read(endOf({ stdout }), eventOf(name, data), "hook-1");
}

export const specific = (name: EventName, fields: Fields): StepResult =>
  answered(name, { hookSpecificOutput: { hookEventName: name, ...fields } });

const anyHook = { origin: {} } as unknown as Hook; // what settings programs read says nothing of the hook

/** What a settings hook's program reads. */
export const inputOf = (event: HookEvent, as: string): string => settings.write(event, as, anyHook);
