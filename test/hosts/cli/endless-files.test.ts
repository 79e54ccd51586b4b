/** A repository may bring links to devices that never end, and an archive pipes that nobody writes to: no command waits for one or reads it whole. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { everyCommandEnds } from "./endless-place.ts";

everyCommandEnds("links to a device without end");

for (const file of [".git/config", ".git/HEAD", ".git/info/exclude", ".git/commondir", ".gitmodules", ".gitignore"])
  test(`git is not started where ${file} is a pipe or a device, and the sentence names it`, (t) => {
    for (const make of [
      (path: string) => symlinkSync("/dev/zero", path),
      (path: string) => void spawnSync("mkfifo", [path]),
    ]) {
      const folder = temporaryFolder(t);
      const cwd = join(folder, "workspace");
      emptyRepository(cwd);
      rmSync(join(cwd, file), { force: true });
      make(join(cwd, file));
      const environment = { HOME: join(folder, "home"), PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
      const { status, stderr } = runCommand(["git", "install", "--dry-run"], { cwd, environment });
      assert.equal(status, 3);
      assert.ok(stderr.includes(`git would wait for ${join(cwd, file)}, which is no regular file`), stderr);
    }
  });

test("where a file lies in the place of the state folder, up says what is wrong in words and not by the system's code", (t) => {
  const folder = temporaryFolder(t);
  const state = join(folder, "state");
  writeFileSync(state, "");
  const environment = { HOME: folder, XDG_STATE_HOME: state, PATH: process.env.PATH ?? "" };
  const { status, stderr } = runCommand(["up"], { cwd: folder, environment });
  assert.equal(status, 3);
  assert.match(stderr, /^hookline: it is no folder — \S+\/state — move it away, or name another place/);
});
