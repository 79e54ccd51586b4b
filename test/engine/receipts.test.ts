/** What the engine makes of receipts: when they are opened, what settles them, and who hears of a call that was not obeyed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnIsOver } from "node:timers/promises";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Handler, Observation, Ports } from "../../src/engine/ports.ts";
import { type CallReports, type Receipt, ranByTranscript } from "../../src/engine/receipt.ts";
import type { Store } from "../../src/engine/record.ts";
import { anything } from "../../src/engine/schema.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { aHook } from "./a-hook.ts";

interface Line {
  engine: Engine;
  store: Store;
  seen: Observation[];
  /** Names of events that hooks heard. */
  heard: HookEvent[];
  /** What is answered to a call from now on. */
  answers: Outcome;
  isHeadless: boolean;
  send(name: HookEvent["name"], data?: Fields, more?: Partial<HookEvent>): Promise<{ id: string; outcome: Outcome }>;
  /** A call, by its id and command. */
  call(id: string, command?: string, more?: Partial<HookEvent>): Promise<string>;
  ran(id: string, command?: string, more?: Partial<HookEvent>): Promise<Outcome>;
  receipt(event: string): Promise<Receipt | undefined>;
  /** In two words. */
  is(event: string): Promise<string>;
}

const deny: Outcome = { verdict: { is: "deny", reason: "no", by: "guard" } };
const ask: Outcome = { verdict: { is: "ask", reason: "sure?", by: "guard" } };
const byId: CallReports = { id: "tool_use_id", failures: "ran", input: "as it ran" };
const withoutIds: CallReports = { failures: "ran" };

async function lineOf(reports: CallReports | "none" = byId): Promise<Line> {
  const store = openMemoryStore();
  const seen: Observation[] = [];
  const heard: HookEvent[] = [];
  const system = systemPorts();
  const answering: Handler = {
    params: anything as Handler["params"], // it takes any fields
    run: () => ({ ok: true, output: {}, outcome: line.answers }),
  };
  const hearing: Handler = {
    params: anything as Handler["params"],
    run(_params, { event }) {
      heard.push(event);
      return { ok: true, output: {}, outcome: {} };
    },
  };
  const hooks = [
    aHook("guard", "answers", { role: "guard", origin: { dialect: "script", layer: "user" } }),
    aHook("listener", "hears", { on: { event: ["guard.disobeyed"] } }),
  ];
  const ports: Ports = {
    ...system,
    store,
    queue: createInlineQueue(),
    hooks: () => ({ id: "set", hooks }),
    registry: {
      handlers: new Map([
        ["answers", answering],
        ["hears", hearing],
      ]),
      conditions,
    },
    patterns: await loadPatterns(),
    observe: (one) => void seen.push(one),
    unanswered: () => (line.isHeadless ? "deny" : undefined),
    ...(reports !== "none" && { reports: () => reports }),
  };
  const engine = createEngine(ports);
  let count = 0;
  const line: Line = {
    ...{ engine, store, seen, heard, answers: {}, isHeadless: false },
    async send(name, data = {}, more = {}) {
      const event: HookEvent = {
        ...{ id: `e${++count}`, name, at: count, cwd: "/project", sender: "an-agent", session: "s", data },
        ...more,
      };
      return { id: event.id, outcome: await engine.emit(event) };
    },
    call: async (id, command = "rm x", more) => (await line.send("PreToolUse", dataOf(id, command), more)).id,
    ran: async (id, command = "rm x", more) =>
      (await line.send("PostToolUse", { ...dataOf(id, command), tool_response: "" }, more)).outcome,
    receipt: async (event) => (await store.event(event))?.receipt,
    is: async (event) => (await line.receipt(event))?.is ?? "none",
  };
  return line;
}
const dataOf = (id: string, command: string): Fields => ({
  ...{ tool_name: "Bash", tool_input: { command } },
  ...(id !== "" && { tool_use_id: id }),
});

test("[X11] a refused call is obeyed once its turn has ended without a report of it, and what was decided stays what it was", async () => {
  const line = await lineOf();
  line.answers = deny;
  const call = await line.call("c1");
  assert.equal(await line.is(call), "open");
  await line.send("Stop");
  assert.equal(await line.is(call), "obeyed");
  assert.deepEqual((await line.store.event(call))?.outcome?.verdict?.is, "deny");
});

test("[X11] a refused call that is reported with its id is disobeyed at once: the person reads it, and an event of ours says so", async () => {
  const line = await lineOf();
  line.answers = deny;
  const call = await line.call("c1");
  line.answers = {};
  const outcome = await line.ran("c1");
  assert.equal(await line.is(call), "disobeyed");
  assert.match(
    outcome.messages?.[0]?.text ?? "",
    /^Hookline: the agent did not obey: it was refused and ran all the same: Bash: rm x\. .*hookline why e1/,
  );
  assert.equal(outcome.messages?.[0]?.to, "person");
  assert.equal(line.seen.filter(({ is }) => is === "receipt").length, 1);
  await line.engine.close();
  const [event] = line.heard;
  assert.equal(event?.name, "guard.disobeyed");
  assert.deepEqual(event?.data, {
    ...{ event_id: call, session_id: "s", agent: "an-agent", verdict: "deny", hook: "guard", reason: "no" },
    ...{ because: "it was refused and ran all the same", tool_name: "Bash", tool_input: { command: "rm x" } },
  });
});

test("[X11] a report that comes twice, late, or by another registration tells nothing new", async () => {
  const line = await lineOf();
  line.answers = deny;
  const delivery = (by: string) => ({ delivery: { id: "the call", by } });
  const call = await line.call("c1", "rm x", delivery("user"));
  const repeat = await line.call("c1", "rm x", delivery("project"));
  assert.equal(await line.receipt(repeat), undefined, "one call has one receipt");
  await line.send("Stop");
  assert.equal(await line.is(call), "obeyed");
  await line.ran("c1", "rm x", { delivery: { id: "the report", by: "user" } });
  assert.equal(await line.is(call), "disobeyed", "a report that comes after the turn counts");
  await line.ran("c1", "rm x", { delivery: { id: "the report", by: "project" } });
  await line.ran("c1");
  await line.engine.close();
  assert.equal(line.heard.length, 1);
});

test("[X11] a retry with a new id is another call, and so is one that was let through", async () => {
  const line = await lineOf();
  line.answers = deny;
  const [first, retry] = [await line.call("c1"), await line.call("c2")];
  line.answers = {};
  const allowed = await line.call("c3");
  await line.ran("c3");
  await line.send("Stop");
  assert.deepEqual([await line.is(first), await line.is(retry), await line.is(allowed)], ["obeyed", "obeyed", "none"]);
});

test("[X11] a question is obeyed whether a person approves or refuses, and disobeyed where the call runs and no person could answer", async () => {
  const line = await lineOf();
  line.answers = ask;
  const [approved, refused, alone] = [await line.call("c1"), await line.call("c2"), await line.call("c3")];
  await line.ran("c1");
  line.isHeadless = true;
  await line.ran("c3");
  await line.send("Stop");
  assert.deepEqual(
    [await line.is(approved), await line.is(refused), await line.is(alone)],
    ["obeyed", "obeyed", "disobeyed"],
  );
  assert.match((await line.receipt(approved))?.because ?? "", /a person's yes/);
});

test("[X11] a rewritten call has to run as it was rewritten; an agent that reports what was asked for leaves it unknown", async () => {
  for (const [reports, otherwise] of [
    [byId, "disobeyed"],
    [{ id: "tool_use_id", failures: "ran" }, "unknown"],
  ] as const) {
    const line = await lineOf(reports);
    line.answers = { updatedInput: { command: "rm -i x" } };
    const [as, not, never] = [await line.call("c1"), await line.call("c2"), await line.call("c3")];
    await line.ran("c1", "rm -i x");
    await line.ran("c2", "rm x");
    await line.send("Stop");
    assert.deepEqual([await line.is(as), await line.is(not), await line.is(never)], ["obeyed", otherwise, "unknown"]);
  }
});

test("[X11] what an agent adds to a rewritten input is no other input", async () => {
  const line = await lineOf();
  line.answers = { updatedInput: { command: "ls", description: "x" } };
  const call = await line.call("c1");
  await line.send("PostToolUse", {
    ...dataOf("c1", "ls"),
    tool_input: { timeout: 5, description: "x", command: "ls" },
  });
  assert.equal(await line.is(call), "obeyed");
});

test("[X11] each agent's turn ends by itself: the main one's leaves a subagent's calls open, and the session's end closes all", async () => {
  const line = await lineOf();
  line.answers = deny;
  const agent = { agent: { id: "a1" } };
  const [own, sub, other] = [
    await line.call("c1"),
    await line.call("c2", "rm y", agent),
    await line.call("c3", "rm z", { agent: { id: "a2" } }),
  ];
  line.answers = {};
  await line.send("Stop");
  assert.deepEqual([await line.is(own), await line.is(sub), await line.is(other)], ["obeyed", "open", "open"]);
  await line.send("SubagentStop", {}, agent);
  assert.deepEqual([await line.is(sub), await line.is(other)], ["obeyed", "open"]);
  await line.send("SessionEnd", { reason: "other" });
  assert.equal(await line.is(other), "obeyed");
});

test("[X11] the next prompt ends a turn whose end was not reported; a session that is begun again leaves it unknown, and a compaction open", async () => {
  const line = await lineOf();
  line.answers = deny;
  const first = await line.call("c1");
  line.answers = {};
  await line.send("UserPromptSubmit", { prompt: "go on" });
  line.answers = deny;
  const second = await line.call("c2");
  line.answers = {};
  await line.send("SessionStart", { source: "compact" });
  assert.deepEqual([await line.is(first), await line.is(second)], ["obeyed", "open"]);
  await line.send("SessionStart", { source: "resume" });
  assert.equal(await line.is(second), "unknown");
  assert.match((await line.receipt(second))?.because ?? "", /begun again/);
});

test("[X11] the end of a batch settles the refused calls that it names", async () => {
  const line = await lineOf();
  line.answers = deny;
  const [first, second] = [await line.call("c1"), await line.call("c2")];
  line.answers = {};
  await line.send("PostToolBatch", { tool_calls: [{ tool_use_id: "c1" }, { tool_use_id: "c9" }] });
  assert.deepEqual([await line.is(first), await line.is(second)], ["obeyed", "open"]);
});

test("[X11] a failed call ran, unless the agent may say so of refused calls", async () => {
  const failed = { ...dataOf("c1", "rm x"), error: "exit 1" };
  for (const [failures, is] of [
    ["ran", "disobeyed"],
    ["perhaps refused", "unknown"],
  ] as const) {
    const line = await lineOf({ ...byId, failures });
    line.answers = deny;
    const call = await line.call("c1");
    line.answers = {};
    await line.send("PostToolUseFailure", failed);
    assert.equal(await line.is(call), is);
  }
});

test("[X11] without ids a call is known by its tool and input, and where another like it was let through it is unknown", async () => {
  const line = await lineOf(withoutIds);
  line.answers = deny;
  const [plain, twin, quiet] = [await line.call("", "rm a"), await line.call("", "rm b"), await line.call("", "rm c")];
  line.answers = {};
  await line.call("", "rm b");
  await line.ran("", "rm a");
  await line.ran("", "rm b");
  await line.send("Stop");
  assert.deepEqual(
    [await line.is(plain), await line.is(twin), await line.is(quiet)],
    ["disobeyed", "unknown", "obeyed"],
  );
});

test("[X11] without ids a call that was obeyed in an earlier turn stays so when the same is let through later", async () => {
  const line = await lineOf(withoutIds);
  line.answers = deny;
  const call = await line.call("", "rm a");
  line.answers = {};
  await line.send("Stop");
  await line.call("", "rm a");
  await line.ran("", "rm a");
  assert.equal(await line.is(call), "obeyed");
});

test("[X11] a call that the agent says nothing of, and one of an event for one hook, are not followed", async () => {
  const none = await lineOf({ ...byId, silent: () => "it never says" });
  none.answers = deny;
  assert.deepEqual(await none.receipt(await none.call("c1")), {
    ...{ is: "unknown", to: "deny", key: "call c1", tool: "Bash", because: "it never says", silent: "it never says" },
  });
  const line = await lineOf();
  line.answers = deny;
  assert.equal(await line.receipt(await line.call("c1", "rm x", { to: { hook: "guard" } })), undefined);
  const { id: skill } = await line.send("PreSkillShellCommand", dataOf("c2", "rm x"));
  assert.equal(await line.is(skill), "unknown");
  const library = await lineOf("none");
  library.answers = deny;
  assert.equal(await library.receipt(await library.call("c1")), undefined, "nothing is known of that sender");
});

test("[X11] a call that stands in the agent's own record as run settles its receipt too", async () => {
  const line = await lineOf();
  line.answers = deny;
  const call = await line.call("c1");
  const session = (await line.store.event(call))?.event.session;
  assert.ok(session);
  const changed = await line.engine.heard(session, ranByTranscript({ id: "c1", tool: "Bash" }));
  assert.deepEqual(
    changed.map(({ event: id, receipt }) => [id, receipt.is]),
    [[call, "disobeyed"]],
  );
  await turnIsOver();
  assert.equal(line.heard[0]?.name, "guard.disobeyed");
});
