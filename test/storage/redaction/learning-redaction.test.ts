/** Secrets of the environments that a process is shown while it works. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLearningRedaction } from "../../../src/storage/redaction/redaction.ts";

const mine = { MY_API_KEY: "of-the-first-0001" };

/** So many at once that all others go. */
const flood = (): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`K${index}_TOKEN`, `of-the-flood-${1e6 + index}`]));

test("what was learned is replaced, the own environment's always", () => {
  const { redact, learn } = createLearningRedaction({ environment: { OWN_TOKEN: "of-the-process-1" } });
  assert.equal(redact("of-the-process-1 of-the-first-0001"), "[redacted] of-the-first-0001");
  learn(mine);
  learn(flood());
  assert.equal(redact("of-the-process-1 of-the-flood-1000001"), "[redacted] [redacted]");
});

test("an environment whose secrets made room for others is learned again when it is sent again", () => {
  const { redact, learn } = createLearningRedaction({ environment: {} });
  learn(mine);
  assert.equal(redact("of-the-first-0001"), "[redacted]");
  learn(flood());
  learn(mine);
  assert.equal(redact("of-the-first-0001"), "[redacted]");
});
