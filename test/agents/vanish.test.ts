/** What a registered line comes to where Hookline has gone since. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { packageForTests } from "../../scripts/package-for-tests.ts";
import { createHookline } from "../../src/index.ts";
import { runCommand } from "../program.ts";
import {
  assertBlocked,
  assertPassed,
  blocksOnceRemoved,
  blocksWithDamage,
  commitIsRefused,
  guard,
  type Machine,
  machine,
  removePackage,
} from "./vanishing.ts";

test("[R78] once its package has been removed, a guard's event is blocked and others pass", () =>
  blocksOnceRemoved("compiled"));

test("[R78] a Node that is gone, too old or of a damaged package blocks a guard's event", () =>
  blocksWithDamage("compiled"));

test("[R78] a process that stays notes the guards of what it loads too", async () => {
  const self = machine({ hooks: {} });
  writeFileSync(join(self.project, ".hookline", "hooks.json"), JSON.stringify(guard));
  const home = join(self.folder, "home");
  const line = await createHookline({ cwd: self.project, home, environment: self.environment });
  await line.close();
  removePackage(self);
  assertBlocked(self.call("PreToolUse"));
});

test("[R78] a commit is refused by a guard in each of these cases", () => commitIsRefused({ few: true }));

test("[R78] where no guard was active at the last load everything passes, and says so on standard error", () => {
  const self = machine({ hooks: {} });
  removePackage(self);
  assertPassed(self.call("PreToolUse"));
});

test("[R78] a project's guard blocks below its folder and nowhere else, and the person's own blocks everywhere", () => {
  const self = machine();
  mkdirSync(join(self.project, "deep", "er"), { recursive: true });
  const elsewhere = join(self.folder, "home", "other");
  mkdirSync(elsewhere);
  removePackage(self);
  assertBlocked(
    self.call("PreToolUse", { cwd: join(self.project, "deep", "er"), environment: { CLAUDE_PROJECT_DIR: "" } }),
  );
  assertBlocked(self.call("PreToolUse", { cwd: elsewhere }), "Hookline cannot be started");
  assertPassed(self.call("PreToolUse", { cwd: elsewhere, environment: { CLAUDE_PROJECT_DIR: elsewhere } }));
  const own = machine({ hooks: {} });
  const config = join(own.folder, "home", ".config", "hookline");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "hooks.json"), JSON.stringify(guard));
  own.decides("PreToolUse");
  removePackage(own);
  assertBlocked(own.call("PreToolUse", { cwd: "/", environment: { CLAUDE_PROJECT_DIR: "/" } }));
});

test("[R78] with the state folder deleted Hookline still decides, and without its package too the line itself knows", () => {
  const self = machine();
  rmSync(self.state, { recursive: true });
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  rmSync(self.state, { recursive: true, force: true });
  removePackage(self);
  const blocked = self.call("PreToolUse");
  assertBlocked(blocked, "Hookline is gone");
  assert.match(blocked.stderr, /install Hookline again; hookline uninstall claude-code --layer user takes this out/);
  assertPassed(self.call("PostToolUse"));
});

const started = "started: hook claude-code --event PreToolUse --by user --guarded\n";

test("[R78] HOOKLINE_DISABLE=1 of the person's own is the way out, and does not count where the project's settings may set it", () => {
  const self = machine();
  const off = { environment: { HOOKLINE_DISABLE: "1" } };
  self.standIn();
  assert.equal(self.call("PreToolUse", off).stdout, started, "it switches off no Hookline that works");
  assert.match(self.decides("PreToolUse", off.environment).stdout, /pushing is for people/);
  removePackage(self);
  const passed = self.call("PreToolUse", off);
  assert.equal(passed.code, 0);
  assert.match(passed.stderr, /HOOKLINE_DISABLE is set, so no hook runs/);
  const settings = join(self.project, ".claude", "settings.json");
  mkdirSync(dirname(settings));
  for (const text of ['{"env":{"HOOKLINE_DISABLE":"1"}}', '{"env":{"\\u0048OOKLINE_DISABLE":"1"}}']) {
    writeFileSync(settings, text);
    assertBlocked(self.call("PreToolUse", off));
  }
  writeFileSync(settings, '{"env":{"OTHER":"1"}}');
  assert.equal(self.call("PreToolUse", off).code, 0);
});

test("[R78] another Hookline on the PATH takes over, unless a project has put it there", () => {
  const self = machine();
  removePackage(self);
  const put = (folder: string): string => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "hookline"), "#!/bin/sh\necho it ran: $*\n", { mode: 0o755 });
    return `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`;
  };
  const taken = self.call("PreToolUse", { environment: { PATH: put(join(self.folder, "bin")) } });
  assert.equal(taken.stdout, "it ran: hook claude-code --event PreToolUse --by user --guarded\n");
  for (const folder of [join(self.folder, "x", "node_modules", ".bin"), join(self.project, "bin")])
    assertBlocked(self.call("PreToolUse", { environment: { PATH: put(folder) } }));
});

test("[R78] uninstall leaves nothing that could block", () => {
  const self = machine();
  assert.equal(self.hookline(["uninstall", "claude-code"]).code, 0);
  assert.ok(!existsSync(self.settings));
  for (const name of ["start.sh", "gone.sh", "guarded"]) assert.ok(!existsSync(join(self.state, name)), name);
});

/** The same repository on a machine that has never seen Hookline. */
const colleague = (self: Machine): { environment: Record<string, string> } => ({
  environment: { HOME: join(self.folder, "other home"), XDG_STATE_HOME: "", PATH: "/usr/bin:/bin" },
});

test("[R79, R103] what a team commits names no path of a machine, and a colleague without Hookline is told what it is, how to get it and how to go on without", () => {
  const self = machine({ layer: "project" });
  const launcher = readFileSync(join(self.project, ".hookline", "launch.sh"), "utf8");
  for (const text of [readFileSync(self.settings, "utf8"), launcher]) {
    assert.ok(!text.includes(self.folder) && !text.includes(process.execPath), text);
  }
  self.standIn();
  assert.match(self.call("PreToolUse").stdout, /^started: hook claude-code /, "the person's own client is found");
  const blocked = self.call("PreToolUse", colleague(self));
  assertBlocked(blocked);
  for (const part of [
    /runs the hooks of coding agents, this repository asks for it in \.hookline\//,
    /npm docs hookline opens its page/,
    /npm install -g hookline installs it/,
    /HOOKLINE_DISABLE=1 in your own environment does without it in this session/,
  ])
    assert.match(blocked.stderr, part);
  assertPassed(self.call("PostToolUse", colleague(self)));
  const cloned = self.call("PreToolUse", {
    ...colleague(self),
    environment: { ...colleague(self).environment, HOOKLINE_DISABLE: "1" },
  });
  assert.match(cloned.stderr, /HOOKLINE_DISABLE is set/);
  rmSync(join(self.project, ".hookline", "launch.sh"));
  assertBlocked(self.call("PreToolUse", colleague(self)), "Hookline is gone");
});

test("[R79] the project's own package is started only where a person has trusted the folder", () => {
  const self = machine({ layer: "project", trust: "asked" });
  const own = join(self.project, "node_modules", ".bin");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "hookline"), "#!/bin/sh\necho the own one ran\n", { mode: 0o755 });
  removePackage(self);
  const path = { environment: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } };
  assertPassed(self.call("PreToolUse", path)); // what nobody has trusted is no guard either
  const asking = join(packageForTests("asked"), "bin", "hookline.js");
  const trust = (...words: string[]): ReturnType<typeof runCommand> =>
    runCommand(words, { bin: asking, cwd: self.project, environment: self.environment });
  const [{ hash }] = JSON.parse(trust("trust", "list", "--json").stdout);
  assert.equal(trust("trust", "--hash", hash).status, 0);
  assert.equal(self.call("PreToolUse", path).stdout, "the own one ran\n");
  const withoutNode = join(self.folder, "few");
  mkdirSync(withoutNode);
  for (const name of ["ls", "cat"]) symlinkSync(`/bin/${name}`, join(withoutNode, name));
  assertPassed(self.call("PreToolUse", { environment: { PATH: withoutNode } }));
  assert.equal(trust("untrust").status, 0);
  assertPassed(self.call("PreToolUse", path));
});
