/** What hook programs read and answer. One line each; the handlers read this table. */
import type { Protocol } from "../core/ports.ts";
import { registry } from "./registry.ts";
import { settings } from "./settings.ts";

export const protocols: ReadonlyMap<string, Protocol> = new Map([
  ["settings", settings],
  ["registry", registry],
]);
