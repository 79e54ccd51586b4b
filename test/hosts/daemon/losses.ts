/** How a daemon's place is taken away under it, and what it leaves then. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { automation, type Place, placeFor } from "./started.ts";

export const stateOf = ({ state }: Place): string => state;

/** With something to look for again and again. */
export const files: Readonly<Record<string, string>> = {
  "workspace/.hookline/automations/clock.yaml": automation("Clock", "type: periodic, interval_seconds: 3600", "true"),
};

type Loss =
  | "its state folder is deleted"
  | "its state folder is moved away"
  | "its store is deleted"
  | "its address is deleted"
  | "its address is another process's";
const losses: Readonly<Record<Loss, { lose(state: string): void; left: readonly string[] }>> = {
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

export async function endsWithout(t: TestContext, loss: Loss): Promise<void> {
  const { lose, left } = losses[loss];
  const place = placeFor(t, files);
  const daemon = await place.up();
  const state = stateOf(place);
  const end = once(daemon.child, "exit");
  lose(state);
  assert.deepEqual(await end, [0, null]);
  const names = existsSync(state) ? readdirSync(state).filter((name) => name !== "code") : [];
  assert.deepEqual(names.sort(), left);
}
