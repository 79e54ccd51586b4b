/** What hook programs read and answer. One line each; the handlers read this table. What few hooks need is loaded when one runs. */
import type { MaybePromise } from "../../../engine/event.ts";
import type { Protocol } from "../../../engine/ports.ts";
import { settings } from "./settings.ts";

type Load = () => MaybePromise<Protocol>;

export const protocols: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["settings", () => settings],
  ["registry", async () => (await import("./registry.ts")).registry],
]);
