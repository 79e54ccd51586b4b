import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { type TestContext, test } from "node:test";
import { outputOf, runStep } from "./step-context.ts";

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

test("[A27] an http step asks with GET and gives the answer's body and status", async (t) => {
  const asked: string[] = [];
  const at = await serve(t, ({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers["content-length"]}`);
    if (url === "/old") response.writeHead(302, { location: "/new" }).end("moved");
    else response.writeHead(url === "/none" ? 204 : 201).end(url === "/none" ? "" : "héllo");
  });
  assert.deepEqual(await runStep("http", { url: `${at}/old` }), {
    ok: true,
    output: { body: "héllo", status_code: 201, _step_index: 0 },
  });
  assert.deepEqual(await outputOf("http", { url: `${at}/none` }), { body: "", status_code: 204, _step_index: 0 });
  assert.deepEqual(asked, ["GET /old undefined", "GET /new undefined", "GET /none undefined"]);
});

test("[A27] a status of 400 and above is reported with its meaning, and is no error of the step", async (t) => {
  const at = await serve(t, ({ url }, response) => response.writeHead(Number(url?.slice(1))).end("long page"));
  const result = await runStep("http", { url: `${at}/404` });
  assert.deepEqual(result, {
    ok: true,
    output: { body: "HTTP Error 404: Not Found", status_code: 404, _step_index: 0 },
    evidence: { stdout: "long page" },
  });
  const { body, status_code } = await outputOf("http", { url: `${at}/599` });
  assert.deepEqual([body, status_code], ["HTTP Error 599: Unknown", 599]);
});

test("[A27] where there is no answer the status is 0, and the error says why", async (t) => {
  const closed = createPlainServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await new Promise((resolve) => closed.once("listening", resolve));
  t.after(() => closed.close());
  const { port } = closed.address() as AddressInfo;
  const cut = await runStep("http", { url: `http://127.0.0.1:${port}/x?token=secret` });
  assert.ok(!cut.ok && cut.failure === "error");
  assert.deepEqual([cut.output.status_code, cut.output.body], [0, ""]);
  assert.match(String(cut.output.error), new RegExp(`^http://127.0.0.1:${port} gave no reply: `));
  for (const url of ["", "nowhere", "file:///etc/passwd", "ftp://127.0.0.1/", "http://me:secret@127.0.0.1/"]) {
    const { status_code, error } = await outputOf("http", { url });
    assert.equal(status_code, 0);
    assert.match(String(error), /is not an address|is neither http nor https|holds a user name or password/);
  }
});

test("[A27, X2] a server that does not answer in time is given up", async (t) => {
  const at = await serve(t, ({ url }, response) => {
    if (url === "/half") response.write("half");
  });
  for (const url of [`${at}/silent`, `${at}/half`]) {
    const result = await runStep("http", { url, timeout: 0.3 });
    assert.ok(!result.ok && result.failure === "timeout");
    assert.deepEqual(result.output, {
      body: "",
      status_code: 0,
      error: `${at} gave no reply within 0.3 s`,
      _step_index: 0,
    });
  }
});

test("[A27] a body is cut at 50,000 characters, and one without an end is not read further", async (t) => {
  const at = await serve(t, (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write("é".repeat(10_000)));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  const { output, notes } = await runStep("http", { url: at });
  assert.match(String(output.body), /^é{49920}\n\[cut: what follows these 49920 characters was not read\]$/);
  assert.deepEqual(notes, ["body was cut at 50000 characters"]);
});

test("[A27] a redirect to another kind of address is not followed", async (t) => {
  const at = await serve(t, (_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end());
  const { status_code, error } = await outputOf("http", { url: at });
  assert.equal(status_code, 0);
  assert.match(String(error), /redirected to file:/);
});

test("[SD9, T21] where data says the host, a step reaches public addresses only, in an automation of one's own too", async (t) => {
  const asked: string[] = [];
  const at = await serve(t, ({ url = "" }, response) => {
    asked.push(url);
    response.end("inside");
  });
  for (const layer of ["user", "project"] as const)
    for (const written of ["{{url}}", "http://{{host}}/", "http://other.example/{{url}}"]) {
      const { output } = await runStep("http", { url: `${at}/data` }, { written: { url: written }, origin: { layer } });
      assert.match(String(output.error), /only a hook or a setting of your own may lead there/, `${layer} ${written}`);
    }
  assert.deepEqual(asked, []);
  const { body } = await outputOf("http", { url: `${at}/data` }, { written: { url: `${at}/{{path}}` } });
  assert.equal(body, "inside");
});
