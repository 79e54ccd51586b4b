/** More troubles of servers of tools that are programs, and the end of servers that do not obey. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { HooklineError } from "../../../src/engine/error.ts";
import { bundled } from "../../program.ts";
import { isRunning } from "../../runtime/processes/running.ts";
import { error, never, plain, say, toolsOf } from "./tools.ts";

const caller = fileURLToPath(new URL("./caller.ts", import.meta.url));

test("our own stdout, which may belong to an agent, stays empty whatever servers say", async () => {
  const servers = JSON.stringify({ one: plain(), none: plain("empty"), bad: plain("dies") });
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundled(caller), servers], { encoding: "utf8" });
  assert.deepEqual([status, stdout, stderr], [0, "", ""]);
});

test("a server may take its time to start, within its limit", async (context) => {
  const tools = toolsOf(context, { slow: plain("slow", "1000"), slower: { ...plain("slow", "600000"), timeout: 0.5 } });
  await Promise.all([
    say(tools, "slow.echo", { text: "at last" }).then((said) => assert.equal(said, "at last")),
    assert.rejects(tools.call("slower.echo", {}, never), error("tool_failed", /did not answer within 0\.5 s/)),
  ]);
});

test("who gives up does not stop the start for the others", async (context) => {
  const tools = toolsOf(context, { one: plain("slow", "1000") });
  const impatient = tools.call("one.echo", { text: "a" }, AbortSignal.timeout(200));
  const patient = say(tools, "one.echo", { text: "b" });
  await assert.rejects(impatient, error("tool_failed", /stopped while its server was being started/));
  assert.equal(await patient, "b");
});

test("a server that never ends its line is ended", async (context) => {
  const tools = toolsOf(context, { one: plain("flood") });
  await assert.rejects(tools.call("one.echo", {}, never), error("tool_failed", /it wrote a line that has no end/));
});

test("close() ends servers, with what they have started, whatever they do", async (context) => {
  const tools = toolsOf(context, { one: plain(), deaf: plain("deaf"), silent: plain("silent") });
  const pids = [await say(tools, "one.pid"), await say(tools, "one.child"), await say(tools, "deaf.pid")].map(Number);
  const hanging = [tools.call("one.hang", {}, never), tools.call("silent.echo", {}, never)];
  const settled = Promise.allSettled(hanging);
  await Promise.all([tools.close(), tools.close()]); // it waits for no answer: none comes
  assert.deepEqual(pids.map(isRunning), [false, false, false]);
  for (const one of await settled) assert.equal(one.status, "rejected");
  await assert.rejects(tools.call("one.echo", {}, never), error("tool_failed", /have been closed/));
});

test("an error of the protocol that is megabytes long is cut to 2,000 characters", async (context) => {
  const talkative = `
    const say = (id, rest) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...rest }));
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      const server = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } };
      if (method === "initialize") say(id, { result: server });
      else if (method === "tools/list") say(id, { result: { tools: [{ name: "a", inputSchema: { type: "object" } }] } });
      else if (id !== undefined) say(id, { error: { code: -32000, message: "long".repeat(1 << 18) } });
    });`;
  const tools = toolsOf(context, { one: { command: process.execPath, args: ["-e", talkative] } });
  await assert.rejects(tools.call("one.a", {}, never), (thrown) => {
    assert.ok(error("tool_failed", /longlong.*… — mcp_servers\.one/)(thrown) && thrown instanceof HooklineError);
    assert.ok(String(thrown.facts.reason).length <= 2_001);
    return true;
  });
});
