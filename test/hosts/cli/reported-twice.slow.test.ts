/** One tool call that two commands report, of which the first is killed; reported-twice.test.ts has the usual way. */
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
