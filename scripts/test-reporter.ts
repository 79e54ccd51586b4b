/** What scripts/test.ts wants to know of each test: one line of JSON. */
import type { TestEvent } from "node:test/reporters";

export interface Told {
  outcome: "passed" | "failed" | "skipped";
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
      outcome: type === "test:fail" ? "failed" : skip !== undefined && skip !== false ? "skipped" : "passed",
      file,
      name,
      ...(nesting === 0 && { milliseconds: details.duration_ms }),
    };
    if (details.type !== "suite" || told.outcome === "failed") yield `${JSON.stringify(told)}\n`;
  }
}
