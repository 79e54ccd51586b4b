/** When what the context steps found makes the model needless. */
import assert from "node:assert/strict";
import test from "node:test";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { skipFlagsHold } from "../../src/conditions/written-by-formats.ts";
import type { Fields } from "../../src/engine/event.ts";
import type { SkipFlags } from "../../src/engine/named.ts";
import { scopeOf } from "../../src/engine/plan.ts";

const patterns = await loadPatterns({});
const event = { id: "e", name: "deploy.done", at: 0, cwd: "/", data: {}, sender: "test" } as const;

/** The reason, or undefined: the model is asked. */
function reason(flags: SkipFlags[], ...outputs: (Fields | "failed")[]): unknown {
  const results = outputs.map((one) => ({
    uses: "x",
    ok: one !== "failed",
    output: one === "failed" ? {} : one,
    ms: 0,
  }));
  const found = skipFlagsHold.compile(flags, patterns)({ ...scopeOf(event), results });
  return typeof found === "object" ? found.reason : undefined;
}

test("[A38, A39, AT9] a step that exits 0 skips the model where its flag says so, with exactly this reason", () => {
  assert.equal(reason([{ exit_zero: true }], { exit_code: 0 }), "step_0: exit code 0 (skip_llm_if_exit_zero)");
  assert.equal(reason([{ exit_zero: true }], { exit_code: 1 }), undefined);
  assert.equal(reason([{ exit_zero: true }], { content: "no program" }), undefined);
});

test("[A38, A39, AT10] a step that finds nothing skips the model where its flag says so, with exactly this reason", () => {
  const empty = "step_0: output empty (skip_llm_if_empty)";
  assert.equal(reason([{ empty: true }], { stdout: "", content: "" }), empty);
  assert.equal(reason([{ empty: true }], { stdout: " \n\t" }), empty);
  assert.equal(reason([{ empty: true }], { stdout: "some output" }), undefined);
  assert.equal(reason([{ empty: true }], { stdout: "", content: "text" }), undefined);
});

test("[A39] a page that answers skips the model where its flag says so, with exactly this reason", () => {
  const status = (code: number): unknown => reason([{ status_ok: true }], { status_code: code, body: "" });
  assert.equal(status(204), "step_0: HTTP 204 (skip_llm_if_status_ok)");
  assert.deepEqual([199, 300, 404, 0].map(status), [undefined, undefined, undefined, undefined]);
});

test("[A38] the main output of the step decides what is empty: a body, a diff, rows, files", () => {
  for (const field of ["body", "diff"]) {
    assert.notEqual(reason([{ empty: true }], { [field]: "" }), undefined, field);
    assert.equal(reason([{ empty: true }], { [field]: "text" }), undefined, field);
  }
  for (const field of ["rows", "files"]) {
    assert.notEqual(reason([{ empty: true }], { [field]: [] }), undefined, field);
    assert.equal(reason([{ empty: true }], { [field]: [{}] }), undefined, field);
  }
  assert.equal(reason([{ empty: true }], { task_id: "t", created: true }), undefined);
});

test("[A38, AT47] a step that failed has not found nothing", () => {
  const failures: (Fields | "failed")[] = [
    "failed",
    { error: "no such file" },
    { stdout: "", error: "boom" },
    { stdout: "", stderr: "Command timed out after 1s", exit_code: -1 },
    { stdout: "", stderr: "ls: cannot access", exit_code: 2 },
    { stdout: "", stderr: "", exit_code: 1, passed: false },
    { body: "", status_code: 0, error: "refused" },
  ];
  for (const one of failures) assert.equal(reason([{ empty: true }], one), undefined, JSON.stringify(one));
  assert.notEqual(reason([{ empty: true }], { stdout: "", stderr: "", exit_code: 1 }), undefined, "grep found nothing");
  assert.notEqual(reason([{ empty: true }], { content: "", error: null }), undefined);
});

test("[A38] the first match wins: by step, and inside a step by flag", () => {
  const all: SkipFlags = { exit_zero: true, empty: true, status_ok: true };
  const zero = { exit_code: 0, stdout: "", status_code: 200 };
  assert.equal(reason([all, all], zero, zero), "step_0: exit code 0 (skip_llm_if_exit_zero)");
  assert.equal(reason([all], { ...zero, exit_code: 1 }), "step_0: output empty (skip_llm_if_empty)");
  assert.equal(reason([{}, all], { exit_code: 0 }, zero), "step_1: exit code 0 (skip_llm_if_exit_zero)");
});

test("[AT12] without flags nothing is skipped", () => {
  assert.equal(reason([{}, { empty: false }], { exit_code: 0, stdout: "" }, { stdout: "" }), undefined);
  assert.equal(reason([]), undefined);
});
