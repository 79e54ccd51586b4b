/** What scripts/test.ts wants to know of each test: one line of JSON. */
import type { TestEvent } from "node:test/reporters";

export interface Told {
  /** A suite that has passed is none: its tests are told for themselves. */
  outcome: "passed" | "failed" | "skipped" | "suite";
  file: string;
  name: string;
  /** Of tests that are part of no other. */
  milliseconds?: number;
}

export default async function* tell(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, file = "", nesting, details, skip } = data;
    const told: Told = {
      outcome: outcomeOf(type, details.type, skip),
      file,
      name,
      ...(nesting === 0 && { milliseconds: details.duration_ms }),
    };
    yield `${JSON.stringify(told)}\n`;
  }
}

function outcomeOf(type: string, kind: string | undefined, skip: string | boolean | undefined): Told["outcome"] {
  if (kind === "suite") return "suite"; // it has failed where a test of it has
  if (type === "test:fail") return "failed";
  return skip === undefined || skip === false ? "passed" : "skipped";
}
