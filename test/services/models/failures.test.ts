import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import type { ModelTool } from "../../../src/engine/external-services.ts";
import { createModel } from "../../../src/services/models/index.ts";
import type { ScriptedTurn } from "../../../testing/index.ts";
import { failureOf, key, models, schema, settingsFor, startAsking, yes } from "./asking.ts";

const answer = { text: yes };

for (const name of models) {
  test(`${name}: 429 with Retry-After waits as long as the server says, and then has the answer`, async (t) => {
    const { ask, pauses, server } = await startAsking(t, [{ error: 429, retryAfter: 7, times: 1, next: answer }]);
    assert.equal((await ask(name)).text, yes);
    assert.deepEqual(pauses, [7_000]);
    assert.equal(server.requests.length, 2);
  });

  test(`${name}: 429 is not waited for where the answer would come after the deadline`, async (t) => {
    const { ask, pauses, server } = await startAsking(t, [{ error: 429, retryAfter: 7, times: 1, next: answer }]);
    const failure = await failureOf(ask(name, { deadline: Date.now() + 5_000 }));
    assert.deepEqual([failure.kind, failure.status, failure.retryAfter], ["rate_limit", 429, 7]);
    assert.deepEqual([pauses, server.requests.length], [[], 1]);
  });

  test(`${name}: 500, 502, 503 and 529 are tried three times, a little later each time`, async (t) => {
    for (const error of [500, 502, 503, 529]) {
      const { ask, pauses, server } = await startAsking(t, [{ error, message: "overloaded" }]);
      const failure = await failureOf(ask(name));
      assert.deepEqual([failure.kind, failure.status], ["server", error]);
      assert.match(String(failure.reason), new RegExp(`answered ${error}: overloaded`));
      assert.deepEqual([pauses, server.requests.length], [[500, 1_000], 3]);
    }
  });

  test(`${name}: a request that is wrong is not tried again`, async (t) => {
    for (const [error, kind] of [
      [400, "invalid"],
      [403, "unauthorized"],
      [404, "invalid"],
      [413, "invalid"],
    ] as const) {
      const { ask, server } = await startAsking(t, [{ error, message: "no such model" }]);
      assert.equal((await failureOf(ask(name))).kind, kind);
      assert.equal(server.requests.length, 1);
    }
  });

  test(`${name}: a connection that closes without an answer is tried again, one that closes in the middle is a cut answer`, async (t) => {
    const reset = await startAsking(t, [{ reset: true, times: 2, next: answer }]);
    assert.equal((await reset.ask(name)).text, yes);
    assert.equal(reset.server.requests.length, 3);
    const cut = await startAsking(t, [{ cut: answer }]);
    assert.equal((await failureOf(cut.ask(name))).kind, "cut");
    assert.equal(cut.server.requests.length, 1);
  });

  test(`${name}: an answer that is cut off at its limit is a cut answer, and what it cost is known`, async (t) => {
    const usage = { input: 90, output: 4096 };
    const { ask } = await startAsking(t, [{ text: '{"ok": tr', end: "length", usage }]);
    const failure = await failureOf(ask(name));
    assert.deepEqual([failure.kind, failure.tokens], ["cut", 4186]);
  });

  test(`${name}: a refusal is reported as a refusal, and its cost is known`, async (t) => {
    const { ask, server } = await startAsking(t, [
      { text: "I will not.", end: "refusal", usage: { input: 90, output: 10 } },
    ]);
    const failure = await failureOf(ask(name));
    assert.deepEqual([failure.kind, failure.tokens], ["refused", 100]);
    assert.equal(server.requests.length, 1);
  });

  test(`${name}: words where JSON was asked for, and broken JSON, are unreadable`, async (t) => {
    for (const text of ["it is fine", '{"ok": true, "reason": "it', "[1, 2]", "{ok: true}", ""]) {
      const { ask, server } = await startAsking(t, [{ text, usage: { input: 90, output: 10 } }]);
      const failure = await failureOf(ask(name));
      assert.deepEqual([failure.kind, failure.tokens], ["unreadable", 100], text);
      assert.equal(server.requests.length, 1);
    }
  });

  test(`${name}: a reply that is none of the provider's is a broken server`, async (t) => {
    for (const raw of ["<html>please log in</html>", '{"hello": 1}', "[]"]) {
      const { ask } = await startAsking(t, [{ raw }]);
      assert.match(String((await failureOf(ask(name))).kind), /server|unreadable/, raw);
    }
    const { ask } = await startAsking(t, [{ raw: '{"id": "x", "content": [' }]);
    assert.equal((await failureOf(ask(name))).kind, "cut");
  });

  test(`${name}: who gives up closes the connection, and the server sees it`, async (t) => {
    const { ask, server } = await startAsking(t, [{ hang: true }]);
    const controller = new AbortController();
    const asked = failureOf(ask(name, {}, controller.signal));
    const request = await server.arrival(1);
    controller.abort();
    await request.abandoned;
    assert.equal((await asked).kind, "aborted");
  });

  test(`${name}: no answer in time is a timeout, and is not tried again`, async (t) => {
    const { ask, server } = await startAsking(t, [{ hang: true }]);
    const failure = await failureOf(ask(name, {}, AbortSignal.timeout(300)));
    assert.equal(failure.kind, "timeout");
    await server.requests[0]?.abandoned;
    assert.ok(
      server.requests.length <= 1,
      "beside busy processes the time may be up before the provider's library is loaded",
    );
  });
}

test("Retry-After may be a date; one that cannot be read is as none", async (t) => {
  const cases: [ScriptedTurn, (pause: number) => boolean][] = [
    [
      { error: 429, retryAfter: new Date(Date.now() + 9_000).toUTCString(), times: 1, next: answer },
      (pause) => pause > 5_000 && pause <= 9_000,
    ],
    [{ error: 503, retryAfter: "0", times: 1, next: answer }, (pause) => pause === 0],
    [{ error: 429, retryAfter: "soon", times: 1, next: answer }, (pause) => pause === 500],
  ];
  for (const [turn, holds] of cases) {
    const { ask, pauses } = await startAsking(t, [turn]);
    await ask("claude/claude-haiku-4-5");
    assert.ok(pauses.length === 1 && holds(pauses[0] ?? -1), JSON.stringify([turn, pauses]));
  }
});

test("Google's own words for a wait and for a wrong key are understood", async (t) => {
  const body = { error: { code: 429, message: "slow", status: "X", details: [{ retryDelay: "3.5s" }] } };
  const slow = await startAsking(t, [{ error: 429, body, times: 1, next: answer }]);
  assert.equal((await slow.ask("gemini/gemini-2.5-flash")).text, yes);
  assert.deepEqual(slow.pauses, [3_500]);
  const key = { error: { code: 400, message: "bad key", status: "X", details: [{ reason: "API_KEY_INVALID" }] } };
  const wrong = await startAsking(t, [{ error: 400, body: key }]);
  assert.equal((await failureOf(wrong.ask("gemini/gemini-2.5-flash"))).kind, "unauthorized");
});

test("a server that gave up waiting is a timeout", async (t) => {
  for (const error of [408, 504]) {
    const { ask, server } = await startAsking(t, [{ error }]);
    assert.equal((await failureOf(ask("local/qwen3"))).kind, "timeout");
    assert.equal(server.requests.length, 1);
  }
});

test("an account without money is not asked again, though its status is 429", async (t) => {
  const { ask, server } = await startAsking(t, [{ error: 429, message: "insufficient_quota: check your plan" }]);
  assert.equal((await failureOf(ask("gpt/gpt-5-mini"))).kind, "rate_limit");
  assert.equal(server.requests.length, 1);
});

test("waiting for another try ends when the caller gives up", async (t) => {
  const { server } = await startAsking(t, [{ error: 429, retryAfter: 30 }]);
  const model = createModel(settingsFor(server.url), {});
  const controller = new AbortController();
  const asked = failureOf(model.ask({ model: "local/qwen3", prompt: "?" }, controller.signal));
  await server.arrival(1);
  setImmediate(() => controller.abort());
  assert.equal((await asked).kind, "aborted");
});

test("a tool that takes too long is asked to stop, and the question with it", async (t) => {
  const { ask } = await startAsking(t, [{ calls: [{ tool: "slow", input: {} }] }]);
  const controller = new AbortController();
  const slow: ModelTool = {
    name: "slow",
    description: "waits",
    input: { type: "object" },
    call: (_input, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve("stopped"));
        controller.abort();
      }),
  };
  assert.equal((await failureOf(ask("local/qwen3", { tools: [slow] }, controller.signal))).kind, "aborted");
});

test("a redirect is not followed: it would carry the key elsewhere", async (t) => {
  const seen: (string | undefined)[] = [];
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end("{}");
  });
  const here = createServer((_request, response) => {
    const { port } = elsewhere.address() as AddressInfo; // it listens
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
  });
  for (const server of [elsewhere, here]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
  }
  const { port } = here.address() as AddressInfo; // it listens
  const model = createModel(settingsFor(`http://127.0.0.1:${port}`), {});
  for (const name of models) {
    const failure = await failureOf(model.ask({ model: name, prompt: "?", schema }, AbortSignal.timeout(600_000)));
    assert.equal(failure.kind, "network");
  }
  assert.deepEqual(seen, []);
});

test("a server that does not exist is a network failure that says where", async () => {
  const model = createModel(settingsFor("http://127.0.0.1:1"), {});
  const failure = await failureOf(model.ask({ model: "local/qwen3", prompt: "?" }, AbortSignal.timeout(600_000)));
  assert.deepEqual([failure.kind, failure.where], ["network", "127.0.0.1:1"]);
});

test("a key that a server repeats is taken out of the message", async (t) => {
  const { ask } = await startAsking(t, [{ error: 400, message: `what is ${key} doing here` }]);
  assert.match(String((await failureOf(ask("local/qwen3"))).reason), /what is \[removed\] doing here/);
});

test("a reply without end is cut off", async (t) => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" });
    const piece = Buffer.alloc(1 << 20, " ");
    const write = (): void => {
      while (response.write(piece));
      response.once("drain", write);
    };
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens
  const model = createModel(settingsFor(`http://127.0.0.1:${port}`), {});
  const failure = await failureOf(model.ask({ model: "local/qwen3", prompt: "?" }, AbortSignal.timeout(600_000)));
  assert.equal(failure.kind, "server");
});

test("after five failures in a row a model is left alone for a minute, and others are still asked", async (t) => {
  let now = 1_000_000;
  const { server } = await startAsking(t, [{ error: 501, times: 5, next: answer }]);
  const model = createModel(settingsFor(server.url), {}, { now: () => now });
  const ask = (name: string) => model.ask({ model: name, prompt: "?", schema }, AbortSignal.timeout(600_000));
  for (let failures = 0; failures < 5; failures++) await failureOf(ask("local/qwen3"));
  const failure = await failureOf(ask("local/qwen3"));
  assert.match(String(failure.reason), /failed 5 times in a row and is not asked again for 60 s/);
  assert.equal(server.requests.length, 5);
  assert.equal((await ask("local/other")).text, yes);
  now += 60_000;
  assert.equal((await ask("local/qwen3")).text, yes);
});
