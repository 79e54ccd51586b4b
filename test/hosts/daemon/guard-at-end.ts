/** A daemon that ends, or is killed, while a guard with a program that hides is asked. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { endDaemon } from "../../../src/hosts/cli/daemon/lock.ts";
import { daemonFilesOf, runningDaemon } from "../../../src/hosts/daemon/state-file.ts";
import { bin } from "../../program.ts";
import { end, goes, isGone } from "../../runtime/processes/gone.ts";
import { tellOverSocket } from "./over-socket.ts";
import { type Place, placeFor, type Started, until } from "./started.ts";

export const linux: { skip: string | false } = { skip: process.platform === "linux" ? false : "reads /proc" };

/** Has a child in a session of its own, which holds its streams; says who they are, and answers when it is let. */
const guard = `while read -r line; do
  setsid sleep 300 &
  echo $$ $! > asked.part
  mv asked.part asked
  until [ -e go ]; do sleep 0.2; done
  echo "$line" | sed -E 's/^[{]"id": *("[^"]*"|[0-9]+).*/{"id":\\1,"exit":2,"stderr":"a person pushes"}/'
done
`;
export const staying: object = { command: "exec sh guard.sh", resident: true };
/** The same, started for each event. */
export const waiting: object = {
  command:
    "setsid sleep 300 & echo $$ $! > asked.part; mv asked.part asked; until [ -e go ]; do sleep 0.2; done; echo a person pushes >&2; exit 2",
};

const settings = "home/.config/hookline/hooks.json";
const settingsWith = (hook: object): string =>
  JSON.stringify({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", role: "guard", timeout: 60, ...hook }] }] },
  });
const withGuard = (t: TestContext, hook: object): Place =>
  placeFor(t, { "workspace/guard.sh": guard, [settings]: settingsWith(hook) });

/** The processes of the guard, once it is asked; they end with the test. */
async function asked(t: TestContext, { workspace }: Place): Promise<number[]> {
  const file = join(workspace, "asked");
  const pids = await until(
    () => (existsSync(file) ? readFileSync(file, "utf8").split(" ").map(Number) : undefined),
    "it is asked",
  );
  t.after(() => {
    for (const pid of pids) if (!isGone(pid)) end(pid);
  });
  return pids;
}

/** The daemon asks the guard. `said` is its answer, or "gone" where it is not there any more to give one. */
async function asking(t: TestContext, place: Place): Promise<{ said: Promise<string>; pids: number[] }> {
  const said = tellOverSocket(place, "toolu_1", "").catch(() => "gone");
  return { said, pids: await asked(t, place) };
}

/** It waits for the guard, whose verdict counts, and then nothing of it is left. */
export async function waitsForIt(t: TestContext, hook: object): Promise<void> {
  const place = withGuard(t, hook);
  await waits(t, place, await place.up());
}

async function waits(t: TestContext, place: Place, daemon: Started): Promise<void> {
  const { said, pids } = await asking(t, place);
  const exit = once(daemon.child, "exit");
  daemon.child.kill("SIGTERM");
  await until(() => place.has("state/hookline/daemon.address") === false, "it is ending");
  place.write("workspace/go", "");
  assert.match(await said, /a person pushes/);
  assert.deepEqual(await exit, [0, null]);
  assert.deepEqual(pids.map(isGone), [true, true]);
  assert.equal(place.has("state/hookline/daemon.mark"), false);
}

/** The guard does not decide: the event is blocked. */
export async function blocksWhatIsOpen(t: TestContext, hook: object): Promise<void> {
  const place = withGuard(t, hook);
  const daemon = await place.up();
  const { said, pids } = await asking(t, place);
  const exit = once(daemon.child, "exit");
  daemon.child.kill("SIGTERM");
  assert.match(await said, /^2 |"permissionDecision":"deny"/);
  assert.deepEqual(await exit, [0, null]);
  assert.deepEqual(pids.map(isGone), [true, true]);
}

/**
 * It is killed: the next one ends what is left.
 *
 * @param other a guard that the next one is asked about when it ends: it waits for it
 */
export async function nextEndsIt(t: TestContext, hook: object, other?: object): Promise<void> {
  const place = withGuard(t, hook);
  const daemon = await place.up();
  const { said, pids } = await asking(t, place);
  daemon.child.kill("SIGKILL");
  assert.equal(await said, "gone");
  const next = await place.up();
  for (const pid of pids) assert.ok(await goes(pid), `${pid}`);
  if (!other) assert.equal(await next.stop(), 0);
  else {
    rmSync(join(place.workspace, "asked"));
    place.write(settings, settingsWith(other));
    await waits(t, place, next);
  }
}

/** It is stopped: the command that kills it ends its programs, too. */
export async function killerEndsIt(t: TestContext, hook: object): Promise<void> {
  const place = withGuard(t, hook);
  const daemon = await place.up();
  const { said, pids } = await asking(t, place);
  daemon.child.kill("SIGSTOP");
  const files = daemonFilesOf(place.store);
  const running = runningDaemon(files);
  assert.ok(running);
  await endDaemon(running, files.state, 300);
  for (const pid of pids) assert.ok(await goes(pid), `${pid}`);
  assert.equal(await said, "gone");
}

/** Asked to end so many milliseconds after it has begun to start, it ends. */
export async function endsWhileItStarts(t: TestContext, moments: readonly number[]): Promise<void> {
  const { workspace, environment } = placeFor(t);
  for (const after of moments) {
    const child = spawn(process.execPath, [bin, "up", "--port", "0"], { cwd: workspace, env: environment });
    t.after(() => void child.kill("SIGKILL"));
    await pause(after);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    await exit;
  }
}
