/** Deny lists about files, by the real command: they hold wherever in the project the session stands, and through links. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCommand } from "../../program.ts";
import { world } from "../../world.ts";

function project(t: TestContext, files: Readonly<Record<string, string>>) {
  const { folder, workspace, environment } = world(t, files, {
    ...{ workspace: "shop", variables: { HOOKLINE_DAEMON: "off" } },
  });
  for (const path of ["shop/.git", "shop/sub", "shop/secrets", "shop/lib"])
    mkdirSync(join(folder, path), { recursive: true });
  const verdict = (file_path: string, cwd = "."): string => {
    const data = JSON.stringify({ tool_name: "Write", tool_input: { file_path, content: "x" } });
    const words = ["emit", "PreToolUse", "--data", data, "--json"];
    const { stdout } = runCommand(words, { cwd: join(workspace, cwd), environment });
    return JSON.parse(stdout).outcome.verdict?.is ?? "none";
  };
  return { workspace, verdict };
}

const deny = (...patterns: string[]): string => JSON.stringify({ deny: patterns });

for (const [layer, file] of [
  ["project", "shop/.hookline/hooks.json"],
  ["user", "home/.config/hookline/hooks.json"],
] as const)
  for (const pattern of ["write(secrets/**)", "Write(./secrets/**)", "write(/secrets/**)"])
    test(`[R12] ${pattern} of the ${layer} holds when the session stands in a subfolder`, (t) => {
      const { workspace, verdict } = project(t, { [file]: deny(pattern) });
      for (const cwd of [".", "sub"]) {
        assert.equal(verdict(join(workspace, "secrets", "a"), cwd), "deny", cwd);
        assert.equal(verdict(join(workspace, "lib", "a"), cwd), "none", cwd);
      }
    });

test("a link that leads to nothing yet is denied by what a write through it would make", (t) => {
  const { workspace, verdict } = project(t, { "home/.config/hookline/hooks.json": deny("write(.env)") });
  for (const [name, target] of [
    ["direct", ".env"],
    ["absolute", join(workspace, ".env")],
    ["sub/up", "../.env"],
    ["chain", "direct"],
  ] as const) {
    symlinkSync(target, join(workspace, name));
    assert.equal(verdict(join(workspace, name)), "deny", name);
  }
  symlinkSync("loop", join(workspace, "loop"));
  assert.equal(verdict(join(workspace, "loop")), "none");
});
