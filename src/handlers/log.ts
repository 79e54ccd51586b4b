/** Writes one line to whoever observes the engine (specification 003, D53), and the levels of such lines. */
import type { Handler } from "../core/ports.ts";
import { object, oneOf, type Schema, say, text } from "../core/schema.ts";

export type Level = "debug" | "info" | "warn" | "error";
export const level: Schema<Level | "warning"> = say(
  oneOf("debug", "info", "warn", "warning", "error"),
  "how urgent it is; warning is warn",
  "info",
);
/** One word for each level. */
export const levelOf = (written: Level | "warning" = "info"): Level => (written === "warning" ? "warn" : written);

export interface LogParams {
  message: string;
  level?: Level | "warning";
}

export const log: Handler<LogParams> = {
  params: object({ message: text("the line") }, { level }),
  action: { summary: "Writes a line to the log.", role: () => "observe" },
  run({ message, level: written }, { ports, hook, run }) {
    const entry = { level: levelOf(written), message };
    ports.observe?.({ is: "log", ...entry, hook: hook.id, run });
    return { ok: true, output: entry };
  },
};
