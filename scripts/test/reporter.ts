/** What scripts/test.ts wants to know of each test as it ends: a line of JSON on descriptor 3. */
import { writeSync } from "node:fs";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

export interface Told {
  /** A suite that has passed is none: its tests are told for themselves. */
  outcome: "passed" | "failed" | "skipped" | "suite";
  file: string;
  line: number;
  name: string;
  /** Of tests that are part of no other. */
  milliseconds?: number;
  /** Of one that failed: what went wrong, as Node shows it. */
  error?: string;
}

// biome-ignore lint/correctness/useYield: what it has to say goes elsewhere
export default async function* tell(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, file = "", line = 0, nesting, details, skip } = data;
    const error = "error" in details ? details.error : undefined;
    const told: Told = {
      outcome: error ? failed(error) : kindOf(details.type, skip),
      ...{ file, line, name },
      ...(nesting === 0 && { milliseconds: details.duration_ms }),
      ...(error && { error: shown(error) }),
    };
    writeSync(3, `${JSON.stringify(told)}\n`);
  }
}

/** What holds a test that failed has failed with it, and is not counted for itself. */
const failed = (error: Error): Told["outcome"] =>
  "failureType" in error && error.failureType === "subtestsFailed" ? "suite" : "failed";

function kindOf(kind: string | undefined, skip: string | boolean | undefined): Told["outcome"] {
  if (kind === "suite") return "suite";
  return skip === undefined || skip === false ? "passed" : "skipped";
}

/** Node wraps what was thrown. Its own places in the stack say nothing of the test. */
function shown(error: Error): string {
  const thrown: unknown = error.cause ?? error;
  if (!(thrown instanceof Error)) return typeof thrown === "string" ? thrown : inspect(thrown);
  const cause = thrown.cause === undefined ? "" : `\nbecause of ${inspect(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`.replaceAll(/\n +at .*\bnode:.*/g, "");
}
