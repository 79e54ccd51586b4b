/** Node's own test runner, as it runs here. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "./context.ts";
import { outputOf } from "./step-context.ts";

/** @param reporters words that choose one */
export async function readsNode(t: TestContext, reporters: readonly string[]): Promise<void> {
  const root = temporaryFolder(t);
  writeFileSync(
    join(root, "sum.test.mjs"),
    `import { describe, it, test } from "node:test";
     test("holds", () => {});
     describe("group", () => { it("breaks", () => { throw new Error("gone"); }); });`,
  );
  const environment = { PATH: process.env.PATH ?? "", HOME: root };
  for (const reporter of reporters) {
    const command = `'${process.execPath}' --test${reporter}`;
    const output = await outputOf("run_tests", { command }, { root, timeout: 600, caller: { environment } });
    assert.deepEqual(
      [output.passed, output.failures, output.test_count, output.framework, output.exit_code],
      [false, ["breaks"], 2, "node", 1],
    );
  }
}
