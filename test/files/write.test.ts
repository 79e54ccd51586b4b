import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isPrivate, makePrivateFolder, preparePrivateFile, writePrivate, writeWhole } from "../../src/files/write.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("a file is replaced in one step, a link in its place is not followed, and nothing is left next to it", (t) => {
  const top = temporaryFolder(t);
  writeFileSync(join(top, "theirs"), "theirs");
  symlinkSync("theirs", join(top, "ours"));
  writePrivate(join(top, "ours"), "ours");
  assert.equal(readFileSync(join(top, "theirs"), "utf8"), "theirs");
  assert.equal(readFileSync(join(top, "ours"), "utf8"), "ours");
  assert.ok(isPrivate(join(top, "ours")));
  assert.deepEqual(readdirSync(top).sort(), ["ours", "theirs"]);
});

test("a file with the longest name that there is can be written", (t) => {
  const file = join(temporaryFolder(t), "x".repeat(255));
  writePrivate(file, "text");
  assert.equal(readFileSync(file, "utf8"), "text");
});

test("what is found wrong before the new text takes its place leaves the old one, and nothing next to it", (t) => {
  const top = temporaryFolder(t);
  const file = join(top, "file");
  writeWhole(file, "old");
  const finish = (): void => {
    throw new Error("it changed meanwhile");
  };
  assert.throws(() => writeWhole(file, "new", { finish }), /it changed meanwhile/);
  assert.throws(() => writeWhole(join(file, "below"), "new"), { code: "ENOTDIR", path: join(file, "below") });
  assert.deepEqual([readFileSync(file, "utf8"), readdirSync(top)], ["old", ["file"]]);
});

test("a private folder is made whole, and a link below its base is refused", (t) => {
  const top = temporaryFolder(t);
  assert.equal(makePrivateFolder(join(top, "a"), ["b", "c"]), join(top, "a/b/c"));
  assert.equal(statSync(join(top, "a/b")).mode & 0o777, 0o700);
  mkdirSync(join(top, "elsewhere"));
  symlinkSync(join(top, "elsewhere"), join(top, "a/link"));
  assert.throws(() => makePrivateFolder(join(top, "a"), ["link", "d"]), /link is a symbolic link$/);
  assert.deepEqual(readdirSync(join(top, "elsewhere")), []);
});

test("a private file is made once, and anything but a regular file at its path is named", (t) => {
  const top = temporaryFolder(t);
  assert.deepEqual(preparePrivateFile(join(top, "new/file")), { size: 0 });
  assert.ok(isPrivate(join(top, "new/file")));
  writeFileSync(join(top, "wide"), "12345", { mode: 0o644 });
  assert.deepEqual(preparePrivateFile(join(top, "wide")), { size: 5 });
  symlinkSync("wide", join(top, "link"));
  assert.deepEqual(preparePrivateFile(join(top, "link")), { refused: "it is a symbolic link" });
  assert.deepEqual(preparePrivateFile(join(top, "new")), { refused: "it is not a regular file" });
});
