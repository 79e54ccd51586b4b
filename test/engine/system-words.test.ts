import assert from "node:assert/strict";
import { closeSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { messageOf } from "../../src/engine/error.ts";
import { systemWords } from "../../src/engine/system-words.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const failure = (code: string, path: { path?: string } = { path: "/state/x" }): Error =>
  Object.assign(new Error(`${code}: as Node says it, open '/state/x'`), { code, syscall: "open", ...path });

test("where the system refuses a file, a command says why, where and what to do, and never the system's own code", () => {
  for (const [code, said] of [
    ["EROFS", "the file system is read-only — /state/x — make it writable"],
    ["ENOSPC", "the disk is full — /state/x — free some space"],
    ["EACCES", "this user has no rights to it — /state/x — change its rights or its owner"],
    ["ESOMETHING", "as Node says it — /state/x — check its path and rights"],
  ] as const)
    assert.equal(systemWords(failure(code)), said);
  assert.equal(systemWords(failure("ENOSPC", {})), "the disk is full — free some space");
  assert.equal(systemWords(new Error("another")), undefined);
});

test("another place is named where one helps, and not where the process itself has reached a limit", () => {
  const elsewhere = (): string => "name another place";
  assert.match(systemWords(failure("EROFS"), elsewhere) ?? "", /make it writable, or name another place$/);
  assert.doesNotMatch(systemWords(failure("EMFILE"), elsewhere) ?? "", /another place/);
});

test("within a sentence a failure of the system is its reason and its place, and other failures stay as they are", (t) => {
  const folder = temporaryFolder(t);
  const [file, circle] = [join(folder, "file"), join(folder, "circle")];
  writeFileSync(file, "");
  symlinkSync("circle", circle);
  for (const [work, said] of [
    [() => readFileSync(join(file, "below")), `a part of its path is no folder (${join(file, "below")})`],
    [() => readFileSync(folder), "a folder lies where a file belongs"],
    [() => openSync(circle, "r"), `its links lead in a circle (${circle})`],
    [() => readdirSync(join(folder, "none")), `it is not there (${join(folder, "none")})`],
    [() => closeSync(999_999), "bad file descriptor"],
  ] as const)
    assert.throws(work, (error) => {
      assert.equal(messageOf(error), said);
      return true;
    });
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), {
    ...{ code: "ECONNREFUSED", syscall: "connect", address: "127.0.0.1" },
  });
  assert.equal(messageOf(refused), refused.message);
});
