import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import test, { type TestContext } from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { isGone } from "../../runtime/processes/gone.ts";
import { beginSession, bin, place, refusing, type Scratch, scratch, script } from "./scratch.ts";

const hook = ".hookline/hooks/check.sh";

function installed(self: Scratch): void {
  const { code, stderr } = self.hookline(["git", "install"]);
  assert.equal(code, 0, stderr);
}

/** A place where a script and a test wait for each other. Open on both sides, so that neither waits for the other to open it. */
function fifo(t: TestContext, self: Scratch, name: string): { path: string; write(): void; read(): Promise<string> } {
  const path = join(self.folder, name);
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  const descriptor = openSync(path, "r+");
  let socket: Socket | undefined;
  t.after(() => (socket ? socket.destroy() : closeSync(descriptor)));
  return {
    path,
    write: () => void writeSync(descriptor, "on\n"),
    async read() {
      socket = new Socket({ fd: descriptor });
      return String((await once(socket, "data"))[0]).trim();
    },
  };
}

/** Everything that install has seen is older than the file that it wrote. */
function settle(self: Scratch, path: string): void {
  const before = new Date(Date.now() - 3_600_000);
  for (let one = path; one !== "."; one = dirname(one)) utimesSync(join(self.top, one), before, before);
}

const commits = (self: Scratch): number => Number(self.git(["rev-list", "--all", "--count"]).stdout);

test("a refusal whose output is not read refuses the commit all the same", async (t) => {
  const self = scratch(t);
  const go = fifo(t, self, "go");
  self.write(hook, script({ type: "pre-commit" }, `read -r word < '${go.path}'; echo bad; exit 3`), 0o755);
  installed(self);
  self.mustGit(["add", "--all"]);
  const child = spawn("git", ["commit", "--quiet", "--message", "unread"], {
    cwd: self.top,
    env: self.environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  child.stderr.destroy();
  await once(child.stderr, "close");
  go.write();
  assert.notEqual((await ended)[0], 0);
  assert.equal(commits(self), 0);
});

/** Answers a commit by hand, with a script that never ends by itself. */
async function begin(
  t: TestContext,
  self: Scratch,
): Promise<{ child: ChildProcess; stderr: Promise<string>; script: number }> {
  const started = fifo(t, self, "started");
  self.write(hook, script({ type: "pre-commit" }, `echo $$ > '${started.path}'; exec sleep 600`), 0o755);
  const child = spawn(process.execPath, [bin, "git", "run", "pre-commit"], {
    cwd: self.top,
    env: self.environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = text(child.stderr);
  const ended = once(child, "exit").then(async () => assert.fail(await stderr));
  ended.catch(() => {}); // once the script has begun, the end is what is waited for
  return { child, stderr, script: Number(await Promise.race([started.read(), ended])) };
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  test(`${signal} ends the script that is running, and is reported with its name`, async (t) => {
    const self = scratch(t);
    const { child, stderr, script: pid } = await begin(t, self);
    const ended = once(child, "exit");
    child.kill(signal);
    assert.deepEqual(await ended, [130, null]);
    assert.equal(await stderr, "hookline: interrupted\n");
    assert.ok(isGone(pid));
  });

const asking = (answer: string, more: object = {}): string =>
  JSON.stringify({ hooks: { "git.pre-commit": [{ hooks: [{ type: "command", command: answer, ...more }] }] } });
const guarding = asking("echo refused by guard >&2; exit 2", { role: "guard" });

test("a store that cannot be used and a wrong setting refuse no commit, and are reported", (t) => {
  for (const make of [
    (self: Scratch) => {
      self.write("../state/hookline", "no folder");
      return {};
    },
    () => ({ HOOKLINE_RECORD: "bogus" }),
    () => ({ HOOKLINE_STORE: "/dev/null/store" }),
  ]) {
    const self = scratch(t);
    self.write(".hookline/hooks.json", asking("true"));
    installed(self);
    rmSync(join(self.folder, "state"), { recursive: true });
    const environment = make(self);
    const passed = self.commit({ environment });
    assert.equal(passed.code, 0, passed.stderr);
    assert.match(passed.stderr, /^hookline: .+/);
    self.write(".hookline/hooks.json", guarding);
    const refused = self.commit({ environment });
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /refused by guard/);
  }
});

/** Ways in which a file of a guard breaks. */
const breaks: { what: string; path: string; whole: string; broken: string }[] = [
  { what: "a script without its type", path: hook, whole: refusing, broken: refusing.replace(/# type:.*\n/, "") },
  { what: "hooks.json cut short", path: ".hookline/hooks.json", whole: guarding, broken: guarding.slice(0, -9) },
];
for (const { what, path, whole, broken } of breaks)
  test(`[E51] ${what} keeps refusing commits in its last valid form, and git continues to run Hookline`, (t) => {
    const self = scratch(t);
    const mode = path === hook ? 0o755 : 0o644;
    self.write(path, whole, mode);
    self.write("bad", "");
    installed(self);
    assert.notEqual(self.commit().code, 0);
    self.write(path, broken, mode);
    settle(self, path);
    for (const next of [() => {}, () => {}, beginSession, () => self.hookline(["git", "install"])]) {
      next(self);
      assert.ok(isStub(self.read(place)), what);
      assert.notEqual(self.commit().code, 0, next.toString());
    }
    assert.equal(commits(self), 0);
    rmSync(join(self.top, path));
    const passed = self.commit();
    assert.equal(passed.code, 0, `who deletes the file means it: ${passed.stderr}`);
    installed(self);
    assert.equal(self.commit().code, 0);
  });

test("[E51] git continues to run Hookline while a hook file is broken, even if nothing shows what it held", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks.json", guarding);
  installed(self);
  writeFileSync(join(self.top, ".hookline/hooks.json"), guarding.slice(0, -9));
  beginSession(self);
  assert.ok(isStub(self.read(place)));
  self.write(".hookline/hooks.json", guarding);
  settle(self, ".hookline/hooks.json");
  assert.match(self.commit().stderr, /refused by guard/);
});

test("a hook that git does not wait for delays no commit, and ends after it", async (t) => {
  const self = scratch(t);
  const go = fifo(t, self, "go");
  const done = fifo(t, self, "done");
  const command = `read -r word < '${go.path}'; echo "$word" > '${done.path}'`;
  self.write(".hookline/hooks.json", asking(command, { async: true }));
  installed(self);
  const passed = self.commit();
  assert.deepEqual([passed.code, passed.stderr], [0, ""]);
  go.write();
  assert.equal(await done.read(), "on");
  await ends(self);
});

/** No run is going on any more, so that nothing is left running. */
async function ends(self: Scratch): Promise<void> {
  for (;;) {
    const [run]: { status: string }[] = JSON.parse(self.hookline(["runs", "--json"]).stdout);
    if (run?.status === "completed") return;
  }
}
