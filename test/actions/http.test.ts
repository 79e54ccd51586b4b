import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type HttpParams, http } from "../../src/actions/http/http.ts";
import type { StepResult } from "../../src/engine/ports.ts";
import { contextOf, type Surroundings } from "./context.ts";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}
type Answer = (response: ServerResponse, request: Seen) => void;

/** A server on loopback that remembers what it was sent. */
async function serve(context: TestContext, answer: Answer): Promise<{ origin: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answer(response, { method, url, headers, body: "" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }; // it listens on a port
}

const run = async (params: HttpParams, wish?: Surroundings): Promise<StepResult> => http.run(params, contextOf(wish));
const failureOf = (result: StepResult): string => (result.ok ? "none" : `${result.failure}: ${result.reason}`);
const json =
  (body: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
const allow = json({ hookSpecificOutput: { permissionDecision: "allow" } });

test("[C65, C74, CT24] the event is posted as JSON with its headers, and the body is the answer", async (context) => {
  const { origin, seen } = await serve(context, allow);
  const environment = { HOOK_TOKEN: "token-123", OTHER: "x" };
  const headers = { Authorization: "Bearer $HOOK_TOKEN", "X-Both": "${HOOK_TOKEN}-${HOOK_TOKEN}" };
  const result = await run(
    { url: `${origin}/hook`, headers, allowedEnvVars: ["HOOK_TOKEN"] },
    { caller: { environment } },
  );
  assert.equal(result.outcome?.verdict?.is, "allow");
  assert.equal(seen[0]?.method, "POST");
  assert.equal(seen[0]?.headers["content-type"], "application/json");
  assert.equal(seen[0]?.headers.authorization, "Bearer token-123");
  assert.equal(seen[0]?.headers["x-both"], "token-123-token-123");
  assert.equal(JSON.parse(seen[0]?.body ?? "").hook_event_name, "PreToolUse");
});

test("[C75, CT36] a variable that is not allowed is sent empty, and a note names it", async (context) => {
  const { origin, seen } = await serve(context, json({}));
  const wish = { caller: { environment: { SECRET: "s", EMPTY: "" } } };
  const result = await run(
    { url: origin, headers: { "X-No": "a$SECRET", "X-Unset": "$MISSING" }, allowedEnvVars: ["MISSING"] },
    wish,
  );
  assert.equal(seen[0]?.headers["x-no"], "a");
  assert.equal(seen[0]?.headers["x-unset"], "");
  assert.equal(result.notes?.length, 2);
  assert.match(result.notes?.[0] ?? "", /SECRET is not in allowedEnvVars/);
});

test("[SD8] a header value that would break out of its line is refused, and nothing is sent", async (context) => {
  const { origin, seen } = await serve(context, allow);
  for (const value of ["a\r\nX-Evil: 1", "a\nb", "a\0b"]) {
    const result = await run(
      { url: origin, headers: { "X-A": "$V" }, allowedEnvVars: ["V"] },
      { caller: { environment: { V: value } } },
    );
    assert.match(failureOf(result), /launch: the header X-A would hold a line break/);
  }
  assert.equal(seen.length, 0);
});

test("[C75, CT36] a status of 400 and more is a failure, even with a deny in its body", async (context) => {
  for (const status of [400, 403, 500, 503]) {
    const { origin } = await serve(context, json({ decision: "block", reason: "no" }, status));
    const result = await run({ url: origin });
    assert.equal(failureOf(result), `exit: the server answered ${status}`);
    assert.equal(result.outcome, undefined);
    assert.match(result.evidence?.stdout ?? "", /"no"/);
  }
});

test("[C65] an empty reply is no opinion, plain text is noted, broken JSON is a failure", async (context) => {
  const none = await serve(context, (response) => response.writeHead(204).end());
  assert.deepEqual((await run({ url: none.origin })).outcome, undefined);
  const plain = await serve(context, (response) => response.end("thanks"));
  assert.match((await run({ url: plain.origin })).notes?.[0] ?? "", /plain text/);
  const broken = await serve(context, (response) => response.end('{"decision":"blo'));
  assert.match(failureOf(await run({ url: broken.origin })), /^output: /);
});

test("[C75, CT36, SD9] a reply of over 10 MB is a failure and is not read to its end", async (context) => {
  let written = 0;
  const { origin } = await serve(context, (response) => {
    const more = (): void => {
      while (!response.destroyed && written < 1 << 30) {
        written += 1 << 16;
        if (!response.write("x".repeat(1 << 16))) return void response.once("drain", more);
      }
    };
    more();
  });
  assert.match(failureOf(await run({ url: origin })), /^output: .*output_limit/);
  assert.ok(written < 256 << 20, `${written} bytes`);
});

test("[SD9] redirects on the same origin keep the event and the headers", async (context) => {
  const { origin, seen } = await serve(context, (response, request) => {
    if (request.url === "/end") allow(response, request);
    else response.writeHead(307, { location: "/end" }).end();
  });
  const result = await run({ url: `${origin}/start`, headers: { Authorization: "secret" } });
  assert.equal(result.outcome?.verdict?.is, "allow");
  assert.equal(seen[1]?.headers.authorization, "secret");
  assert.equal(seen[1]?.body, seen[0]?.body);
});

test("[SD9] another origin gets neither the headers nor the event, and its reply decides nothing", async (context) => {
  const other = await serve(context, allow);
  const found = await serve(context, (response) => response.writeHead(302, { location: `${other.origin}/x` }).end());
  const headers = { Authorization: "secret", "X-Key": "secret" };
  const origin = { layer: "user" } as const;
  const moved = await run({ url: found.origin, headers }, { origin });
  assert.equal(
    failureOf(moved),
    `output: the reply came from ${other.origin}, to which the server redirected, so it decides nothing`,
  );
  assert.equal(moved.outcome, undefined);
  assert.equal(other.seen[0]?.method, "GET");
  assert.equal(other.seen[0]?.body, "");
  assert.doesNotMatch(JSON.stringify(other.seen), /secret/);
  const kept = await serve(context, (response) => response.writeHead(307, { location: `${other.origin}/x` }).end());
  assert.match(failureOf(await run({ url: kept.origin, headers }, { origin })), /error: .*not meant for/);
  assert.equal(other.seen.length, 1);
});

test("[SD9] a fourth redirect is refused", async (context) => {
  const { origin, seen } = await serve(context, (response) => response.writeHead(307, { location: "/again" }).end());
  assert.match(failureOf(await run({ url: origin })), /more than 3 redirects/);
  assert.equal(seen.length, 4);
});

test("[C65, R14] a server that does not answer, or not to the end, is a timeout", async (context) => {
  const silent = await serve(context, () => {});
  const slow = await serve(context, (response) => response.write("{"));
  for (const { origin } of [silent, slow]) {
    const result = await run({ url: origin }, { signal: AbortSignal.timeout(100), timeout: 0.1 });
    assert.equal(failureOf(result), "timeout: no reply within 0.1 s");
  }
});

test("[C65] a server that cannot be reached, or hangs up, is a failure that names it", async (context) => {
  const { origin } = await serve(context, (response) => response.destroy());
  assert.match(failureOf(await run({ url: origin })), new RegExp(`^error: ${origin} gave no reply`));
  assert.match(failureOf(await run({ url: "http://127.0.0.1:1/" })), /^error: .*ECONNREFUSED/);
});

test("[C65] what is no http address is a launch failure", async () => {
  for (const url of ["", "nonsense", "file:///etc/passwd", "ftp://x/", "http://user:password@127.0.0.1/", "http://"]) {
    assert.match(failureOf(await run({ url })), /^launch: /, url);
  }
});

test("[C74] an invalid header name is a failure, not an exception", async (context) => {
  const { origin } = await serve(context, allow);
  assert.match(failureOf(await run({ url: origin, headers: { "bad name": "x" } })), /^error: /);
});

test("[SD8, T22] the hook of a project sends variables to https addresses and to this machine only", async (context) => {
  const { origin, seen } = await serve(context, allow);
  const caller = { environment: { TOKEN: "canary-1" } };
  const params = { headers: { Authorization: "Bearer $TOKEN" }, allowedEnvVars: ["TOKEN"] };
  const refused = /launch: the hook of a project sends variables to https addresses and to this machine only/;
  for (const url of ["http://hooks.example/x", "http://8.8.8.8/x", "http://127.0.0.1.example/", "http://2130706433/"])
    assert.match(failureOf(await run({ url, ...params }, { caller })), refused, url);
  assert.equal((await run({ url: origin, ...params }, { caller })).ok, true);
  assert.equal(seen[0]?.headers.authorization, "Bearer canary-1");
});

test("[SD9, T21] a project's hook reaches this machine only where its own text says so", async (context) => {
  const { origin, seen } = await serve(context, allow);
  const { port } = new URL(origin);
  const caller = { environment: { PLACE: `127.0.0.1:${port}`, PORT: port } };
  const allowedEnvVars = ["PLACE", "PORT"];
  const number = `http://2130706433:${port}/`;
  for (const url of ["http://$PLACE/", "http://127.0.0.1:$PORT/", number, `http://[::ffff:127.0.0.1]:${port}/`])
    assert.equal((await run({ url, allowedEnvVars }, { caller })).ok, false, url);
  assert.match(failureOf(await run({ url: number })), /is of this machine: only a hook or a setting of your own/);
  assert.equal(seen.length, 0);
  assert.equal((await run({ url: `${origin}/$PORT`, allowedEnvVars }, { caller })).ok, true);
  for (const url of ["http://$PLACE/", number])
    assert.equal((await run({ url, allowedEnvVars }, { caller, origin: { layer: "user" } })).ok, true, url);
});

test("[T22] the keys to an agent's own session are sent nowhere, whatever a hook allows", async (context) => {
  const { origin, seen } = await serve(context, allow);
  const name = "CLAUDE_CODE_SESSION_ACCESS_TOKEN";
  const caller = { environment: { [name]: "canary-2" } };
  const params = { url: origin, headers: { "X-Key": `$${name}` }, allowedEnvVars: [name] };
  const result = await run(params, { caller, origin: { layer: "user" } });
  assert.deepEqual(result.notes, [`the variable ${name} is not set: sent empty`]);
  assert.doesNotMatch(JSON.stringify(seen), /canary/);
});
