/** A daemon that starts, ends, hangs, or that nobody listens to any more. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { endDaemon } from "../../../src/hosts/cli/daemon/lock.ts";
import { daemonFilesOf, runningDaemon } from "../../../src/hosts/daemon/state-file.ts";
import { bin } from "../../program.ts";
import { isGone } from "../../runtime/processes/gone.ts";
import { automation, type Place, placeFor, until } from "./started.ts";

const onBuild = "type: event, event_type: build.finished";
/** A command that says that it runs, and how it ends. */
const long = "echo $$ > begun; exec sleep 60";

const stateOf = ({ read }: Place): { phase: string; pid: number } | undefined => {
  try {
    return JSON.parse(read("state/hookline/daemon.json"));
  } catch {
    return undefined; // there is none
  }
};

/** A command of the same user that is not waited for. */
async function meanwhile({ workspace, environment }: Place, ...words: string[]): Promise<string> {
  const child = spawn(process.execPath, [bin, ...words], { cwd: workspace, env: environment });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = await once(child, "close");
  return `${code}: ${said.trim()}`;
}

/** Most of them wait for the same grace. */
describe("the end of a daemon", { concurrency: true }, () => {
  test("[X8] a daemon that is ending is still seen: status says so, up names it, and down does not cut it short", async (t) => {
    const place = placeFor(t, { "workspace/.hookline/automations/slow.yaml": automation("Slow", onBuild, long) });
    const daemon = await place.up();
    await daemon.emit("build.finished");
    await until(() => place.has("workspace/begun"), "the step begins");
    const exit = once(daemon.child, "exit");
    daemon.child.kill("SIGTERM");
    await until(() => stateOf(place)?.phase === "ending", "it is ending");
    daemon.child.kill("SIGSTOP"); // it is ending for as long as this takes
    const [status, up] = await Promise.all([meanwhile(place, "status"), meanwhile(place, "up", "--port", "0")]);
    daemon.child.kill("SIGCONT");
    const down = await meanwhile(place, "down");
    assert.match(status, new RegExp(`daemon +stopping, process ${daemon.child.pid}`));
    assert.match(up, new RegExp(`^3: .*running already: process ${daemon.child.pid} — stopping, since`));
    assert.match(down, /^0: (the daemon has stopped|no daemon is running)/); // a busy machine may start it too late
    assert.deepEqual(await exit, [0, null], "it ended by itself");
    assert.equal(stateOf(place), undefined);
    const [run, ...others] = place.runs();
    assert.deepEqual(others, []);
    assert.match(run?.status ?? "", /^(queued|running)$/); // held for longer than its grace it leaves the run to the next daemon
  });

  test("[X8] a daemon that is starting is seen, and down ends it", async (t) => {
    const place = placeFor(t, {
      "workspace/hookline.config.mjs": `import { existsSync } from "node:fs";
  while (!existsSync(new URL("go", import.meta.url))) await new Promise((done) => setTimeout(done, 20));
  export default { hooks: {} };`,
    });
    const { environment, workspace, folder } = place;
    const child = spawn(process.execPath, [bin, "up", "--port", "0"], { cwd: workspace, env: environment });
    t.after(() => child.kill("SIGKILL"));
    const exit = once(child, "exit");
    await until(() => stateOf(place)?.phase === "starting", "it is starting");
    child.kill("SIGSTOP"); // it is starting for as long as this takes
    const elsewhere = { ...place, workspace: folder }; // where nobody waits for the module
    assert.match(await meanwhile(elsewhere, "status"), new RegExp(`daemon +starting, process ${child.pid}`));
    assert.match(await meanwhile(elsewhere, "up"), /^3: .*running already: process \d+ — starting/);
    const down = meanwhile(elsewhere, "down");
    child.kill("SIGCONT");
    place.write("workspace/go", "");
    assert.match(await down, /^0: the daemon has stopped/);
    assert.deepEqual(await exit, [0, null]);
  });

  test("[X8] a stopped daemon is killed by the command that ends it, when its time is over", async (t) => {
    const place = placeFor(t);
    const daemon = await place.up();
    daemon.child.kill("SIGSTOP");
    const exit = once(daemon.child, "exit");
    const files = daemonFilesOf(place.store);
    const running = runningDaemon(files);
    assert.ok(running);
    await endDaemon(running, files.state, 300);
    assert.deepEqual(await exit, [null, "SIGKILL"]);
    assert.equal(stateOf(place), undefined);
  });

  test("[A50] a daemon whose output is no longer read ends normally: its run goes back to the queue, and its programs end", async (t) => {
    const place = placeFor(t, { "workspace/.hookline/automations/slow.yaml": automation("Slow", onBuild, long) });
    const daemon = await place.up();
    daemon.child.stdout?.destroy();
    daemon.child.stderr?.destroy();
    await daemon.emit("build.finished");
    const begun = await until(() => place.has("workspace/begun") || undefined, "the step begins");
    assert.ok(begun);
    const exit = once(daemon.child, "exit");
    daemon.child.kill("SIGTERM");
    assert.deepEqual(await exit, [0, null]);
    assert.deepEqual(
      place.runs().map((run) => run.status),
      ["queued"],
    );
    const program = Number(place.read("workspace/begun"));
    assert.ok(isGone(program));
  });

  test("[X8] one store has one daemon, whatever it is called: by a linked folder, or from another state folder", async (t) => {
    const place = placeFor(t);
    const daemon = await place.up();
    const { folder, environment, state: own } = place;
    symlinkSync(own, join(folder, "alias"));
    mkdirSync(join(folder, "other"));
    const other = { ...place, environment: { ...environment, XDG_STATE_HOME: join(folder, "other") } };
    for (const [where, store] of [
      [place, join(folder, "alias", "hookline.db")],
      [other, join(own, "hookline.db")],
    ] as const) {
      assert.match(await meanwhile(where, "up", "--once", "--store", store), /^3: .*running already: process/);
      const { daemon: seen } = JSON.parse((await meanwhile(where, "status", "--json", "--store", store)).slice(3));
      assert.equal(seen.pid, daemon.child.pid);
    }
  });
});
