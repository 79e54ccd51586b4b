/** What the commands make of durable runs: agents' calls only write them down, a person's command waits for them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Run } from "../../../src/engine/record.ts";
import { type Line, type LineOptions, openLine } from "../../../src/hosts/cli/line.ts";
import { loadForOneEvent } from "../../../src/hosts/cli/loaded.ts";
import type { Place } from "../../../src/hosts/cli/place.ts";
import { hookSetOf } from "../../../src/loading/order.ts";
import { isAlive } from "../../../src/runtime/system.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { isGone } from "../processes/gone.ts";
import { durableHook } from "./world.ts";

const program = (folder: string, script: string): Hook => ({
  ...durableHook("h", [
    { uses: "command", with: { command: "/bin/sh", args: ["-c", script] }, timeout: 60, onError: "stop" },
  ]),
  origin: { dialect: "automation", layer: "user", root: folder },
});

interface Scene {
  folder: string;
  path: string;
  open(hooks: Hook | readonly Hook[], more?: Partial<LineOptions>): Promise<Line>;
  emit(line: Line): Promise<void>;
  runs(): Promise<Run[]>;
}

function sceneFor(context: TestContext): Scene {
  const folder = temporaryFolder(context);
  const path = join(folder, "hookline.db");
  const place: Place = {
    cwd: folder,
    home: folder,
    environment: { PATH: process.env.PATH ?? "", HOOKLINE_STORE: path },
  };
  return {
    folder,
    path,
    async open(hooks, more) {
      const loaded = { ...(await loadForOneEvent(place)), set: hookSetOf([hooks].flat()) };
      return openLine({ place, store: openSqliteStore({ path }), loaded, ...more });
    },
    async emit(line) {
      const at = Date.now();
      const event = { id: `e${at}`, name: "task.completed" as const, at, cwd: folder, data: {}, sender: "emit" };
      assert.deepEqual(await line.engine.emit(event, { environment: place.environment }), {});
    },
    async runs() {
      const store = openSqliteStore({ path });
      try {
        await store.repair(isAlive, Date.now());
        return await store.runs({});
      } finally {
        store.close();
      }
    },
  };
}

test("[R48] an agent's call writes an automation's run down and does nothing of it; a person's command ends what it started itself", async (context) => {
  const { folder, open, emit, runs } = sceneFor(context);
  const hook = program(folder, "touch done");
  const call = await open(hook, { handsOver: true });
  await emit(call);
  await call.close();
  assert.deepEqual(
    (await runs()).map(({ status }) => status),
    ["queued"],
  );
  assert.ok(!existsSync(join(folder, "done")));
  const command = await open(hook);
  await emit(command);
  await command.close();
  assert.deepEqual(
    (await runs()).map(({ status }) => status),
    ["completed", "queued"],
  );
  assert.ok(existsSync(join(folder, "done")));
});

test("[R56] a command that is asked to stop gives its automation's run back, and ends the run's programs", async (context) => {
  const { folder, open, emit, runs } = sceneFor(context);
  const stop = new AbortController();
  const seen: Run[] = [];
  const line = await open(program(folder, "echo $$ > new; mv new pid; exec sleep 60"), {
    stop: stop.signal,
    observe(observed) {
      if (observed.is === "run") seen.push(observed.run);
    },
  });
  const watcher = watch(folder);
  await emit(line);
  while (!existsSync(join(folder, "pid"))) await once(watcher, "change");
  watcher.close();
  stop.abort();
  await line.close();
  assert.deepEqual(
    (await runs()).map(({ status }) => status),
    ["queued"],
  );
  assert.equal(seen.at(-1)?.status, "queued");
  assert.ok(isGone(Number(readFileSync(join(folder, "pid"), "utf8"))));
});

test("[A17] a person's command runs as many automations at once as the project's file says, as the daemon does", async (context) => {
  const { folder, open, emit, runs } = sceneFor(context);
  writeFileSync(join(folder, "hookline.yaml"), "hook_engine:\n  max_concurrent_hooks: 1\n");
  const alone = "mkdir busy || touch beside; sleep 0.1; rmdir busy";
  const hooks = ["one", "two", "three"].map((name) => ({
    ...program(folder, alone),
    id: `automation:p/${name}`,
    name,
  }));
  const line = await open(hooks);
  await emit(line);
  await line.close();
  assert.deepEqual(
    (await runs()).map(({ status }) => status),
    ["completed", "completed", "completed"],
  );
  assert.ok(!existsSync(join(folder, "beside")));
});
