/** Places that rules know by name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PlaceName, placeNames } from "../../../src/engine/effects.ts";
import { isAt } from "../../../src/shell/effects/places.ts";

const where = { workspace: "/home/ada/shop", home: "/home/ada" };
const namesAt = (path: string, below?: true): PlaceName[] =>
  (Object.keys(placeNames) as PlaceName[]).filter((name) => isAt(name, { path, below }, where));

const paths: readonly (readonly [string, readonly PlaceName[]])[] = [
  ["/home/ada/shop/src/a.ts", ["workspace"]],
  ["/home/ada/shop/.env", ["workspace", "environment files"]],
  ["/home/ada/shop/.env.production", ["workspace", "environment files"]],
  ["/home/ada/shop/.env.example", ["workspace"]],
  ["/home/ada/shop/.e?v", ["workspace", "environment files"]],
  ["/home/ada/shop/.git/config", ["workspace", "git"]],
  ["/home/ada/shop/.git/hooks/pre-commit", ["workspace", "hook files", "git"]],
  ["/home/ada/shop/.claude/settings.json", ["workspace", "hook files"]],
  ["/home/ada/shop/.claude/agents/a.md", ["workspace"]],
  ["/home/ada/shop/config/master.key", ["workspace", "credentials"]],
  ["/home/ada/shop/test/fixtures/server.key", ["workspace"]],
  ["/home/ada/other/a.ts", ["outside workspace"]],
  ["/home/ada/.bashrc", ["outside workspace", "start files"]],
  ["/home/ada/.ssh/id_rsa", ["outside workspace", "credentials"]],
  ["/home/ada/.ssh/id_rsa.pub", ["outside workspace"]],
  ["/home/ada/.ss?/id_*", ["outside workspace", "credentials"]],
  ["/home/ada/.ssh/config", ["outside workspace", "start files"]],
  ["/home/bob/.ssh/config", ["outside workspace", "credentials"]],
  ["/home/ada/.cache/pip/x", []],
  ["/etc/hosts", ["outside workspace", "system", "start files"]],
  ["/tmp/x", ["temporary"]],
  ["/dev/sda1", ["outside workspace", "disks"]],
  ["/dev/null", []],
  ["\0/x", ["unknown"]],
];

test("a path is in each place whose description it fits, and in no other", () => {
  for (const [path, expected] of paths) assert.deepEqual([path, namesAt(path)], [path, expected]);
});

test("a name whose beginning is that of an environment file may be one", () => {
  assert.ok(namesAt("/home/ada/shop/.env.\0\0").includes("environment files"));
  assert.ok(!namesAt("/home/ada/shop/.e\0\0/x").includes("environment files"));
});

test("a bracket in a path that nothing closes means itself", () => {
  assert.deepEqual(namesAt("/home/ada/shop/.[!"), ["workspace"]);
});

test("a folder with everything in it is more than the folder", () => {
  assert.deepEqual(namesAt("/home/ada/shop", true), ["whole workspace", "outside workspace"]);
  assert.deepEqual(namesAt("/home/ada", true), ["whole workspace", "outside workspace", "home", "credentials"]);
  assert.ok(namesAt("/", true).includes("root"));
  assert.ok(namesAt("/home/ada/shop/.claude", true).includes("hook files"));
  assert.ok(!namesAt("/home/ada/shop/.claude").includes("hook files"));
});

test("secrets count in a workspace whatever the folders above it are called, and keys of the home folder everywhere", () => {
  for (const workspace of ["/home/ada/src/shop", "/usr/src/app", "/home/ada/docs/test"]) {
    const own = { workspace, home: "/home/ada" };
    const is = (path: string): boolean => isAt("credentials", { path }, own);
    assert.ok(is(`${workspace}/server.key`), workspace);
    assert.ok(is("/home/ada/.ssh/id_rsa"), workspace);
    assert.ok(is("/home/ada/.config/gcloud/test/key.json"), workspace);
    assert.ok(!is(`${workspace}/test/fixtures/server.key`), workspace);
  }
  const atHome = { workspace: "/home/ada", home: "/home/ada" };
  assert.ok(
    isAt("credentials", { path: "/home/ada/.aws/test/credentials" }, atHome) ||
      isAt("credentials", { path: "/home/ada/.aws/credentials" }, atHome),
  );
});

test("a workspace in a folder for temporary files is one like any other: only the session's own files are left out", () => {
  const inTemp = { workspace: "/tmp/shop", home: "/home/ada", own: ["/tmp/claude/s1"] };
  const isOutside = (path: string, at = inTemp): boolean => isAt("outside workspace", { path, below: true }, at);
  assert.ok(isOutside("/tmp/other"));
  assert.ok(isOutside("/tmp/shop"));
  assert.ok(!isOutside("/tmp/shop/dist"));
  assert.ok(!isOutside("/tmp/claude/s1/notes"));
  assert.ok(!isAt("outside workspace", { path: "/tmp/x" }, where));
});
