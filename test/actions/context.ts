/** A step's surroundings with the real spawner and the real HTTP client. */
import { tmpdir } from "node:os";
import { fetch } from "../../src/actions/http/fetch.ts";
import { conventions } from "../../src/agents/index.ts";
import type { EventName, Fields } from "../../src/engine/event.ts";
import type { Hook, Origin } from "../../src/engine/hook.ts";
import type { Caller, Ports, StepContext } from "../../src/engine/ports.ts";
import { createSpawn } from "../../src/runtime/processes/spawn.ts";

export { temporaryFolder } from "../temporary-folder.ts";

export interface Surroundings {
  name?: EventName;
  data?: Fields;
  cwd?: string;
  caller?: Caller;
  signal?: AbortSignal;
  timeout?: number;
  origin?: Partial<Origin>;
  as?: string[];
  /** The hook's own parameters, as its author wrote them. */
  written?: Fields;
}

export const PATH: string = process.env.PATH ?? "";
const never = new AbortController().signal;

export function contextOf(wish: Surroundings = {}): StepContext {
  const { name = "PreToolUse", data = { tool_name: "Bash", tool_input: { command: "ls" } }, cwd = tmpdir() } = wish;
  const event = { id: "event-1", name, at: 0, cwd, session: "session-1", sender: "test", data };
  const hook = {
    id: "hook-1",
    name: "guard",
    on: { event: [name], ...(wish.as ? { as: wish.as } : {}) },
    steps: [{ uses: "any", with: wish.written ?? {} }],
    origin: { dialect: "settings", layer: "project", ...wish.origin },
  } as unknown as Hook; // handlers look at no more of it
  const ports = {
    spawn: createSpawn(),
    conventions,
    fetch,
    after(milliseconds: number, callback: () => void) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  } as unknown as Ports; // the same
  return {
    event,
    hook,
    ports,
    run: "run-1",
    timeout: wish.timeout ?? 600,
    caller: wish.caller ?? { environment: { PATH } },
    signal: wish.signal ?? never,
    scope: { event, results: [], names: [] } as unknown as StepContext["scope"], // not looked at either
  };
}
