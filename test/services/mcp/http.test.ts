import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type HttpFixture, startHttp } from "../../fixtures/mcp/http.ts";
import { error, lineIn, never, say, temporaryFolder, toolsOf } from "./tools.ts";

async function server(context: TestContext, way: Parameters<typeof startHttp>[0] = {}): Promise<HttpFixture> {
  const fixture = await startHttp(way);
  context.after(() => fixture.close());
  return fixture;
}

test("tools at an address are called over one session, which is closed with us", async (context) => {
  const { url, sessions } = await server(context);
  const tools = toolsOf(context, { web: { url } });
  const said = await Promise.all(Array.from({ length: 20 }, () => say(tools, "web.count")));
  assert.equal(new Set(said).size, 20);
  assert.deepEqual(await tools.call("web.add", { a: 2, b: 3 }, never), {
    ok: true,
    output: { sum: 5 },
    text: "the sum is 5",
  });
  assert.equal(sessions(), 1);
  await tools.close();
  assert.equal(sessions(), 0);
});

test("headers go with every request, filled from the environment", async (context) => {
  const { url, requests } = await server(context);
  const headers = { Authorization: "Bearer ${TOKEN}", "X-Team": "${TEAM:-none}" };
  const tools = toolsOf(context, { web: { url: "${BASE}", headers } }, { environment: { BASE: url, TOKEN: "t1" } });
  await say(tools, "web.echo", { text: "a" });
  await tools.close();
  assert.ok(requests.length >= 4, "initialize, initialized, call, goodbye");
  for (const { headers: sent } of requests)
    assert.deepEqual([sent.authorization, sent["x-team"]], ["Bearer t1", "none"]);
});

test("nothing is sent to another origin that a server redirects to", async (context) => {
  const elsewhere = await server(context);
  const { url } = await server(context, { to: elsewhere.url });
  const tools = toolsOf(context, { web: { url, headers: { Authorization: "Bearer secret" } } });
  await assert.rejects(tools.call("web.echo", {}, never), error("tool_failed", /Redirect to .* not followed/));
  assert.deepEqual(elsewhere.requests, []);
});

test("addresses and headers that cannot be used are reported, without their secrets", async (context) => {
  const url = "http://127.0.0.1:1/";
  const tools = toolsOf(
    context,
    {
      odd: { url: "not an address" },
      file: { url: "file:///etc/passwd" },
      name: { url: "http://user:secret@localhost/" },
      split: { url, headers: { Authorization: "Bearer ${KEY}" } },
      unset: { url, headers: { Authorization: "Bearer ${NO_KEY}" } },
      nobody: { url },
    },
    { environment: { KEY: "secret\r\nX-Other: 1" } },
  );
  const call = (name: string) => tools.call(`${name}.echo`, {}, never).then(() => assert.fail("it was called"), String);
  assert.match(await call("odd"), /"not an address" is not an address/);
  assert.match(await call("file"), /neither http nor https/);
  assert.match(await call("name"), /user name or password: send it as a header/);
  assert.match(await call("split"), /the header Authorization holds characters that no header may/);
  assert.match(await call("unset"), /the variable NO_KEY is not set/);
  assert.match(await call("nobody"), /fetch failed: .*(ECONNREFUSED|bad port)/);
  for (const name of ["name", "split"]) assert.doesNotMatch(await call(name), /secret/);
});

test("a server that has forgotten the session is connected again, within the same call", async (context) => {
  const { url, forget, sessions } = await server(context);
  const tools = toolsOf(context, { web: { url } });
  await say(tools, "web.count");
  forget();
  assert.match(await say(tools, "web.count"), /^1 of/);
  assert.equal(sessions(), 1);
});

test("a connection that breaks in a call fails that call, and is made again for the next", async (context) => {
  const log = join(temporaryFolder(context), "log");
  const { url, cut } = await server(context, { log });
  const tools = toolsOf(context, { web: { url } });
  const hanging = tools.call("web.hang", {}, never);
  await lineIn(log, "hang began");
  cut();
  await assert.rejects(hanging, error("tool_failed", /web\.hang failed: the connection broke/));
  assert.equal(await say(tools, "web.echo", { text: "back" }), "back");
});

test("an aborted call is passed to the server over HTTP too", async (context) => {
  const log = join(temporaryFolder(context), "log");
  const { url } = await server(context, { log });
  const tools = toolsOf(context, { web: { url } });
  const controller = new AbortController();
  const hanging = tools.call("web.hang", {}, controller.signal);
  await lineIn(log, "hang began");
  controller.abort();
  await assert.rejects(hanging, error("tool_failed", /the call was stopped/));
  await lineIn(log, "hang cancelled");
});

test("a server that knows only the newer handshake is asked in the new way over HTTP too", async (context) => {
  const { url } = await server(context, { modern: true });
  const tools = toolsOf(context, { web: { url } });
  assert.equal(await say(tools, "web.echo", { text: "new" }), "new");
  await assert.rejects(tools.call("web.ecko", {}, never), error("tool_unknown", /did you mean "web\.echo"\?/));
});

test("a server that answers errors, or nothing at all, fails within its limit", async (context) => {
  const silent = createServer((incoming, outgoing) => {
    if (incoming.url === "/error") outgoing.writeHead(500).end("broken");
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const { port } = silent.address() as AddressInfo; // it listens on a port
  const url = `http://127.0.0.1:${port}`;
  const tools = toolsOf(context, { broken: { url: `${url}/error` }, mute: { url: `${url}/mute`, timeout: 0.2 } });
  await assert.rejects(tools.call("broken.echo", {}, never), error("tool_failed", /broken/));
  await assert.rejects(tools.call("mute.echo", {}, never), error("tool_failed", /did not answer within 0\.2 s/));
});

test("close() does not wait for a server that has stopped answering", async (context) => {
  const { url, close } = await server(context);
  const tools = toolsOf(context, { web: { url } });
  const hanging = Promise.allSettled([tools.call("web.hang", {}, never)]);
  await say(tools, "web.count");
  await close();
  const started = performance.now();
  await tools.close();
  assert.ok(performance.now() - started < 600_000, "it waited for an answer");
  assert.equal((await hanging)[0]?.status, "rejected");
});

test("[SD9, T21, T22] a project's server is on this machine only where its address says so, and gets variables there or by https", async (context) => {
  const { url, requests } = await server(context);
  const { port } = new URL(url);
  const headers = { Authorization: "Bearer ${TOKEN}" };
  const tools = toolsOf(
    context,
    {
      number: { url: `http://2130706433:${port}/mcp`, ofProject: true },
      variable: { url: "${BASE}", ofProject: true },
      inside: { url: "http://10.0.0.1/mcp", ofProject: true },
      clear: { url: "http://wiki.example/mcp", headers, ofProject: true },
    },
    { environment: { BASE: url, TOKEN: "t1" } },
  );
  const call = (name: string) => tools.call(`${name}.echo`, {}, never).then(() => assert.fail("it was called"), String);
  for (const name of ["number", "variable", "inside"])
    assert.match(
      await call(name),
      /127\.0\.0\.1 is of this machine|10\.0\.0\.1 is of this machine's networks|sends variables/,
      name,
    );
  assert.match(await call("clear"), /a project's file sends variables to https addresses and to this machine only/);
  assert.equal(requests.length, 0);
  const local = toolsOf(context, { web: { url, headers, ofProject: true } }, { environment: { TOKEN: "t1" } });
  assert.equal(await say(local, "web.echo", { text: "a" }), "a");
  assert.equal(requests[0]?.headers.authorization, "Bearer t1");
});
