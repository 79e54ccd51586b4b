/** The handlers that settings hooks, callbacks and the built-in guard need: all that most events load. The table of all is index.ts. */

import type { Handler } from "../engine/ports.ts";
import { object, text } from "../engine/schema.ts";
import { command } from "./command/command.ts";
import { type Callback, functionHandler } from "./function/function.ts";
import { http } from "./http/http.ts";
import { gate } from "./rules/gate.ts";
import { failed, handler } from "./step.ts";

/** @param functions the callbacks of this process, by id */
export function createSettingsHandlers(functions: ReadonlyMap<string, Callback>): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ["command", handler(command)],
    ["http", handler(http)],
    ["gate", gate],
    ["function", handler(functionHandler(functions))],
    ["invalid", invalid],
  ]);
}

const invalid: Handler = handler({
  params: object({ reason: text("why the entry is invalid") }),
  run: ({ reason }) => failed("launch", reason),
});
