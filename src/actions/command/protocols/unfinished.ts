/** Programs that ended without an answer: their ends mean the same, whatever else a program's protocol says. */
import type { StepResult } from "../../../engine/ports.ts";
import type { Ended } from "../../../engine/program.ts";
import type { Failure } from "../../../engine/record.ts";
import { firstLine } from "./launch-failure.ts";

export const failed = (failure: Failure, reason: string): StepResult => ({ ok: false, output: {}, failure, reason });

/** What becomes of a program that did not end by itself. Its stdout is not read: it was not finished (C70a). */
const otherEnds: { readonly [H in Exclude<Ended["how"], "exit">]: (ended: Ended) => StepResult } = {
  aborted: ({ reason }) => failed("timeout", reason ?? "it did not end in time"),
  output: ({ reason }) => failed("output", reason ?? "it wrote too much"),
  launch: ({ reason }) => failed("launch", reason ?? "it did not start"),
  detached: () => ({ ok: true, output: { async: true } }),
};

/** Undefined: it ended by itself, with a code. */
export function unfinished(ended: Ended): StepResult | undefined {
  if (ended.how !== "exit") return otherEnds[ended.how](ended);
  return ended.code === undefined ? failed("exit", `it was ended by ${ended.signal ?? "a signal"}`) : undefined;
}

/** The code, and what the program said of it. */
export function exitReason({ code, stderr }: Ended): string {
  const line = firstLine(stderr);
  return line === "" ? `exit ${code}` : `exit ${code}: ${line}`;
}
