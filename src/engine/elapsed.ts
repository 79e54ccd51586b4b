/** How time passes, whatever the clock is set to meanwhile (SAFETY D16). */
import type { Ports } from "./ports.ts";

/** Milliseconds from some moment on: only differences mean something. */
export const elapsed = (ports: Pick<Ports, "elapsed" | "now">): number =>
  ports.elapsed ? ports.elapsed() : ports.now();
