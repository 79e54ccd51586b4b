/** What goes wrong around a commit: signals, stores that cannot be used, guards that break. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { isGone } from "../../runtime/processes/gone.ts";
import {
  beginSession,
  bin,
  type Ended,
  guarding,
  hook,
  installed,
  listening,
  place,
  refusing,
  type Scratch,
  scratch,
  script,
} from "./scratch.ts";

/** A place where a script and a test wait for each other. Open on both sides, so that neither waits for the other to open it. */
export function fifo(
  t: TestContext,
  self: Scratch,
  name: string,
): { path: string; write(): void; read(): Promise<string> } {
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

export const commits = (self: Scratch): number => Number(self.git(["rev-list", "--all", "--count"]).stdout);

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

/** The script that is running ends with the command that was asked to end. */
export async function endsAtSignal(t: TestContext, signal: "SIGINT" | "SIGTERM" | "SIGHUP"): Promise<void> {
  const self = scratch(t);
  const { child, stderr, script: pid } = await begin(t, self);
  const ended = once(child, "exit");
  child.kill(signal);
  assert.deepEqual(await ended, [130, null]);
  assert.equal(await stderr, "hookline: interrupted\n");
  assert.ok(isGone(pid));
}

/** Gives the environment of a machine whose store or settings are of no use. */
export const unusable: Readonly<Record<"folder" | "setting" | "store", (self: Scratch) => Record<string, string>>> = {
  folder(self) {
    self.write("../state/hookline", "no folder");
    return {};
  },
  setting: () => ({ HOOKLINE_RECORD: "bogus" }),
  store: () => ({ HOOKLINE_STORE: "/dev/null/store" }),
};
export function passesWithout(t: TestContext, make: (self: Scratch) => Record<string, string>): void {
  const self = scratch(t);
  self.write(".hookline/hooks.json", listening("true"));
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

/** The commit is made while the program of a hook in the background waits for it: where it is delayed, it never ends. */
export async function endsLater(t: TestContext, self: Scratch, commit: () => Ended): Promise<void> {
  const go = fifo(t, self, "go");
  const done = fifo(t, self, "done");
  const command = `read -r word < '${go.path}'; echo "$word" > '${done.path}'`;
  self.write(".hookline/hooks.json", listening(command, { async: true }));
  const passed = commit();
  assert.deepEqual([passed.code, passed.stderr], [0, ""]);
  go.write();
  assert.equal(await done.read(), "on");
  for (let status = ""; status !== "completed"; ) {
    const [run]: { status: string }[] = JSON.parse(self.hookline(["runs", "--json"]).stdout);
    status = run?.status ?? "";
  }
}

interface Break {
  what: string;
  path: string;
  whole: string;
  broken: string;
}
/** Ways in which a file of a guard breaks. */
export const breaks: Readonly<Record<"script" | "file", Break>> = {
  script: {
    what: "a script without its type",
    path: hook,
    whole: refusing,
    broken: refusing.replace(/# type:.*\n/, ""),
  },
  file: { what: "hooks.json cut short", path: ".hookline/hooks.json", whole: guarding, broken: guarding.slice(0, -9) },
};
/** @param few leaves out what a person does meanwhile, and the file's end */
export function refusesInLastForm(
  t: TestContext,
  { what, path, whole, broken }: Break,
  { few = false }: { few?: boolean } = {},
): void {
  const self = scratch(t);
  const mode = path === hook ? 0o755 : 0o644;
  self.write(path, whole, mode);
  self.write("bad", "");
  installed(self);
  assert.notEqual(self.commit().code, 0);
  self.write(path, broken, mode);
  const nexts = [beginSession, ...(few ? [] : [() => {}, () => {}, () => self.hookline(["git", "install"])])];
  for (const next of nexts) {
    next(self);
    assert.ok(isStub(self.read(place)), what);
    assert.notEqual(self.commit().code, 0, next.toString());
  }
  assert.equal(commits(self), 0);
  if (few) return;
  rmSync(join(self.top, path));
  const passed = self.commit();
  assert.equal(passed.code, 0, `who deletes the file means it: ${passed.stderr}`);
  installed(self);
  assert.equal(self.commit().code, 0);
}
