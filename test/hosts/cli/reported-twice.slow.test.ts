/** One tool call that two registrations report at once, each by a command of its own: without a daemon the store keeps them apart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../daemon/started.ts";
import { place } from "./twice-place.ts";

test("[R36] where the first of two commands is killed, the second decides by itself", async (t) => {
  const { report, count, go, events } = place(t);
  const first = report("user");
  await until(() => count().length > 0, "the hook's begin");
  const second = report("project");
  await events(2);
  first.child.kill("SIGKILL");
  await until(() => count().length === 2, "the second's own run");
  go();
  assert.match(await second.said, /"permissionDecision":"deny"/);
});

test("[R36] of two commands that report one tool call at once one runs its hooks, and both give the verdict", async (t) => {
  const { report, count, go, events } = place(t);
  const first = report("user");
  await until(() => count().length > 0, "the hook's begin");
  const second = report("project");
  await events(2);
  go();
  for (const { said } of [first, second]) assert.match(await said, /"permissionDecision":"deny"/);
  assert.deepEqual(count(), ["run"]);
});
