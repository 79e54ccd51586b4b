/** Who may ask the daemon, and how it says no. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import type { HookEvent } from "../../../src/engine/event.ts";
import type { Run } from "../../../src/engine/record.ts";
import { listenFor } from "../../../src/hosts/daemon/listeners.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { hosted, proof, sharedHosted, token, version } from "./hosted.ts";
import { placeFor, type Started } from "./started.ts";

const shared = sharedHosted({
  "home/.config/hookline/config.yaml": `webhooks: { ci: { secret: "whsec_c2VjcmV0IG9mIHRoZSBDSQ==" } }`,
});

interface Wanted {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}
/** As a browser or a stranger might, with any Host. */
async function ask(
  { port }: Pick<Started, "port">,
  { method = "GET", path = "/status", headers = {}, body }: Wanted,
): Promise<string> {
  const asked = request({ host: "127.0.0.1", port, method, path, headers: { connection: "close", ...headers } });
  asked.end(body);
  const [response] = await once(asked, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  assert.equal(response.headers["access-control-allow-origin"], undefined);
  const { error } = JSON.parse(text);
  if (error) for (const part of ["code", "message", "advice"]) assert.equal(typeof error[part], "string", text);
  return `${response.statusCode} ${error?.code ?? "ok"}`;
}

/** An event whose data is nested so deep. */
const deep = (levels: number): string => `{"event":"a.b","data":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;

test("only who holds the token is answered, and no web page is", async () => {
  const daemon = await shared();
  const bearer = { authorization: `Bearer ${daemon.token}` };
  const json = { ...bearer, "content-type": "application/json" };
  const event = { method: "POST", path: "/events", body: '{"event":"a.b"}' };
  const table: [string, Wanted][] = [
    ["200 ok", { path: "/health" }],
    ["200 ok", { path: "/ready" }],
    ["200 ok", { headers: bearer }],
    ["200 ok", { headers: { ...bearer, host: `localhost:${daemon.port}` } }],
    ["401 unauthorized", {}],
    ["401 unauthorized", { headers: { authorization: "Bearer x" } }],
    ["401 unauthorized", { headers: { authorization: `Basic ${daemon.token}` } }],
    ["401 unauthorized", { path: `/status?token=${daemon.token}` }],
    ["401 unauthorized", { path: "/nothing" }],
    ["403 forbidden_host", { headers: { ...bearer, host: "evil.example" } }],
    ["403 forbidden_host", { headers: { ...bearer, host: "127.0.0.1" } }],
    ["403 forbidden_host", { headers: { ...bearer, host: `127.0.0.1:${daemon.port + 1}` } }],
    ["403 forbidden_host", { path: "/health", headers: { host: `localhost:${daemon.port + 1}` } }],
    ["403 forbidden_host", { path: "/health", headers: { host: `evil.example:${daemon.port}` } }],
    ["403 forbidden_host", { headers: { ...bearer, host: "127.0.0.1.evil.example" } }],
    ["403 forbidden_origin", { headers: { ...bearer, origin: "http://evil.example" } }],
    ["403 forbidden_origin", { headers: { ...bearer, origin: "null" } }],
    ["403 forbidden_origin", { headers: { ...bearer, "sec-fetch-site": "cross-site" } }],
    ["403 forbidden_origin", { method: "OPTIONS", headers: { origin: "http://evil.example" } }],
    ["401 unauthorized", { ...event, headers: { "content-type": "application/json" } }],
    ["415 unsupported_type", { ...event, headers: { ...bearer, "content-type": "text/plain" } }],
    ["415 unsupported_type", { ...event, headers: bearer }],
    ["400 input_invalid", { ...event, body: "{", headers: json }],
    ["400 input_invalid", { ...event, body: "[]", headers: json }],
    ["400 input_invalid", { ...event, body: deep(200_000), headers: json }],
    ["200 ok", { ...event, body: deep(400), headers: json }],
    ["413 body_too_large", { ...event, body: `{"event":"${"a".repeat(1_100_000)}"}`, headers: json }],
    ["405 method_not_allowed", { path: "/events?event=a.b", headers: bearer }],
    [
      "405 method_not_allowed",
      { method: "POST", path: "/status", headers: { ...json, "x-http-method-override": "GET" } },
    ],
    ["404 not_found", { path: "/nothing", headers: bearer }],
    ["404 operation_unknown", { path: "/operations/rnus", headers: bearer }],
    ["405 method_not_allowed", { path: "/operations/emit?event=a.b", headers: bearer }],
    ["400 input_invalid", { method: "POST", path: "/operations/emit", body: "{}", headers: json }],
    ["200 ok", { path: "/operations", headers: bearer }],
    ["200 ok", { path: "/operations/runs?limit=3", headers: bearer }],
    ["200 ok", { path: "/operations/hooks?event=Stop", headers: bearer }],
    ["200 ok", { ...event, headers: json }],
  ];
  for (const [expected, wanted] of table)
    assert.equal(await ask(daemon, wanted), expected, JSON.stringify({ ...wanted, body: wanted.body?.slice(0, 50) }));
});

test("a body whose length its sender does not say is read, and refused, as any other", async () => {
  const daemon = await shared();
  const bearer = { authorization: `Bearer ${daemon.token}` };
  const json = { ...bearer, "content-type": "application/json", "transfer-encoding": "chunked" };
  const large = `{"event":"${"a".repeat(1_100_000)}"}`;
  const table: [string, Wanted][] = [
    ["200 ok", { method: "POST", path: "/events", headers: json, body: '{"event":"a.b"}' }],
    ["200 ok", { method: "POST", path: "/operations/status", headers: json }],
    ["400 input_invalid", { method: "POST", path: "/events", headers: json, body: "{" }],
    ["413 body_too_large", { method: "POST", path: "/events", headers: json, body: large }],
    ["415 unsupported_type", { method: "POST", path: "/events", headers: bearer, body: "{}" }],
    ["415 unsupported_type", { method: "POST", path: "/events", headers: bearer }],
    ["401 signature_invalid", { method: "POST", path: "/webhooks/ci", headers: json, body: "{}" }],
    ["404 webhook_unknown", { method: "POST", path: "/webhooks/none", headers: json, body: "{}" }],
    ["405 method_not_allowed", { method: "DELETE", path: "/events", headers: json, body: "{}" }],
    ["405 method_not_allowed", { method: "POST", path: "/status", headers: json, body: "{}" }],
    ["404 not_found", { method: "POST", path: "/nothing", headers: json, body: "{}" }],
    ["404 not_found", { method: "DELETE", path: "/nothing", headers: bearer }],
  ];
  for (const [expected, wanted] of table)
    assert.equal(await ask(daemon, wanted), expected, JSON.stringify({ ...wanted, body: wanted.body?.slice(0, 50) }));
});

test("a sender that sends too much gets the reason, and that the connection ends", async () => {
  const { port, token } = await shared();
  for (const length of ["content-length: 2000000", "transfer-encoding: chunked"]) {
    const socket = connect(port, "127.0.0.1");
    const head = ["POST /events HTTP/1.1", `host: localhost:${port}`, `authorization: Bearer ${token}`];
    socket.write([...head, "content-type: application/json", length, "", ""].join("\r\n"));
    const part = "a".repeat(65_536);
    if (length.startsWith("transfer"))
      for (let count = 0; count < 20; count++) socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    assert.match(answer, /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n.*body_too_large/is, length);
  }
});

test("who sends too much in a head or in a body reads why, and its connection is not reset", async () => {
  const daemon = await shared();
  const head = `POST /events HTTP/1.1\r\nhost: 127.0.0.1:${daemon.port}\r\nauthorization: Bearer ${daemon.token}\r\ncontent-type: application/json\r\n`;
  for (const [expected, sent] of [
    [/^HTTP\/1\.1 431 [\s\S]*head_too_large/, `${head}x-long: ${"a".repeat(2_000_000)}\r\n\r\n`],
    [/^HTTP\/1\.1 413 [\s\S]*body_too_large/, `${head}content-length: 6000000\r\n\r\n${"a".repeat(6_000_000)}`],
    [
      /^HTTP\/1\.1 401 [\s\S]*unauthorized/,
      `${head.replace("Bearer", "Other")}content-length: 6000000\r\n\r\n${"a".repeat(6_000_000)}`,
    ],
    [/^HTTP\/1\.1 400 [\s\S]*not_http/, `NONSENSE\r\n${"a".repeat(100_000)}`],
  ] as const) {
    const socket = connect(daemon.port, "127.0.0.1");
    socket.end(sent);
    let answer = "";
    for await (const chunk of socket) answer += String(chunk); // throws where it is reset
    assert.match(answer, expected);
  }
});

test("what comes behind a request and is none gets no second answer", async () => {
  const daemon = await shared();
  for (const line of ["OPTIONS / HTTP/1.1\r\norigin: http://evil.example", "GET /status HTTP/1.1"]) {
    const socket = connect(daemon.port, "127.0.0.1");
    socket.end(`${line}\r\nhost: 127.0.0.1:${daemon.port}\r\nconnection: close\r\n\r\n{}`);
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    assert.deepEqual([...answer.matchAll(/HTTP\/1\.1 \d+/g)].length, 1, answer);
  }
});

test("it listens to this machine alone", async () => {
  const daemon = await shared();
  const outside = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  for (const host of [outside?.address, "127.0.0.2"]) {
    if (host === undefined) continue;
    const socket = connect(daemon.port, host);
    const [error] = await once(socket, "error");
    assert.equal(error.code, "ECONNREFUSED", host);
  }
});

test("what another process of the store does can be listened to, and nothing is told twice", async (t) => {
  const place = placeFor(t, {
    "workspace/.claude/settings.json": JSON.stringify({
      hooks: { "a.b": [{ hooks: [{ type: "command", command: "true", name: "Done" }] }] },
    }),
  });
  const daemon = await hosted(place);
  const response = await fetch(`http://127.0.0.1:${daemon.port}/events/live`, {
    headers: { authorization: `Bearer ${daemon.token}` },
  });
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let seen = (await reader.read()).value ?? "";
  const other = openSqliteStore({ path: place.store });
  t.after(() => other.close());
  const event: HookEvent = { id: "theirs", name: "c.d", at: 1, cwd: "/", data: { secret: "payload" }, sender: "emit" };
  const run: Run = {
    ...{ id: "run", hook: "h", hookName: "h", eventId: "theirs", eventName: "c.d", cause: "event:c.d" },
    ...{ status: "running", startedAt: 1, steps: [], notes: [], asked: 1 },
  };
  const told = async (text: string): Promise<void> => {
    while (!seen.includes(text)) seen += (await reader.read()).value ?? assert.fail("it ended");
  };
  other.record(event, { id: "set", hooks: [] }, (_event, before) => before);
  other.saveRun(run);
  await told('"status":"running"');
  other.saveRun({ ...run, status: "completed", ms: 3 });
  other.answered("theirs", { verdict: { is: "deny", by: "h" } });
  await told('"verdict":"deny"');
  assert.match(seen, /event: event\ndata: \{"id":"theirs","name":"c\.d","at":1,"session":null\}\n/);
  assert.match(seen, /"id":"run","hook":"h","eventId":"theirs","status":"completed"/);
  const own = await daemon.emit("a.b", {});
  await told(`"id":"${own.body.event}","verdict"`);
  other.record({ ...event, id: "last" }, { id: "set", hooks: [] }, (_event, before) => before);
  await told('"id":"last"');
  const lines = seen.split("\n").filter((line) => line.startsWith("data: "));
  assert.equal(new Set(lines).size, lines.length);
  assert.ok(!seen.includes("payload"));
  await daemon.close();
});

test("what happens on the line can be listened to", async (t) => {
  const daemon = await hosted(placeFor(t));
  const response = await fetch(`http://127.0.0.1:${daemon.port}/events/live`, {
    headers: { authorization: `Bearer ${daemon.token}` },
  });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const { body } = await daemon.emit("build.finished", { secret: "payload" });
  let seen = "";
  while (!seen.includes("event: outcome")) seen += (await reader.read()).value ?? assert.fail("it ended");
  assert.match(seen, new RegExp(`event: event\\ndata: \\{"id":"${body.event}","name":"build.finished"`));
  assert.ok(!seen.includes("payload"));
  await daemon.close(); // a listener holds nothing up
});

test("a port that another program listens on is said to be taken", async () => {
  const { daemon, port } = await shared();
  await assert.rejects(
    listenFor(daemon, { port, token, proof, version, root: "" }),
    /the port cannot be used: another program listens there — 127\.0\.0\.1:\d+ — choose another/,
  );
});
