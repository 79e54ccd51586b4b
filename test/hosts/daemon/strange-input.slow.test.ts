/** Strange input at every door of a daemon: each answer is JSON with a sentence and a status that fits, and the daemon lives. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { hosted } from "./hosted.ts";
import { placeFor } from "./started.ts";

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** Each body as it is sent. */
const bodies: Readonly<Record<string, string>> = {
  empty: "",
  "white space": " \n\t",
  "no JSON": "{",
  "a NUL": "\0",
  null: "null",
  number: "42",
  text: '"x"',
  list: "[]",
  "list of lists": "[[],[]]",
  "huge number": '{"event":"a.b","data":{"n":1e400}}',
  "lone surrogate": '{"event":"a.b","data":{"\\ud800":"\\udfff"},"session":"\\ud800"}',
  "NUL in texts": '{"event":"a.b","data":{"a\\u0000b":"\\u0000"},"session_id":"a\\u0000b"}',
  "NUL in cwd": '{"event":"a.b","cwd":"/x\\u0000y"}',
  "relative cwd": '{"event":"a.b","cwd":"x/y"}',
  "cwd is a number": '{"event":"a.b","cwd":7}',
  "cwd is a list": '{"event":"a.b","cwd":["/"]}',
  "no such cwd": '{"event":"a.b","cwd":"/there/is/no/such/folder"}',
  "cwd is a file": '{"event":"a.b","cwd":"/etc/hostname"}',
  "cwd is a device": '{"event":"a.b","cwd":"/dev/null"}',
  prototype: '{"event":"a.b","data":{"__proto__":{"x":1},"constructor":{"prototype":{}}},"__proto__":[]}',
  "event named __proto__": '{"event":"__proto__"}',
  "event named constructor": '{"event":"constructor"}',
  "event is a number": '{"event":7}',
  "event is a list": '{"event":["a.b"]}',
  "event is empty": '{"event":""}',
  "data is a list": '{"event":"a.b","data":[]}',
  "data is a text": '{"event":"a.b","data":"x"}',
  "fields twice": '{"event":"a.b","event":"c.d","data":{},"data":[]}',
  "too deep": deep(100_000),
  "deep data": `{"event":"a.b","data":{"x":${deep(2_000)}}}`,
  "long name": `{"event":"a.${"b".repeat(100_000)}"}`,
  "a megabyte": `{"event":"a.b","data":{"x":"${"y".repeat(1_000_000)}"}}`,
  "two megabytes": `{"event":"a.b","data":{"x":"${"y".repeat(2_000_000)}"}}`,
  "a tool's input as a number":
    '{"hook_event_name":"PreToolUse","tool_name":7,"tool_input":7,"session_id":[],"cwd":"/"}',
  "a tool's input as a list":
    '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":[{"command":[]}],"cwd":"/"}',
  "an unknown agent's event": '{"hook_event_name":"__proto__","cwd":"/","session_id":"x"}',
  "an operation's parameters":
    '{"event":{},"id":{},"project":{},"limit":-1,"hook":"\\u0000","name":[],"run":"\\ud800"}',
  "negative figures": '{"limit":-5,"since":-1e400,"seconds":"NaN"}',
};

const types = [
  "application/json",
  "application/x-ndjson",
  "text/plain",
  "application/x-www-form-urlencoded",
  "",
] as const;

const isSentence = (body: string): boolean => {
  if (body === "") return true;
  if (/\n {4}at |TypeError|RangeError|node:internal|SQLITE|ENOENT: |EACCES: /.test(body)) return false;
  return true;
};

test("whatever is sent to any route of the daemon, it answers without a fault of its own, and lives", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/rules/a.yaml":
      "hooks:\n  - { id: no_push, on: tool_start, condition: { type: shell, runs: ['git push'] }, action: { type: gate, reason: no } }\n  - { id: seen, on: a.b, condition: { type: always }, action: { type: log, message: seen } }\n",
  });
  const daemon = await hosted(place);
  const agents = ["claude-code", "codex", "copilot", "gemini", "qwen", "opencode", "pi", "git", "__proto__", "%00"];
  const routes = [
    "/events",
    ...agents.map((name) => `/hook/${name}`),
    ...[
      "emit",
      "explain",
      "hooks",
      "runs",
      "run",
      "guards",
      "task_create",
      "automation_create",
      "__proto__",
      "constructor",
      "%00",
    ].map((name) => `/operations/${name}`),
    ...["x", "__proto__", "%00", "%ff"].map((name) => `/webhooks/${name}`),
    ...["/status", "/", "/mcp", "/api/now", "/docs/%2e%2e/%2e%2e/etc/passwd", "/nowhere"],
  ];
  const faults: string[] = [];
  for (const route of routes)
    for (const [name, body] of Object.entries(bodies))
      for (const type of route === "/events" ? types : types.slice(0, 1)) {
        const headers = { authorization: `Bearer ${daemon.token}`, ...(type === "" ? {} : { "content-type": type }) };
        const answer = await fetch(`http://127.0.0.1:${daemon.port}${route}`, { method: "POST", headers, body });
        const text = await answer.text();
        if (answer.status >= 500 || !isSentence(text))
          faults.push(`${route} ${type} ${name}: ${answer.status} ${text.slice(0, 300)}`);
      }
  assert.deepEqual(faults, []);
  const { status, body } = await daemon.call("/events", { body: { event: "a.b" } });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.runs.length, 1);
  await daemon.close();
});

/** In place of every parameter that an operation takes. */
const values: readonly unknown[] = [
  "\u0000",
  "\ud800",
  "__proto__",
  "constructor",
  "x".repeat(5_000),
  -1,
  1.5,
  1e308,
  [],
  {},
  null,
  true,
];

test("every operation of the daemon answers strange parameters without a fault of its own", async (t) => {
  const place = placeFor(t);
  const daemon = await hosted(place);
  const listed = (await daemon.call("/operations")).body;
  assert.ok(listed.length > 20 && listed.every((one: object) => "input" in one), JSON.stringify(listed[0]));
  const faults: string[] = [];
  for (const { name, input } of listed)
    for (const value of values) {
      const names = Object.keys(input.properties ?? {});
      const body = JSON.stringify(Object.fromEntries(names.map((one) => [one, value])));
      const said = await fetch(`http://127.0.0.1:${daemon.port}/operations/${name}`, {
        ...{ method: "POST", body },
        headers: { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" },
      });
      const text = await said.text();
      if (said.status >= 500 || !isSentence(text))
        faults.push(`${name} ${body.slice(0, 120)}: ${said.status} ${text.slice(0, 200)}`);
    }
  assert.deepEqual(faults, []);
  await daemon.close();
});

test("a body of 50 MB is told its limit, headers of 100 kB too, and the daemon lives", async (t) => {
  const place = placeFor(t);
  const daemon = await hosted(place);
  const send = async (path: string, init: RequestInit): Promise<number> =>
    (await fetch(`http://127.0.0.1:${daemon.port}${path}`, { method: "POST", ...init })).status;
  const headers = { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" };
  const large = "x".repeat(50 * 1024 * 1024);
  for (const path of ["/events", "/operations/hooks", "/webhooks/x", "/links"])
    assert.equal(await send(path, { headers, body: large }), 413, path);
  assert.equal(await send("/events", { headers: { ...headers, "x-long": "y".repeat(100_000) }, body: "{}" }), 431);
  assert.equal(await send("/events", { headers, body: '{"event":"a.b"}' }), 200);
  await daemon.close();
});

test("each strange line on the socket gets one answer with a sentence, and the lines after it are taken", async (t) => {
  const place = placeFor(t);
  const daemon = await hosted(place);
  const lines = Object.values(bodies).filter((body) => !body.includes("\n") && body !== "" && body.length < 1_000_000);
  const socket = connect(join(place.folder, "daemon.sock"));
  socket.end(`${[...lines, '{"event":"a.b"}'].join("\n")}\n`);
  let said = "";
  for await (const part of socket) said += String(part);
  const answers = said
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(answers.length, lines.length + 1);
  for (const answer of answers) assert.ok(answer.ok || isSentence(answer.error.message), JSON.stringify(answer));
  assert.equal(answers.at(-1).ok, true);
  await daemon.close();
});

test("events of a folder that is a file, may not be read, or went away are answered, and the daemon lives", async (t) => {
  const place = placeFor(t, { "workspace/file": "" });
  const daemon = await hosted(place);
  const closed = join(place.folder, "closed");
  mkdirSync(closed, { mode: 0o000 });
  writeFileSync(join(place.folder, "plain"), "");
  for (const cwd of [
    join(place.workspace, "file"),
    join(place.workspace, "file", "below"),
    closed,
    join(closed, "x"),
    join(place.folder, "gone"),
  ]) {
    const { status, body } = await daemon.call("/events", { body: { event: "a.b", cwd } });
    assert.ok(status < 500, `${cwd}: ${status} ${JSON.stringify(body)}`);
  }
  await daemon.close();
});
