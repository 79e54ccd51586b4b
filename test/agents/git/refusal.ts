/** What a commit says and keeps where a script refuses it. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scratch } from "./scratch.ts";

/** The log that the last line names. */
export const logOf = (stderr: string): string => /log: (.+)\n/.exec(stderr)?.[1] ?? "";
/** What the status beside that log says of the script. */
export function statusBeside(log: string): Record<string, unknown> {
  const status: { hooks: Record<string, Record<string, unknown>> } = JSON.parse(
    readFileSync(join(log, "..", "..", "status.json"), "utf8"),
  );
  return status.hooks.check ?? {};
}

export function refusesThenPasses(self: Scratch, cwd: string): void {
  writeFileSync(join(cwd, "bad"), "");
  const refused = self.commit({ cwd });
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /^bad is there\nhookline: "Type check" refused the commit — exit code 3 — log: .+\n$/);
  assert.equal(readFileSync(logOf(refused.stderr), "utf8"), "bad is there\n");
  assert.equal(statusBeside(logOf(refused.stderr)).lastExitCode, 3);
  const direct = self.git(["hook", "run", "pre-commit"], { cwd });
  if (!/not a git command/.test(direct.stderr)) assert.equal(direct.code, 3, direct.stderr); // git 2.36 and later
  rmSync(join(cwd, "bad"));
  const passed = self.commit({ cwd });
  assert.deepEqual([passed.code, passed.stderr], [0, ""]);
}
