/** The same by the other clients that install may register, beside a daemon, and where bash has gone. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findBash } from "../../src/agents/install/client-programs.ts";
import { nativeClientFile } from "../../src/agents/install/own-call.ts";
import {
  assertBlocked,
  assertPassed,
  blocksOnceRemoved,
  blocksWithDamage,
  changeLaunchers,
  commitIsRefused,
  daemonDecides,
  guard,
  type Machine,
  machine,
  removePackage,
  withBash,
} from "./vanishing.ts";

for (const client of ["shell", "node"] as const)
  test(
    `[R78] once its package has been removed, a guard's event is blocked and others pass, whichever client was registered: ${client}`,
    withBash,
    () => blocksOnceRemoved(client),
  );

test(
  "[R78] a Node that is gone, too old or of a damaged package blocks a guard's event, by shell client",
  withBash,
  () => blocksWithDamage("shell"),
);

for (const client of ["compiled", "shell"] as const)
  test(
    `[R78] a daemon notes guards too, and goes on deciding where the package has gone, by ${client} client`,
    withBash,
    (t) => daemonDecides(t, client),
  );

test("[R78] a commit is refused by a guard in each of these cases, and passes where there is none", () =>
  commitIsRefused({ few: false }));

test("[R78] where bash has gone, the agent's own sh starts Node", withBash, () => {
  const self = machine({ client: "shell" });
  const start = join(self.state, "start.sh");
  writeFileSync(start, readFileSync(start, "utf8").replaceAll(findBash(process.env) ?? "bash", "/nowhere/bash"));
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  rmSync(join(self.state, "client.sh"));
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  removePackage(self);
  assertBlocked(self.call("PreToolUse"));
});

test("[R78] what counts is the last load: a guard that came after install blocks, and one that went does not", () => {
  const self = machine({ hooks: {} });
  writeFileSync(join(self.project, ".hookline", "hooks.json"), JSON.stringify(guard));
  self.decides("PreToolUse");
  const other = machine();
  writeFileSync(join(other.project, ".hookline", "hooks.json"), "{}");
  other.decides("PreToolUse");
  for (const one of [self, other]) removePackage(one);
  assertBlocked(self.call("PreToolUse"));
  assertPassed(other.call("PreToolUse"));
});

const started = "started: hook claude-code --event PreToolUse --by user --guarded\n";

test(
  "[R78] where the compiled client has gone, or the machine is one of another processor, the shell's is started",
  withBash,
  () => {
    const self = machine();
    self.standIn();
    changeLaunchers(self, (text) => text.replaceAll(/^\[ -e '[^']*' \]/gm, "[ -e '/nowhere' ]"));
    writeFileSync(nativeClientFile(self.state), "of another processor");
    assert.equal(self.call("PreToolUse").stdout, started);
    rmSync(nativeClientFile(self.state));
    assert.equal(self.call("PreToolUse").stdout, started);
    removePackage(self);
    assertBlocked(self.call("PreToolUse"));
  },
);

/** The same repository on a machine that has never seen Hookline. */
const colleague = (self: Machine): { environment: Record<string, string> } => ({
  environment: { HOME: join(self.folder, "other home"), XDG_STATE_HOME: "", PATH: "/usr/bin:/bin" },
});

test("[R79] the team's launcher reads nothing below the folder of the event, whatever XDG_STATE_HOME says", () => {
  const self = machine({ layer: "project" });
  mkdirSync(join(self.project, "state", "hookline"), { recursive: true });
  writeFileSync(join(self.project, "state", "hookline", "start.sh"), "echo a stranger ran; exit 0\n");
  const ended = self.call("PreToolUse", {
    environment: { ...colleague(self).environment, XDG_STATE_HOME: "state" },
    cwd: self.project,
  });
  assert.doesNotMatch(ended.stdout, /a stranger ran/);
  assertBlocked(ended);
});

test("[R79] a colleague whose Hookline has gone is blocked by the team's guard, also where no load has noted it", () => {
  const self = machine({ layer: "project" });
  removePackage(self);
  rmSync(join(self.state, "guarded"), { recursive: true });
  mkdirSync(join(self.state, "guarded"));
  assertBlocked(self.call("PreToolUse"));
});

test("[R79] uninstall takes the launcher away with its folders, and leaves one of another program alone", () => {
  const self = machine({ layer: "project" });
  assert.equal(self.hookline(["install", "claude-code", "--layer", "project"]).code, 0);
  assert.equal(self.hookline(["uninstall", "claude-code", "--layer", "project"]).code, 0);
  assert.ok(!existsSync(join(self.project, ".hookline", "launch.sh")) && !existsSync(self.settings));
  writeFileSync(join(self.project, ".hookline", "launch.sh"), "echo mine\n");
  const refused = self.hookline(["install", "claude-code", "--layer", "project"]);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /another program has written it/);
  assert.ok(!existsSync(self.settings));
});
