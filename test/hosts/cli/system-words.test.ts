import assert from "node:assert/strict";
import { openSync } from "node:fs";
import { test } from "node:test";
import { systemWords } from "../../../src/hosts/cli/system-words.ts";

const failure = (code: string): Error =>
  Object.assign(new Error(`${code}: as Node says it`), { code, path: "/state/x" });

test("where the system refuses a file, a command says why, where and what to do, and never the system's own code", () => {
  for (const [code, said] of [
    [
      "EROFS",
      /^the file system is read-only — \/state\/x — make it writable, or name another place by XDG_STATE_HOME$/,
    ],
    ["ENOSPC", /^the disk is full — \/state\/x — free some space$/],
    ["EMFILE", /^this process has too many files open — \/state\/x — raise its limit/],
  ] as const)
    assert.match(systemWords(failure(code)) ?? "", said);
  assert.equal(systemWords(new Error("another")), undefined);
  assert.throws(
    () => openSync("/none/there", "r"),
    (error) => systemWords(error) === undefined, // what is not there is said by who looked for it
  );
});
