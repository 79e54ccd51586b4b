import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { createHandlers } from "../../src/actions/index.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { EventName, Fields } from "../../src/engine/event.ts";
import type { Tools } from "../../src/engine/external-services.ts";
import type { Hook, Step } from "../../src/engine/hook.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Handler, Observation, Patterns } from "../../src/engine/ports.ts";
import type { Run } from "../../src/engine/record.ts";
import type { McpServer } from "../../src/formats/config/config.ts";
import { startPipedProcess } from "../../src/runtime/processes/piped-process.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { createTools } from "../../src/services/mcp/index.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { lineIn, plain, stdio, temporaryFolder, toolsOf } from "../services/mcp/tools.ts";

type Action = Fields & { type: string };

interface Line {
  emit(name: EventName, data: Fields): Promise<Outcome>;
  /** What the tools of the project were given, one line each. */
  calls(): string[];
  log: string;
  run(): Run;
  logged: Extract<Observation, { is: "log" }>[];
  /** Waits for background work. */
  settle(): Promise<void>;
}

const handlers = createHandlers(new Map());
const surroundings = {
  start: startPipedProcess,
  environment: { PATH: process.env.PATH ?? "", HOME: "/home/somebody" },
  cwd: tmpdir(),
};
const serversOf = (log: string, started: ReturnType<typeof stdio>): Record<string, McpServer> => {
  const server = { ...started, env: { LOG: log } };
  return { web: server, lsp: server };
};

/** Servers that serve all lines whose tools do not end them: a process of Node each. */
const shared = ((): { log: string; tools: Tools } => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-tools-"));
  const log = join(folder, "log");
  const tools = createTools({ ...surroundings, servers: serversOf(log, stdio()) });
  after(async () => {
    await tools.close();
    rmSync(folder, { recursive: true });
  });
  return { log, tools };
})();
const has = (log: string): string[] => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);

/** A line with one hook of these actions, as a rule of specification 003 becomes; servers web and lsp. */
async function lineOf(context: TestContext, actions: Action[], more: Partial<Hook> = {}): Promise<Line> {
  const own = JSON.stringify(actions).includes("crash") ? join(temporaryFolder(context), "log") : undefined;
  const { log, tools } = own === undefined ? shared : { log: own, tools: toolsOf(context, serversOf(own, plain())) };
  const before = has(log).length;
  const steps = actions.map(({ type, ...given }): Step => {
    assert.deepEqual(handlers.get(type)?.inspect?.(given) ?? [], []);
    return { uses: type, with: given, timeout: 600, onError: "stop", templates: true };
  });
  const hook = {
    id: "rule",
    name: "rule",
    on: { event: ["PreToolUse", "PostToolUse", "UserPromptSubmit"] },
    steps,
    limits: { overlap: "coalesce" },
    mode: "sync",
    role: "observe",
    onFailure: "continue",
    priority: 100,
    enabled: true,
    tags: [],
    origin: { dialect: "rules", layer: "project" },
    ...more,
  } as Hook; // there is at least one step
  const runs: Run[] = [];
  const logged: Line["logged"] = [];
  const engine = createEngine({
    ...systemPorts(),
    store: openMemoryStore(),
    queue: createInlineQueue(),
    hooks: () => ({ id: "set", hooks: [hook] }),
    registry: { handlers, conditions: new Map() },
    patterns: {} as Patterns, // hooks without conditions ask for none
    tools: async () => tools,
    observe(seen) {
      if (seen.is === "run") runs.push(structuredClone(seen.run));
      if (seen.is === "log") logged.push(seen);
    },
  });
  context.after(() => engine.close());
  return {
    async emit(name, data) {
      return engine.emit({ id: `e${runs.length}`, name, at: 0, cwd: tmpdir(), data, sender: "test", session: "s" });
    },
    calls: () => has(log).slice(before),
    log,
    run: () => runs.at(-1) ?? assert.fail("there was no run"),
    logged,
    settle: () => engine.close(),
  };
}

const written = { tool_name: "filesystem.write", tool_input: { path: "src/a.ts" }, tool_response: { ok: true } };
const fetched = { tool_name: "web.fetch", tool_input: { url: "u" }, tool_response: { text: "<a>", status: 200 } };

test("[D51, D64, DT17] module_action calls the tool once, with the path that its parameters name", async (context) => {
  const line = await lineOf(context, [
    { type: "module_action", module: "lsp", action: "diagnose", params: { file: "{{tool.params.path}}" } },
  ]);
  assert.deepEqual(await line.emit("PostToolUse", written), {});
  assert.deepEqual(line.calls(), ['diagnose {"file":"src/a.ts"}']);
  assert.deepEqual(line.run().steps[0]?.output, { file: "src/a.ts" });
});

test("[D51] one name for module and action, and action_params for params, mean the same", async (context) => {
  const line = await lineOf(context, [
    { type: "module_action", action: "lsp.diagnose", action_params: { status: "{{tool.result.ok}}" } },
    { type: "module_action", action: "mcp__lsp__diagnose" },
  ]);
  await line.emit("PostToolUse", written);
  assert.deepEqual(line.calls(), ['diagnose {"status":true}', "diagnose {}"]);
});

test("[D51] an action without its module, or with parameters twice, is a mistake that is found at load", () => {
  const { inspect } = handlers.get("module_action") ?? assert.fail();
  assert.deepEqual(
    inspect?.({ action: "diagnose" }).map(({ path }) => path),
    [["module"]],
  );
  assert.deepEqual(
    inspect?.({ action: "a.b", params: {}, action_params: {} }).map(({ path }) => path),
    [["action_params"]],
  );
  assert.deepEqual(inspect?.({ action: "{{event.action}}" }), []);
});

test("[D51, DT24] a slow action in the background: emit returns before it ends", async (context) => {
  const gate = join(temporaryFolder(context), "gate");
  const action = { type: "module_action", module: "web", action: "wait_for", params: { file: gate } };
  const line = await lineOf(context, [action], { mode: "async" });
  assert.equal(handlers.get("module_action")?.action?.background, true);
  assert.deepEqual(await line.emit("PostToolUse", written), {});
  await lineIn(line.log, "waiting began");
  assert.equal(line.calls().includes("waiting ended"), false);
  writeFileSync(gate, "");
  await line.settle();
  assert.equal(line.calls().at(-1), "waiting ended");
  assert.deepEqual([line.run().status, line.run().steps[0]?.output], ["completed", { content: "it is there" }]);
});

test("[D51] an action that fails is a failed run, and the event is not touched", async (context) => {
  for (const [action, reason] of [
    ["web.fail", /^error: the tool web\.fail reported an error: no disk$/],
    ["web.crash", /^error: the tool web\.crash failed: it ended with exit code 7/],
    ["web.ecko", /^error: no tool is called "web\.ecko".*did you mean "web\.echo"\?/],
    ["nowhere.echo", /^error: no tool is called "nowhere\.echo"/],
  ] as const) {
    const line = await lineOf(context, [{ type: "module_action", action }]);
    assert.deepEqual(await line.emit("PostToolUse", written), {});
    assert.equal(line.run().status, "failed");
    assert.match(line.run().reason ?? "", reason);
  }
});

test("a tool that takes too long is a timeout, and is asked to stop", async (context) => {
  await shared.tools.call("web.echo", {}, new AbortController().signal); // it has begun before the limit counts
  const line = await lineOf(context, [{ type: "module_action", action: "web.hang" }], {
    limits: { timeout: 2, overlap: "coalesce" },
  });
  await line.emit("PostToolUse", written);
  assert.equal(line.run().status, "timeout");
  await lineIn(line.log, "hang cancelled");
});

test("[D52] module_action_inject: the answer comes back as a message to the model", async (context) => {
  const say = { type: "module_action_inject", module: "web", action: "echo" };
  const line = await lineOf(context, [
    { ...say, params: { text: "for {{tool.name}}" } },
    { ...say, params: { found: 2 }, role: "system" },
    { ...say, action: "add", params: { a: 1, b: 2 } },
  ]);
  assert.deepEqual((await line.emit("PostToolUse", written)).messages, [
    { to: "model", role: "user", text: "for filesystem.write" },
    { to: "model", role: "system", text: '{"found":2}' },
    { to: "model", role: "user", text: "the sum is 3" },
  ]);
});

test("[D52] an empty result injects nothing", async (context) => {
  const say = (params: Fields): Action => ({ type: "module_action_inject", action: "web.echo", params });
  const line = await lineOf(context, [say({ text: "" }), say({ text: " \n" }), say({ text: "[]" }), say({})]);
  assert.deepEqual(await line.emit("PostToolUse", written), {});
  assert.equal(line.calls().length, 4);
});

const toExtract = {
  type: "pipe",
  to: "web.extract",
  map: { html: "{{tool.result.text}}", k: "m" },
  extra: { max_links: 10, k: "e" },
};

test("[D60, D72, DT33] pipe makes one call: map filled, literals kept, and map wins over extra", async (context) => {
  const line = await lineOf(context, [toExtract]);
  assert.deepEqual(await line.emit("PostToolUse", fetched), {});
  assert.deepEqual(line.calls(), ['extract {"max_links":10,"k":"m","html":"<a>"}']);
  assert.deepEqual(line.run().steps[0]?.output, { max_links: 10, k: "m", html: "<a>" });
});

test("[D60, R20] a placeholder that is the whole value keeps its type on the way into the tool", async (context) => {
  const map = {
    status: "{{tool.result.status}}",
    all: "{{tool.result}}",
    said: "{{tool.result.status}}!",
    deep: [{ n: "{{tool.result.status}}" }],
  };
  const line = await lineOf(context, [{ type: "pipe", to: "web.extract", map }]);
  await line.emit("PostToolUse", fetched);
  const [call = ""] = line.calls();
  assert.deepEqual(JSON.parse(call.slice("extract ".length)), {
    status: 200,
    all: { text: "<a>", status: 200 },
    said: "200!",
    deep: [{ n: 200 }],
  });
});

for (const to of ["web.fail", "web.unheard_of", "web.crash"])
  test(`[D60, DT33] pipe to ${to}: log warns, ignore is silent, raise fails the run`, async (context) => {
    const said = to === "web.crash" ? 1 : 0; // what it wrote to stderr
    const ways = {
      log: { status: "completed", warnings: 1, notes: 1 + said },
      ignore: { status: "completed", warnings: 0, notes: 0 },
      raise: { status: "failed", warnings: 0, notes: said },
    };
    for (const [policy, { status, warnings, notes }] of Object.entries(ways)) {
      const line = await lineOf(context, [{ type: "pipe", to, on_error: policy }]);
      assert.deepEqual(await line.emit("PostToolUse", fetched), {});
      assert.equal(line.run().status, status);
      assert.equal(line.run().notes.length, notes);
      assert.deepEqual(
        line.logged.map(({ level, hook }) => [level, hook]),
        Array(warnings).fill(["warn", "rule"]),
      );
    }
  });

test("[D60] pipe logs a failure by default", async (context) => {
  const line = await lineOf(context, [{ type: "pipe", to: "web.fail" }]);
  await line.emit("PostToolUse", fetched);
  assert.deepEqual(
    line.logged.map(({ message }) => message),
    ["pipe: the tool web.fail reported an error: no disk"],
  );
});

test("[D60, R17] a guard whose pipe raises blocks", async (context) => {
  const raise = { type: "pipe", to: "web.fail", on_error: "raise" };
  const line = await lineOf(context, [raise], { role: "guard", onFailure: "block" });
  const { verdict } = await line.emit("PreToolUse", written);
  assert.equal(verdict?.is, "deny");
  assert.match(verdict.reason ?? "", /no disk/);
});

test("[D58] the next step of a chain reads the tool's answer as {{previous}}, and walks into it", async (context) => {
  const line = await lineOf(context, [
    { type: "pipe", to: "web.echo", map: { text: '{"name": "x", "list": [7]}' } },
    {
      type: "pipe",
      to: "web.extract",
      map: { name: "{{previous.name}}", first: "{{previous.list.0}}", all: "{{previous}}" },
    },
    { type: "pipe", to: "web.echo", map: { text: "words" } },
    { type: "pipe", to: "web.extract", map: { said: "<{{previous}}>" } },
  ]);
  await line.emit("PostToolUse", fetched);
  const [, second = "", , fourth = ""] = line.calls();
  assert.deepEqual(JSON.parse(second.slice("extract ".length)), { name: "x", first: 7, all: { name: "x", list: [7] } });
  assert.equal(fourth, 'extract {"said":"<words>"}');
});

const asked = (answer: unknown): Action => ({
  type: "mcp_tool",
  server: "web",
  tool: "echo",
  input: { text: typeof answer === "string" ? answer : JSON.stringify(answer) },
});

/** Settings hooks have no {{templates}}. */
const settingsLine = (context: TestContext, action: Action, more: Partial<Hook> = {}) => {
  const { type, ...given } = action;
  const step: Step = { uses: type, with: given, timeout: 600, onError: "stop" };
  return lineOf(context, [action], { steps: [step], role: "undeclared", ...more });
};

test("an mcp_tool hook gives the tool its input, filled from what a command would have read", async (context) => {
  const input = {
    file: "${tool_input.path}",
    who: "${session_id} in ${cwd} on ${hook_event_name}",
    all: "${tool_input}",
    list: ["${tool_response.ok}"],
    missing: "<${tool_input.nothing.at.all}>",
    nobody: "${__proto__}${tool_input.constructor}",
  };
  const line = await settingsLine(context, { type: "mcp_tool", server: "web", tool: "extract", input });
  await line.emit("PostToolUse", written);
  const [call = ""] = line.calls();
  assert.deepEqual(JSON.parse(call.slice("extract ".length)), {
    file: "src/a.ts",
    who: `s in ${tmpdir()} on PostToolUse`,
    all: { path: "src/a.ts" },
    list: [true],
    missing: "<>",
    nobody: "",
  });
});

test("the words of an mcp_tool's answer are read as a command's stdout would be", async (context) => {
  const decision = {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "not here",
    },
  };
  const denied = await (await settingsLine(context, asked(decision))).emit("PreToolUse", written);
  const label = '[untrusted: from the server of hook "rule"]';
  assert.deepEqual(denied, { verdict: { is: "deny", reason: `not here\n${label}`, by: "rule" } });
  const prompt = await (await settingsLine(context, asked("remember the milk"))).emit("UserPromptSubmit", {
    prompt: "hi",
  });
  assert.deepEqual(prompt, { context: [`remember the milk\n${label}`] });
  const silent = await (await settingsLine(context, asked(""))).emit("PreToolUse", written);
  assert.deepEqual(silent, {});
});

test("an mcp_tool that cannot be reached or reports an error blocks nothing, unless its policy says so", async (context) => {
  for (const [server, tool] of [
    ["nowhere", "check"],
    ["web", "fail"],
  ] as const) {
    const action = { type: "mcp_tool", server, tool };
    const open = await settingsLine(context, action);
    assert.deepEqual(await open.emit("PreToolUse", written), {});
    assert.equal(open.run().status, "failed");
    const closed = await settingsLine(context, action, { onFailure: "block" });
    assert.equal((await closed.emit("PreToolUse", written)).verdict?.is, "deny");
  }
});

test("every parameter of these handlers says what it is for", () => {
  for (const name of ["module_action", "module_action_inject", "pipe", "mcp_tool"]) {
    const { json }: Handler["params"] = (handlers.get(name) ?? assert.fail(name)).params;
    for (const [key, schema] of Object.entries(json.properties ?? {}))
      assert.ok(schema.description, `${name}.${key} has no description`);
  }
});

test("what a tool's server wrote to stderr is in the run's notes, and not in the verdict that the agent reads", async (context) => {
  for (const [type, more] of [
    ["module_action_inject", { action: "web.crash" }],
    ["pipe", { to: "web.crash", on_error: "raise" }],
  ] as const) {
    const line = await lineOf(context, [{ type, ...more }], { onFailure: "block" });
    const { verdict } = await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
    assert.equal(verdict?.is, "deny");
    assert.match(verdict?.reason ?? "", /web\.crash failed: it ended with exit code 7/);
    assert.doesNotMatch(JSON.stringify([verdict, line.run().reason]), /out of luck/);
    assert.deepEqual(line.run().notes, ["the server of the tool web.crash said: out of luck"]);
  }
});

test("what a tool says of its failure is cut to 2,000 characters", async (context) => {
  const line = await lineOf(context, [
    { type: "module_action_inject", action: "web.refuse", params: { bytes: 3 << 20 } },
  ]);
  await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
  const { reason = "" } = line.run();
  assert.match(reason, /^error: the tool web\.refuse reported an error: nono.*…$/);
  assert.ok(reason.length <= 2_000 + "error: ".length);
});
