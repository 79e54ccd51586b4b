import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import test from "node:test";
import { createEngine } from "../../src/engine/engine.ts";
import type { HookEvent } from "../../src/engine/event.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Patterns } from "../../src/engine/ports.ts";
import { createHookline, type Hookline, type HooklineOptions, type Observation, type Run } from "../../src/index.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";

interface TestLine extends Hookline {
  run(hook: string): Run;
  /** Resolves once so many background runs have ended. */
  background(count: number): Promise<void>;
}

async function openLine(t: TestContext, options: HooklineOptions = {}): Promise<TestLine> {
  const runs = new Map<string, Run>();
  const finished = new Set<string>();
  let check = (): void => {};
  const line = await createHookline({
    files: false,
    environment: {},
    ...options,
    observe(seen: Observation) {
      if (seen.is === "run") {
        if (runs.get(seen.run.id)?.status === "queued") finished.add(seen.run.id);
        runs.set(seen.run.id, structuredClone(seen.run));
        check();
      }
      options.observe?.(seen);
    },
  });
  t.after(() => line.close());
  return {
    ...line,
    background: (count) =>
      new Promise((resolve) => {
        check = () => finished.size >= count && resolve();
        check();
      }),
    run(hook) {
      const found = [...runs.values()].find((run) => run.hook === hook);
      assert.ok(found, `${hook} left no run`);
      return found;
    },
  };
}

const bash = (command: string): { tool_name: string; tool_input: { command: string } } => ({
  tool_name: "Bash",
  tool_input: { command },
});

test("hooks that cannot be loaded fail the one event that asked for them, and nothing else", async () => {
  const seen: unknown[] = [];
  const ports = {
    ...systemPorts(),
    store: openMemoryStore(),
    queue: createInlineQueue(),
    registry: { handlers: new Map(), conditions: new Map() },
    patterns: undefined as unknown as Patterns, // no hook is ever compiled
    hooks: () => Promise.reject(new Error("the folder cannot be read")),
    observe: (one: Observation) => seen.push(one.is),
  };
  const engine = createEngine(ports);
  const event: HookEvent = { id: "e1", name: "a.b", at: 0, cwd: "/", data: {}, sender: "test" };
  const reasons: unknown[] = [];
  const outcome = await engine.emit(event, { unrecorded: (because) => reasons.push(String(because)) });
  await new Promise(setImmediate); // what nobody caught would end the test here
  assert.deepEqual([outcome, reasons, seen], [{}, ["Error: the folder cannot be read"], ["outcome"]]);
});

test("[CT4] without hooks every event carries on, at once and without a promise", async (t) => {
  const line = await openLine(t);
  assert.deepEqual(line.emit("PreToolUse", bash("ls")), {});
});

test("[C2] synchronous hooks are not awaited: the outcome is there when emit returns", async (t) => {
  const line = await openLine(t);
  line.use({ on: "PreToolUse", id: "guard", run: () => ({ deny: "no" }) });
  assert.deepEqual(line.emit("PreToolUse", bash("ls")), { verdict: { is: "deny", reason: "no", by: "guard" } });
});

test("[C38, C34] a deny stops the later hooks, keeps the gathered context, and each later hook has a run that says so", async (t) => {
  const line = await openLine(t);
  let later = 0;
  line.use({ on: "PreToolUse", id: "a-context", run: () => ({ context: "gathered" }) });
  line.use({ on: "PreToolUse", id: "b-deny", run: () => ({ deny: "stop here" }) });
  line.use({ on: "PreToolUse", id: "c-later", run: () => void (later += 1) });
  line.use({ on: "PreToolUse", id: "d-async", mode: "async", run: () => void (later += 1) });
  const outcome = await line.emit("PreToolUse", bash("ls"));
  assert.deepEqual(outcome, { context: ["gathered"], verdict: { is: "deny", reason: "stop here", by: "b-deny" } });
  assert.equal(later, 0);
  assert.match(line.run("c-later").reason ?? "", /behind the deny of b-deny/);
  assert.match(line.run("d-async").reason ?? "", /behind the deny of b-deny/);
});

test("[X1, C48] hooks run by priority, and session hooks after the others of their priority", async (t) => {
  const line = await openLine(t);
  const order: string[] = [];
  const hook = (id: string, priority?: number) => ({
    on: "Stop" as const,
    id,
    ...(priority === undefined ? {} : { priority }),
    run: () => void order.push(id),
  });
  line.session("s").use(hook("session"));
  line.use(hook("late", 200));
  line.use(hook("usual"));
  line.use(hook("zero", 0));
  await line.emit("Stop", {}, { session: "s" });
  assert.deepEqual(order, ["zero", "usual", "session", "late"]);
});

test("[C40] each hook sees the input as rewritten so far, and the last writer wins", async (t) => {
  const line = await openLine(t);
  line.use({
    on: "PreToolUse",
    id: "a",
    role: "transform",
    run: (event) => ({ updatedInput: { command: `${event.data.tool_input.command} --a` } }),
  });
  line.use({
    on: "PreToolUse",
    id: "b",
    role: "transform",
    run: (event) => ({ updatedInput: { command: `${event.data.tool_input.command} --b` } }),
  });
  assert.deepEqual(await line.emit("PreToolUse", bash("x")), { updatedInput: { command: "x --a --b" } });
});

test("[G11, T14] a guard that ran before a rewrite is asked again about the final input, and its deny counts", async (t) => {
  const line = await openLine(t);
  const seen: unknown[] = [];
  line.use({
    on: "PreToolUse",
    id: "guard",
    role: "guard",
    run(event) {
      seen.push(event.data.tool_input.command);
      return event.data.tool_input.command === "rm -rf /" ? { deny: "never" } : { allow: true };
    },
  });
  line.use({
    on: "PreToolUse",
    id: "rewriter",
    role: "transform",
    run: () => ({ updatedInput: { command: "rm -rf /" } }),
  });
  const outcome = await line.emit("PreToolUse", bash("ls"));
  assert.deepEqual(seen, ["ls", "rm -rf /"]);
  assert.equal(outcome.verdict?.is, "deny");
  assert.equal(line.run("guard").asked, 2);
});

test("a guard that did not match at first is asked once a rewrite makes it match", async (t) => {
  const line = await openLine(t);
  line.use({ on: "PreToolUse", id: "git guard", role: "guard", if: "Bash(git *)", run: () => ({ deny: "no git" }) });
  line.use({
    on: "PreToolUse",
    id: "rewriter",
    role: "transform",
    run: () => ({ updatedInput: { command: "git push" } }),
  });
  assert.equal((await line.emit("PreToolUse", bash("ls"))).verdict?.by, "git guard");
});

test("an undeclared hook is asked again about another hook's rewrite, but not about its own", async (t) => {
  const line = await openLine(t);
  const asked: string[] = [];
  const count = (id: string): void => void asked.push(id);
  line.use({ on: "PreToolUse", id: "watcher", run: () => count("watcher") });
  line.use({ on: "PreToolUse", id: "rewriter", run: () => (count("rewriter"), { updatedInput: { command: "y" } }) });
  await line.emit("PreToolUse", bash("x"));
  assert.deepEqual(asked, ["watcher", "rewriter", "watcher"]);
});

test("rewrites that do not settle within three rounds are denied", async (t) => {
  const line = await openLine(t);
  let count = 0;
  line.use({
    on: "PreToolUse",
    id: "restless",
    role: "guard",
    run: () => ({ updatedInput: { command: String(count++) } }),
  });
  const outcome = await line.emit("PreToolUse", bash("x"));
  assert.equal(outcome.verdict?.is, "deny");
  assert.match(outcome.verdict?.reason ?? "", /did not settle/);
  assert.equal(count, 4);
});

test("an allow that was given before the input was rewritten does not count", async (t) => {
  const line = await openLine(t);
  line.use({
    on: "PreToolUse",
    id: "a-allow",
    role: "transform",
    run: () => ({ allow: true, updatedInput: { command: "safe" } }),
  });
  line.use({
    on: "PreToolUse",
    id: "b-rewrite",
    role: "transform",
    run: () => ({ updatedInput: { command: "other" } }),
  });
  const outcome = await line.emit("PreToolUse", bash("x"));
  assert.deepEqual(outcome, { updatedInput: { command: "other" } });
});

test("[C42, C44] a hook's allow with an input of its own counts when nothing rewrites it afterwards", async (t) => {
  const line = await openLine(t);
  line.use({ on: "PreToolUse", id: "allow", run: () => ({ allow: true, updatedInput: { command: "safe" } }) });
  const outcome = await line.emit("PreToolUse", bash("x"));
  assert.deepEqual(outcome, { verdict: { is: "allow", by: "allow" }, updatedInput: { command: "safe" } });
});

for (const [onFailure, verdict] of [
  ["continue", undefined],
  ["ask", "ask"],
  ["block", "deny"],
] as const) {
  test(`[C36, T31] a hook that throws answers by its policy: ${onFailure}`, async (t) => {
    const line = await openLine(t);
    line.use({
      on: "PreToolUse",
      id: "broken",
      onFailure,
      run() {
        throw new Error("boom");
      },
    });
    const outcome = await line.emit("PreToolUse", bash("ls"));
    assert.equal(outcome.verdict?.is, verdict);
    assert.equal(line.run("broken").status, "failed");
    assert.match(line.run("broken").reason ?? "", /boom/);
  });
}

test("a hook that never settles is a timeout, its signal aborts, and a guard's policy blocks", async (t) => {
  const line = await openLine(t);
  let aborted = false;
  line.use({
    on: "PreToolUse",
    id: "hangs",
    role: "guard",
    timeout: 0.05,
    run: (_event, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          resolve({ allow: true });
        });
      }),
  });
  const outcome = await line.emit("PreToolUse", bash("ls"));
  assert.equal(outcome.verdict?.is, "deny");
  assert.ok(aborted);
  assert.equal(line.run("hangs").status, "timeout");
});

test("a caller that gives up cancels the run", async (t) => {
  const line = await openLine(t);
  const stop = new AbortController();
  line.use({
    on: "Stop",
    id: "slow",
    run: (_event, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))),
  });
  const outcome = line.emit("Stop", {}, { signal: stop.signal });
  stop.abort();
  assert.deepEqual(await outcome, {});
  assert.deepEqual([line.run("slow").status, line.run("slow").reason], ["cancelled", "the caller gave up"]);
});

test("a hook that throws because it was stopped was stopped, and has not failed by itself", async (t) => {
  const line = await openLine(t);
  const stop = new AbortController();
  const untilAborted = (signal: AbortSignal): Promise<undefined> =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  line.use({ on: "Stop", id: "given-up", run: (_event, { signal }) => untilAborted(signal) });
  line.use({ on: "UserPromptSubmit", id: "late", timeout: 0.02, run: (_event, { signal }) => untilAborted(signal) });
  const outcome = line.emit("Stop", {}, { signal: stop.signal });
  stop.abort();
  await outcome;
  await line.emit("UserPromptSubmit", { prompt: "x" });
  assert.deepEqual(
    ["given-up", "late"].map((id) => [line.run(id).status, line.run(id).reason]),
    [
      ["cancelled", "the caller gave up"],
      ["timeout", "timeout: it did not end within 0.02 s"],
    ],
  );
});

test("[C33, CT16] once runs once per session, and a hook that came after a deny was not used up", async (t) => {
  const line = await openLine(t);
  let deny = true;
  let ran = 0;
  line.use({ on: "PreToolUse", id: "a-gate", run: () => (deny ? { deny: "not yet" } : undefined) });
  line.use({ on: "PreToolUse", id: "b-once", once: true, run: () => void (ran += 1) });
  await line.emit("PreToolUse", bash("1"), { session: "s" });
  assert.equal(ran, 0);
  deny = false;
  await line.emit("PreToolUse", bash("2"), { session: "s" });
  await line.emit("PreToolUse", bash("3"), { session: "s" });
  await line.emit("PreToolUse", bash("4"), { session: "other" });
  assert.equal(ran, 2);
});

test("cooldown and max fires refuse with their reason", async (t) => {
  let now = 1_000_000;
  const line = await openLine(t, { clock: { now: () => now, after: () => () => {} } });
  let ran = 0;
  line.use({ on: "Notification", id: "cool", cooldown: 60, run: () => void (ran += 1) });
  const note = { message: "m", notification_type: "idle" };
  await line.emit("Notification", note);
  await line.emit("Notification", note);
  now += 61_000;
  await line.emit("Notification", note);
  assert.equal(ran, 2);
  assert.match((await line.runs({ hook: "cool" })).map((run) => run.reason ?? "ran").join(), /cooldown/);
});

test("[C79, CT38] a Stop hook that always blocks makes the agent continue three times per prompt, then the turn ends and the person gets a message", async (t) => {
  const line = await openLine(t);
  let ran = 0;
  line.use({ on: "Stop", id: "never enough", run: () => (ran++, { deny: "more" }) });
  const stop = async (): Promise<Outcome> => line.emit("Stop", {}, { session: "s" });
  await line.emit("UserPromptSubmit", { prompt: "go" }, { session: "s" });
  for (let count = 0; count < 3; count++) assert.equal((await stop()).verdict?.is, "deny");
  const fourth = await stop();
  assert.equal(fourth.verdict, undefined);
  assert.match(fourth.messages?.[0]?.text ?? "", /never enough would go on, but 3 continuations/);
  assert.equal(ran, 4);
  assert.match((await line.runs({ hook: "never enough", limit: 1 }))[0]?.notes.join() ?? "", /cap of 3/);
  await line.emit("UserPromptSubmit", { prompt: "again" }, { session: "s" });
  assert.equal((await stop()).verdict?.is, "deny");
});

test("context from a Stop hook also makes the agent continue, and counts", async (t) => {
  const line = await openLine(t);
  line.use({ on: "Stop", id: "adds", run: () => ({ context: "one more thing" }) });
  for (let count = 0; count < 3; count++)
    assert.deepEqual((await line.emit("Stop", {}, { session: "s" })).context, ["one more thing"]);
  assert.equal((await line.emit("Stop", {}, { session: "s" })).context, undefined);
});

test("[C54] a rewake hook is silent when clean, and its block reaches the next event that takes context", async (t) => {
  const line = await openLine(t);
  let found = false;
  line.use({
    on: "PostToolUse",
    id: "scan",
    name: "scan",
    mode: "rewake",
    run: () => (found ? { deny: "a secret in a.ts" } : undefined),
  });
  const post = { ...bash("ls"), tool_response: "" };
  assert.deepEqual(await line.emit("PostToolUse", post, { session: "s" }), {});
  await line.background(1);
  assert.deepEqual(await line.emit("UserPromptSubmit", { prompt: "x" }, { session: "s" }), {});
  found = true;
  await line.emit("PostToolUse", post, { session: "s" });
  await line.background(2);
  assert.deepEqual((await line.emit("PostToolBatch", { tool_calls: [] }, { session: "s" })).context, [
    "scan: a secret in a.ts",
  ]);
  assert.deepEqual(
    await line.emit("PostToolBatch", { tool_calls: [] }, { session: "s" }),
    {},
    "a notice is delivered once",
  );
});

test("waiting notices block the stop", async (t) => {
  const line = await openLine(t);
  line.use({ on: "PostToolUse", id: "scan", name: "scan", mode: "rewake", run: () => ({ deny: "found it" }) });
  await line.emit("PostToolUse", { ...bash("ls"), tool_response: "" }, { session: "s" });
  await line.background(1);
  assert.deepEqual((await line.emit("Stop", {}, { session: "s" })).verdict, {
    is: "deny",
    reason: "scan: found it",
    by: "inbox",
  });
});

test("notices beyond three per prompt go to the person, not to the model", async (t) => {
  const line = await openLine(t);
  line.use({ on: "PostToolUse", id: "scan", mode: "rewake", run: () => ({ deny: "again" }) });
  const answers: Outcome[] = [];
  for (let count = 0; count < 4; count++) {
    await line.emit("PostToolUse", { ...bash("ls"), tool_response: "" }, { session: "s" });
    await line.background(count + 1);
    answers.push(await line.emit("PostToolBatch", { tool_calls: [] }, { session: "s" }));
  }
  assert.deepEqual(
    answers.map(({ context }) => context?.length ?? 0),
    [1, 1, 1, 0],
  );
  assert.match(answers[3]?.messages?.[0]?.text ?? "", /not shown to the model/);
});

test("[C53, CT28] an async hook does not hold the event up, and its run is closed when it ends", async (t) => {
  const line = await openLine(t);
  const work = Promise.withResolvers<{ deny: string }>();
  const started = Promise.withResolvers<void>();
  line.use({ on: "PreToolUse", id: "slow", mode: "async", run: () => (started.resolve(), work.promise) });
  assert.deepEqual(line.emit("PreToolUse", bash("ls")), {});
  assert.equal(line.run("slow").status, "queued");
  await started.promise;
  work.resolve({ deny: "too late" });
  await line.close();
  assert.equal(line.run("slow").status, "completed");
  assert.match(line.run("slow").notes.join(), /the caller did not wait for its deny/);
});

test("hooks of an event that takes no answer run in the background", async (t) => {
  const line = await openLine(t);
  let ran = false;
  line.use({ on: "SessionEnd", id: "bye", run: async () => void (ran = true) });
  assert.deepEqual(line.emit("SessionEnd", { reason: "other" }), {});
  await line.close();
  assert.ok(ran);
});

test("[C49, C50, CT8, CT9] a given id is kept, remove says whether it existed, and clearing a session leaves the others", async (t) => {
  const line = await openLine(t);
  const session = line.session("s");
  assert.equal(session.use({ on: "Stop", id: "mine", run: () => {} }).id, "mine");
  const made = session.use({ on: "Stop", run: () => ({ systemMessage: "m" }) });
  assert.match(made.id, /^code:/);
  assert.deepEqual((await line.emit("Stop", {}, { session: "s" })).context, ["m"]);
  assert.equal(made.remove(), true);
  assert.equal(made.remove(), false);
  line.use({ on: "Stop", id: "stays", run: () => {} });
  const asked: string[] = [];
  for (const id of ["first", "second"]) session.use({ on: "Stop", id, run: () => void asked.push(id) });
  session.clear();
  await line.emit("Stop", {}, { session: "s" });
  assert.deepEqual(asked, []);
  assert.deepEqual((await line.runs()).map(({ hook }) => hook).slice(0, 1), ["stays"]);
  assert.deepEqual(
    (await line.hooks()).set.hooks.map(({ id }) => id),
    ["stays"],
  );
  assert.throws(() => line.use({ on: "Stop", id: "stays", run: () => {} }), { code: "name_taken" });
});

test("[CT5, CT9] a hook is asked only about its event and what its matcher names", async (t) => {
  const line = await openLine(t);
  line.use({ on: "PreToolUse", id: "bash only", matcher: "Bash", run: () => ({ context: "seen" }) });
  assert.deepEqual(await line.emit("PreToolUse", bash("ls")), { context: ["seen"] });
  assert.deepEqual(await line.emit("PreToolUse", { tool_name: "Write", tool_input: {} }), {});
  assert.deepEqual(await line.emit("PostToolUse", { ...bash("ls"), tool_response: "" }), {});
});

test("a store that fails is answered by the policies: guards block, others let pass, and emit does not throw", async (t) => {
  const store = openMemoryStore();
  const broken = { ...store, record: () => assert.fail("the disk is full") };
  const line = await openLine(t, { store: broken });
  line.use({ on: "PreToolUse", id: "usual", run: () => {} });
  assert.deepEqual(await line.emit("PreToolUse", bash("ls")), {});
  line.use({ on: "PreToolUse", id: "guard", role: "guard", run: () => {} });
  const outcome = await line.emit("PreToolUse", bash("ls"));
  assert.equal(outcome.verdict?.is, "deny");
  assert.match(outcome.verdict?.reason ?? "", /the disk is full/);
});

test("the sender of an event gets the reason why it, or a run of it, could not be stored", async (t) => {
  const store = openMemoryStore();
  const full = (): never => assert.fail("the disk is full");
  const toldWith = async (options: HooklineOptions): Promise<unknown[]> => {
    const told: unknown[] = [];
    const line = await openLine(t, options);
    line.use({ on: "PreToolUse", id: "usual", run: () => {} });
    await line.emit("PreToolUse", bash("ls"), {
      unrecorded: (because) => told.push(because instanceof Error ? because.message : because),
    });
    return told;
  };
  assert.deepEqual(await toldWith({ store }), []);
  assert.deepEqual(await toldWith({ store: { ...store, record: full } }), ["the disk is full"]);
  assert.deepEqual(await toldWith({ store: { ...store, saveRun: full } }), ["the disk is full"]);
});

test("the sender of an event gets the reason also if it is not even known which hooks exist", async () => {
  const told: unknown[] = [];
  const engine = createEngine({
    ...systemPorts(),
    store: openMemoryStore(),
    queue: createInlineQueue(),
    hooks: () => assert.fail("the store is locked"),
    registry: { handlers: new Map(), conditions: new Map() },
    patterns: {} as Patterns, // without hooks nobody asks for one
  });
  const event: HookEvent = { id: "1", name: "a.b", at: 0, cwd: "/", data: {}, sender: "test" };
  assert.deepEqual(await engine.emit(event, { unrecorded: (because) => told.push(because) }), {});
  assert.deepEqual(told.map(String), ["AssertionError [ERR_ASSERTION]: the store is locked"]);
});

test("a deny counts although its run could not be written", async (t) => {
  const store = openMemoryStore();
  let writes = 0;
  const line = await openLine(t, {
    store: { ...store, saveRun: (run) => (++writes === 2 ? assert.fail("disk full") : store.saveRun(run)) },
  });
  line.use({ on: "PreToolUse", id: "denies", run: () => ({ deny: "no" }) });
  assert.equal((await line.emit("PreToolUse", bash("ls"))).verdict?.is, "deny");
});

test("explain says for each hook whether it would run and why, and runs nothing", async (t) => {
  const line = await openLine(t);
  const ran: string[] = [];
  line.use({ on: "PreToolUse", id: "a", matcher: "Write", run: () => void ran.push("a") });
  line.use({ on: "PreToolUse", id: "b", matcher: "Bash", run: () => void ran.push("b") });
  line.use({ on: "Stop", id: "c", run: () => void ran.push("c") });
  line.use({ on: "PreToolUse", id: "d", enabled: false, run: () => void ran.push("d") });
  const explained = await line.explain("PreToolUse", bash("ls"));
  assert.deepEqual(
    explained.map(({ hook, would }) => `${hook} ${would}`),
    ["a skip", "b run", "c skip", "d skip"],
  );
  assert.deepEqual(ran, []);
  assert.match(explained[0]?.because ?? "", /Write/);
  assert.match(explained[2]?.because ?? "", /Stop/);
  assert.equal(explained[3]?.because, "disabled");
});

test("a custom event with a dot goes down the same line", async (t) => {
  const line = await openLine(t);
  line.use({
    on: "deploy.started",
    id: "freeze",
    run: (event) => (event.data.env === "prod" ? { deny: "frozen" } : undefined),
  });
  assert.equal((await line.emit("deploy.started", { env: "prod" })).verdict?.reason, "frozen");
  assert.deepEqual(await line.emit("deploy.started", { env: "dev" }), {});
});

test("an unknown event in a definition is an error with the near name", async (t) => {
  const line = await openLine(t);
  // @ts-expect-error: the name is wrong on purpose
  assert.throws(() => line.use({ on: "PreToolUze", run: () => {} }), {
    code: "event_unknown",
    message: /did you mean "PreToolUse"/,
  });
});

test("a guard whose second asking could not be written does not let the rewritten input pass", async (t) => {
  const store = openMemoryStore();
  let writes = 0;
  const line = await openLine(t, {
    store: { ...store, saveRun: (run) => (++writes === 5 ? assert.fail("disk full") : store.saveRun(run)) },
  });
  line.use({
    on: "PreToolUse",
    id: "a guard",
    role: "guard",
    run: (event) => (event.data.tool_input.command === "ls" ? { allow: true } : { deny: "no" }),
  });
  line.use({
    on: "PreToolUse",
    id: "b rewriter",
    role: "transform",
    run: () => ({ updatedInput: { command: "rm -rf /" } }),
  });
  assert.equal((await line.emit("PreToolUse", bash("ls"))).verdict?.is, "deny");
});

test("answers of a wrong shape fail their hook, and no other hook's deny is lost over them", async (t) => {
  const line = await openLine(t);
  // @ts-expect-error: messages are a list
  line.use({ on: "PreToolUse", id: "a", run: () => ({ messages: 5 }) });
  // @ts-expect-error: an input is an object
  line.use({ on: "PreToolUse", id: "b", run: () => ({ allow: null, updatedInput: "text" }) });
  line.use({ on: "PreToolUse", id: "c", run: () => ({ deny: "no" }) });
  assert.equal((await line.emit("PreToolUse", bash("ls"))).verdict?.reason, "no");
  assert.match(line.run("a").reason ?? "", /messages with 5/);
  assert.equal(line.run("b").status, "failed");
});

test("a guard that is asked again keeps the context that it gave at first", async (t) => {
  const line = await openLine(t);
  line.use({
    on: "PreToolUse",
    id: "guard",
    role: "guard",
    run: (event) =>
      event.data.tool_input.command === "x" ? { updatedInput: { command: "y" }, context: "made it a y" } : undefined,
  });
  assert.deepEqual(await line.emit("PreToolUse", bash("x")), {
    context: ["made it a y"],
    updatedInput: { command: "y" },
  });
});

test("a hook that calls itself inbox is capped like any other", async (t) => {
  const line = await openLine(t);
  line.use({ on: "Stop", id: "inbox", run: () => ({ deny: "more" }) });
  const verdicts: unknown[] = [];
  for (let count = 0; count < 4; count++) verdicts.push((await line.emit("Stop", {}, { session: "s" })).verdict?.is);
  assert.deepEqual(verdicts, ["deny", "deny", "deny", undefined]);
});

test("a background hook uses up its limit when it starts, not when it is asked for", async (t) => {
  const line = await openLine(t);
  let ran = 0;
  line.use({ on: "PreToolUse", id: "limited", mode: "async", maxFires: 2, run: () => void (ran += 1) });
  for (let count = 0; count < 3; count++) await line.emit("PreToolUse", bash("ls"));
  await line.background(3);
  assert.equal(ran, 2);
});

test("background hooks have their own limits: the caller's deadline and signal end with the event", async (t) => {
  const line = await openLine(t);
  const stop = new AbortController();
  const started = Promise.withResolvers<void>();
  const work = Promise.withResolvers<void>();
  line.use({ on: "PreToolUse", id: "slow", mode: "async", run: () => (started.resolve(), work.promise) });
  await line.emit("PreToolUse", bash("ls"), { signal: stop.signal, deadline: Date.now() + 10 });
  stop.abort();
  await started.promise;
  work.resolve();
  await line.background(1);
  assert.equal(line.run("slow").status, "completed");
});

test("[C49] the hooks of a session go when it ends, also without a clear, and those of others stay", async (t) => {
  const line = await openLine(t);
  let ended = false;
  line.session("s").use({ on: "SessionEnd", id: "bye", run: () => void (ended = true) });
  line.session("s").use({ on: "Stop", id: "of s", run: () => ({ deny: "s" }) });
  line.session("other").use({ on: "Stop", id: "of other", run: () => ({ deny: "other" }) });
  await line.emit("SessionEnd", { reason: "other" }, { session: "s" });
  await line.background(1);
  assert.ok(ended, "the session's own SessionEnd hook still ran");
  assert.deepEqual(await line.emit("Stop", {}, { session: "s" }), {});
  assert.equal((await line.emit("Stop", {}, { session: "other" })).verdict?.is, "deny");
});

test("a hook whose matcher cannot be compiled is refused when it is registered", async (t) => {
  const line = await openLine(t);
  assert.throws(() => line.use({ on: "PreToolUse", matcher: "[x", run: () => {} }), { code: "hook_invalid" });
});

test("[C71, CT20] the status message is seen while the hook runs, and cleared after", async (t) => {
  const seen: string[] = [];
  const line = await openLine(t, { observe: (one) => void (one.is === "status" && seen.push(one.status)) });
  line.use({ on: "PreToolUse", id: "audit", status: "Auditing...", run: () => void seen.push("running") });
  await line.emit("PreToolUse", bash("ls"));
  assert.deepEqual(seen, ["Auditing...", "running", ""]);
});

test("[C51] the session is the last layer, and there is no layer between it and the files", async () => {
  const { layers } = await import("../../src/engine/hook.ts");
  assert.deepEqual(layers, ["managed", "user", "project", "local", "plugin", "session"]);
});

test("a hook that writes to its turn changes no other session's first turn, whatever the event", async (t) => {
  const line = await openLine(t);
  const seen: (number | undefined)[] = [];
  line.use({
    on: ["deploy.started", "PreToolUse"],
    id: "writer",
    run(event) {
      seen.push(event.turn?.spent.reprompts);
      if (event.turn) event.turn.spent.reprompts = 99;
    },
  });
  await line.emit("deploy.started", {}); // neither has a turn of its own: no session, and an event that moves no turn
  await line.emit("deploy.started", {}, { session: "one" });
  await line.emit("deploy.started", {}, { session: "two" });
  await line.emit("PreToolUse", bash("ls"), { session: "three" });
  assert.deepEqual(seen, [0, 0, 0, 0]);
});
