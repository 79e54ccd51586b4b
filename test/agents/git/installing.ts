/** What the tests of `git install` share: a hook of somebody else, and a command that says nothing on standard error. */
import assert from "node:assert/strict";
import type { Scratch } from "./scratch.ts";

export const foreign = "#!/bin/sh\necho the first hook\n[ ! -e first-refuses ] || exit 4\n";

export function mustRun({ hookline }: Scratch, words: readonly string[], cwd?: string): string {
  const { code, stdout, stderr } = hookline(words, cwd === undefined ? {} : { cwd });
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  return stdout;
}
