import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import type { NoticeChannel } from "../../../src/formats/config/config.ts";
import { asked, hookCalled, notifierOf, runOf } from "./runs.ts";
import { closedAddress, said, startReceiver } from "./server.ts";

const discord = (url: string): NoticeChannel => ({
  kind: "discord",
  webhook_url: `${url}/api/webhooks/1/s3cret-token`,
});
const hook = hookCalled("h");
const started = "🪝 Hook **h** is running (trigger: `event:deploy.done`).";

test("a limit is obeyed as long as Discord says, and changes in the meantime are posted once", async (t) => {
  const server = await startReceiver(t);
  const { notifier, pauses, complaints } = notifierOf(t, { team: discord(server.url) });
  server.answers.push({ status: 429, body: { message: "limited", retry_after: 1.337, global: false } });
  const run = runOf(notifier, hook);
  run.seen({});
  for (const count of [1, 2, 3]) run.seen({ steps: [asked(["a", "b", "c"].slice(0, count))] });
  run.seen({ status: "completed", steps: [asked(["a", "b", "c"])] });
  await notifier.close();
  assert.deepEqual(server.received.map(said), [
    started,
    started,
    "🪝 Hook **h** 🔧 `a` → `b` → `c`",
    "🪝 Hook **h** completed.\n🔧 `a` → `b` → `c`",
  ]);
  assert.deepEqual(pauses.map(Math.round), [1337]);
  assert.deepEqual(complaints, []);
});

test("a place that says it has taken its last is given time, and Slack's Retry-After holds", async (t) => {
  const server = await startReceiver(t);
  const { notifier, pauses } = notifierOf(t, {
    team: { kind: "slack", webhook_url: `${server.url}/slack`, events: ["completed"] },
    other: { ...discord(server.url), events: ["failed"] },
  });
  server.answers.push({ status: 429, body: "", headers: { "retry-after": "3" } });
  runOf(notifier, hook).seen({ status: "completed" });
  await server.arrived(2);
  server.answers.push({
    status: 200,
    body: { id: "m" },
    headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "2.5" },
  });
  runOf(notifier, hook, "2").seen({ status: "failed", reason: "one" });
  runOf(notifier, hook, "3").seen({ status: "failed", reason: "two" });
  await notifier.close();
  assert.equal(server.received.length, 4);
  assert.deepEqual(pauses.map(Math.round), [3000, 2500]);
});

test("a place that says it is too much and names no time, or no valid one, is asked less and less often", async (t) => {
  const server = await startReceiver(t);
  const { notifier, pauses, complaints } = notifierOf(t, { team: { ...discord(server.url), events: ["failed"] } });
  const zero = { status: 429, body: { retry_after: 0 } };
  const empty = { status: 429, body: { retry_after: "" }, headers: { "retry-after": "" } };
  server.answers.push(zero, zero, zero, empty);
  runOf(notifier, hook, "1").seen({ status: "failed", reason: "one" });
  await server.arrived(5);
  server.answers.push(zero);
  runOf(notifier, hook, "2").seen({ status: "failed", reason: "two" });
  await notifier.close();
  assert.deepEqual(pauses.map(Math.round), [500, 1000, 2000, 4000, 500]);
  assert.deepEqual([server.received.length, complaints], [7, []]);
});

test("a place that wants to be left alone for an hour is: what cannot wait so long is left out, and counted", async (t) => {
  const server = await startReceiver(t);
  let time = 1_760_000_000_000;
  const complaints: string[] = [];
  const complained = Promise.withResolvers<void>();
  const { notifier } = notifierOf(
    t,
    { team: { kind: "slack", webhook_url: `${server.url}/slack`, events: ["failed"] } },
    {
      now: () => time,
      complain(reason) {
        complaints.push(reason);
        complained.resolve();
      },
    },
  );
  const fail = (reason: string): void => runOf(notifier, hook, reason).seen({ status: "failed", reason });
  server.answers.push({ status: 429, body: "", headers: { "retry-after": "3600" } });
  fail("one");
  fail("two");
  await complained.promise;
  time += 2_000_000;
  fail("three");
  await new Promise((resolve) => setImmediate(resolve));
  time += 1_600_000;
  fail("four");
  await server.arrived(2);
  await notifier.close();
  assert.equal(server.received.length, 2);
  assert.equal(
    said(server.received[1] ?? assert.fail()),
    "🪝 Hook *h* failed: four\n(3 notices before this one were left out)",
  );
  assert.deepEqual(complaints, [
    "notices to team: it asks to wait 3600 s; what would wait longer than 900 s is left out",
  ]);
});

test("what broke on the way is tried again, longer apart each time, and then given up with a sentence", async (t) => {
  const server = await startReceiver(t);
  const { notifier, pauses, complaints } = notifierOf(t, { team: { ...discord(server.url), events: ["failed"] } });
  server.answers.push({ status: 503 }, "cut", { status: 500 });
  runOf(notifier, hook, "1").seen({ status: "failed", reason: "first" });
  await server.arrived(4);
  server.answers.push(...Array.from({ length: 5 }, () => ({ status: 502 })));
  runOf(notifier, hook, "2").seen({ status: "failed", reason: "second" });
  runOf(notifier, hook, "3").seen({ status: "failed", reason: "third" });
  await notifier.close();
  assert.deepEqual(pauses.map(Math.round), [500, 1000, 2000, 500, 1000, 2000, 4000]);
  assert.equal(said(server.received.at(-1) ?? assert.fail()), "🪝 Hook **h** failed: third");
  assert.deepEqual(complaints, ["notices to team: a notice was not taken: HTTP 502"]);
});

test("a place that is gone is asked once, and no complaint holds its key", async (t) => {
  const server = await startReceiver(t);
  const { notifier, complaints } = notifierOf(t, { team: discord(server.url) });
  server.answers.push({ status: 404, body: { message: "Unknown Webhook", code: 10015 } });
  const run = runOf(notifier, hook);
  run.seen({});
  await server.arrived(1);
  run.seen({ steps: [asked(["a"])] });
  run.seen({ status: "completed" });
  await notifier.close();
  assert.equal(server.received.length, 1);
  assert.deepEqual(complaints, [
    "notices to team: HTTP 404: Unknown Webhook; it gets nothing more until its settings change or Hookline starts anew",
  ]);
});

test("a message that was deleted is not written again, and the end is posted all the same", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, { team: discord(server.url) });
  server.answers.push(undefined, { status: 404, body: { message: "Unknown Message", code: 10008 } });
  const run = runOf(notifier, hook);
  run.seen({});
  await server.arrived(1);
  run.seen({ steps: [asked(["a"])] });
  run.seen({ status: "completed", steps: [asked(["a"])] });
  await notifier.close();
  assert.deepEqual(
    server.received.map(({ method }) => method),
    ["POST", "PATCH", "POST"],
  );
});

test("a notice holds no secret when the place does not answer, or when the settings cannot be used", async (t) => {
  const server = await startReceiver(t);
  const away = await closedAddress();
  const { notifier, complaints } = notifierOf(
    t,
    {
      away: { kind: "discord", webhook_url: `${away}/api/webhooks/1/s3cret-token` },
      unset: { kind: "slack", webhook_url: `${"$"}{NOT_SET}` },
      wrong: { kind: "webhook", url: `${"$"}{A_SECRET}` },
      redirected: { kind: "webhook", url: `${server.url}/s3cret` },
    },
    { environment: { A_SECRET: "s3cret-token" } },
  );
  server.answers.push({ status: 307, headers: { location: `${away}/elsewhere` } });
  runOf(notifier, hook).seen({ status: "completed" });
  await notifier.close();
  assert.deepEqual(complaints.sort(), [
    "notices to away: a notice was not taken: it cannot be reached (ECONNREFUSED)",
    "notices to redirected: a notice was not taken: HTTP 307",
    "notices to unset cannot be sent: the variable NOT_SET is not set",
    "notices to wrong cannot be sent: url is not an address",
  ]);
});

test("a bot writes to its channel with its token, and a message that is sent twice is one", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(
    t,
    { bot: { kind: "discord", bot_token: `${"$"}{BOT}`, channel_id: "42" } },
    { environment: { BOT: "the-token" }, discord: server.url },
  );
  server.answers.push("cut");
  const run = runOf(notifier, hook);
  run.seen({});
  await server.arrived(2);
  run.seen({ steps: [asked(["a"])] });
  run.seen({ status: "completed" });
  await notifier.close();
  const [first, second, third] = server.received;
  assert.ok(first && second && third);
  assert.equal(first.headers.authorization, "Bot the-token");
  assert.equal(first.path, "/channels/42/messages");
  assert.equal(third.path, "/channels/42/messages/message-2");
  assert.equal(third.method, "PATCH");
  assert.equal(first.body.nonce, second.body.nonce);
  assert.equal(first.body.enforce_nonce, true);
  assert.ok(String(first.body.nonce).length <= 25);
});

test("a program can verify a message by Standard Webhooks, and recognise a repetition", async (t) => {
  const server = await startReceiver(t);
  const secret = `whsec_${Buffer.from("a secret of the tests").toString("base64")}`;
  const { notifier } = notifierOf(
    t,
    {
      program: {
        kind: "webhook",
        url: server.url,
        secret: `${"$"}{SECRET}`,
        headers: { "X-Team": "a" },
        events: ["completed"],
      },
    },
    { environment: { SECRET: secret }, now: Date.now },
  );
  server.answers.push({ status: 500 });
  runOf(notifier, hook).seen({ status: "completed" });
  await notifier.close(8);
  assert.equal(server.received.length, 2);
  for (const { text, headers } of server.received) {
    const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    assert.doesNotThrow(() => new Webhook(secret).verify(text, signed));
    assert.equal(signed["x-team"], "a");
  }
  const [first, second] = server.received.map(({ headers }) => headers["webhook-id"]);
  assert.equal(first, second);
});

test("a hook names its channels, else its project, else the settings; none is none", async (t) => {
  const server = await startReceiver(t);
  const to = (path: string): NoticeChannel => ({ kind: "slack", webhook_url: `${server.url}/slack/${path}` });
  const channels = { team: to("team"), ops: to("ops"), all: to("all") };
  const { notifier, complaints } = notifierOf(t, channels, {
    settings: () => ({ channels, notify: ["all"] }),
    projectChannels: (project) => (project === "p" ? ["ops"] : project === "broken" ? assert.fail("gone") : undefined),
  });
  const end = (id: string, more: object): void =>
    runOf(notifier, hookCalled("h", more), id).seen({ status: "failed", reason: id });
  end("own", { notify: ["team", "taem"] });
  end("none", { notify: [] });
  end("project", {});
  end("settings", { project: "q" });
  end("broken", { project: "broken" });
  await notifier.close();
  const told = server.received.map((one) => `${one.path.slice(7)} ${said(one).replace(/.*: /, "")}`).sort();
  assert.deepEqual(told, ["all broken", "all settings", "ops project", "team own"]);
  assert.deepEqual(complaints.sort(), [
    'no channel for notices is called "taem"; did you mean "team"?',
    "the channels of project broken cannot be read: gone",
  ]);
});

test("there is no notice of hooks that an agent waits for, and no start notice of a run that another process began", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(t, { team: discord(server.url) });
  const { durable: _durable, ...guard } = hookCalled("guard");
  runOf(notifier, guard, "1").seen({ status: "completed" });
  const run = runOf(notifier, hook, "2");
  run.seen({}, { resumed: true });
  run.seen({ steps: [asked(["a"])] });
  run.seen({ status: "completed" });
  await notifier.close();
  assert.deepEqual(server.received.map(said), ["🪝 Hook **h** 🔧 `a`", "🪝 Hook **h** completed."]);
});

test("settings that change hold from the next notice on, and secrets are taken out of notices", async (t) => {
  const server = await startReceiver(t);
  let channels: { [name: string]: NoticeChannel } = { team: { kind: "slack", webhook_url: `${server.url}/slack/old` } };
  const { notifier } = notifierOf(t, channels, {
    settings: () => ({ channels, notify: ["team"] }),
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
  });
  const run = runOf(notifier, hook);
  run.seen({});
  await server.arrived(1);
  channels = { team: { kind: "slack", webhook_url: `${server.url}/slack/new` } };
  run.seen({ status: "failed", reason: "the password hunter2 is wrong" });
  await notifier.close();
  assert.deepEqual(
    server.received.map(({ path }) => path),
    ["/slack/old", "/slack/new"],
  );
  assert.equal(said(server.received[1] ?? assert.fail()), "🪝 Hook *h* failed: the password [redacted] is wrong");
});

test("names of hooks and of tools lose secrets as well", async (t) => {
  const server = await startReceiver(t);
  const { notifier } = notifierOf(
    t,
    { team: { kind: "webhook", url: server.url, events: ["completed"] } },
    { redact: (text) => text.replaceAll("hunter2", "[redacted]") },
  );
  const named = { ...hookCalled("h"), name: "watch hunter2" };
  runOf(notifier, named).seen({ status: "completed", steps: [asked(["a", "deploy.hunter2"], "it is hunter2")] });
  await notifier.close();
  const { data } = server.received[0]?.body ?? assert.fail();
  const { name, tools, text, summary } = Object(data);
  assert.deepEqual([name, tools, summary], ["watch [redacted]", ["a", "deploy.[redacted]"], "it is [redacted]"]);
  assert.doesNotMatch(text, /hunter2/);
});

test("a burst fills no memory: the least important notices are dropped first, and their number is posted", async (t) => {
  const server = await startReceiver(t);
  const { notifier, complaints } = notifierOf(t, { team: { kind: "slack", webhook_url: `${server.url}/slack` } });
  server.answers.push({ status: 429, body: "", headers: { "retry-after": "1" } });
  for (let index = 0; index < 250; index++) {
    const run = runOf(notifier, hook, `run-${index}`);
    run.seen({});
    run.seen({ status: "failed", reason: String(index) });
  }
  await notifier.close(30);
  const texts = server.received.slice(1).map(said);
  assert.equal(texts.length, 200);
  assert.match(texts[0] ?? "", /\n\(300 notices before this one were left out\)$/);
  assert.match(texts.at(-1) ?? "", /failed: 249$/);
  assert.deepEqual(complaints, ["notices to team: there is more to tell than it takes, so notices are left out"]);
});

test("closing waits for a place that does not answer no longer than its limit", async (t) => {
  const server = await startReceiver(t);
  const { notifier, complaints } = notifierOf(t, { team: discord(server.url) });
  server.answers.push("hang");
  const run = runOf(notifier, hook);
  run.seen({});
  run.seen({ status: "completed" });
  await server.arrived(1);
  await notifier.close(0);
  assert.deepEqual(complaints, ["notices to team: 2 notices were not sent in time"]);
  await notifier.close();
});

test("closing waits for a project's channels that are never read no longer than it was told", async (t) => {
  const server = await startReceiver(t);
  const projectChannels = (): Promise<undefined> => new Promise(() => {});
  const { notifier, complaints } = notifierOf(t, { team: discord(server.url) }, { projectChannels });
  runOf(notifier, { ...hook, project: "p" }).seen({});
  await notifier.close(0);
  assert.deepEqual(complaints, ["notices that could not be made ready in time were given up: 1"]);
});
