/** The handlers that settings hooks and callbacks need: all that most events load. The table of all is index.ts. */
import type { Handler } from "../engine/ports.ts";
import { object, text } from "../engine/schema.ts";
import { command } from "./command/command.ts";
import { type Callback, functionHandler } from "./function/function.ts";
import { http } from "./http/http.ts";

/** @param functions the callbacks of this process, by id */
export function createSettingsHandlers(functions: ReadonlyMap<string, Callback>): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ["command", forget(command)],
    ["http", forget(http)],
    ["function", forget(functionHandler(functions))],
    ["invalid", forget(invalid)],
  ]);
}

/** A handler checks its parameters against its own schema, so a table may forget their type. */
export const forget = <P>(handler: Handler<P>): Handler => handler as unknown as Handler;

const invalid: Handler<{ reason: string }> = {
  params: object({ reason: text("why the entry is invalid") }),
  run: ({ reason }) => ({ ok: false, output: {}, failure: "launch", reason }),
};
