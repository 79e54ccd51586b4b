/** What is read out of a transcript that is larger than what is looked at. */
import { deepEqual } from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { answer, figuresIn, prompt, written } from "./transcripts.ts";

test("[D36, D38] a transcript of 70 MB is counted from its last 64 MiB, and a line of 20 MB is left out", (t) => {
  const path = written(t, prompt("too far away") + prompt("y".repeat(6 * 1024 * 1024)));
  const block = prompt("z".repeat(1024 * 1024 - 200));
  appendFileSync(path, prompt("x".repeat(20 * 1024 * 1024)));
  for (let index = 0; index < 44; index++) appendFileSync(path, block);
  appendFileSync(path, answer({ tokens: 5 }));
  deepEqual(figuresIn(path), { tokens: 5, window: 1_000_000, number: 44, messages: 45 });
});
