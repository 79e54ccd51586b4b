import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { HooklineError } from "../../../src/engine/error.ts";
import { startPipedProcess } from "../../../src/runtime/processes/piped-process.ts";
import { isRunning } from "../../runtime/processes/running.ts";
import { error, lineIn, never, plain, say, stdio, temporaryFolder, toolsOf } from "./tools.ts";

/** For tests that call its one server, and leave it as it is. */
const shared = toolsOf({ after }, { one: stdio() });

test("a tool of a program is called by its dotted name and by the name that agents use", async (context) => {
  const tools = toolsOf(context, { "my server": plain() });
  assert.equal(await say(tools, "my server.echo", { text: "hello" }), "hello");
  assert.equal(await say(tools, "mcp__my_server__echo", { text: "again" }), "again");
});

test("structure comes as structure, with the words next to it; text stays text, and parts are joined", async () => {
  assert.deepEqual(await shared.call("one.add", { a: 1, b: 2 }, never), {
    ok: true,
    output: { sum: 3 },
    text: "the sum is 3",
  });
  assert.deepEqual(await shared.call("one.echo", { text: "12" }, never), { ok: true, output: "12" });
  assert.deepEqual(await shared.call("one.parts", {}, never), { ok: true, output: "one\n[image/png]\ntwo" });
});

test("text that is one JSON object or list is read, so that templates can walk into it", async () => {
  const call = async (text: string) => (await shared.call("one.echo", { text }, never)).output;
  assert.deepEqual(await call(' {"a": [1]} '), { a: [1] });
  assert.deepEqual(await call("[1, 2]"), [1, 2]);
  assert.equal(await call('{"a": 1} and more'), '{"a": 1} and more');
  assert.equal(await call("[not JSON"), "[not JSON");
});

test("what a tool reports as an error is an answer that is not ok", async () => {
  assert.deepEqual(await shared.call("one.fail", {}, never), { ok: false, output: "no disk" });
  const thrown = await shared.call("one.throw", {}, never);
  assert.deepEqual([thrown.ok, /thrown inside/.test(String(thrown.output))], [false, true]);
  const mistaken = await shared.call("one.add", { a: "x" }, never).catch((one: unknown) => one);
  assert.match(mistaken instanceof Error ? mistaken.message : JSON.stringify(mistaken), /expected number/);
});

test("20 calls at once share one server, which stays for later calls", async () => {
  const [before, pid] = (await say(shared, "one.count")).split(" of ");
  const said = await Promise.all(Array.from({ length: 20 }, () => say(shared, "one.count")));
  const numbers = said.map((one) => Number(one.split(" ")[0])).sort((left, right) => left - right);
  assert.deepEqual(
    numbers,
    Array.from({ length: 20 }, (_, index) => Number(before) + index + 1),
  );
  assert.deepEqual([...new Set(said.map((one) => one.split(" of ")[1]))], [pid]);
  assert.equal(await say(shared, "one.count"), `${Number(before) + 21} of ${pid}`);
});

test("two projects have a server each, and closing one leaves the other alone", async (context) => {
  const [left, right] = [toolsOf(context, { one: plain() }), shared];
  const pids = [await say(left, "one.pid"), await say(right, "one.pid")].map(Number);
  assert.notEqual(pids[0], pids[1]);
  await left.close();
  assert.deepEqual(pids.map(isRunning), [false, true]);
  assert.equal(await say(right, "one.echo", { text: "here" }), "here");
});

test("noise on stdout and stderr does not disturb the answer", async () => {
  assert.equal(await say(shared, "one.noise"), "through the noise");
  assert.equal(await say(shared, "one.echo", { text: "still here" }), "still here");
});

/** Its server crashes in calls, and notes what it was told. */
const crashing = ((): { tools: ReturnType<typeof toolsOf>; log: string } => {
  const log = join(temporaryFolder({ after }), "log");
  return { log, tools: toolsOf({ after }, { one: { ...plain(), env: { LOG: log } } }) };
})();

test("a server that crashes in a call fails that call, with its last words next to the reason, and is started again for the next", async () => {
  const { tools } = crashing;
  const before = await say(tools, "one.pid");
  await assert.rejects(
    tools.call("one.crash", {}, never),
    (thrown) =>
      error("tool_failed", /one\.crash failed: it ended with exit code 7 — mcp_servers\.one/)(thrown) &&
      thrown instanceof HooklineError &&
      thrown.facts.said === "out of luck",
  );
  assert.notEqual(await say(tools, "one.pid"), before);
});

test("a call that may have reached the server is not repeated", async () => {
  const { tools, log } = crashing;
  const calls = [tools.call("one.echo", { text: "a" }, never), tools.call("one.crash", {}, never)];
  await Promise.allSettled(calls);
  assert.equal(readFileSync(log, "utf8"), 'echo {"text":"a"}\n');
});

test("a server that dies before it answers says why, and its words are next to the reason", async (context) => {
  const tools = toolsOf(context, { one: plain("dies") });
  for (const _again of [1, 2])
    await assert.rejects(
      tools.call("one.echo", {}, never),
      (thrown) =>
        error("tool_failed", /cannot be reached: it ended with exit code 3 — mcp_servers\.one/)(thrown) &&
        thrown instanceof HooklineError &&
        thrown.facts.said === "the licence has run out",
    );
});

test("a program that does not exist says so", async (context) => {
  const tools = toolsOf(context, { one: { command: "no-such-server" } });
  await assert.rejects(
    tools.call("one.echo", {}, never),
    error("tool_failed", /the program no-such-server was not found/),
  );
});

test("an aborted call is passed to the server, which continues to serve", async (context) => {
  const log = join(temporaryFolder(context), "log");
  const tools = toolsOf(context, { one: { ...plain(), env: { LOG: log } } });
  await say(tools, "one.echo", { text: "begin" });
  const controller = new AbortController();
  const hanging = tools.call("one.hang", {}, controller.signal);
  await lineIn(log, "hang began");
  controller.abort();
  await assert.rejects(hanging, error("tool_failed", /the call was stopped/));
  await lineIn(log, "hang cancelled");
  assert.equal(await say(tools, "one.echo", { text: "on" }), "on");
});

test("a call that was given up before it began never reaches a server", async (context) => {
  let started = 0;
  const tools = toolsOf(context, { one: plain() }, { start: (command) => (started++, startPipedProcess(command)) });
  await assert.rejects(tools.call("one.echo", {}, AbortSignal.abort()), error("tool_failed", /stopped/));
  await tools.close();
  assert.equal(started, 0);
});

test("long text is cut between characters and says so; structure that is too long fails", async () => {
  const text = await say(shared, "one.large", { bytes: 3 << 20 });
  assert.match(text, /^ä{262144}\n\[cut: 2097152 of 3145728 bytes are left out here\]\nä{262144}$/);
  assert.equal((await say(shared, "one.large", { bytes: 1 << 20 })).length, 1 << 19);
  await assert.rejects(
    shared.call("one.large_list", { bytes: 2 << 20 }, never),
    error("tool_failed", /its answer has 2097162 bytes/),
  );
});

test("a server inherits what every program needs, and what its settings name", async (context) => {
  const folder = temporaryFolder(context);
  const environment = { PATH: process.env.PATH ?? "", HOME: "/h", TERM: "dumb", SECRET: "s", TOKEN: "t" };
  const env = { KEY: "Bearer ${TOKEN}", LEVEL: "${LEVEL:-info}" };
  const tools = toolsOf(context, { one: { ...plain(), env, cwd: "." } }, { environment, cwd: folder });
  const { output } = await tools.call("one.environment", {}, never);
  const { HOOKLINE_RUN_COOKIE: _mark, PATH: _path, ...rest } = output as Record<string, string>; // the tool gives texts
  assert.deepEqual(rest, { HOME: "/h", TERM: "dumb", KEY: "Bearer t", LEVEL: "info", cwd: rest.cwd });
  assert.ok(rest.cwd?.endsWith(folder.split("/").at(-1) ?? "?"));
});

test("a variable that is not set is reported before anything is started", async (context) => {
  const tools = toolsOf(context, { one: { ...plain(), env: { KEY: "${MISSING_KEY}" } } });
  await assert.rejects(tools.call("one.echo", {}, never), error("tool_failed", /the variable MISSING_KEY is not set/));
});

test("unknown servers and tools are reported with what was most likely meant", async (context) => {
  const tools = toolsOf(context, { github: plain(), "with.dot": plain() });
  await assert.rejects(tools.call("gitub.echo", {}, never), error("tool_unknown", /did you mean "github\.echo"\?/));
  await assert.rejects(
    tools.call("mcp__gihtub__echo", {}, never),
    error("tool_unknown", /did you mean "github\.echo"\?/),
  );
  await assert.rejects(tools.call("github.ecko", {}, never), error("tool_unknown", /did you mean "github\.echo"\?/));
  await assert.rejects(
    tools.call("github.zzzzzz", {}, never),
    error("tool_unknown", /it has: echo, extract, diagnose/),
  );
  await assert.rejects(tools.call("nothing", {}, never), error("tool_unknown", /servers: github, with\.dot/));
  assert.equal(await say(tools, "with.dot.echo", { text: "dots" }), "dots");
  await assert.rejects(
    toolsOf(context, {}).call("a.b", {}, never),
    error("tool_unknown", /name its server under mcp_servers in hookline\.yaml/),
  );
});

test("the list names every tool with its schema, and whether it only reads", async () => {
  const list = await shared.list(never);
  const echo = list.find(({ name }) => name === "one.echo");
  assert.deepEqual([echo?.description, echo?.readOnly, echo?.input?.type], ["Says it again", true, "object"]);
  assert.equal(list.find(({ name }) => name === "one.count")?.readOnly, undefined);
});

test("a server that cannot be listed fails the list, or is reported and left out", async (context) => {
  const servers = { good: plain(), bad: plain("dies") };
  await assert.rejects(toolsOf(context, servers).list(never), error("tool_failed", /exit code 3 —/));
  const told: string[] = [];
  const list = await toolsOf(context, servers, { complain: (sentence) => told.push(sentence) }).list(never);
  assert.deepEqual([...new Set(list.map(({ name }) => name.split(".")[0]))], ["good"]);
  assert.match(told.join(), /bad\.\* failed: .* exit code 3 —/);
});

test("a server that knows only the newer handshake is asked in the new way", async (context) => {
  const tools = toolsOf(context, { one: stdio("modern") });
  assert.equal(await say(tools, "one.echo", { text: "new" }), "new");
});

test("nothing is started before it is called", async (context) => {
  let started = 0;
  const tools = toolsOf(context, { one: plain() }, { start: (command) => (started++, startPipedProcess(command)) });
  await assert.rejects(tools.call("two.echo", {}, never));
  await tools.close();
  assert.equal(started, 0);
});
