/** What agents report of their calls, through their adapters, against what really happened to each. receipts.slow.test.ts takes many more. */
import { test } from "node:test";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { agentNames, tellMany } from "./receipt-stories.ts";

for (const agent of agentNames)
  test(`[X11] ${agent}: of made-up sessions no disobeyed call has a receipt that says obeyed, and no other one says disobeyed`, async () => {
    await tellMany(openMemoryStore(), agent, { sessions: 20, obeys: false });
  });

test("[X11] agents that obey have no receipt that says disobeyed", async () => {
  for (const agent of agentNames) await tellMany(openMemoryStore(), agent, { sessions: 8, obeys: true });
});
