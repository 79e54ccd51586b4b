/** Daemons whose place is taken away under them: they end by themselves, and make none of it anew. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bin } from "../../program.ts";
import { automation, type Place, placeFor } from "./started.ts";

const stateOf = ({ environment }: Place): string => join(environment.XDG_STATE_HOME ?? "", "hookline");

/** With something to look for again and again. */
const files = {
  "workspace/.hookline/automations/clock.yaml": automation("Clock", "type: periodic, interval_seconds: 3600", "true"),
};

const losses: Readonly<Record<string, { lose(state: string): void; left: readonly string[] }>> = {
  "its state folder is deleted": { lose: (state) => rmSync(state, { recursive: true }), left: [] },
  "its state folder is moved away": { lose: (state) => renameSync(state, `${state}-moved`), left: [] },
  "its store is deleted": {
    lose: (state) => {
      for (const name of readdirSync(state)) if (/^hookline\.db/.test(name)) rmSync(join(state, name));
    },
    left: ["daemon.lock"],
  },
  "its address is deleted": {
    lose: (state) => rmSync(join(state, "daemon.address")),
    left: ["daemon.lock", "hookline.db"],
  },
  "its address is another process's": {
    lose(state) {
      const address = join(state, "daemon.address");
      const text = readFileSync(address, "utf8");
      writeFileSync(`${address}.new`, text.replace(/^(\d+ \S+ \S+) \d+/, `$1 ${process.pid}`), { mode: 0o600 });
      renameSync(`${address}.new`, address);
    },
    left: ["daemon.address", "daemon.lock", "hookline.db"],
  },
};

for (const [loss, { lose, left }] of Object.entries(losses))
  test(`[X8] a daemon at rest ends when ${loss}, and makes nothing of it anew`, { timeout: 30_000 }, async (t) => {
    const place = placeFor(t, files);
    const daemon = await place.up();
    const state = stateOf(place);
    const end = once(daemon.child, "exit");
    lose(state);
    assert.deepEqual(await end, [0, null]);
    const names = existsSync(state) ? readdirSync(state).filter((name) => name !== "code") : [];
    assert.deepEqual(names.sort(), left);
  });

test("[X8] a daemon whose folder was deleted a moment ago refuses events rather than making the folder anew", async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const end = once(daemon.child, "exit");
  rmSync(stateOf(place), { recursive: true });
  await daemon.emit("build.finished").catch(() => {}); // it may have closed its door already
  assert.deepEqual(await end, [0, null]);
  assert.ok(!existsSync(stateOf(place)));
});

test("[X8] a daemon that a client starts for a home that is gone in the meantime ends without a word, and makes nothing", (t) => {
  const place = placeFor(t);
  rmSync(place.environment.HOME ?? "", { recursive: true });
  const said = spawnSync(process.execPath, [bin, "up", "--on-demand"], {
    cwd: place.workspace,
    env: place.environment,
    encoding: "utf8",
  });
  assert.deepEqual([said.status, said.stdout, said.stderr], [0, "", ""]);
  assert.ok(!existsSync(join(stateOf(place), "hookline.db")));
});
