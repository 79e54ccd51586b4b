/** Guards of a process that stays, while somebody edits their file. */
import assert from "node:assert/strict";
import { renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { guardsHeld } from "../../src/sources/guards-held.ts";
import { createHookSource, type HookSource } from "../../src/sources/live.ts";
import { type LoadedHooks, loadHooks } from "../../src/sources/load.ts";
import { loadStable } from "../../src/sources/stable-load.ts";
import { openMemoryStore } from "../../src/stores/memory.ts";
import { type Workspace, workspace } from "./workspace.ts";

const file = "home/project/.hookline/hooks.json";
const guards = (...commands: string[]): object => ({
  hooks: { PreToolUse: [{ hooks: commands.map((command) => ({ command, role: "guard" })) }] },
});

interface Guarded {
  place: Workspace;
  /** The commands of what is in force now; "?" where a guard fails by its policy. */
  now(): Promise<string[]>;
  /** By the clock it is the moment of the last change, and later only by this. */
  later(milliseconds: number): void;
}

function guarded(t: TestContext): Guarded {
  const place = workspace(t, { [file]: guards("one", "two") });
  const managedFolders = { claude: join(place.managed, "claude"), hookline: join(place.managed, "hookline") };
  const path = join(place.project, ".hookline", "hooks.json");
  let written = 0;
  let passed = 0;
  const clock = (): number => {
    written = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? written;
    return written + passed;
  };
  const request = { home: place.home, environment: {}, managedFolders };
  const source: HookSource<LoadedHooks> = createHookSource(
    guardsHeld(
      openMemoryStore(),
      (cwd, expected, lastValid) =>
        loadStable(async () => loadHooks({ ...request, cwd, ...(lastValid ? { lastValid } : {}) }), expected),
      clock,
    ),
  );
  return {
    place,
    later: (milliseconds) => void (passed += milliseconds),
    async now() {
      const { set } = await source.at(place.project);
      return set.hooks.map(({ steps: [{ uses, with: given }] }) => (uses === "invalid" ? "?" : String(given.command)));
    },
  };
}

test("[R46] a file that is broken keeps its guards although no event has put them into the store", async (t) => {
  const { place, now } = guarded(t);
  assert.deepEqual(await now(), ["one", "two"]);
  for (const text of ["", "{", '{"hooks": {"PreToolUse": [']) {
    place.write(file, text);
    assert.deepEqual(await now(), ["one", "two"], text);
  }
  place.write(file, guards("one", "three"));
  assert.deepEqual(await now(), ["one", "three"]);
});

test("[R46] a file that is emptied or moved away for a moment loses no guard, and one that stays so loses them", async (t) => {
  const { place, now, later } = guarded(t);
  const path = join(place.project, ".hookline", "hooks.json");
  assert.deepEqual(await now(), ["one", "two"]);
  place.write(file, {});
  assert.deepEqual(await now(), ["one", "two"]);
  place.write(file, guards("one", "two"));
  assert.deepEqual(await now(), ["one", "two"]);
  renameSync(path, `${path}~`);
  assert.deepEqual(await now(), ["one", "two"]);
  place.write(file, guards("two"));
  assert.deepEqual(new Set(await now()), new Set(["one", "two"])); // the editor may have more to write
  later(60_000);
  assert.deepEqual(await now(), ["two"]);
  rmSync(path);
  assert.deepEqual(await now(), ["two"]);
  later(499);
  assert.deepEqual(await now(), ["two"]);
  later(1);
  assert.deepEqual(await now(), []);
});

test("[R46] a guard does not lapse at the second save of its file, either", async (t) => {
  const { place, now, later } = guarded(t);
  const path = join(place.project, ".hookline", "hooks.json");
  assert.deepEqual(await now(), ["one", "two"]);
  for (const save of ["first", "second", "third"]) {
    renameSync(path, `${path}~`);
    assert.deepEqual(await now(), ["one", "two"], `in the gap of the ${save} save`);
    renameSync(`${path}~`, path);
    assert.deepEqual(await now(), ["one", "two"], `after the ${save} save`);
    later(60_000);
  }
});
