/** The handlers that settings hooks and callbacks need: all that most events load. The table of all is index.ts. */
import type { Handler } from "../core/ports.ts";
import { command } from "./command.ts";
import { type Callback, functionHandler } from "./function.ts";
import { http } from "./http.ts";
import { invalid } from "./invalid.ts";

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
