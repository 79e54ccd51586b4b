/** What slow hooks come to: a note in their run, a word to the person, a finding of `check`. Time is the test's own. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import { createHookline, type Hookline } from "../../../src/index.ts";
import { budgetFor, budgetOfEvent, budgetOfHook, endsAfter, lateHooks } from "../../../src/loading/budgets.ts";
import { createFakeClock } from "../../../testing/clock.ts";
import { aHook } from "../../engine/a-hook.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** A hook that takes as long as it is told to, on a clock that stands still otherwise. */
async function slowLine(context: TestContext, { settings = "", timeout = 60 } = {}) {
  const folder = temporaryFolder(context);
  mkdirSync(join(folder, ".hookline"));
  writeFileSync(join(folder, "hookline.yaml"), settings);
  const clock = createFakeClock();
  const line = await createHookline({ cwd: folder, home: join(folder, "home"), environment: {}, clock, watch: false });
  context.after(() => line.close());
  let takes = 0;
  line.use({ name: "lint", on: ["PreToolUse", "Stop"], timeout, run: () => void clock.advance(takes) });
  const emit = async (name: "PreToolUse" | "Stop", milliseconds: number, session: string | undefined = "s") => {
    takes = milliseconds;
    const data = name === "Stop" ? {} : { tool_name: "Bash", tool_input: { command: "ls" } };
    return line.emit(name, data, { cwd: folder, ...(session === undefined ? {} : { session }) });
  };
  return { line, emit };
}
const notesOf = async (line: Hookline): Promise<string[]> => (await line.runs())[0]?.notes ?? [];

test("a run over its budget says so in a note, and one within it does not", async (t) => {
  const { line, emit } = await slowLine(t);
  await emit("PreToolUse", 500);
  assert.deepEqual(await notesOf(line), []);
  await emit("PreToolUse", 501);
  assert.deepEqual(await notesOf(line), ["it took 501 ms, and its budget is 500 ms"]);
});

test("the project's hookline.yaml says what an event and what a hook may take", async (t) => {
  const settings = "budgets:\n  events: { tool_start: 100 }\n  hooks: { other: 1 }\n";
  const { line, emit } = await slowLine(t, { settings });
  await emit("PreToolUse", 101);
  assert.deepEqual(await notesOf(line), ["it took 101 ms, and its budget is 100 ms"]);
  const own = await slowLine(t, { settings: "budgets:\n  hooks: { lint: 10 }\n" });
  await own.emit("Stop", 11);
  assert.deepEqual(await notesOf(own.line), ["it took 11 ms, and its budget is 10 ms"]);
});

test("a hook that takes half of its time is reported with the event, once in each session", async (t) => {
  const { emit } = await slowLine(t);
  const first = await emit("PreToolUse", 30_000);
  const text = "the hook lint took 30.0 s of the 60 s after which it is ended (hookline list --slow)";
  assert.deepEqual(first.messages, [{ to: "person", text }]);
  assert.equal((await emit("PreToolUse", 40_000)).messages, undefined);
  assert.equal((await emit("PreToolUse", 30_000, "another")).messages?.length, 1);
});

test("a hook that takes less than half of its time, or ends before it can be noticed, is not reported", async (t) => {
  const { emit } = await slowLine(t);
  assert.equal((await emit("PreToolUse", 29_000)).messages, undefined);
  const short = await slowLine(t, { timeout: 2 });
  assert.equal((await short.emit("PreToolUse", 1_900)).messages, undefined);
});

const hook = (given: Partial<Hook> = {}): Hook =>
  aHook("a", "command", {
    name: "lint",
    on: { event: ["PreToolUse", "Stop"] },
    steps: [{ uses: "command", with: {}, timeout: 600, onError: "stop" }],
    origin: { dialect: "settings", layer: "project", file: "/p/hooks.json", line: 3, column: 5 },
    ...given,
  });
const step = (timeout: number): Hook["steps"][0] => ({ uses: "command", with: {}, timeout, onError: "stop" });

test("of a hook's budgets the strictest holds, its own comes before its event's, and background hooks have none", () => {
  assert.equal(budgetOfEvent("PreToolUse", {}), 500);
  assert.equal(budgetOfEvent("PreToolUse", { events: { PreToolUse: 7 } }), 7);
  assert.equal(budgetOfEvent("task.completed", {}), 2_000);
  assert.equal(budgetOfHook({ id: "a", name: "lint" }, "Stop", { hooks: { lint: 9 } }), 9);
  assert.equal(budgetFor(hook(), {}), 500);
  assert.equal(budgetFor(hook({ mode: "async" }), {}), undefined);
});

test("a hook is ended by its own limits, or when its agent waits no longer", () => {
  assert.equal(endsAfter(hook({ steps: [step(10), step(20)] })), 30);
  assert.equal(endsAfter(hook({ limits: { overlap: "skip", timeout: 5 } })), 5);
  assert.equal(endsAfter(hook({ steps: [step(9_000)] })), 650);
});

test("check warns of a timeout beyond what an agent waits, unless no caller waits for the hook", () => {
  const [finding] = lateHooks([hook(), hook({ steps: [step(700)] })]);
  assert.equal(finding?.code, "late-timeout");
  assert.equal(finding?.line, 3);
  assert.match(finding?.message ?? "", /may take 700 s, and its agent waits 650 s/);
  assert.deepEqual(lateHooks([hook({ steps: [step(700)], mode: "async" })]), []);
  assert.deepEqual(lateHooks([hook({ steps: [step(700)], limits: { overlap: "skip", timeout: 60 } })]), []);
});
