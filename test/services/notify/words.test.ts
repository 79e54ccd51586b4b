import assert from "node:assert/strict";
import { test } from "node:test";
import { type NoticeChannel, noticeKinds } from "../../../src/formats/config/config.ts";
import { asked, hookCalled, notifierOf, runOf } from "./runs.ts";
import { said, startReceiver } from "./server.ts";

const webhook = (url: string, more: object = {}): NoticeChannel => ({
  kind: "discord",
  webhook_url: `${url}/api/webhooks/1/token`,
  ...more,
});

test("[A52] start, live tools, end: the sentences of the specification, the tools in one message that is written anew", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, { team: webhook(server.url) });
  const run = runOf(notifier, hookCalled("nightly check"));
  run.seen({});
  run.seen({ steps: [asked(["read_file"])] });
  await server.arrived(2);
  run.seen({ steps: [asked(["read_file", "hookline.task_create"])] });
  await server.arrived(3);
  run.seen({
    status: "completed",
    steps: [asked(["read_file", "hookline.task_create"], `${"x".repeat(199)}🪝 and more`)],
  });
  const messages = await server.arrived(4);
  assert.deepEqual(
    messages.map(({ method, path }) => `${method} ${path}`),
    [
      "POST /api/webhooks/1/token?wait=true",
      "PATCH /api/webhooks/1/token/messages/message-1",
      "PATCH /api/webhooks/1/token/messages/message-1",
      "POST /api/webhooks/1/token?wait=true",
    ],
  );
  assert.deepEqual(messages.map(said), [
    "🪝 Hook **nightly check** is running (trigger: `event:deploy.done`).",
    "🪝 Hook **nightly check** 🔧 `read_file`",
    "🪝 Hook **nightly check** 🔧 `read_file` → `hookline.task_create`",
    `🪝 Hook **nightly check** completed.\n🔧 \`read_file\` → \`hookline.task_create\`\n${"x".repeat(199)}🪝…`,
  ]);
  for (const { body } of messages) assert.deepEqual(body.allowed_mentions, { parse: [] });
});

test("[A52] the notice of a run that is skipped or fails says why; one that was refused before it began has no notice", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, { team: webhook(server.url, { events: ["skipped", "failed"] }) });
  const hook = hookCalled("tests");
  const story = (id: string, status: "skipped" | "failed" | "timeout" | "cancelled", reason: string, count = 1) => {
    const run = runOf(notifier, hook, id);
    if (count > 0) run.seen({});
    run.seen({ status, reason, asked: count });
  };
  story("1", "skipped", "step_0: exit code 0 (skip_llm_if_exit_zero)");
  story("2", "failed", "boom");
  story("3", "timeout", "timeout: it did not end within 300 s");
  story("4", "skipped", "cooldown: 3590 s are left", 0);
  story("5", "cancelled", "the caller gave up");
  await notifier.close();
  assert.deepEqual(server.received.map(said), [
    "🪝 Hook **tests** skipped: step_0: exit code 0 (skip_llm_if_exit_zero)",
    "🪝 Hook **tests** failed: boom",
    "🪝 Hook **tests** failed: timeout: it did not end within 300 s",
    "🪝 Hook **tests** failed: the caller gave up",
  ]);
});

test("text of other sources pings no one, hides no link and ends no marks", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, {
    team: webhook(server.url, { events: ["started", "completed"] }),
    slack: { kind: "slack", webhook_url: `${server.url}/slack`, events: ["completed"] },
  });
  const run = runOf(notifier, hookCalled("a** @everyone\n`b`"), "1", "event:x`y");
  run.seen({});
  run.seen({
    status: "completed",
    steps: [asked(["t`1"], "# <@12> <!channel> [here](https://evil.example) a_b _c_ & ||d||")],
  });
  await notifier.close();
  const of = (start: string): string[] => server.received.filter(({ path }) => path.startsWith(start)).map(said);
  assert.deepEqual(of("/api"), [
    "🪝 Hook **a\\*\\* @everyone \\`b\\`** is running (trigger: `event:x'y`).",
    "🪝 Hook **a\\*\\* @everyone \\`b\\`** completed.\n🔧 `t'1`\n\\# \\<@12> \\<!channel> \\[here\\](https://evil.example) a_b \\_c\\_ & \\|\\|d\\|\\|",
  ]);
  assert.deepEqual(of("/slack"), [
    "🪝 Hook *a∗∗ @everyone `b`* completed.\n🔧 `t'1`\n# &lt;@12&gt; &lt;!channel&gt; [here](https://evil.example) a_b _c_ &amp; ||d||",
  ]);
});

test("a tool that the model asked for and was not offered is shown as refused", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, { team: webhook(server.url, { events: ["completed"] }) });
  const calls = [
    { tool: "search", ok: true, ms: 1 },
    { tool: "rm", ok: false, ms: 0, refused: true },
  ];
  const step = { uses: "ask_model", ok: true, output: { calls, response: "done" }, ms: 1 };
  runOf(notifier, hookCalled("h")).seen({ status: "completed", steps: [step] });
  await notifier.close();
  assert.match(server.received.map(said).join(), /🔧 `search` → `rm \(refused\)`/);
});

test("fewer notices: a channel says which it wants, and how long a summary may be", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, {
    team: webhook(server.url, { events: ["completed"], summary_length: 4 }),
  });
  const run = runOf(notifier, hookCalled("h"));
  run.seen({});
  run.seen({ steps: [asked(["t"])] });
  run.seen({ status: "completed", steps: [asked([], "abcdefgh")] });
  await notifier.close();
  assert.deepEqual(server.received.map(said), ["🪝 Hook **h** completed.\nabcd…"]);
});

test("no message is longer than Discord takes, and of a long chain of tools the end is shown", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, {
    team: webhook(server.url, { events: ["completed", "failed"], summary_length: 100_000 }),
  });
  const tools = Array.from({ length: 200 }, (_, index) => `tool-${index}`);
  runOf(notifier, hookCalled("h"), "1").seen({ status: "completed", steps: [asked(tools, "y".repeat(10_000))] });
  runOf(notifier, hookCalled("h"), "2").seen({ status: "failed", reason: "z".repeat(10_000) });
  await notifier.close();
  const [completed = "", failed = ""] = server.received.map(said);
  assert.equal([...completed].length, 2000);
  assert.match(completed, /\n🔧 … → .*`tool-199`\n/);
  assert.ok([...failed].length < 1100);
});

test("every kind of notice has its sentence for a program too", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, { program: { kind: "webhook", url: server.url, events: [...noticeKinds] } });
  const run = runOf(notifier, hookCalled("h"));
  run.seen({});
  run.seen({ steps: [asked(["t"])] });
  run.seen({ status: "completed", ms: 12, tokens: 150, steps: [asked(["t"], "done")] });
  await notifier.close();
  const [first, , last] = server.received.map(({ body }) => body);
  assert.equal(first?.type, "run.started");
  assert.deepEqual(last?.data, {
    run: "a1b2c3d4e5f6",
    hook: "automation:p/h",
    name: "h",
    project: "p",
    trigger: "event:deploy.done",
    status: "completed",
    text: "🪝 Hook h completed.\n🔧 t\ndone",
    tools: ["t"],
    summary: "done",
    reason: null,
    tokens: 150,
    started_at: "2025-10-09T08:53:20.000Z",
    ms: 12,
  });
});
