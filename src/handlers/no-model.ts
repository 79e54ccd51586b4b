/** Ends an automation that asks no model: its steps were all there was to do (`skip_llm`, or no prompt). */
import type { Handler } from "../core/ports.ts";
import { object } from "../core/schema.ts";

export const noModel: Handler<Record<never, never>> = {
  params: object({}),
  run: () => ({ ok: true, output: {} }),
};
