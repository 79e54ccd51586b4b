/** What every store must do. A test of an implementation calls testStore with a way to open it, and adds only what is its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HooklineError } from "../../src/engine/error.ts";
import { type Fields, firstTurn, type HookEvent, type Json, type MaybePromise } from "../../src/engine/event.ts";
import { advance } from "../../src/engine/events.ts";
import type { HookSet } from "../../src/engine/hook.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { type Following, type Heard, neverEnded, type Receipt, silentFor } from "../../src/engine/receipt.ts";
import type { Baseline, Run, Store, Transcript } from "../../src/engine/record.ts";
import type { Keeping } from "../../src/storage/sqlite/keep.ts";
import { anyCharacter } from "../any-character.ts";

export interface Given extends Keeping {
  now?(): number;
}

export const noHooks: HookSet = { id: "none", hooks: [] };
const start = 1_750_000_000_000;
let counter = 0;

export function anEvent(given: Partial<HookEvent> = {}): HookEvent {
  counter += 1;
  return {
    id: `event-${counter}`,
    name: "PreToolUse",
    at: start + counter,
    cwd: "/home/me/app",
    sender: "emit",
    data: { tool_name: "Bash", tool_input: {} },
    ...given,
  };
}

export function aRun(given: Partial<Run> = {}): Run {
  counter += 1;
  return {
    id: `run-${counter}`,
    hook: "settings:1",
    hookName: "guard",
    eventId: "event",
    eventName: "PreToolUse",
    status: "completed",
    cause: "event:PreToolUse",
    startedAt: start + counter,
    ms: 3,
    steps: [],
    notes: [],
    asked: 1,
    ...given,
  };
}

export const codeOf = (error: unknown): string => (error instanceof HooklineError ? error.code : String(error));

/** Any JSON payload within the limit, of so many. */
export const readsBackAny = (store: Store, payloads: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ stringUnit: anyCharacter })),
      async (given) => {
        const data: Fields = JSON.parse(JSON.stringify(given)); // as it comes from a sender: no -0
        const event = anEvent({ data });
        await store.record(event, noHooks, advance);
        assert.deepEqual((await store.event(event.id))?.event.data, data);
      },
    ),
    { numRuns: payloads },
  );

/** @param open a new empty store each time; the test closes it */
export function testStore(name: string, open: (given?: Given) => MaybePromise<Store>): void {
  const about = (sentence: string, story: (store: Store) => Promise<void>, given?: Given): void => {
    test(`${name}: ${sentence}`, async () => {
      const store = await open(given);
      try {
        await story(store);
      } finally {
        await store.close();
      }
    });
  };
  const tell = async (store: Store, given: Partial<HookEvent>) => store.record(anEvent(given), noHooks, advance);

  about("[R37] an event is read back as it was recorded, with its turn and the id of its hook set", async (store) => {
    const event = anEvent({
      session: "s",
      agent: { id: "a", type: "Explore" },
      to: { hook: "h", force: true },
      delivery: { id: "d", by: "user" },
      accepts: ["verdict"],
      nativeTool: "exec_command",
      data: { tool_name: "Bash", tool_input: { command: "ls -l" }, list: [1, null, true, "ü\u0000\ud800"] },
    });
    const { turn } = await store.record(event, noHooks, advance);
    assert.deepEqual(await store.event(event.id), { event: { ...event, turn }, set: "none" });
    assert.equal(await store.event("another"), undefined);
  });

  about("[R37] a hook set is stored once per id and read back whole, also a large one", async (store) => {
    const hook = {
      id: "h",
      name: "x".repeat(300_000),
      on: { event: ["Stop" as const] },
      steps: [{ uses: "log", with: {}, timeout: 1, onError: "stop" as const }] as const,
    };
    const rest = {
      limits: { overlap: "coalesce" as const },
      mode: "sync" as const,
      role: "observe" as const,
      onFailure: "continue" as const,
      priority: 100,
      enabled: true,
      tags: [],
      origin: { dialect: "config", layer: "user" as const },
    };
    const set: HookSet = { id: "hash", hooks: [{ ...hook, ...rest, steps: [...hook.steps] }] };
    await store.record(anEvent(), set, advance);
    await store.record(anEvent(), { id: "hash", hooks: [] }, advance);
    assert.deepEqual(await store.hookSet("hash"), set);
    assert.equal(await store.hookSet("other"), undefined);
  });

  about(
    "the sets in force are told once each, the one of the newest event first, and only of so many events",
    async (store) => {
      for (const id of ["old", "one", "two", "one"]) await store.record(anEvent(), { id, hooks: [] }, advance);
      assert.deepEqual(await store.recentHookSets(3), ["one", "two"]);
      assert.deepEqual(await store.recentHookSets(10), ["one", "two", "old"]);
    },
  );

  about("events come newest first, with what was answered", async (store) => {
    const [first, second] = [anEvent(), anEvent()];
    for (const event of [first, second]) await store.record(event, noHooks, advance);
    await store.answered(first.id, { verdict: { is: "deny", reason: "no", by: "h" } });
    const stored = await store.events(10);
    assert.deepEqual(
      stored.map(({ event }) => event.id),
      [second.id, first.id],
    );
    assert.deepEqual(
      stored.map(({ outcome }) => outcome?.verdict?.reason),
      [undefined, "no"],
    );
    assert.equal((await store.events(1)).length, 1);
  });

  about("events of an application are found by their name, the newest first", async (store) => {
    const names = ["deploy.started", "deploy.ended", "deploy.started"] as const;
    const sent = names.map((name) => anEvent({ name }));
    for (const event of [...sent, anEvent()]) await store.record(event, noHooks, advance);
    const found = async (most: number) =>
      (await store.events(most, "deploy.started")).map(({ event }) => sent.findIndex(({ id }) => id === event.id));
    assert.deepEqual([await found(10), await found(1)], [[2, 0], [2]]);
    assert.deepEqual(await store.events(10, "deploy.failed"), []);
  });

  about("a prompt and the tool calls after it move the turn of their own session on", async (store) => {
    await tell(store, { session: "a", name: "UserPromptSubmit", data: { prompt: "go on" } });
    await tell(store, { session: "a" });
    const { turn } = await tell(store, { session: "a" });
    assert.deepEqual([turn.number, turn.prompt, turn.toolCalls], [1, "go on", 2]);
    assert.equal((await tell(store, { session: "b" })).turn.toolCalls, 1);
    assert.equal((await tell(store, { session: "b", name: "SessionEnd" })).turn.toolCalls, 1);
  });

  about("an event without a session has a turn of its own, which nobody remembers", async (store) => {
    assert.equal((await tell(store, {})).turn.toolCalls, 1);
    assert.equal((await tell(store, {})).turn.toolCalls, 1);
    assert.deepEqual((await tell(store, { name: "deploy.started", data: {} })).turn, firstTurn);
  });

  about("a turn that the host gives is the event's turn", async (store) => {
    const given = { ...firstTurn, number: 7, tokens: 12_000 };
    const event = anEvent({ session: "s", turn: given });
    assert.deepEqual((await store.record(event, noHooks, advance)).turn, given);
    assert.deepEqual((await store.event(event.id))?.event.turn, given);
    assert.equal((await tell(store, { session: "s" })).turn.toolCalls, 2);
  });

  about(
    "[R36, R49] a second report by another registration gets the first verdict and stop, nothing else",
    async (store) => {
      const first = anEvent({ session: "s", delivery: { id: "d", by: "user" } });
      await store.record(first, noHooks, advance);
      await store.answered(first.id, {
        verdict: { is: "deny", by: "h" },
        stop: { reason: "enough" },
        context: ["once is enough"],
      });
      const second = anEvent({ session: "s", delivery: { id: "d", by: "project" } });
      const { given, turn } = await store.record(second, noHooks, advance);
      assert.deepEqual(given, { verdict: { is: "deny", by: "h" }, stop: { reason: "enough" } });
      assert.equal(turn.toolCalls, 1, "one happening counts once");
      const stored = await store.event(second.id);
      assert.equal(stored?.repeats, first.id);
      assert.deepEqual(stored?.outcome, given);
    },
  );

  about("[R36] a second report before the first is answered names the first, and counts once", async (store) => {
    const first = anEvent({ session: "s", delivery: { id: "d", by: "user" } });
    await store.record(first, noHooks, advance);
    const { given, unanswered, turn } = await tell(store, { session: "s", delivery: { id: "d", by: "project" } });
    assert.deepEqual({ given, unanswered }, { given: undefined, unanswered: first.id });
    assert.equal(turn.toolCalls, 1);
  });

  about("[R49] only the same event of the same session by another registration is a repeat", async (store) => {
    const first = anEvent({ session: "s", delivery: { id: "d", by: "user" } });
    await store.record(first, noHooks, advance);
    await store.answered(first.id, { verdict: { is: "deny", by: "h" } });
    const others: Partial<HookEvent>[] = [
      { session: "s", delivery: { id: "d", by: "user" } },
      { session: "s", delivery: { id: "e", by: "project" } },
      { session: "t", delivery: { id: "d", by: "project" } },
      {
        session: "s",
        delivery: { id: "d", by: "project" },
        name: "PostToolUse",
        data: { tool_name: "Bash", tool_input: {}, tool_response: "" },
      },
      { session: "s" },
    ];
    for (const other of others) assert.equal((await tell(store, other)).given, undefined, JSON.stringify(other));
    const repeat = await tell(store, { session: "s", delivery: { id: "d", by: "project" } });
    assert.deepEqual(repeat.given, { verdict: { is: "deny", by: "h" } });
    const again = await tell(store, { session: "s", delivery: { id: "d", by: "project" } });
    assert.equal(again.given, undefined, "its second report is that of the other's second, which has no answer yet");
  });

  about("[X7, C33, R21] a claim with a maximum is granted so often and no more", async (store) => {
    const once = { key: "once:s:h", max: 1, refusal: "it has run" };
    assert.equal(await store.peek([once], start), undefined);
    assert.equal(await store.claim([once], start), undefined);
    assert.deepEqual(await store.peek([once], start), once);
    assert.deepEqual(await store.claim([once], start + 1e9), once);
    assert.equal(await store.claim([{ ...once, key: "once:t:h" }], start), undefined);
  });

  about("[X7, R21] claims are taken all or none, and looking takes nothing", async (store) => {
    const [open, used] = [
      { key: "a", max: 1, refusal: "a" },
      { key: "b", max: 1, refusal: "b" },
    ];
    await store.claim([used], start);
    assert.equal((await store.claim([open, used], start))?.refusal, "b");
    for (let time = 0; time < 3; time++) assert.equal(await store.peek([open], start), undefined);
    assert.equal(await store.claim([open], start), undefined);
    assert.equal(await store.claim([], start), undefined);
  });

  about("[R21, R96] a claim for a moment counts from it, however late it is taken", async (store) => {
    const claim = { key: "cooldown:h", gap: 60, refusal: "wait" };
    assert.equal(await store.claim([{ ...claim, at: start }], start + 900), undefined);
    assert.equal((await store.peek([claim], start + 59_000))?.left, 1);
    assert.equal(await store.claim([{ ...claim, at: start + 60_000 }], start + 60_003), undefined);
    assert.equal((await store.claim([claim], start + 119_999))?.refusal, "wait");
  });

  about(
    "[R96] of moments with a claim each, those near to the last one are known, and the others forgotten",
    async (store) => {
      const among = "slot:h:";
      const claimed = async (at: number): Promise<boolean> =>
        (await store.claim([{ key: `${among}${at}`, max: 1, at, among, refusal: "it has fired" }], start)) !==
        undefined;
      const other = { key: "slot:other:1", max: 1, refusal: "it has fired" };
      await store.claim([other], start);
      const [hour, day] = [3_600_000, 86_400_000];
      for (const at of [start, start + hour, start + day]) assert.equal(await claimed(at), false);
      for (const at of [start, start + hour, start + day]) assert.equal(await claimed(at), true);
      assert.equal(await claimed(start + 10 * day), false);
      for (const at of [start, start + hour]) assert.equal(await claimed(at), false);
      assert.equal((await store.claim([other], start))?.refusal, "it has fired");
    },
  );

  about("[R21] a gap refuses until it has passed since the last claim that was granted", async (store) => {
    const claim = { key: "cooldown:h", gap: 60, refusal: "wait" };
    const answers = [];
    for (const after of [0, 59_999, 60_000, 119_999, 120_000])
      answers.push((await store.claim([claim], start + after))?.refusal);
    assert.deepEqual(answers, [undefined, "wait", undefined, "wait", undefined]);
  });

  about("[R21, SD16] a clock that was set back makes nobody wait longer than one gap", async (store) => {
    const claim = { key: "cooldown:h", gap: 60, refusal: "wait" };
    await store.claim([claim], start);
    const back = start - 3_600_000;
    assert.equal((await store.claim([claim], back))?.refusal, "wait");
    assert.equal((await store.claim([claim], back + 59_999))?.refusal, "wait");
    assert.equal(await store.claim([claim], back + 60_000), undefined);
  });

  about(
    "[X7, R8] a counter is spent up to its maximum, and a new prompt of the session fills it again",
    async (store) => {
      const spend = async (times: number) => {
        const answers = [];
        for (let time = 0; time < times; time++) answers.push(await store.spend("s", "reprompts", 3));
        return answers;
      };
      assert.deepEqual(await spend(4), [true, true, true, false]);
      assert.equal(await store.spend("s", "injected", 20), true);
      assert.equal(await store.spend("t", "reprompts", 3), true);
      assert.equal(await store.spend("u", "rewakes", 0), false);
      const during = await tell(store, { session: "s" });
      assert.deepEqual(during.turn.spent, { reprompts: 3, rewakes: 0, injected: 1 });
      await tell(store, { session: "s", name: "UserPromptSubmit", data: { prompt: "again" } });
      assert.deepEqual(await spend(4), [true, true, true, false]);
    },
  );

  about("[ET11] pending checks add up per session until they pass, and remember every file", async (store) => {
    await store.pendingChecks(
      "s",
      new Map<string, Fields>([
        ["a", { files: ["x.ts", "y.ts"] }],
        ["b", {}],
      ]),
    );
    const owed = await store.pendingChecks(
      "s",
      new Map<string, Fields>([
        ["b", { files: ["z.ts"] }],
        ["a", { files: ["y.ts", "w.ts"] }],
      ]),
    );
    assert.deepEqual(Object.fromEntries(owed), { a: { files: ["x.ts", "y.ts", "w.ts"] }, b: { files: ["z.ts"] } });
    await store.checkPassed("s", "b");
    await store.checkPassed("s", "never owed");
    assert.deepEqual([...(await store.pendingChecks("s")).keys()], ["a"]);
    assert.equal((await store.pendingChecks("t")).size, 0);
  });

  const call = "call c1";
  const followed = (given: Partial<Receipt> = {}): Following => ({
    session: "s",
    receipt: { is: "open", to: "deny", key: call, tool: "Bash", ...given },
    hears: ({ data }) => [ranAs(`call ${data.tool_use_id}`)],
  });
  const ranAs = (key: string): Heard => ({
    ...{ is: "ran", keys: [key], tool: "Bash", input: {}, asAsked: false, headless: false },
  });
  const turnOver: Heard = { is: "over", of: { agent: undefined }, by: "Stop" };
  const refused: Outcome = { verdict: { is: "deny", by: "settings:1" } };
  /** A call of the session that is answered so, and its event. */
  async function answered(store: Store, session: string, given?: Partial<Receipt>): Promise<string> {
    const event = anEvent({ session });
    await store.record(event, noHooks, advance);
    await store.answered(event.id, refused, 1, followed(given));
    return event.id;
  }

  about("[X11] a receipt stands with its event until something is heard of the call", async (store) => {
    const [id, other] = [await answered(store, "s"), await answered(store, "s", { key: "call c2" })];
    assert.equal((await store.event(id))?.receipt?.is, "open");
    assert.deepEqual(await store.heard("another session", turnOver), []);
    assert.deepEqual(
      (await store.heard("s", ranAs(call))).map(({ event, receipt }) => [event, receipt.is]),
      [[id, "disobeyed"]],
    );
    assert.deepEqual(
      (await store.heard("s", turnOver)).map(({ event, receipt }) => [event, receipt.is]),
      [[other, "obeyed"]],
    );
    assert.deepEqual(await store.heard("s", turnOver), [], "nothing is open any more");
    assert.equal((await store.event(other))?.receipt?.is, "obeyed");
    assert.deepEqual((await store.event(id))?.outcome, refused, "what was decided stays");
  });

  about("[X11] an event of a session is told whether there are receipts of it", async (store) => {
    assert.equal((await tell(store, { session: "s" })).hasReceipts, undefined);
    await answered(store, "s");
    assert.equal((await tell(store, { session: "s" })).hasReceipts, true);
    assert.equal((await tell(store, { session: "other" })).hasReceipts, undefined);
    assert.equal((await tell(store, {})).hasReceipts, undefined);
    await store.heard("s", turnOver);
    assert.equal((await tell(store, { session: "s" })).hasReceipts, true, "a report may come late");
  });

  about("[X11] a report that comes before the answer is written counts", async (store) => {
    const event = anEvent({ session: "s" });
    await store.record(event, noHooks, advance);
    const report = { name: "PostToolUse", data: { tool_name: "Bash", tool_use_id: "c1" } } as const;
    await tell(store, { ...report, session: "other" });
    await tell(store, { ...report, session: "s", data: { ...report.data, tool_use_id: "c9" } });
    const unheard = await store.answered(event.id, refused, 1, followed());
    assert.equal(unheard?.is, "open");
    await tell(store, { ...report, session: "s" });
    assert.equal((await store.answered(event.id, refused, 1, followed()))?.is, "disobeyed");
    assert.equal((await store.event(event.id))?.receipt?.is, "disobeyed");
  });

  about("[X11] a run that decided reads the receipt of its event, and runs are found by it", async (store) => {
    const [first, second] = [await answered(store, "s"), await answered(store, "s", { key: "call c2" })];
    await store.saveRun(aRun({ id: "denied", eventId: first, outcome: refused, session: "s" }));
    await store.saveRun(aRun({ id: "silent", eventId: first, session: "s" }));
    await store.saveRun(aRun({ id: "other", eventId: second, outcome: refused, session: "s" }));
    await store.heard("s", ranAs(call));
    await store.heard("s", turnOver);
    const receipts = new Map((await store.runs({})).map(({ id, receipt }) => [id, receipt?.is]));
    assert.deepEqual(
      [receipts.get("denied"), receipts.get("silent"), receipts.get("other")],
      ["disobeyed", undefined, "obeyed"],
    );
    assert.equal((await store.run("denied"))?.receipt?.is, "disobeyed");
    assert.deepEqual(
      (await store.runs({ receipt: "disobeyed" })).map(({ id }) => id),
      ["denied"],
    );
  });

  about("[X11] receipts are counted by folder and time", async (store) => {
    const since = start - 1;
    await answered(store, "s");
    await answered(store, "s", { is: "unknown", to: "ask", key: "call c2" });
    await store.heard("s", ranAs(call));
    const counts = await store.receipts({ since, folders: ["/home/me"] });
    assert.deepEqual(
      counts.toSorted((one, other) => one.to.localeCompare(other.to)),
      [
        { is: "unknown", to: "ask", count: 1 },
        { is: "disobeyed", to: "deny", count: 1 },
      ],
    );
    assert.deepEqual(await store.receipts({ since, folders: ["/elsewhere"] }), []);
    assert.deepEqual(await store.receipts({ since: start * 2 }), []);
  });

  let clock = start;
  about(
    "[X11] the receipt of a session that has fallen silent is closed when the store is repaired",
    async (store) => {
      clock = start;
      const id = await answered(store, "s");
      await store.repair(() => true, clock + silentFor / 2);
      assert.equal((await store.event(id))?.receipt?.is, "open");
      clock = start + silentFor;
      await tell(store, { session: "s" });
      await store.repair(() => true, clock + silentFor / 2);
      assert.equal((await store.event(id))?.receipt?.is, "open", "its session still says something");
      await store.repair(() => true, clock + 2 * silentFor);
      const { is, because } = (await store.event(id))?.receipt ?? {};
      assert.deepEqual([is, because], ["unknown", neverEnded]);
    },
    { now: () => clock },
  );

  about("[E24] a baseline belongs to one session and one folder, and the last one stands", async (store) => {
    const baseline: Baseline = { begun: "c1", at: { begun: start }, files: {} };
    await store.setBaseline("s", "/a", baseline);
    const later: Baseline = { ...baseline, head: "c2", at: { begun: start, last: start + 1 }, files: { "ü\n": "1:2" } };
    await store.setBaseline("s", "/a", later);
    assert.deepEqual(await store.baseline("s", "/a"), later);
    assert.equal(await store.baseline("s", "/b"), undefined);
    assert.equal(await store.baseline("t", "/a"), undefined);
  });

  about("[ET18] what is paused is told with every event until it is resumed", async (store) => {
    assert.equal((await tell(store, {})).paused.size, 0);
    assert.deepEqual([await store.pause("h", start), await store.pause("h", start)], [true, false]);
    await store.pause("/project", start);
    assert.deepEqual([...(await tell(store, {})).paused.keys()].sort(), ["/project", "h"]);
    assert.deepEqual([await store.resume("h"), await store.resume("h")], [true, false]);
    assert.deepEqual([...(await store.paused())], [["/project", Number.POSITIVE_INFINITY]]);
  });

  about(
    "a pause with an end says when that is, may be given another, and goes with a later one once it has ended",
    async (store) => {
      assert.deepEqual(
        [await store.pause("h", start, start + 10), await store.pause("h", start, start + 10)],
        [true, false],
      );
      assert.equal(await store.pause("h", start, start + 20), true);
      assert.deepEqual([...(await tell(store, {})).paused], [["h", start + 20]]);
      await store.pause("other", start + 20);
      assert.deepEqual([...(await store.paused()).keys()], ["other"]);
      assert.equal(await store.resume("h"), false);
    },
  );

  about("the inbox gives each answer once, first in, first out, to its own session", async (store) => {
    for (const text of ["one", "two", "three"])
      await store.post("s", { context: [text] }, text === "two" ? "rewakes" : undefined);
    assert.deepEqual(await store.collect("t"), []);
    assert.deepEqual(await store.collect("s"), [
      { outcome: { context: ["one"] } },
      { outcome: { context: ["two"] }, counter: "rewakes" },
      { outcome: { context: ["three"] } },
    ]);
    assert.deepEqual(await store.collect("s"), []);
  });

  about(
    "a run that is saved again is one run, and later changes of the given object do not reach it",
    async (store) => {
      const withheld: Run["withheld"] = { because: "report", outcome: { verdict: { is: "deny", by: "h" } } };
      const run = aRun({ status: "running", owner: "1:2", session: "s", withheld });
      delete run.ms;
      await store.saveRun(run);
      assert.deepEqual(await store.run(run.id), run);
      Object.assign(run, {
        status: "failed",
        reason: '"exit": 1\u0000 \ud800',
        ms: 12,
        asked: 2,
        notes: ["noise"],
        outcome: { context: ["c"] },
        steps: [
          {
            uses: "command",
            ok: false,
            output: { code: 1 },
            ms: 11,
            failure: "exit",
            reason: "1",
            evidence: { exitCode: 1, stderr: "no" },
          },
        ],
      });
      assert.equal((await store.run(run.id))?.status, "running");
      await store.saveRun(run);
      run.notes.push("too late");
      assert.deepEqual(await store.run(run.id), { ...run, notes: ["noise"] });
      assert.equal((await store.runs({})).length, 1);
      assert.equal(await store.run("another"), undefined);
    },
  );

  about("a run whose queued row was closed meanwhile can still be written", async (store) => {
    const run = aRun({ status: "queued" });
    await store.saveRun(run);
    await store.repair(() => false, start);
    await store.saveRun({ ...run, status: "running" });
    await store.saveRun({ ...run, status: "completed" });
    assert.equal((await store.run(run.id))?.status, "completed");
  });

  about("runs come newest first, and every filter narrows them", async (store) => {
    const [first, second, third] = [
      aRun({ hook: "a", session: "s", eventId: "1" }),
      aRun({ hook: "b", session: "s", eventId: "2", eventName: "Stop", status: "failed" }),
      aRun({ hook: "a", session: "t", eventId: "2", eventName: "Stop", startedAt: start + 1_000_000 }),
    ];
    for (const run of [first, second, third]) await store.saveRun(run);
    const found = async (filter: Parameters<Store["runs"]>[0]) => (await store.runs(filter)).map(({ id }) => id);
    assert.deepEqual(await found({}), [third.id, second.id, first.id]);
    assert.deepEqual(await found({ limit: 2 }), [third.id, second.id]);
    assert.deepEqual(await found({ hook: "a" }), [third.id, first.id]);
    assert.deepEqual(await found({ session: "s" }), [second.id, first.id]);
    assert.deepEqual(await found({ event: "Stop", status: "completed" }), [third.id]);
    assert.deepEqual(await found({ eventId: "2", hook: "a", limit: 5 }), [third.id]);
    assert.deepEqual(await found({ since: start + 1_000_000 }), [third.id]);
    assert.deepEqual(await found({ status: "cancelled" }), []);
    assert.deepEqual(await found({ before: third.id, limit: 1 }), [second.id]);
    assert.deepEqual(await found({ before: third.id, hook: "a" }), [first.id]);
    assert.deepEqual(await found({ before: first.id }), []);
    assert.deepEqual(await found({ before: "of no run" }), []);
    assert.deepEqual(await found({ hook: ["a", "b"], event: "Stop" }), [third.id, second.id]);
  });

  about("[R75] runs are found by the folder of their event, and by a text that they hold", async (store) => {
    const runOf = async (id: string, cwd: string, more: Partial<Run>): Promise<string> => {
      const event = anEvent({ id, cwd, data: { prompt: `${id} of "Friday"` } });
      await store.record(event, noHooks, advance);
      const run = aRun({ eventId: event.id, ...more });
      await store.saveRun(run);
      return run.id;
    };
    const shop = await runOf("e1", "/work/shop", { reason: "the Tests failed" });
    const api = await runOf("e2", "/work/shop/api", { hookName: "lint" });
    const other = await runOf("e3", "/work/shop-2", {
      outcome: { verdict: { is: "deny", by: "h", reason: "no tests" } },
    });
    const found = async (filter: Parameters<Store["runs"]>[0]) => (await store.runs(filter)).map(({ id }) => id);
    assert.deepEqual(await found({ folders: ["/work/shop"] }), [api, shop]);
    assert.deepEqual(await found({ folders: ["/work/shop/api", "/work/shop-2"] }), [other, api]);
    assert.deepEqual(await found({ folders: ["/"] }), [other, api, shop]);
    assert.deepEqual(await found({ folders: [] }), []);
    assert.deepEqual(await found({ text: "TESTS" }), [other, shop]);
    assert.deepEqual(await found({ text: "lint", folders: ["/work/shop"] }), [api]);
    assert.deepEqual(await found({ text: "e2 of" }), [api]);
    assert.deepEqual(await found({ text: "FRIDAY" }), [other, api, shop]);
    assert.deepEqual(await found({ text: "%" }), []);
  });

  about("[R83] a run that failed keeps its texts up to 64 kB, another the first 2 kB of each", async (store) => {
    const step = { uses: "command", output: {}, ms: 1, evidence: { stderr: "x".repeat(100_000) } };
    const kept = async (ok: boolean): Promise<number> => {
      const run = aRun({ steps: [{ ...step, ok }] });
      await store.saveRun(run);
      return (await store.run(run.id))?.steps[0]?.evidence?.stderr?.length ?? 0;
    };
    assert.ok((await kept(true)) < 2_200);
    const failed = await kept(false);
    assert.ok(failed > 64_000 && failed < 66_000, String(failed));
  });

  about("the last start of each hook is that of its newest run that began", async (store) => {
    await store.saveRun(aRun({ hook: "a", startedAt: 1 }));
    await store.saveRun(aRun({ hook: "a", startedAt: 2, status: "failed" }));
    await store.saveRun(aRun({ hook: "a", startedAt: 3, status: "skipped", reason: "cooldown", asked: 0 }));
    await store.saveRun(aRun({ hook: "b", startedAt: 4, status: "queued", asked: 0 }));
    await store.saveRun(aRun({ hook: "c", startedAt: 5, status: "running" }));
    await store.saveRun(aRun({ hook: "d", startedAt: 6, status: "skipped", reason: "its steps said so" }));
    assert.deepEqual(Object.fromEntries(await store.lastFired()), { a: 2, c: 5, d: 6 });
  });

  about("[X8, R26] repair closes the runs whose process is gone, and those that never had one", async (store) => {
    const dead = aRun({ status: "running", owner: "dead", startedAt: start });
    const alive = aRun({ status: "running", owner: "alive" });
    const queued = aRun({ status: "queued" });
    const closed = aRun({ owner: "dead" });
    for (const run of [dead, alive, queued, closed]) await store.saveRun(run);
    assert.equal(await store.repair((owner) => owner === "alive", start + 500), 2);
    const statuses = [];
    for (const { id } of [dead, alive, queued, closed]) statuses.push((await store.run(id))?.status);
    assert.deepEqual(statuses, ["interrupted", "running", "interrupted", "completed"]);
    const repaired = await store.run(dead.id);
    assert.equal(repaired?.ms, 500);
    assert.match(repaired?.reason ?? "", /ended before/);
    assert.equal(await store.repair((owner) => owner === "alive", start), 0);
  });

  about("purge forgets the events and runs before the moment, but no run that goes on and no claim", async (store) => {
    const [old, recent] = [anEvent({ at: start - 10 }), anEvent({ at: start })];
    for (const event of [old, recent]) await store.record(event, noHooks, advance);
    const runs = [
      aRun({ startedAt: start - 10 }),
      aRun({ startedAt: start - 10, status: "running" }),
      aRun({ startedAt: start }),
    ];
    for (const run of runs) await store.saveRun(run);
    await store.claim([{ key: "fires:h", max: 1, refusal: "used" }], start - 10);
    assert.equal(await store.purge(start), 1);
    assert.deepEqual(
      (await store.events(9)).map(({ event }) => event.id),
      [recent.id],
    );
    assert.deepEqual(
      (await store.runs({})).map(({ id }) => id),
      [runs[2]?.id, runs[1]?.id],
    );
    assert.equal((await store.claim([{ key: "fires:h", max: 1, refusal: "used" }], start))?.refusal, "used");
  });

  about("[R55] a payload of 10 MB is cut to the limit, keeps its envelope and says so", async (store) => {
    const content = "a line of text ü\n".repeat(280_000); // twice in it
    const event = anEvent({
      session: "s",
      data: { tool_name: "Write", tool_input: { file_path: "/x", content }, other: content },
    });
    await store.record(event, noHooks, advance);
    const stored = await store.event(event.id);
    assert.equal(stored?.cut, true);
    assert.equal(stored?.event.data.tool_name, "Write");
    const input = stored?.event.data.tool_input;
    assert.match(JSON.stringify(input), /"file_path":"\/x".*a line of text.*\[cut \d+ bytes\]/);
    assert.ok(Buffer.byteLength(JSON.stringify(stored?.event.data)) <= 262_144);
    const small = anEvent();
    await store.record(small, noHooks, advance);
    assert.equal((await store.event(small.id))?.cut, undefined);
  });

  about("[R55] payloads that are wide or deep beyond the limit are thinned, and stay JSON", async (store) => {
    const wide: Fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, index]));
    let deep: Json = "bottom";
    for (let level = 0; level < 60_000; level++) deep = [deep];
    const long: Fields = { ["k".repeat(400_000)]: 1 };
    for (const data of [wide, { tool_name: "X", deep }, long]) {
      const event = anEvent({ data });
      await store.record(event, noHooks, advance);
      const stored = await store.event(event.id);
      assert.equal(stored?.cut, true);
      assert.equal(stored?.event.name, "PreToolUse");
      assert.ok(JSON.stringify(stored?.event.data).length <= 262_144);
    }
  });

  about("a long prompt does not make the turn of the session grow without end", async (store) => {
    await tell(store, { session: "s", name: "UserPromptSubmit", data: { prompt: "p".repeat(1_000_000) } });
    const { turn } = await tell(store, { session: "s" });
    assert.ok(turn.prompt.length < 70_000);
    assert.equal(turn.toolCalls, 1);
  });

  const canary = `canary-${Math.random().toString(36).slice(2)}`;
  about(
    "[SD12] a secret is stored nowhere, and the event says that it was redacted",
    async (store) => {
      const event = anEvent({ session: "s", name: "UserPromptSubmit", data: { prompt: `use ${canary}` } });
      const { turn } = await store.record(event, noHooks, advance);
      assert.match(turn.prompt, new RegExp(canary), "conditions see what was said");
      await store.answered(event.id, { context: [canary] });
      await store.post("s", { context: [canary] });
      const owed = await store.pendingChecks("s", new Map([["h", { files: [canary] }]]));
      assert.equal(owed.size, 1);
      const run = aRun({
        reason: canary,
        notes: [canary],
        outcome: { context: [canary] },
        steps: [{ uses: "command", ok: true, output: {}, ms: 1, evidence: { stdout: canary } }],
      });
      await store.saveRun(run);
      const stored = [
        await store.events(9),
        await store.runs({}),
        await store.collect("s"),
        [...(await store.pendingChecks("s"))],
        (await tell(store, { session: "s" })).turn,
      ];
      assert.doesNotMatch(JSON.stringify(stored), new RegExp(canary));
      assert.equal((await store.event(event.id))?.redacted, true);
      assert.equal((await store.run(run.id))?.reason, "[redacted]");
    },
    { redact: (text) => text.replaceAll(canary, "[redacted]") },
  );

  const output = "o".repeat(5_000);
  const loud = (): Run =>
    aRun({
      steps: [
        { uses: "command", ok: true, output: { stdout: output }, ms: 1, evidence: { stdout: output, exitCode: 0 } },
      ],
    });
  about("[SD12] of what a handler puts out, the first 2 kB and the hash are kept", async (store) => {
    const run = loud();
    await store.saveRun(run);
    const kept = JSON.stringify((await store.run(run.id))?.steps);
    assert.match(kept, /"o{2048}…\[cut 2952 bytes\] sha256 [0-9a-f]{64}"/);
    assert.match(kept, /"exitCode":0/);
  });
  about(
    "[SD12] record: full keeps outputs whole",
    async (store) => {
      const run = loud();
      await store.saveRun(run);
      assert.deepEqual(await store.run(run.id), run);
    },
    { record: "full" },
  );
  about(
    "[SD12] record: none keeps neither payloads nor outputs, and the turn still goes on",
    async (store) => {
      const event = anEvent({ session: "s", name: "UserPromptSubmit", data: { prompt: "private words" } });
      await store.record(event, noHooks, advance);
      const run = loud();
      await store.saveRun(run);
      assert.deepEqual((await store.event(event.id))?.event.data, {});
      assert.equal((await store.event(event.id))?.cut, true);
      assert.doesNotMatch(JSON.stringify([await store.events(9), await store.runs({})]), /private words|ooo/);
      assert.equal((await tell(store, { session: "s" })).turn.prompt, "private words");
    },
    { record: "none" },
  );

  about("[T20, SD11] hostile ids are opaque: each finds its own rows and no others", async (store) => {
    const ids = [
      "../../etc/passwd",
      "a\u0000",
      "a",
      "A",
      "a\u0000b",
      "'; drop table run; --",
      "{{event.id}}",
      "$(id)",
      "",
      "%",
      "é",
      "e\u0301",
      "\ud800",
      "\ud801",
      "\ufffd",
      '"\ud800"',
      '"\\ud800"',
      "x".repeat(100_000),
    ];
    for (const id of ids) {
      await tell(store, { id, session: id, cwd: id, delivery: { id, by: "user" } });
      await store.saveRun(aRun({ id, hook: id, eventId: id, session: id, owner: id, status: "running" }));
      await store.pendingChecks(id, new Map([[id, { id }]]));
      await store.post(id, { context: [id] });
      assert.equal(
        await store.claim([{ key: id, max: 1, refusal: "used" }], start),
        undefined,
        "no key stands for another",
      );
    }
    for (const id of ids) {
      const stored = await store.event(id);
      assert.deepEqual(
        [stored?.event.id, stored?.event.session, stored?.event.cwd, stored?.event.delivery?.id],
        [id, id, id, id],
      );
      assert.deepEqual(
        (await store.runs({ hook: id, session: id, eventId: id })).map((run) => [run.id, run.owner]),
        [[id, id]],
      );
      assert.deepEqual([...(await store.pendingChecks(id))], [[id, { id }]]);
      assert.deepEqual(await store.collect(id), [{ outcome: { context: [id] } }]);
      assert.equal((await tell(store, { session: id })).turn.toolCalls, 2);
    }
    const owners: string[] = [];
    await store.repair((owner) => owners.push(owner) > 0, start);
    assert.deepEqual(owners.sort(), [...ids].sort());
    assert.equal((await store.lastFired()).size, ids.length);
  });

  about(
    "deliveries are found by their beginning, each once, and those of a session with a like name are not",
    async (store) => {
      const ids = [
        '["a","PreToolUse","1"]',
        '["a","Stop","2"]',
        '["ab","PreToolUse","3"]',
        '["a\u0000","PreToolUse","4"]',
      ];
      for (const id of ids) for (const by of ["one", "two"]) await tell(store, { delivery: { id, by } });
      await tell(store, {});
      assert.deepEqual((await store.deliveriesFrom('["a",')).toSorted(), ids.slice(0, 2));
      assert.deepEqual(await store.deliveriesFrom('["b",'), []);
    },
  );

  about("of each registration it is known when it last reported something in a folder or below it", async (store) => {
    const reports = [
      ["/a", "x user", 1],
      ["/a/below", "x user", 2],
      ["/a", "y project", 3],
      ["/ab", "x user", 4],
    ] as const;
    for (const [cwd, by, at] of reports) await tell(store, { cwd, at: start + at, delivery: { id: `d${at}`, by } });
    await tell(store, { cwd: "/a", at: start + 9 });
    assert.deepEqual(
      new Map(await store.lastReports(["/a"])),
      new Map([
        ["x user", start + 2],
        ["y project", start + 3],
      ]),
    );
    assert.deepEqual(new Map(await store.lastReports(["/nowhere"])), new Map());
  });

  about(
    "what was read of a transcript is kept by its path, written over, read back the newest first, and forgotten with its age",
    async (store) => {
      const row = (path: string, at: number): Transcript => ({
        ...{
          path,
          sender: "claude-code",
          session: "s",
          cwd: "/a",
          read: 5,
          end: 9,
          modified: start + at,
          calls: 2,
          reached: 1,
          tools: ["Write"],
        },
        missed: [{ id: "t", tool: "Bash", subject: "ls \u0000\ud800" }],
        ...{ open: [], recent: ["t"], isUnderstood: true },
      });
      for (const one of [row("/t/1", 1), row("/t/2", 2), { ...row("/t/1", 3), unknown: "why" }])
        await store.saveTranscript(one);
      assert.deepEqual(await store.transcripts(), [{ ...row("/t/1", 3), unknown: "why" }, row("/t/2", 2)]);
      await store.purge(start + 3);
      assert.deepEqual(
        (await store.transcripts()).map(({ path }) => path),
        ["/t/1"],
      );
    },
  );

  about("any JSON payload within the limit is read back as it was", (store) => readsBackAny(store, 10));

  about("a closed store says that it is closed; closing it again does nothing", async (store) => {
    store.close();
    store.close();
    const uses: (() => unknown)[] = [
      () => store.record(anEvent(), noHooks, advance),
      () => store.run("x"),
      () => store.collect("s"),
      () => store.claim([], 0),
      () => store.repair(() => true, 0),
    ];
    for (const use of uses)
      await assert.rejects(
        async () => use(),
        (error) => codeOf(error) === "closed",
      );
  });
}
