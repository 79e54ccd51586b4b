/** How the daemon answers agents: one verdict by whatever way it is asked, and none where it should not take the event. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { codeCache, runCommand } from "../../program.ts";
import { until } from "./started.ts";
import {
  type Answer,
  answerIn,
  codeIn,
  type Heard,
  type Sent,
  type ToldDaemon,
  token,
  toldDaemon,
  version,
} from "./told.ts";

const says = (answer: object): string => `printf '%s' '${JSON.stringify(answer)}'`;
const group = (command: string, more: object = {}): object => ({ hooks: [{ type: "command", command, ...more }] });
const hooks = {
  hooks: {
    PreToolUse: [
      { matcher: "Bash", ...group("echo 'not in this house' >&2; exit 2") },
      { matcher: "Write", ...group('printf \'{"systemMessage":"[%s]"}\' "$COLOUR"') },
    ],
    PostToolUse: [group(says({ decision: "block", reason: "look again — ünïcode" }))],
    UserPromptSubmit: [group("echo 'the weather is fine'")],
    Stop: [group(says({ decision: "block", reason: "not yet" }))],
    PermissionRequest: [
      group(says({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } })),
    ],
    ConfigChange: [group("echo 'leave it' >&2; exit 2")],
  },
};
const files = { "workspace/.hookline/hooks.json": JSON.stringify(hooks) };

const tool = (name: string): object => ({ tool_name: name, tool_input: { command: "x" }, tool_use_id: `of ${name}` });
const denies = (heard: Heard): boolean => answerIn(heard).stdout.includes('"permissionDecision":"deny"');

const tellings: [event: string, data: object][] = [
  ["PreToolUse", tool("Bash")],
  ["PreToolUse", tool("Write")],
  ["PreToolUse", tool("Grep")],
  ["PostToolUse", { ...tool("Bash"), tool_use_id: "of one that was let through", tool_response: { stdout: "y" } }],
  ["UserPromptSubmit", { prompt: "hello" }],
  ["PermissionRequest", tool("Bash")],
  ["ConfigChange", { source: "user_settings" }],
];

function byCommand(
  { folder, workspace }: ToldDaemon,
  event: string,
  input: string,
  environment: Readonly<Record<string, string>>,
): Answer {
  const words = ["hook", "claude-code", "--event", event, "--store", join(folder, "own.db")];
  const called = { cwd: workspace, environment: { ...environment, NODE_COMPILE_CACHE: codeCache } };
  const { status, stdout, stderr } = runCommand(words, { ...called, input });
  return { exitCode: status ?? -1, stdout, stderr };
}

test("one event gets one verdict: from the command, over loopback, over the socket and over the agent's own HTTP", async (t) => {
  const told = await toldDaemon(t, files);
  const environment = { ...told.environment, COLOUR: "sky blue" };
  const payloadOf = (event: string, data: object, session: string): string =>
    JSON.stringify({ hook_event_name: event, session_id: session, cwd: told.workspace, ...data });
  await told.own({ payload: payloadOf("SessionStart", { source: "startup" }, "of http"), environment });
  for (const [event, data] of tellings) {
    const what = `${event} ${JSON.stringify(data)}`;
    const heard = await told.own({ payload: payloadOf(event, data, "tcp"), event, environment });
    const expected = answerIn(heard);
    assert.deepEqual(byCommand(told, event, payloadOf(event, data, "alone"), environment), expected, what);
    assert.ok(heard.taken, "the client must know that it may wait");
    assert.deepEqual(
      answerIn(await told.own({ payload: payloadOf(event, data, "socket"), event, environment, locally: true })),
      expected,
      what,
    );
    const answered = await told.http({ payload: payloadOf(event, data, "of http"), event });
    assert.equal(answered.status, 200);
    if (event === "ConfigChange")
      assert.deepEqual(JSON.parse(answered.text), { decision: "block", reason: "leave it" });
    else assert.equal(answered.text, expected.stdout.trimEnd(), what);
  }
});

test("[R44] an agent that sends events over HTTP has the environment of its session's start, a stranger only what every program has", async (t) => {
  const told = await toldDaemon(t, files);
  const telling = (session: string): string =>
    JSON.stringify({ hook_event_name: "PreToolUse", session_id: session, cwd: told.workspace, ...tool("Write") });
  const start = JSON.stringify({ hook_event_name: "SessionStart", session_id: "known", cwd: told.workspace });
  await told.own({ payload: start, environment: { ...told.environment, COLOUR: "red" } });
  const message = async (session: string): Promise<string> =>
    JSON.parse((await told.http({ payload: telling(session) })).text).systemMessage;
  assert.equal(await message("known"), "[red]");
  assert.equal(await message("unknown"), "[]");
  await told.own({ payload: start.replace("SessionStart", "SessionEnd") });
  assert.equal(await message("known"), "[]", "it is over");
});

test("[D12] secrets of a sender's environment are kept out of the store, though the daemon's own holds none of them", async (t) => {
  const told = await toldDaemon(t, files);
  const prompt = "the key is a1b2c3d4e5f6g7";
  const payload = JSON.stringify({ hook_event_name: "UserPromptSubmit", session_id: "s", cwd: told.workspace, prompt });
  await told.own({ payload, environment: { ...told.environment, SHOP_TOKEN: "a1b2c3d4e5f6g7" } });
  const [run] = await told.daemon.store.runs({ limit: 1 });
  const stored = await told.daemon.store.event(run?.eventId ?? "");
  assert.equal(stored?.event.data.prompt, "the key is [redacted]");
});

test("[R35] which files the agent runs itself is asked of each sender's environment, not of the daemon's", async (t) => {
  const told = await toldDaemon(t, {
    "workspace/.claude/settings.json": JSON.stringify({ hooks: { PreToolUse: [group("echo no >&2; exit 2")] } }),
  });
  const payload = JSON.stringify({ hook_event_name: "PreToolUse", cwd: told.workspace, ...tool("Bash") });
  const from = async (folder: string): Promise<boolean> =>
    denies(await told.own({ payload, environment: { ...told.environment, CLAUDE_PROJECT_DIR: folder } }));
  assert.equal(await from(told.workspace), false);
  assert.equal(await from(told.folder), true);
  assert.equal(await from(told.workspace), false);
});

test("[R60] what should not be taken is refused, and nothing is done", async (t) => {
  const told = await toldDaemon(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({ hooks: { PreToolUse: [group("echo done >> done")] } }),
  });
  const payload = JSON.stringify({ hook_event_name: "PreToolUse", cwd: told.workspace, ...tool("Bash") });
  const own: [string, Partial<Sent>][] = [
    ["401 unauthorized", { headers: { authorization: undefined } }],
    ["401 unauthorized", { headers: { authorization: `Bearer ${token}x` } }],
    ["401 unauthorized", { headers: { authorization: `Bearer ${"x".repeat(token.length)}` } }],
    ["401 unauthorized", { headers: { authorization: `Bearer ${"é".repeat(token.length)}` } }],
    ["403 forbidden_host", { headers: { host: "evil.example" } }],
    ["403 forbidden_host", { headers: { host: `127.0.0.1:${told.server.port + 1}` } }],
    ["403 forbidden_origin", { headers: { origin: "http://localhost" } }],
    ["403 forbidden_origin", { locally: true, headers: { "sec-fetch-site": "none" } }],
    ["409 version_differs", { headers: { "x-hookline-version": "0.9.0" } }],
    ["409 version_differs", { headers: { "x-hookline-version": undefined } }],
    ["409 too_late", { headers: { "x-hookline-sent": String(Date.now() - 60_000) } }],
    ["409 places_differ", { environment: { ...told.environment, HOME: "/somewhere/else" } }],
    ["409 places_differ", { environment: { ...told.environment, CLAUDE_CONFIG_DIR: "/c" } }],
    ["409 places_differ", { environment: { ...told.environment, HOOKLINE_STORE: "/s.db" } }],
    ["409 places_differ", { environment: { ...told.environment, HOOKLINE_RECORD: "none" } }],
    ["409 places_differ", { environment: { ...told.environment, CI: "true" } }],
    ["404 agent_unknown", { agent: "nobody" }],
    ["404 not_found", { agent: "%" }],
    ["415 unsupported_type", { headers: { "content-type": "text/plain" } }],
  ];
  for (const [expected, sent] of own) {
    const heard = await told.own({ payload, ...sent });
    assert.equal(codeIn(heard), expected, JSON.stringify(sent));
    assert.ok(!heard.taken);
    assert.equal(heard.headers["x-hookline-proof"], undefined);
  }
  assert.equal(codeIn(await told.http({ payload, headers: { authorization: undefined } })), "401 unauthorized");
  assert.equal(statSync(join(told.workspace, "done"), { throwIfNoEntry: false }), undefined);
  assert.equal(answerIn(await told.own({ payload, headers: { authorization: `bearer  ${token}` } })).exitCode, 0);
  assert.equal(readFileSync(join(told.workspace, "done"), "utf8"), "done\n");
});

test("an agent's own HTTP hook may come with the token of its settings, as long as that is in its file", async (t) => {
  const told = await toldDaemon(t, files);
  const payload = JSON.stringify({ hook_event_name: "UserPromptSubmit", cwd: told.workspace, prompt: "x" });
  const headers = { authorization: "Bearer persistent-token-of-the-settings" };
  assert.equal(codeIn(await told.http({ payload, headers })), "401 unauthorized");
  const file = "state/hookline/http-token";
  told.write(file, "persistent-token-of-the-settings\n");
  spawnSync("chmod", ["600", join(told.folder, file)]);
  assert.equal((await told.http({ payload, headers })).status, 200);
  const status = await fetch(`http://127.0.0.1:${told.server.port}/status`, { headers });
  assert.equal(status.status, 401, "it opens nothing else");
});

test("[R59] input that cannot be read is blocked where a guard waits for the event, by every way", async (t) => {
  const told = await toldDaemon(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [group("exit 0", { onFailure: "block" })], Stop: [group("exit 0")] },
    }),
  });
  const table: [payload: string | Buffer, event: string, exitCode: number][] = [
    ["{", "PreToolUse", 2],
    ["", "PreToolUse", 2],
    ["[]", "PreToolUse", 2],
    ["[".repeat(100_000), "PreToolUse", 2],
    [Buffer.from([0xff, 0xfe, 0]), "PreToolUse", 2],
    ["{", "Stop", 0],
    ['{"hook_event_name":"Unheard"}', "PreToolUse", 2],
  ];
  for (const [payload, event, exitCode] of table) {
    const what = `${event} ${String(payload).slice(0, 30)}`;
    const { stderr, ...answer } = answerIn(await told.own({ payload, event }));
    assert.deepEqual(answer, { exitCode, stdout: "" }, what);
    assert.match(stderr, /^hookline: /, what);
    const { status, text } = await told.http({ payload, event });
    assert.equal(status, 200, what);
    const decision = text === "" ? undefined : JSON.parse(text).hookSpecificOutput.permissionDecision;
    assert.equal(decision, exitCode === 2 ? "deny" : undefined, what);
  }
});

test("a payload that cannot be read over the agent's own HTTP blocks the call in whatever folder, as its guards are not known", async (t) => {
  const told = await toldDaemon(t, {});
  const call = { session_id: "ab", cwd: "/elsewhere", hook_event_name: "PreToolUse", ...tool("Bash") };
  const deep = JSON.stringify({ ...call, x: 0 }).replace('"x":0', `"x":${'{"y":'.repeat(2_500)}0${"}".repeat(2_500)}`);
  const table = ["garbage", "", "[1]", deep, JSON.stringify({ ...call, session_id: "a\0b" })];
  for (const payload of [
    ...table,
    JSON.stringify({ ...call, cwd: "/a\0" }),
    JSON.stringify({ ...call, cwd: "/a".repeat(3_000) }),
  ]) {
    const { status, text } = await told.http({ payload, event: "PreToolUse" });
    assert.equal(status, 200);
    assert.match(text, /"permissionDecision":"deny".*not known/, payload.slice(0, 60));
  }
  assert.equal((await told.http({ payload: "garbage", event: "Stop" })).text, "");
});

test("twenty at once are all answered, and all written down", async (t) => {
  const told = await toldDaemon(t, files);
  const payloads = Array.from({ length: 20 }, (_, index) =>
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: `s${index}`,
      cwd: told.workspace,
      ...{ tool_name: index % 2 === 0 ? "Bash" : "Grep", tool_input: {}, tool_use_id: `t${index}` },
    }),
  );
  const answers = await Promise.all(
    payloads.map(async (payload, index) => denies(await told.own({ payload, locally: index % 3 === 0 }))),
  );
  assert.deepEqual(
    answers,
    payloads.map((_, index) => index % 2 === 0),
  );
  assert.equal((await told.daemon.store.runs({ limit: 100 })).length, 10);
});

/** Says that it began, and waits for the file "go". */
const waits = "echo run >> count; while [ ! -e go ]; do sleep 0.02; done; echo 'not that' >&2; exit 2";

async function reportedTwice(t: TestContext): Promise<{
  told: ToldDaemon;
  payload: string;
  count(): string[];
  /** Resolves when so many events are written down. */
  events(count: number): Promise<unknown>;
}> {
  const told = await toldDaemon(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({ hooks: { PreToolUse: [group(waits)] } }),
  });
  const call = { hook_event_name: "PreToolUse", session_id: "s", cwd: told.workspace, ...tool("Bash") };
  const file = join(told.workspace, "count");
  const count = (): string[] =>
    statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return {
    ...{ told, payload: JSON.stringify(call), count },
    events: (wanted) => until(async () => (await told.daemon.store.events(9)).length === wanted, "the events"),
  };
}

test("[R36] a tool call that two registrations report at once runs its hooks once, and both get the verdict", async (t) => {
  const { told, payload, count, events } = await reportedTwice(t);
  const first = told.own({ payload, by: "user" });
  await until(() => count().length > 0, "the hook's begin");
  const second = told.http({ payload, by: "project" });
  await events(2);
  told.write("workspace/go", "");
  assert.ok(denies(await first));
  assert.match((await second).text, /"permissionDecision":"deny"/);
  assert.deepEqual(count(), ["run"]);
  const runs = await told.daemon.store.runs({ limit: 9 });
  assert.deepEqual(runs.map(({ status }) => status).sort(), ["completed", "skipped"]);
  const outcomes = (await told.daemon.store.events(9)).map(({ outcome }) => outcome?.verdict?.is);
  assert.deepEqual(outcomes, ["deny", "deny"]);
});

test("[R36] where the first of two reports is given up, the second is decided by itself", async (t) => {
  const { told, payload, count, events } = await reportedTwice(t);
  const leaving = new AbortController();
  const first = assert.rejects(told.own({ payload, by: "user", signal: leaving.signal }));
  await until(() => count().length > 0, "the hook's begin");
  const second = told.own({ payload, by: "project" });
  await events(2);
  leaving.abort();
  await first;
  told.write("workspace/go", "");
  assert.ok(denies(await second));
  assert.deepEqual(count(), ["run", "run"]);
});

test("[F26] hooks end with the agent that waited for them", async (t) => {
  const told = await toldDaemon(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [group("echo $$ > began; exec sleep 60")] },
    }),
  });
  const payload = JSON.stringify({ hook_event_name: "PreToolUse", cwd: told.workspace, ...tool("Bash") });
  const leaving = new AbortController();
  const asked = told.own({ payload, signal: leaving.signal });
  const began = join(told.workspace, "began");
  const gone = assert.rejects(asked);
  await until(() => statSync(began, { throwIfNoEntry: false })?.size, "the hook's begin");
  leaving.abort();
  await gone;
  const [run] = await until(async () => {
    const runs = await told.daemon.store.runs({ limit: 1 });
    return runs[0]?.status === "running" || runs.length === 0 ? undefined : runs;
  }, "the run's end");
  assert.equal(run?.status, "cancelled");
});

test("a stop waits for what is under way, and takes nothing more", async (t) => {
  const told = await toldDaemon(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [group("echo > began; while [ ! -e go ]; do sleep 0.05; done; exit 2")] },
    }),
  });
  const payload = JSON.stringify({ hook_event_name: "PreToolUse", cwd: told.workspace, ...tool("Bash") });
  const kept = connect(told.server.port, "127.0.0.1"); // begins a request before the stop, and ends it after
  kept.write(
    `POST /hook/claude-code HTTP/1.1\r\nhost: 127.0.0.1:${told.server.port}\r\nauthorization: Bearer ${token}\r\n`,
  );
  const asked = told.own({ payload });
  await until(() => statSync(join(told.workspace, "began"), { throwIfNoEntry: false })?.size, "the hook's begin");
  const closed = told.close();
  kept.write(`content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`);
  const [bytes] = await once(kept, "data");
  assert.match(String(bytes), /^HTTP\/1.1 503 /);
  told.write("workspace/go", "");
  assert.ok(denies(await asked));
  await closed;
});

test("a body that is too large is refused before it is read, and half a request delays no other", async (t) => {
  const told = await toldDaemon(t, files);
  const head = `POST /hook/claude-code HTTP/1.1\r\nhost: 127.0.0.1:${told.server.port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/x-hookline\r\nx-hookline-version: ${version}\r\n`;
  const large = connect(told.server.port, "127.0.0.1");
  large.write(`${head}content-length: 104857600\r\n\r\n`);
  let said = "";
  large.on("data", (bytes: Buffer) => {
    said += bytes;
  });
  await once(large, "close");
  assert.match(said, /^HTTP\/1.1 413 [\s\S]*connection: close/i);
  const half = connect(told.server.port, "127.0.0.1");
  half.write(`${head}content-length: 100\r\n\r\n{`);
  const payload = JSON.stringify({ hook_event_name: "PreToolUse", cwd: told.workspace, ...tool("Bash") });
  assert.ok(denies(await told.own({ payload })));
  half.destroy();
});

test("the unix socket is its user's alone, and serves the other routes to senders with the token", async (t) => {
  const told = await toldDaemon(t, files);
  const path = join(told.folder, "daemon.sock");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const ask = async (headers: string): Promise<string> => {
    const socket = connect(path);
    socket.write(`GET /status HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n`);
    const [bytes] = await once(socket, "data");
    socket.destroy();
    return String(bytes).slice(9, 12);
  };
  assert.equal(await ask(""), "401");
  assert.equal(await ask(`authorization: Bearer ${token}\r\n`), "200");
});
