/** Stands where a guard's entry is invalid and has no last good form: it fails, so the failure policy answers (R46). */
import type { Handler } from "../core/ports.ts";
import { object, text } from "../core/schema.ts";

export const invalid: Handler<{ reason: string }> = {
  params: object({ reason: text("why the entry is invalid") }),
  run: ({ reason }) => ({ ok: false, output: {}, failure: "launch", reason }),
};
