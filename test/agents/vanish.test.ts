/** What a registered line comes to where Hookline has gone since: real packages, real processes, and parts of them taken away. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { packageForTests } from "../../scripts/package-for-tests.ts";
import { nativeClientFile, startFile } from "../../src/agents/install/own-call.ts";
import { findBash } from "../../src/agents/install/shell-client.ts";
import { bin as usualBin } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
interface Machine {
  folder: string;
  /** Of the package. */
  root: string;
  project: string;
  state: string;
  environment: Record<string, string>;
  hookline(words: readonly string[], environment?: Record<string, string>): Ended;
  /** As the agent does it, by the line that stands in its settings. */
  call(event: string, more?: { environment?: Record<string, string>; cwd?: string; input?: object }): Ended;
  line(event: string): string;
  settings: string;
}

const guard = {
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

interface Given {
  hooks?: object;
  layer?: "user" | "project";
  environment?: Record<string, string>;
  trust?: "asked";
  /** Else that which install chooses. */
  client?: Client;
}
/** Of a machine that can run each: the one that is compiled, the shell's behind it, and the command in Node where no daemon may be asked. */
type Client = "compiled" | "shell" | "node";
const clients: readonly Client[] = ["compiled", "shell", "node"];

/** A machine with a package of its own, installed in the agent. */
function machine(t: TestContext, { hooks = guard, layer = "user", trust, client = "compiled" }: Given = {}): Machine {
  const folder = temporaryFolder(t);
  const root = join(folder, "global", "node_modules", "hookline");
  cpSync(trust ? packageForTests("asked") : dirname(dirname(usualBin)), root, {
    recursive: true,
    filter: (source) => !/\/(code|docs|examples|schema)$/.test(source),
  });
  const project = join(folder, "home", "repo");
  mkdirSync(join(project, ".hookline"), { recursive: true });
  writeFileSync(join(project, ".hookline", "hooks.json"), JSON.stringify(hooks));
  const environment: Record<string, string> = {
    PATH: "/usr/bin:/bin",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_DAEMON: "off",
    CLAUDE_PROJECT_DIR: project,
  };
  const run = (program: string, words: readonly string[], options: object): Ended => {
    const { status, stdout, stderr } = spawnSync(program, words, { cwd: project, encoding: "utf8", ...options });
    return { code: status, stdout, stderr };
  };
  const settings = join(layer === "user" ? (environment.HOME ?? "") : project, ".claude", "settings.json");
  const self: Machine = {
    folder,
    root,
    project,
    state: join(folder, "state", "hookline"),
    environment,
    settings,
    hookline: (words, extra = {}) =>
      run(process.execPath, [join(root, "bin", "hookline.js"), ...words], { env: { ...environment, ...extra } }),
    line: (event) => JSON.parse(readFileSync(settings, "utf8")).hooks[event][0].hooks[0].command,
    call: (event, { environment: extra = {}, cwd = project, input = push } = {}) =>
      run("/bin/sh", ["-c", self.line(event)], {
        cwd,
        env: { ...environment, ...extra },
        input: JSON.stringify({ session_id: "s", cwd, hook_event_name: event, ...input }),
      }),
  };
  const { HOOKLINE_DAEMON: _off, ...withClient } = environment;
  const installed = run(
    process.execPath,
    [join(root, "bin", "hookline.js"), "install", "claude-code", "--layer", layer],
    {
      env: client === "node" ? environment : withClient,
    },
  );
  assert.equal(installed.code, 0, installed.stderr);
  if (client === "shell") rmSync(nativeClientFile(self.state), { force: true });
  return self;
}

const withBash = {
  skip: findBash(process.env) === undefined ? "this machine has no bash that can run the client" : false,
};
const removePackage = ({ folder }: Machine): void =>
  rmSync(join(folder, "global", "node_modules"), { recursive: true });

function assertBlocked({ code, stdout, stderr }: Ended, why = "Hookline cannot be started"): void {
  assert.equal(code, 2, stderr);
  assert.equal(stdout, "");
  assert.ok(stderr.startsWith(`hookline: ${why}`), stderr);
  assert.match(stderr, /, and a guard is active for this event, so it is blocked .+\n$/);
  assert.equal(stderr.split("\n").length, 2, "one sentence");
}
function assertPassed({ code, stdout, stderr }: Ended): void {
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, /^hookline: Hookline (?:cannot be started|is gone), so its hooks do not run .+\n$/);
}

for (const client of clients) {
  test(
    `[R78] once its package has been removed, a guard's event is blocked and others pass, whichever client was registered: ${client}`,
    withBash,
    (t) => {
      const self = machine(t, { client });
      assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
      removePackage(self);
      assertBlocked(self.call("PreToolUse"));
      assertPassed(self.call("Stop"));
      assertPassed(self.call("PostToolUse"));
    },
  );
}

test("[R78] where no guard was active at the last load everything passes, and says so on standard error", (t) => {
  const self = machine(t, { hooks: {} });
  removePackage(self);
  assertPassed(self.call("PreToolUse"));
});

test("[R78] what counts is the last load: a guard that came after install blocks, and one that went does not", (t) => {
  const self = machine(t, { hooks: {} });
  writeFileSync(join(self.project, ".hookline", "hooks.json"), JSON.stringify(guard));
  self.call("PreToolUse");
  const other = machine(t);
  writeFileSync(join(other.project, ".hookline", "hooks.json"), "{}");
  other.call("PreToolUse");
  for (const one of [self, other]) removePackage(one);
  assertBlocked(self.call("PreToolUse"));
  assertPassed(other.call("PreToolUse"));
});

test("[R78] a project's guard blocks below its folder and nowhere else, and the person's own blocks everywhere", (t) => {
  const self = machine(t);
  mkdirSync(join(self.project, "deep", "er"), { recursive: true });
  const elsewhere = join(self.folder, "home", "other");
  mkdirSync(elsewhere);
  removePackage(self);
  assertBlocked(
    self.call("PreToolUse", { cwd: join(self.project, "deep", "er"), environment: { CLAUDE_PROJECT_DIR: "" } }),
  );
  assertBlocked(self.call("PreToolUse", { cwd: elsewhere }), "Hookline cannot be started");
  assertPassed(self.call("PreToolUse", { cwd: elsewhere, environment: { CLAUDE_PROJECT_DIR: elsewhere } }));
  const own = machine(t, { hooks: {} });
  const config = join(own.folder, "home", ".config", "hookline");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "hooks.json"), JSON.stringify(guard));
  own.call("PreToolUse");
  removePackage(own);
  assertBlocked(own.call("PreToolUse", { cwd: "/", environment: { CLAUDE_PROJECT_DIR: "/" } }));
});

test("[R78] with the state folder deleted Hookline still decides, and without its package too the line itself knows", (t) => {
  const self = machine(t);
  rmSync(self.state, { recursive: true });
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  rmSync(self.state, { recursive: true, force: true });
  removePackage(self);
  const blocked = self.call("PreToolUse");
  assertBlocked(blocked, "Hookline is gone");
  assert.match(blocked.stderr, /install Hookline again; hookline uninstall claude-code --layer user takes this out/);
  assertPassed(self.call("PostToolUse"));
});

for (const client of ["compiled", "shell"] as const)
  test(
    `[R78] a Node that is gone, too old or of a damaged package blocks a guard's event, by ${client} client`,
    withBash,
    (t) => {
      const self = machine(t, { client });
      const change = (file: string, edit: (text: string) => string): void =>
        writeFileSync(join(self.state, file), edit(readFileSync(join(self.state, file), "utf8")));
      const asOld = join(self.folder, "old.mjs");
      writeFileSync(asOld, 'Object.defineProperty(process.versions, "node", { value: "18.0.0" });');
      const old = `--import=${asOld}`;
      assertBlocked(self.call("PreToolUse", { environment: { NODE_OPTIONS: old } }), "this is Node 18.0.0");
      assert.equal(self.call("PostToolUse", { environment: { NODE_OPTIONS: old } }).code, 0);
      const hook = join(self.root, "dist", "hook.cjs");
      const text = readFileSync(hook, "utf8");
      writeFileSync(hook, `${text.slice(0, text.indexOf("\n"))}\n)`);
      assertBlocked(
        self.call("PreToolUse", { environment: { NODE_DISABLE_COMPILE_CACHE: "1" } }),
        `${hook} is damaged`,
      );
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
      for (const file of ["start.sh", "client.sh"])
        change(file, (one) => one.replaceAll(process.execPath, "/nowhere/node"));
      assertBlocked(self.call("PreToolUse"));
    },
  );

test(
  "[R78] where the compiled client has gone, or the machine is one of another processor, the shell's is started",
  withBash,
  (t) => {
    const self = machine(t);
    const start = startFile(self.state);
    writeFileSync(start, readFileSync(start, "utf8").replaceAll(/^\[ -e '[^']*' \]/gm, "[ -e '/nowhere' ]"));
    writeFileSync(nativeClientFile(self.state), "of another processor");
    assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
    rmSync(nativeClientFile(self.state));
    assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
    removePackage(self);
    assertBlocked(self.call("PreToolUse"));
  },
);

test("[R78] where bash has gone, the agent's own sh starts Node", withBash, (t) => {
  const self = machine(t, { client: "shell" });
  const start = join(self.state, "start.sh");
  writeFileSync(start, readFileSync(start, "utf8").replaceAll(findBash(process.env) ?? "bash", "/nowhere/bash"));
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  rmSync(join(self.state, "client.sh"));
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  removePackage(self);
  assertBlocked(self.call("PreToolUse"));
});

test("[R78] HOOKLINE_DISABLE=1 of the person's own is the way out, and does not count where the project's settings may set it", (t) => {
  const self = machine(t);
  const off = { environment: { HOOKLINE_DISABLE: "1" } };
  assert.match(self.call("PreToolUse", off).stdout, /pushing is for people/, "it switches off no Hookline that works");
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

test("[R78] another Hookline on the PATH takes over, unless a project has put it there", (t) => {
  const self = machine(t);
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

for (const client of ["compiled", "shell"] as const)
  test(`[R78] a daemon notes guards too, and goes on deciding where the package has gone, by ${client} client`, {
    ...withBash,
    timeout: 60_000,
  }, async (t) => {
    const self = machine(t, { hooks: {}, client });
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
  });

test("[R78] a commit is refused by a guard in each of these cases, and passes where there is none", (t) => {
  const onCommit = {
    hooks: { "git.pre-commit": [{ hooks: [{ name: "frozen", role: "guard", command: "echo frozen >&2; exit 2" }] }] },
  };
  const self = machine(t, { hooks: onCommit });
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
  git(["init", "--quiet"]);
  assert.equal(self.hookline(["git", "install"]).code, 0);
  const refused = (environment: Record<string, string>, why: RegExp): void => {
    const { code, stderr } = commit(environment);
    assert.notEqual(code, 0);
    assert.match(stderr, why);
  };
  refused({}, /frozen/);
  rmSync(self.state, { recursive: true });
  refused({}, /frozen/);
  const asOld = join(self.folder, "old.mjs");
  writeFileSync(asOld, 'Object.defineProperty(process.versions, "node", { value: "18.0.0" });');
  refused({ NODE_OPTIONS: `--import=${asOld}` }, /this is Node 18\.0\.0 .* the commit is refused/);
  removePackage(self);
  const alone = /a guard in \S*hooks\.json cannot be asked, so the commit is refused — install Hookline again/;
  refused({}, alone);
  const bins = ["bin", join("x", "node_modules", ".bin")].map((name) => join(self.folder, name));
  for (const folder of bins) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "hookline"), "#!/usr/bin/env node\nprocess.exit(0)\n", { mode: 0o755 });
  }
  const few = join(self.folder, "few");
  mkdirSync(few);
  for (const name of ["git", "sh", "env", "cat", "ps", "tr", "sed"]) symlinkSync(`/usr/bin/${name}`, join(few, name));
  refused({ PATH: `${bins[0]}:${few}` }, alone); // a Hookline without Node, and a PATH without bash
  refused({ PATH: `${bins[1]}:${dirname(process.execPath)}:${few}` }, alone);
  assert.equal(
    commit({ PATH: `${bins[0]}:${dirname(process.execPath)}:${few}` }).code,
    0,
    "another Hookline takes over",
  );
  rmSync(join(self.project, ".hookline"), { recursive: true });
  assert.equal(commit({ PATH: few }).code, 0);
});

test("[R78] uninstall leaves nothing that could block", (t) => {
  const self = machine(t);
  assert.equal(self.hookline(["uninstall", "claude-code"]).code, 0);
  assert.ok(!existsSync(self.settings));
  for (const name of ["start.sh", "gone.sh", "guarded"]) assert.ok(!existsSync(join(self.state, name)), name);
});

/** The same repository on a machine that has never seen Hookline. */
const colleague = (self: Machine): { environment: Record<string, string> } => ({
  environment: { HOME: join(self.folder, "other home"), XDG_STATE_HOME: "", PATH: "/usr/bin:/bin" },
});

test("[R79] what a team commits names no path of a machine, and a colleague without Hookline is told how to get it", (t) => {
  const self = machine(t, { layer: "project" });
  const launcher = readFileSync(join(self.project, ".hookline", "launch.sh"), "utf8");
  for (const text of [readFileSync(self.settings, "utf8"), launcher]) {
    assert.ok(!text.includes(self.folder) && !text.includes(process.execPath), text);
  }
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/, "the person's own client is found");
  const blocked = self.call("PreToolUse", colleague(self));
  assertBlocked(blocked);
  assert.match(blocked.stderr, /put its command hookline on your PATH/);
  assertPassed(self.call("PostToolUse", colleague(self)));
  const cloned = self.call("PreToolUse", {
    ...colleague(self),
    environment: { ...colleague(self).environment, HOOKLINE_DISABLE: "1" },
  });
  assert.match(cloned.stderr, /HOOKLINE_DISABLE is set/);
  rmSync(join(self.project, ".hookline", "launch.sh"));
  assertBlocked(self.call("PreToolUse", colleague(self)), "Hookline is gone");
});

test("[R79] the team's launcher reads nothing below the folder of the event, whatever XDG_STATE_HOME says", (t) => {
  const self = machine(t, { layer: "project" });
  mkdirSync(join(self.project, "state", "hookline"), { recursive: true });
  writeFileSync(join(self.project, "state", "hookline", "start.sh"), "echo a stranger ran; exit 0\n");
  const ended = self.call("PreToolUse", {
    environment: { ...colleague(self).environment, XDG_STATE_HOME: "state" },
    cwd: self.project,
  });
  assert.doesNotMatch(ended.stdout, /a stranger ran/);
  assertBlocked(ended);
});

test("[R79] a colleague whose Hookline has gone is blocked by the team's guard, also where no load has noted it", (t) => {
  const self = machine(t, { layer: "project" });
  removePackage(self);
  rmSync(join(self.state, "guarded"), { recursive: true });
  mkdirSync(join(self.state, "guarded"));
  assertBlocked(self.call("PreToolUse"));
});

test("[R79] the project's own package is started only where a person has trusted the folder", (t) => {
  const self = machine(t, { layer: "project", trust: "asked" });
  const own = join(self.project, "node_modules", ".bin");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "hookline"), "#!/bin/sh\necho the own one ran\n", { mode: 0o755 });
  const kept = join(self.folder, "kept");
  cpSync(self.root, kept, { recursive: true });
  removePackage(self);
  const path = { environment: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } };
  assertPassed(self.call("PreToolUse", path)); // what nobody has trusted is no guard either
  const trust = (...words: string[]): Ended => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(kept, "bin", "hookline.js"), ...words], {
      cwd: self.project,
      env: self.environment,
      encoding: "utf8",
    });
    return { code: status, stdout, stderr };
  };
  const [{ hash }] = JSON.parse(trust("trust", "list", "--json").stdout);
  assert.equal(trust("trust", "--hash", hash).code, 0);
  assert.equal(self.call("PreToolUse", path).stdout, "the own one ran\n");
  const withoutNode = join(self.folder, "few");
  mkdirSync(withoutNode);
  for (const name of ["ls", "cat"]) symlinkSync(`/bin/${name}`, join(withoutNode, name));
  assertPassed(self.call("PreToolUse", { environment: { PATH: withoutNode } }));
  assert.equal(trust("untrust").code, 0);
  assertPassed(self.call("PreToolUse", path));
});

test("[R79] uninstall takes the launcher away with its folders, and leaves one of another program alone", (t) => {
  const self = machine(t, { layer: "project" });
  assert.equal(self.hookline(["install", "claude-code", "--layer", "project"]).code, 0);
  assert.equal(self.hookline(["uninstall", "claude-code", "--layer", "project"]).code, 0);
  assert.ok(!existsSync(join(self.project, ".hookline", "launch.sh")) && !existsSync(self.settings));
  writeFileSync(join(self.project, ".hookline", "launch.sh"), "echo mine\n");
  const refused = self.hookline(["install", "claude-code", "--layer", "project"]);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /another program has written it/);
  assert.ok(!existsSync(self.settings));
});
