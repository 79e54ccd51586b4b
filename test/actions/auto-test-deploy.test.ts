/** auto_test_deploy with real commands and a real web server: what is told of a deploy that went well, and of one that did not. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { autoTestDeploy } from "../../src/actions/builtin/auto-test-deploy.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import type { Fields } from "../../src/engine/event.ts";
import type { StepResult } from "../../src/engine/ports.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { contextOf, type Surroundings, temporaryFolder } from "./context.ts";

const patterns = await loadPatterns();

/** Fills placeholders as the engine does, and runs the step. */
async function run(params: Fields, wish: Surroundings): Promise<StepResult> {
  assert.deepEqual(autoTestDeploy.params.check(params), []);
  assert.deepEqual(autoTestDeploy.inspect?.(params, patterns), []);
  const context = contextOf({
    name: "PostToolUse",
    data: { tool_name: "Write", tool_input: {} },
    written: params,
    ...wish,
  });
  const filled = (await autoTestDeploy.render?.(params, context.scope)) ?? params;
  // what render gives has the shape of the parameters
  return autoTestDeploy.run(filled as unknown as Parameters<typeof autoTestDeploy.run>[0], context);
}

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

const textOf = (result: StepResult): string => result.outcome?.messages?.[0]?.text ?? "";
const checksOf = (result: StepResult): unknown[] => {
  const { checks } = result.output;
  return Array.isArray(checks) ? checks.map((one) => isRecord(one) && [one.ok, one.attempts]) : [];
};

test("[D63] a deploy whose checks pass is reported in one message", async (t) => {
  const cwd = temporaryFolder(t);
  const url = await serve(t, (_request, reply) => void reply.end("all is well"));
  const checks = [{ command: "test -f deployed" }, { url: `${url}/health`, contains: "well" }];
  const result = await run({ command: "touch deployed; echo done", checks }, { cwd });
  assert.ok(result.ok);
  assert.equal(result.output.passed, true);
  assert.equal(result.output.stdout, "done");
  assert.deepEqual(checksOf(result), [
    [true, 1],
    [true, 1],
  ]);
  assert.deepEqual(
    result.outcome?.messages?.map(({ to, role }) => [to, role]),
    [["model", "user"]],
  );
  assert.match(textOf(result), /^Deployed with `touch deployed; echo done`\. All 2 checks passed\.$/);
});

test("[D63] a deploy that fails is reported with what it printed, and nothing is checked", async (t) => {
  const cwd = temporaryFolder(t);
  const checks = [{ command: "touch checked" }];
  const result = await run({ command: "echo building; echo no space left >&2; exit 3", checks }, { cwd });
  assert.ok(!result.ok);
  assert.match(result.reason, /exit 3: no space left/);
  assert.match(textOf(result), /^The deploy .* failed: exit 3: no space left\nbuilding\nno space left/);
  assert.equal(existsSync(join(cwd, "checked")), false);
});

test("[D63] an address is tried again until it is well", async (t) => {
  let asked = 0;
  const url = await serve(t, (_request, reply) => {
    asked += 1;
    reply.statusCode = asked < 3 ? 503 : 200;
    reply.end();
  });
  const result = await run({ command: "true", checks: [{ url, delay: 0.01 }] }, {});
  assert.ok(result.ok);
  assert.deepEqual(checksOf(result), [[true, 3]]);
});

test("[D63] the first check that fails is reported, and ends the checks", async (t) => {
  const cwd = temporaryFolder(t);
  const url = await serve(t, (_request, reply) => void reply.writeHead(500).end("out of order"));
  const checks = [{ url, retries: 2, delay: 0.01 }, { command: "touch checked" }];
  const result = await run({ command: "true", checks }, { cwd });
  assert.ok(!result.ok);
  assert.equal(result.failure, "error");
  assert.match(result.reason, /^the check GET .* failed after 3 tries: it answered with status 500 instead of 200$/);
  assert.match(textOf(result), /^Deployed with `true`, but the check GET /);
  assert.equal(result.outcome?.verdict, undefined);
  assert.equal(existsSync(join(cwd, "checked")), false);
});

test("[D63] the expected answer of an address can be set: another status, and a text of its body", async (t) => {
  const url = await serve(t, (_request, reply) => void reply.writeHead(204).end());
  assert.ok((await run({ command: "true", checks: [{ url, status: 204 }] }, {})).ok);
  const result = await run({ command: "true", checks: [{ url, status: 204, contains: "version 2", retries: 0 }] }, {});
  assert.ok(!result.ok);
  assert.match(result.reason, /after 1 try: its answer does not contain "version 2"/);
});

test("[D63] an address without a server, and one that never answers, are failures with their reasons", async (t) => {
  const url = await serve(t, () => {});
  const silent = await run({ command: "true", checks: [{ url, retries: 0, timeout: 0.2 }] }, {});
  assert.match(silent.ok ? "" : silent.reason, /it did not answer within 0\.2 s/);
  const gone = await run({ command: "true", checks: [{ url: "http://127.0.0.1:9/", retries: 1, delay: 0 }] }, {});
  assert.match(gone.ok ? "" : gone.reason, /after 2 tries: .*ECONNREFUSED/);
});

test("[D63] a command check is tried once unless it says how often", async (t) => {
  const cwd = temporaryFolder(t);
  const command = 'echo x >> tries; test "$(wc -l < tries)" -ge 2';
  assert.equal((await run({ command: "rm -f tries", checks: [{ command }] }, { cwd })).ok, false);
  const again = await run({ command: "rm -f tries", checks: [{ command, retries: 1, delay: 0 }] }, { cwd });
  assert.deepEqual([again.ok, checksOf(again)], [true, [[true, 2]]]);
});

test("[D63] values in commands stay values, and values in addresses are filled in", async (t) => {
  const cwd = temporaryFolder(t);
  const seen: string[] = [];
  const url = await serve(t, (request, reply) => {
    seen.push(request.url ?? "");
    reply.end("version 7");
  });
  const params = {
    command: "printf %s {{tool.params.name}} > name",
    checks: [
      { command: "printf %s {{tool.params.name}} > checked" },
      { url: `${url}/{{tool.params.version}}`, contains: "{{tool.params.version}}" },
    ],
  };
  const name = "a; touch injected";
  const data = { tool_name: "Write", tool_input: { name, version: 7 } };
  assert.ok((await run(params, { cwd, data })).ok);
  assert.equal(readFileSync(join(cwd, "name"), "utf8"), name);
  assert.equal(readFileSync(join(cwd, "checked"), "utf8"), name);
  assert.equal(existsSync(join(cwd, "injected")), false);
  assert.deepEqual(seen, ["/7"]);
});

test("[D63] a deploy over its own limit is ended", async () => {
  const result = await run({ command: "sleep 30", timeout: 0.2 }, {});
  assert.ok(!result.ok);
  assert.equal(result.failure, "timeout");
});

test("[D63] a step that is asked to stop waits for no further try", async (t) => {
  const url = await serve(t, (_request, reply) => void reply.writeHead(500).end());
  const signal = AbortSignal.timeout(300);
  const result = await run({ command: "true", checks: [{ url, retries: 50, delay: 60 }] }, { signal });
  assert.equal(result.ok, false);
});

test("[D63] with inject false the model gets no message", async () => {
  const params = { command: "true", checks: [{ command: "false" }], inject: false };
  const result = await run(params, {});
  assert.ok(!result.ok);
  assert.equal(result.outcome, undefined);
});

test("[D63] what is wrong with a check, and a value that cannot stay one, is found when the rule is read", () => {
  const wrong = (params: Fields): string[] =>
    (autoTestDeploy.inspect?.(params, patterns) ?? []).map(({ path, expected }) => `${path.join(".")}: ${expected}`);
  assert.deepEqual(wrong({ command: "true", checks: [{}, { command: "true", url: "http://a" }] }), [
    "checks.0: a command or a url",
    "checks.1: a command or a url",
  ]);
  assert.deepEqual(wrong({ command: "true", checks: [{ url: "file:///etc/passwd" }] }), [
    "checks.0.url: an http or https address",
  ]);
  const [place] = wrong({ command: "true", checks: [{ command: "cat <<END\n{{tool.params.a}}\nEND" }] });
  assert.match(place ?? "", /^checks\.0\.command: each value to stay one argument/);
});

test("[D63] a step has the time that its deploy and all tries of its checks may take", () => {
  const limit = autoTestDeploy.action?.limit;
  assert.equal(limit?.({ command: "true" }), 123);
  assert.equal(
    limit?.({ command: "true", timeout: 7, checks: [{ url: "http://a", retries: 1, delay: 2, timeout: 5 }] }),
    22,
  );
});
