/** Conversations that a host leads: prompts, completions, and hooks that are asked behind them. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { HooklineError } from "../../../src/engine/error.ts";
import {
  type CompletionCall,
  type Conversation,
  type ConversationOptions,
  createHookline,
  type Evaluation,
  type Hookline,
  type HooklineOptions,
} from "../../../src/index.ts";
import { createFakeClock } from "../../../testing/clock.ts";

interface Completed extends Pick<CompletionCall, "cause" | "attempt"> {
  prompt: string;
}

interface World {
  line: Hookline;
  conversation: Conversation;
  /** The completions that were asked for, in order. */
  completed: Completed[];
  evaluations: Evaluation[];
  logs: string[];
  /** What the model does in its completions. */
  model: { answer(prompt: string, call: CompletionCall): Promise<{ answer?: string } | undefined> };
}

async function worldOf(
  t: TestContext,
  line: HooklineOptions = {},
  options: Partial<ConversationOptions> = {},
): Promise<World> {
  const logs: string[] = [];
  const made = await createHookline({
    files: false,
    observe: (seen) => void (seen.is === "log" && logs.push(seen.message)),
    ...line,
  });
  t.after(() => made.close());
  const completed: Completed[] = [];
  const evaluations: Evaluation[] = [];
  const model: World["model"] = { answer: async () => undefined };
  const conversation = made.conversation("s", {
    grace: 0,
    onEvaluation: (evaluation) => void evaluations.push(evaluation),
    async complete(prompt, call) {
      const { cause, attempt } = call;
      completed.push({ prompt, cause, ...(attempt === undefined ? {} : { attempt }) });
      return model.answer(prompt, call);
    },
    ...options,
  });
  return { line: made, conversation, completed, evaluations, logs, model };
}

/** The next completion that is asked for stays open until it is told to end. */
function holdNext({ model }: World): { begun: Promise<AbortSignal>; end(answer?: string): void } {
  const begun = Promise.withResolvers<AbortSignal>();
  const ended = Promise.withResolvers<void>();
  let answered: string | undefined;
  const { answer } = model;
  model.answer = async (_prompt, { signal }) => {
    model.answer = answer;
    begun.resolve(signal);
    signal.addEventListener("abort", () => ended.resolve());
    await ended.promise;
    return answered === undefined ? undefined : { answer: answered };
  };
  return {
    begun: begun.promise,
    end(given) {
      answered = given;
      ended.resolve();
    },
  };
}

const isCode = (code: string) => (error: unknown) => error instanceof HooklineError && error.code === code;

test("[E21] hooks are asked when the completion has ended, after 200 ms in which nothing else happens", async (t) => {
  const clock = createFakeClock();
  const asked: string[] = [];
  const world = await worldOf(t, { clock }, { grace: 200 });
  world.line.use({ on: "Stop", run: (event) => void asked.push(String(event.data.last_assistant_message)) });
  const held = holdNext(world);
  const saying = world.conversation.say("go");
  await held.begun;
  clock.advance(10_000);
  assert.deepEqual(asked, []); // never inside the completion
  held.end("done");
  assert.deepEqual(await saying, {});
  clock.advance(199);
  await new Promise(setImmediate);
  assert.deepEqual(asked, []);
  clock.advance(1);
  await world.conversation.idle();
  assert.deepEqual(asked, ["done"]);
});

test("[E21] unless the host says otherwise the grace is 200 ms", async (t) => {
  const waits: number[] = [];
  const real = createFakeClock();
  const clock = {
    now: real.now,
    after(milliseconds: number, callback: () => void) {
      if (milliseconds === 200) setImmediate(callback);
      waits.push(milliseconds);
      return real.after(milliseconds, () => {});
    },
  };
  const line = await createHookline({ files: false, clock });
  t.after(() => line.close());
  const conversation = line.conversation("s", { complete: async () => {} });
  await conversation.say("go");
  await conversation.idle();
  assert.ok(waits.includes(200));
});

test("[E23] a deny becomes the prompt of a completion like any other, until the hooks are content", async (t) => {
  const world = await worldOf(t);
  const continued: unknown[] = [];
  const found = ["fix a.go", "fix b.go"];
  world.line.use({
    on: "Stop",
    run(event) {
      continued.push(event.data.stop_hook_active);
      const next = found.shift();
      return next === undefined ? undefined : { deny: next };
    },
  });
  world.model.answer = async (prompt) => ({ answer: `answer to ${prompt}` });
  await world.conversation.say("write it");
  await world.conversation.idle();
  assert.deepEqual(world.completed, [
    { prompt: "write it", cause: "user" },
    { prompt: "fix a.go", cause: "hook", attempt: 1 },
    { prompt: "fix b.go", cause: "hook", attempt: 2 },
  ]);
  assert.deepEqual(continued, [false, true, true]);
  assert.deepEqual(
    world.evaluations.map(({ prompt, attempt }) => [prompt, attempt]),
    [
      ["fix a.go", 1],
      ["fix b.go", 2],
      [undefined, undefined],
    ],
  );
});

test("what a hook adds to a message of the user reaches the completion, and a denied one none", async (t) => {
  const world = await worldOf(t);
  const told: unknown[] = [];
  world.line.use({
    on: "UserPromptSubmit",
    run: (event) => (event.data.prompt.includes("secret") ? { deny: "no secrets" } : { context: "it is Monday" }),
  });
  world.model.answer = async (_prompt, { outcome }) => {
    told.push(outcome.context);
    return undefined;
  };
  assert.deepEqual((await world.conversation.say("hello")).context, ["it is Monday"]);
  assert.equal((await world.conversation.say("a secret")).verdict?.reason, "no secrets");
  await world.conversation.idle();
  assert.deepEqual(told, [["it is Monday"]]);
  assert.equal(world.completed.length, 1);
});

test("[E36] a message while a completion runs is refused, whatever started the completion; after it, it is taken", async (t) => {
  const world = await worldOf(t);
  const found = ["fix it"];
  world.line.use({
    on: "Stop",
    run() {
      const next = found.shift();
      return next === undefined ? undefined : { deny: next };
    },
  });
  const first = holdNext(world);
  const saying = world.conversation.say("one");
  await assert.rejects(world.conversation.say("too early"), isCode("turn_running")); // its hooks are being asked
  await first.begun;
  await assert.rejects(world.conversation.say("two"), isCode("turn_running"));
  const second = holdNext(world);
  first.end();
  await saying;
  await second.begun;
  await assert.rejects(world.conversation.say("three"), /a completion of the conversation s is running/);
  assert.ok(world.conversation.cancel());
  await world.conversation.idle();
  await world.conversation.say("four");
  await world.conversation.idle();
  assert.deepEqual(
    world.completed.map(({ prompt }) => prompt),
    ["one", "fix it", "four"],
  );
  assert.equal(world.conversation.cancel(), false);
  assert.deepEqual(world.logs, []);
});

test("[E37, E38, ET24] after three completions that hooks have started the person gets a message, and the next message begins at 1", async (t) => {
  const world = await worldOf(t);
  world.line.use({ on: "Stop", name: "never content", run: () => ({ deny: "still wrong" }) });
  const attempts = (): unknown[] => world.completed.splice(0).map(({ attempt }) => attempt);
  await world.conversation.say("write it");
  await world.conversation.idle();
  assert.deepEqual(attempts(), [undefined, 1, 2, 3]);
  const { outcome, prompt } = world.evaluations.at(-1) ?? { outcome: {} };
  assert.equal(prompt, undefined);
  assert.match(outcome.messages?.[0]?.text ?? "", /never content would go on, but 3 continuations.*still wrong/);
  await world.conversation.say("again");
  await world.conversation.idle();
  assert.deepEqual(attempts(), [undefined, 1, 2, 3]);
});

test("a completion of the user that fails rejects its say, and no hook is asked about it", async (t) => {
  const world = await worldOf(t);
  world.line.use({ on: "Stop", run: () => assert.fail("nothing has ended") });
  world.model.answer = async () => {
    throw new Error("the model is away");
  };
  await assert.rejects(world.conversation.say("hello"), /the model is away/);
  await world.conversation.idle();
  assert.deepEqual(world.evaluations, []);
});

test("a completion that a hook has started and that fails ends the flow, and is passed to the observer", async (t) => {
  const world = await worldOf(t);
  world.line.use({ on: "Stop", run: () => ({ deny: "fix it" }) });
  world.model.answer = async (_prompt, { cause }) => {
    if (cause === "hook") throw new Error("the model is away");
    return undefined;
  };
  await world.conversation.say("hello");
  await world.conversation.idle();
  assert.equal(world.evaluations.length, 1);
  assert.match(world.logs.join("\n"), /the conversation s failed: the model is away/);
});

test("cancel ends a completion by its signal, and nothing follows from it", async (t) => {
  const world = await worldOf(t);
  const held = holdNext(world);
  const saying = world.conversation.say("hello");
  const signal = await held.begun;
  assert.ok(world.conversation.cancel());
  assert.ok(signal.aborted);
  await saying;
  await world.conversation.idle();
  assert.deepEqual(world.evaluations, []);
});

test("a message that is cancelled before it began was never sent, and counts as no prompt", async (t) => {
  const prompts: unknown[] = [];
  const world = await worldOf(t, {
    observe: (seen) => void (seen.is === "event" && prompts.push(...[seen.event.data.prompt ?? []].flat())),
  });
  const asked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  world.line.use({
    on: "Stop",
    async run() {
      asked.resolve();
      await over.promise; // it does not hear its signal
    },
  });
  await world.conversation.say("first");
  await asked.promise;
  const saying = world.conversation.say("second");
  assert.ok(world.conversation.cancel());
  over.resolve();
  assert.deepEqual(await saying, {});
  await world.conversation.idle();
  assert.deepEqual(
    [prompts, world.completed.map(({ prompt }) => prompt), world.evaluations.map(({ aborted }) => aborted)],
    [["first"], ["first"], [true]],
  );
});

test("[E22] the refusal during a running completion says what lets the message through", async (t) => {
  const world = await worldOf(t);
  const held = holdNext(world);
  const saying = world.conversation.say("hello");
  await held.begun;
  await assert.rejects(world.conversation.say("again"), /wait for idle\(\), after cancel\(\) where it is to end now/);
  world.conversation.cancel();
  await assert.rejects(world.conversation.say("again"), isCode("turn_running"));
  await world.conversation.idle();
  await world.conversation.say("again");
  await saying;
  assert.deepEqual(
    world.completed.map(({ prompt }) => prompt),
    ["hello", "again"],
  );
});

test("one session has one conversation; closing it ends what runs, and leaves no timer", async (t) => {
  const clock = createFakeClock();
  const world = await worldOf(t, { clock }, { grace: 60_000 });
  const complete = async (): Promise<void> => {};
  assert.throws(() => world.line.conversation("s", { complete }), isCode("name_taken"));
  world.line.use({ on: "Stop", run: () => assert.fail("it was closed before") });
  await world.conversation.say("hello");
  await world.conversation.close(); // while it waits
  await world.conversation.close();
  await assert.rejects(world.conversation.say("hello"), isCode("closed"));
  await assert.rejects(world.conversation.evaluate(), isCode("closed"));
  clock.advance(120_000);
  const again = world.line.conversation("s", { complete });
  await world.line.close();
  await assert.rejects(again.say("hello"), isCode("closed"));
  assert.throws(() => world.line.conversation("t", { complete }), isCode("closed"));
});
