/** Machines from which Hookline goes, and what a registered line comes to there: real packages, real processes, and parts of them taken away. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { packageForTests } from "../../scripts/package-for-tests.ts";
import { findBash } from "../../src/agents/install/client-programs.ts";
import { nativeClientFile } from "../../src/agents/install/own-call.ts";
import { runCommand, bin as usualBin } from "../program.ts";
import { emptyRepository } from "../repository.ts";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
export interface Machine {
  folder: string;
  /** Of the package: a link to that of the tests, until a test needs files of its own. */
  root: string;
  project: string;
  state: string;
  environment: Record<string, string>;
  hookline(words: readonly string[], environment?: Record<string, string>, input?: string): Ended;
  /** As the agent does it, by the line that stands in its settings. */
  call(event: string, more?: { environment?: Record<string, string>; cwd?: string; input?: object }): Ended;
  /** What Hookline itself makes of the event, where neither the line nor its client is what is tested. */
  decides(event: string, environment?: Record<string, string>): Ended;
  /** Registered lines start a program from here on that says so, instead of Node. */
  standIn(): void;
  line(event: string): string;
  settings: string;
}

export const guard: object = {
  hooks: {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          {
            name: "no push",
            role: "guard",
            if: "Bash(git push *)",
            command: "echo 'pushing is for people' >&2; exit 2",
          },
        ],
      },
    ],
  },
};
const push = { tool_name: "Bash", tool_input: { command: "git push" } };
const payload = (event: string, cwd: string, input: object = push): string =>
  JSON.stringify({ session_id: "s", cwd, hook_event_name: event, ...input });

export interface Given {
  hooks?: object;
  layer?: "user" | "project";
  environment?: Record<string, string>;
  trust?: "asked";
  /** Else that which install chooses. */
  client?: Client;
}
/** Of a machine that can run each: the one that is compiled, the shell's behind it, and the command in Node where no daemon may be asked. */
export type Client = "compiled" | "shell" | "node";

/**
 * A machine with a package of its own, installed in the agent. Paths of it stand in the files that install writes, so each kind of
 * machine has one place: what install has made there is kept, and put back for the tests after.
 */
export function machine(given: Given = {}): Machine {
  const { hooks = guard, layer = "user", trust, client = "compiled" } = given;
  const key = JSON.stringify([hooks, layer, trust, client]);
  let made = machines.get(key);
  if (made === undefined) {
    made = { folder: realpathSync(mkdtempSync(join(tmpdir(), "hookline-machine-"))), kept: "" };
    machines.set(key, made);
  } else {
    rmSync(made.folder, { recursive: true, force: true });
    cpSync(made.kept, made.folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    return machineIn(made.folder, layer);
  }
  const self = machineIn(made.folder, layer);
  const source = trust ? packageForTests("asked") : dirname(dirname(usualBin));
  mkdirSync(dirname(self.root), { recursive: true });
  symlinkSync(source, self.root);
  mkdirSync(join(self.project, ".hookline"), { recursive: true });
  writeFileSync(join(self.project, ".hookline", "hooks.json"), JSON.stringify(hooks));
  const { HOOKLINE_DAEMON: _off, ...withClient } = self.environment;
  const installed = runCommand(["install", "claude-code", "--layer", layer], {
    bin: join(self.root, "bin", "hookline.js"),
    cwd: self.project,
    environment: client === "node" ? self.environment : withClient,
  });
  assert.equal(installed.status, 0, installed.stderr);
  if (client === "shell") rmSync(nativeClientFile(self.state), { force: true });
  made.kept = `${made.folder}.kept`;
  cpSync(made.folder, made.kept, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return self;
}
const machines = new Map<string, { folder: string; kept: string }>();
process.once("exit", () => {
  for (const { folder, kept } of machines.values())
    for (const one of [folder, kept]) if (one !== "") rmSync(one, { recursive: true, force: true });
});

const run = (program: string, words: readonly string[], options: object): Ended => {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8", ...options });
  return { code: status, stdout, stderr };
};

function machineIn(folder: string, layer: "user" | "project"): Machine {
  const root = join(folder, "global", "node_modules", "hookline");
  const project = join(folder, "home", "repo");
  const environment: Record<string, string> = {
    PATH: "/usr/bin:/bin",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_DAEMON: "off",
    CLAUDE_PROJECT_DIR: project,
  };
  const settings = join(layer === "user" ? join(folder, "home") : project, ".claude", "settings.json");
  const self: Machine = {
    folder,
    root,
    project,
    state: join(folder, "state", "hookline"),
    environment,
    settings,
    hookline(words, extra = {}, input = "") {
      const place = { bin: join(root, "bin", "hookline.js"), cwd: project, environment: { ...environment, ...extra } };
      const { status, ...said } = runCommand(words, { ...place, input });
      return { code: status, ...said };
    },
    line: (event) => JSON.parse(readFileSync(settings, "utf8")).hooks[event][0].hooks[0].command,
    decides: (event, extra = {}) =>
      self.hookline(["hook", "claude-code", "--event", event, "--by", layer], extra, payload(event, project)),
    standIn() {
      const node = join(folder, "node");
      writeFileSync(node, '#!/bin/sh\nshift\necho "started: $*"\n', { mode: 0o755 });
      changeLaunchers(self, (text) => text.replaceAll(process.execPath, node));
    },
    call: (event, { environment: extra = {}, cwd = project, input = push } = {}) =>
      run("/bin/sh", ["-c", self.line(event)], {
        cwd,
        env: { ...environment, ...extra },
        input: payload(event, cwd, input),
      }),
  };
  return self;
}

export const withBash: { skip: string | false } = {
  skip: findBash(process.env) === undefined ? "this machine has no bash that can run the client" : false,
};
/** Of the package, for a test that changes them. */
function ownFiles({ root }: Machine): void {
  const source = realpathSync(root);
  rmSync(root);
  cpSync(source, root, { recursive: true, filter: (path) => !/\/(code|docs|examples|schema)$/.test(path) });
}
export const removePackage = ({ folder }: Machine): void =>
  rmSync(join(folder, "global", "node_modules"), { recursive: true });

/** Of the files that start a client, and Node without one. */
export function changeLaunchers({ state }: Machine, change: (text: string) => string): void {
  for (const name of ["start.sh", "client.sh"]) {
    const file = join(state, name);
    writeFileSync(file, change(readFileSync(file, "utf8")));
  }
}

export function assertBlocked({ code, stdout, stderr }: Ended, why = "Hookline cannot be started"): void {
  assert.equal(code, 2, stderr);
  assert.equal(stdout, "");
  assert.ok(stderr.startsWith(`hookline: ${why}`), stderr);
  assert.match(stderr, /, and a guard is active for this event, so it is blocked .+\n$/);
  assert.equal(stderr.split("\n").length, 2, "one sentence");
}
export function assertPassed({ code, stdout, stderr }: Ended): void {
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, /^hookline: Hookline (?:cannot be started|is gone).*, so its hooks do not run .+\n$/);
}

export function blocksOnceRemoved(client: Client): void {
  const self = machine({ client });
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  removePackage(self);
  assertBlocked(self.call("PreToolUse"));
  assertPassed(self.call("Stop"));
  assertPassed(self.call("PostToolUse"));
}

export function blocksWithDamage(client: Client): void {
  const self = machine({ client });
  ownFiles(self);
  const asOld = join(self.folder, "old.mjs");
  writeFileSync(asOld, 'Object.defineProperty(process.versions, "node", { value: "18.0.0" });');
  const old = `--import=${asOld}`;
  assertBlocked(self.call("PreToolUse", { environment: { NODE_OPTIONS: old } }), "this is Node 18.0.0");
  assert.equal(self.call("PostToolUse", { environment: { NODE_OPTIONS: old } }).code, 0);
  const hook = join(self.root, "dist", "hook.cjs");
  const text = readFileSync(hook, "utf8");
  writeFileSync(hook, `${text.slice(0, text.indexOf("\n"))}\n)`);
  assertBlocked(self.call("PreToolUse", { environment: { NODE_DISABLE_COMPILE_CACHE: "1" } }), `${hook} is damaged`);
  writeFileSync(hook, text);
  const dist = join(self.root, "dist");
  cpSync(dist, `${dist}.kept`, { recursive: true });
  for (const name of readdirSync(dist)) if (name !== "hook.cjs") rmSync(join(dist, name), { recursive: true });
  rmSync(join(self.state, "compiled"), { recursive: true, force: true });
  const parted = self.call("PreToolUse");
  assert.equal(parted.code, 2, parted.stderr);
  assert.match(parted.stderr, /Cannot find module .*\(a guard is active for this event, so it is blocked\)/);
  rmSync(dist, { recursive: true });
  cpSync(`${dist}.kept`, dist, { recursive: true });
  changeLaunchers(self, (one) => one.replaceAll(process.execPath, "/nowhere/node"));
  assertBlocked(self.call("PreToolUse"));
}

export async function daemonDecides(t: TestContext, client: Client): Promise<void> {
  const self = machine({ hooks: {}, client });
  writeFileSync(join(self.project, ".hookline", "hooks.json"), JSON.stringify(guard));
  const { HOOKLINE_DAEMON: _off, ...environment } = self.environment;
  const words = [join(self.root, "bin", "hookline.js"), "up", "--port", "0", "--json"];
  const daemon = spawn(process.execPath, words, {
    cwd: self.project,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => daemon.kill("SIGKILL"));
  await once(createInterface({ input: daemon.stdout }), "line");
  const asking = { environment: { HOOKLINE_DAEMON: "" } };
  assert.match(self.call("PreToolUse", asking).stdout, /pushing is for people/);
  removePackage(self);
  assert.match(self.call("PreToolUse", asking).stdout, /pushing is for people/);
  daemon.kill("SIGKILL");
  await once(daemon, "exit");
  assertBlocked(self.call("PreToolUse", asking));
  assertPassed(self.call("PostToolUse", asking));
}

/** @param few leaves out what Hookline itself decides, and other programs that could take over */
export function commitIsRefused({ few }: { few: boolean }): void {
  const onCommit = {
    hooks: { "git.pre-commit": [{ hooks: [{ name: "frozen", role: "guard", command: "echo frozen >&2; exit 2" }] }] },
  };
  const self = machine({ hooks: onCommit });
  const git = (words: readonly string[], environment: Record<string, string> = {}): Ended => {
    const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    const { status, stdout, stderr } = spawnSync("git", [...who, ...words], {
      cwd: self.project,
      env: { ...self.environment, GIT_CONFIG_NOSYSTEM: "1", ...environment },
      encoding: "utf8",
    });
    return { code: status, stdout, stderr };
  };
  const commit = (environment = {}): Ended =>
    git(["commit", "--quiet", "--allow-empty", "--message", "one"], environment);
  emptyRepository(self.project);
  if (!few) ownFiles(self); // a run that renews git's hook writes where the files really lie
  assert.equal(self.hookline(["git", "install"]).code, 0);
  const refused = (environment: Record<string, string>, why: RegExp): void => {
    const { code, stderr } = commit(environment);
    assert.notEqual(code, 0);
    assert.match(stderr, why);
  };
  if (!few) refused({}, /frozen/);
  rmSync(self.state, { recursive: true });
  if (!few) refused({}, /frozen/);
  const asOld = join(self.folder, "old.mjs");
  writeFileSync(asOld, 'Object.defineProperty(process.versions, "node", { value: "18.0.0" });');
  refused({ NODE_OPTIONS: `--import=${asOld}` }, /this is Node 18\.0\.0 .* the commit is refused/);
  removePackage(self);
  const alone = /a guard waits for it, so the commit is refused — npm install -g hookline installs it/;
  refused({}, alone);
  if (few) return;
  const bins = ["bin", join("x", "node_modules", ".bin")].map((name) => join(self.folder, name));
  for (const folder of bins) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "hookline"), "#!/usr/bin/env node\nprocess.exit(0)\n", { mode: 0o755 });
  }
  const programs = join(self.folder, "few");
  mkdirSync(programs);
  for (const name of ["git", "sh", "env", "cat", "ps", "tr", "sed"])
    symlinkSync(`/usr/bin/${name}`, join(programs, name));
  refused({ PATH: `${bins[0]}:${programs}` }, alone); // a Hookline without Node, and a PATH without bash
  refused({ PATH: `${bins[1]}:${dirname(process.execPath)}:${programs}` }, alone);
  assert.equal(
    commit({ PATH: `${bins[0]}:${dirname(process.execPath)}:${programs}` }).code,
    0,
    "another Hookline takes over",
  );
  rmSync(join(self.project, ".hookline"), { recursive: true });
  refused({ PATH: programs }, alone); // what no Hookline can see to be gone waits on
}
