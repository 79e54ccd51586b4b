import assert from "node:assert/strict";
import test from "node:test";
import { killRounds } from "./kill-rounds.ts";

test("[AT49, X8] ten kills at random moments: no run is lost, no step with a result is repeated, none is left running", async () => {
  const { acknowledged, completed, interrupted, lost, leftRunning, repeated } = await killRounds(10);
  assert.equal(acknowledged, 60);
  assert.deepEqual({ lost, leftRunning, repeated }, { lost: 0, leftRunning: 0, repeated: 0 });
  assert.equal(completed + interrupted, acknowledged);
});
