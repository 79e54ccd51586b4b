/** A language whose server people do not have; real-servers.slow.test.ts asks those that they have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scratch, soon } from "./scratch.ts";

test("[D61] a language whose server is not installed is skipped, and nothing is started", async (t) => {
  const { servers, started, write } = scratch(t);
  const diagnosis = await servers.diagnose(write("a.ts", "const a: number = 1;"), undefined, soon());
  assert.match(diagnosis.skipped ?? "", /npm install --save-dev typescript-language-server/);
  assert.deepEqual(diagnosis.diagnostics, []);
  assert.equal(started.length, 0);
});
