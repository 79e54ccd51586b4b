import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  readFileHead,
  readRegularBytesSync,
  readRegularFile,
  readRegularFileSync,
  textAt,
} from "../../src/files/regular-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("a regular file up to the limit is read whole, and nothing else is read", async (t) => {
  const folder = temporaryFolder(t);
  const at = (name: string): string => join(folder, name);
  writeFileSync(at("text"), "twelve bytes");
  writeFileSync(at("empty"), "");
  writeFileSync(at("hole"), "");
  truncateSync(at("hole"), 2 ** 40);
  for (const [name, target] of [
    ["zero", "/dev/zero"],
    ["pagemap", "/proc/self/pagemap"],
    ["mounts", "/proc/self/mounts"],
    ["link", "text"],
  ] as const)
    symlinkSync(target, at(name));
  spawnSync("mkfifo", [at("pipe")]);
  for (const [name, limit, expected] of [
    ["text", 12, "twelve bytes"],
    ["link", 100, "twelve bytes"],
    ["text", 11, undefined],
    ["empty", 1, ""],
    ["hole", 1 << 20, undefined],
    ["zero", 1 << 20, undefined],
    ["pagemap", 1 << 20, undefined],
    ["pipe", 1 << 20, undefined],
    [".", 1 << 20, undefined],
    ["none", 1 << 20, undefined],
  ] as const)
    assert.equal(textAt(at(name), limit), expected, `${name} ${limit}`);
  assert.match(textAt(at("mounts")) ?? "", / proc /); // it claims to be empty
  assert.deepEqual(await readRegularFile(at("text"), 12), { text: "twelve bytes" });
  assert.deepEqual(await readFileHead(at("hole"), 4), { bytes: Buffer.alloc(4), isWhole: false });
  assert.deepEqual(readRegularFileSync(at("zero"), 1), { refused: "it is no regular file", because: "irregular" });
  assert.throws(() => readRegularBytesSync(at("hole")), /larger than 256 MiB/);
});
