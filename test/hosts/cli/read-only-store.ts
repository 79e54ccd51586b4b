/** A store that can only be read, and what commands say of it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { bin } from "../../program.ts";
import { type World, world } from "../../world.ts";

/** Whose home is the folder of the command. */
export const place = (t: TestContext): World => world(t, {}, { workspace: "home" });

const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

export const places: readonly (readonly [where: string, ofUser: readonly string[]])[] = [
  ["on a full disk", []],
  ["in a folder that is read-only", process.getuid?.() === 0 ? nobody : ["env"]],
];

export function onlyLooks(t: TestContext, ofUser: readonly string[], commands: readonly string[]): void {
  const { folder, home, state: own, environment, hookline } = place(t);
  assert.equal(hookline("emit", "tests.passed").status, 0);
  const limits = ofUser.length > 0 ? ofUser : ["prlimit", "--fsize=0:unlimited"];
  if (spawnSync(limits[0] ?? "", [...limits.slice(1), "true"]).status !== 0)
    return void t.skip("this system has no way to take the right or the room");
  if (ofUser.length > 0) {
    writeFileSync(join(own, "hookline.db-wal"), Buffer.alloc(32)); // a log without its index, as a backup may hold it
    for (const file of readdirSync(own)) chmodSync(join(own, file), file === "code" ? 0o755 : 0o444);
    for (const one of [folder, home, join(folder, "state"), own]) chmodSync(one, 0o555);
  }
  for (const words of commands) {
    const { status, stdout, stderr } = spawnSync(
      limits[0] ?? "",
      [...limits.slice(1), process.execPath, bin, ...words.split(" ")],
      { cwd: home, env: environment, encoding: "utf8" },
    );
    assert.equal(status, 0, `${words}: ${stderr}`);
    assert.match(stderr, /the store is only read, .*: the store cannot be used: /, words);
    if (words === "why last") assert.match(stdout, /tests\.passed/);
  }
  const written = spawnSync(limits[0] ?? "", [...limits.slice(1), process.execPath, bin, "emit", "tests.passed"], {
    cwd: home,
    env: environment,
  });
  assert.equal(written.status, 3, "what must be durable is refused");
  chmodSync(own, 0o755);
}
