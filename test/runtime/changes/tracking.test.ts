import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Changes, firstTurn, type HookEvent } from "../../../src/engine/event.ts";
import { isThenable } from "../../../src/engine/flow.ts";
import type { Hook, HookSet } from "../../../src/engine/hook.ts";
import type { RunStatus } from "../../../src/engine/record.ts";
import { createColdChanges } from "../../../src/runtime/changes/cold.ts";
import type { ChangeFinder } from "../../../src/runtime/changes/look.ts";
import { createTracking, type Tracked } from "../../../src/runtime/changes/tracking.ts";
import { createGit } from "../../../src/runtime/processes/git.ts";
import { openMemoryStore } from "../../../src/storage/memory/memory.ts";
import { aCheck, anEvent, environment, type Repository, usualRepository } from "../triggers/repository.ts";
import { isAskedPerTurn } from "./tracking-line.ts";

interface World extends Tracked {
  repository: Repository;
  store: ReturnType<typeof openMemoryStore>;
  /** How often commits were asked for, and looks taken. */
  asked: { marks: number; looks: number };
  setOf(...hooks: Hook[]): HookSet;
  /** One event with all that the engine does around it. */
  pass(set: HookSet, given?: Partial<HookEvent>, ends?: RunStatus[] | "for one alone"): Promise<string[]>;
}

function worldIn(context: TestContext): World {
  const repository = usualRepository(context);
  const store = openMemoryStore();
  const asked = { marks: 0, looks: 0 };
  const cold = createColdChanges(createGit(environment));
  const counting: ChangeFinder = {
    ...cold,
    marks(place) {
      asked.marks += 1;
      return cold.marks(place);
    },
    look(place, begun) {
      asked.looks += 1;
      return cold.look(place, begun);
    },
  };
  const options = { store, now: Date.now, home: "/nonexistent", root: () => repository.folder };
  const tracked = createTracking({ ...options, finder: async () => counting });
  let sets = 0;
  return {
    ...tracked,
    repository,
    store,
    asked,
    setOf: (...hooks) => ({ id: `set-${++sets}`, hooks }),
    async pass(set, given = {}, ends = []) {
      const event = anEvent(repository.folder, given);
      await tracked.tracking.begin(event, set);
      const changes = await tracked.changesOf(event);
      await tracked.tracking.end({ ...event, changes }, ends === "for one alone" ? undefined : ends);
      return filesOf(changes);
    },
  };
}

function filesOf(changes: Changes | { unknown: string }): string[] {
  assert.ok(!("unknown" in changes), JSON.stringify(changes));
  return changes.files;
}

test("where no hook looks at changed files, nothing is asked and nothing is noted", async (context) => {
  const { tracking, store, asked, repository, setOf } = worldIn(context);
  const plain = aCheck({ limits: { overlap: "skip" }, when: { not: { is: "tool", with: "Bash" } } });
  assert.equal(tracking.begin(anEvent(repository.folder), setOf(plain)), undefined);
  assert.equal(tracking.end(anEvent(repository.folder), ["completed"]), undefined);
  assert.deepEqual(asked, { marks: 0, looks: 0 });
  assert.equal(store.baseline("s", repository.folder), undefined);
});

test("[R57] the commit is asked for once in a session and folder; later events begin at once", async (context) => {
  const { tracking, asked, repository, setOf } = worldIn(context);
  const nested = aCheck({ limits: { overlap: "skip" }, when: { all: [{ any: [aCheck().when ?? { all: [] }] }] } });
  for (const set of [setOf(aCheck()), setOf(nested)]) {
    const session = set.id;
    await tracking.begin(anEvent(repository.folder, { session, name: "PreToolUse" }), set);
    const again = tracking.begin(anEvent(join(repository.folder, "src"), { session, name: "PreToolUse" }), set);
    assert.equal(isThenable(again), false);
  }
  assert.deepEqual(asked, { marks: 2, looks: 0 });
});

test("[R57] what a session commits before its first look has changed since it began", async (context) => {
  const { repository, setOf, tracking, pass } = worldIn(context);
  const set = setOf(aCheck());
  await tracking.begin(anEvent(repository.folder, { name: "SessionStart" }), set);
  repository.write("a.ts", "changed\n");
  repository.commit();
  assert.deepEqual(await pass(set), ["a.ts"]);
});

test("[E24, E28] looks are over for the events of hooks that have to pass, and for no others", async (context) => {
  const { repository, setOf, pass } = worldIn(context);
  const other = aCheck({ id: "other", on: { event: ["SessionStop"] }, limits: { overlap: "skip" } });
  const set = setOf(aCheck(), other);
  repository.write("a.ts", "changed\n");
  assert.deepEqual(await pass(set, { name: "SessionStop" }), ["a.ts"]);
  assert.deepEqual(await pass(set), ["a.ts"], "the script has not seen it");
  assert.deepEqual(await pass(set), []);
});

test("without hooks that have to pass, every event but a tool call's ends the look", async (context) => {
  const { repository, setOf, pass } = worldIn(context);
  const set = setOf(aCheck({ limits: { overlap: "skip" } }));
  repository.write("a.ts", "changed\n");
  assert.deepEqual(await pass(set, { name: "PostToolUse" }), ["a.ts"]);
  assert.deepEqual(await pass(set), ["a.ts"]);
  assert.deepEqual(await pass(set), []);
});

test("[E25] a second look is taken only where hooks ran", async (context) => {
  const { repository, setOf, pass, asked } = worldIn(context);
  const set = setOf(aCheck());
  repository.write("a.ts", "changed\n");
  await pass(set);
  assert.equal(asked.looks, 1);
  await pass(set, {}, ["completed"]);
  assert.equal(asked.looks, 3);
});

test("[R57] a change that only one hook was given is still new to the others", async (context) => {
  const { repository, setOf, pass } = worldIn(context);
  const set = setOf(aCheck(), aCheck({ id: "other" }));
  repository.write("a.ts", "changed\n");
  assert.deepEqual(await pass(set, {}, "for one alone"), ["a.ts"]);
  assert.deepEqual(await pass(set), ["a.ts"]);
});

test("[E22, R57] what is written after an evaluation was ended, or after the next prompt, has not been seen", async (context) => {
  const { repository, setOf, tracking, changesOf, store } = worldIn(context);
  const set = setOf(aCheck());
  const turn = { ...firstTurn, number: 1 };
  const stop = async (during: () => void, ends: RunStatus[]): Promise<string[]> => {
    const event = anEvent(repository.folder, { turn });
    await tracking.begin(event, set);
    const changes = await changesOf(event);
    during();
    await tracking.end({ ...event, changes }, ends);
    return filesOf(changes);
  };
  assert.deepEqual(await stop(() => repository.write("a.ts", "changed\n"), ["cancelled"]), []);
  const prompted = (): void => {
    store.record(anEvent(repository.folder, { name: "UserPromptSubmit" }), set, () => ({ ...turn, number: 2 }));
    repository.write("new.ts");
  };
  assert.deepEqual(await stop(prompted, ["completed"]), ["a.ts"]);
  assert.deepEqual(await stop(() => {}, []), ["new.ts"]);
});

test("[R57] a session's first event notes the commit also if no hook looks at files yet, and looks at no files for it", async (context) => {
  const { repository, setOf, tracking, asked, store, pass } = worldIn(context);
  const begun = repository.git("rev-parse", "HEAD").trim();
  const plain = setOf(aCheck({ limits: { overlap: "skip" }, when: { all: [] } }));
  await tracking.begin(anEvent(repository.folder, { name: "SessionStart" }), plain);
  assert.deepEqual(asked, { marks: 0, looks: 0 });
  assert.equal((await store.baseline("s", repository.folder))?.begun, begun);
  repository.write("a.ts", "changed\n");
  repository.commit();
  assert.deepEqual(await pass(setOf(aCheck())), ["a.ts"]);
});

test("[R57] each project of a repository has its own last look", async (context) => {
  const { repository, store } = worldIn(context);
  const { folder } = repository;
  const cold = createColdChanges(createGit(environment));
  const options = { store, now: Date.now, home: "/nonexistent", finder: async () => cold };
  const { tracking, changesOf } = createTracking({ ...options, root: ({ cwd }) => cwd });
  const set: HookSet = { id: "set", hooks: [aCheck()] };
  const stop = async (cwd: string): Promise<string[]> => {
    const event = anEvent(cwd);
    await tracking.begin(event, set);
    const changes = await changesOf(event);
    await tracking.end({ ...event, changes }, []);
    return filesOf(changes);
  };
  await tracking.begin(anEvent(folder, { name: "SessionStart" }), set);
  repository.write("src/b.ts", "changed\n");
  repository.commit();
  assert.deepEqual(await stop(folder), ["src/b.ts"]);
  assert.deepEqual(await stop(join(folder, "src")), ["src/b.ts"]);
  for (const cwd of [folder, join(folder, "src")]) assert.deepEqual(await stop(cwd), []);
});

test("if git or the store fails nothing is thrown: changes are unknown, and the last look counts", async (context) => {
  const repository = usualRepository(context);
  const failing = (): never => {
    throw new Error("the disk is full");
  };
  const store = { baseline: failing, setBaseline: failing, turn: failing };
  const options = { now: Date.now, home: "/nonexistent", root: () => repository.folder };
  const broken = createTracking({ ...options, store, finder: async () => failing() });
  const set: HookSet = { id: "set", hooks: [aCheck()] };
  const event = anEvent(repository.folder);
  await broken.tracking.begin(event, set);
  assert.deepEqual(await broken.changesOf(event), { unknown: "the disk is full" });
  await broken.tracking.end({ ...event, changes: { base: "/", files: [], earlier: [], removed: [] } }, ["completed"]);
  await broken.close();
  const blind: ChangeFinder = {
    marks: async () => ({}),
    look: async () => ({ unknown: "git took longer than 15 seconds" }),
    close: async () => {},
  };
  const slow = createTracking({ ...options, store: openMemoryStore(), finder: async () => blind });
  await slow.tracking.begin(event, set);
  assert.deepEqual(await slow.changesOf(event), { unknown: "git took longer than 15 seconds" });
});

test("a program's hook on changed files is asked at the end of each turn that changed some, watch: true", (context) =>
  isAskedPerTurn(context, true));

test("closed, it looks at nothing any more", async (context) => {
  const { repository, tracking, changesOf, close, asked, setOf } = worldIn(context);
  await close();
  const event = anEvent(repository.folder);
  await tracking.begin(event, setOf(aCheck()));
  assert.deepEqual(await changesOf(event), { unknown: "it is closed" });
  assert.deepEqual(asked, { marks: 0, looks: 0 });
});
