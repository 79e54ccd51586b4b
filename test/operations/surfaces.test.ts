/**
 * What is asked means the same however it is asked (R100): each question here is put by the command line, over HTTP and over MCP, from
 * the same folder, and the answers are compared. An operation that is asked by people gets a row here.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { operations } from "../../src/operations/index.ts";
import { commandOf } from "../../src/operations/serve.ts";
import { type Opened, openDaemon, token } from "../hosts/daemon/hosted.ts";
import { callsTo } from "../hosts/daemon/started.ts";
import { type Connected, connect } from "../hosts/mcp/server.ts";
import { codeCache, runCommand } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

type Input = Readonly<Record<string, unknown>>;

const rules = (reason: string): string => `hooks:
  - id: no_push
    on: tool_start
    condition: { type: tool_name, match: Bash }
    action: { type: gate, reason: "${reason}" }
  - id: noted
    on: tool_end
    condition: { type: tool_name, match: Bash }
    action: { type: log, message: "it ran" }
`;

const nightly = "name: Nightly\ntrigger: { type: cron, cron: 0 3 * * *, skip_llm: true }\n";

/** Two projects with one store; all is asked from the first. */
const ends: (() => unknown)[] = [];
const folder = temporaryFolder({ after: (end) => void ends.push(end) });
const [shop, site] = [join(folder, "shop"), join(folder, "site")];
const environment = {
  ...{ PATH: process.env.PATH ?? "", HOME: join(folder, "home"), XDG_STATE_HOME: join(folder, "state") },
  ...{ NODE_COMPILE_CACHE: codeCache, HOOKLINE_DAEMON: "off" },
};
const command = (cwd: string, ...words: string[]) => runCommand(words, { cwd, environment });
const data = { tool_name: "Bash", tool_input: { command: "git push" } };
let daemon: Opened;
let connected: Connected;
let elsewhere: Connected;

before(async () => {
  for (const project of [shop, site]) {
    mkdirSync(join(project, ".hookline", "rules"), { recursive: true });
    writeFileSync(join(project, ".hookline", "rules", "g.yaml"), rules(`not from ${project}`));
  }
  mkdirSync(join(shop, ".hookline", "automations"));
  writeFileSync(join(shop, ".hookline", "automations", "nightly.yaml"), nightly);
  mkdirSync(environment.HOME);
  for (const [cwd, event, session] of [
    [shop, "PreToolUse", "one"],
    [site, "PreToolUse", "two"],
    [shop, "PostToolUse", "one"],
    [site, "PostToolUse", "two"],
  ] as const)
    command(cwd, "emit", event, "--session", session, "--data", JSON.stringify(data));
  for (const words of [
    ["project", "create", "Shop", "--id", "shop"],
    ["task", "create", "Paint it", "--project", "shop"],
    ["note", "write", "wall", "--content", "white", "--project", "shop"],
    ["memory", "add", "the wall is white", "--project", "shop"],
  ])
    assert.equal(command(shop, ...words).status, 0, words.join(" "));
  const mcpOf = (workspace: string) =>
    connect({ after: (end) => void ends.push(end as () => unknown) }, { workspace, environment });
  daemon = await openDaemon({ folder, workspace: shop, environment }, { complain() {} });
  [connected, elsewhere] = await Promise.all([mcpOf(shop), mcpOf(site)]);
});
after(async () => {
  await daemon.close();
  for (const end of ends.reverse()) await end();
});

/** Flags as a person types them. */
function wordsOf(name: string, input: Input): string[] {
  const row = operations.get(name);
  assert.ok(row, name);
  const { words = [] } = row;
  return [
    ...commandOf(name, row).split(" "),
    ...words.flatMap((word) => (input[word] === undefined ? [] : [String(input[word])])),
    ...Object.entries(input).flatMap(([key, value]) => {
      const flag = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      if (words.includes(key)) return [];
      return value === true ? [flag] : [flag, typeof value === "object" ? JSON.stringify(value) : String(value)];
    }),
  ];
}

/** By each way in: the answer, or what was said instead. */
const ways: Readonly<Record<string, (name: string, input: Input) => Promise<{ rows?: unknown; says?: string }>>> = {
  async command(name, input) {
    const { status, stdout, stderr } = command(shop, ...wordsOf(name, input), "--json");
    return status === 0 ? { rows: JSON.parse(stdout) } : { says: stderr };
  },
  async post(name, input) {
    const call = callsTo(daemon.server.port, token);
    const { status, body } = await call(`/operations/${name}`, { method: "POST", body: input });
    return status === 200 ? { rows: body } : { says: body.error.message };
  },
  async get(name, input) {
    const query = Object.entries(input).map(([key, value]): [string, string] => [
      key,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]);
    const call = callsTo(daemon.server.port, token);
    const { status, body } = await call(`/operations/${name}?${new URLSearchParams(query)}`);
    return status === 200 ? { rows: body } : { says: body.error.message };
  },
  tool: (name, input) => askTool(connected, name, input),
};

async function askTool({ client }: Connected, name: string, input: Input) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = Array.isArray(content) ? content : [];
  const text = first?.type === "text" ? first.text : "";
  return isError ? { says: text } : { rows: JSON.parse(text) };
}

const runId = (): string => JSON.parse(command(shop, "runs", "--json").stdout)[0].id;

const taskId = (): string => JSON.parse(command(shop, "task", "list", "--project", "shop", "--json").stdout)[0].id;

/** Each with how many rows it has; -1: it is no list. */
const questions: readonly (readonly [name: string, input: () => Input, rows: number])[] = [
  ["runs", () => ({}), 2],
  ["runs", () => ({ all: true }), 4],
  ["runs", () => ({ project: "../site" }), 2],
  ["runs", () => ({ hook: "no_push" }), 1],
  ["runs", () => ({ event: "tool_start" }), 1],
  ["runs", () => ({ session: "one" }), 2],
  ["runs", () => ({ session: "two" }), 0],
  ["runs", () => ({ session: "two", all: true }), 2],
  ["runs", () => ({ status: "completed" }), 2],
  ["runs", () => ({ status: "failed" }), 0],
  ["runs", () => ({ since: "1h" }), 2],
  ["runs", () => ({ since: "2100-01-01" }), 0],
  ["runs", () => ({ text: "NOT from" }), 1],
  ["runs", () => ({ text: "bash: git PUSH" }), 2],
  ["runs", () => ({ text: "noted" }), 1],
  ["runs", () => ({ text: "tool_input" }), 0],
  ["runs", () => ({ outcome: "blocked" }), 1],
  ["runs", () => ({ outcome: "asked" }), 0],
  ["runs", () => ({ limit: 1 }), 1],
  ["runs", () => ({ before: runId() }), 1],
  ["runs", () => ({ before: runId().slice(0, 25) }), 1],
  ["run", () => ({ id: runId().slice(0, 25) }), -1],
  ["follow_ups", () => ({}), 0],
  ["hooks", () => ({}), 3],
  ["hooks", () => ({ event: "tool_end" }), 1],
  ["hooks", () => ({ slow: true }), 3],
  ["explain", () => ({ event: "tool_start", data }), 3],
  ["explain", () => ({ event: "Stop" }), 3],
  ["why", () => ({}), -1],
  ["why", () => ({ id: runId() }), -1],
  ["why", () => ({ event: "PreToolUse" }), -1],
  ["why", () => ({ all: true }), -1],
  ["guard_list", () => ({}), -1],
  ["status", () => ({}), -1],
  ["guard_stats", () => ({}), -1],
  ["automation_list", () => ({}), 1],
  ["automation_show", () => ({ id: "nightly" }), -1],
  ["automation_export", () => ({}), -1],
  ["automation_runs", () => ({}), 0],
  ["project_list", () => ({}), 1],
  ["project_show", () => ({ id: "shop" }), -1],
  ["task_list", () => ({ project: "shop" }), 1],
  ["task_show", () => ({ id: taskId() }), -1],
  ["note_list", () => ({ project: "shop" }), 1],
  ["note_show", () => ({ name: "wall", project: "shop" }), -1],
  ["memory_search", () => ({ query: "wall", project: "shop" }), -1],
  ["coverage", () => ({}), 0],
  ["coverage", () => ({ all: true }), 0],
];

test("[R100] each operation that changes nothing is asked here, so that no new one answers by one way only", () => {
  const asked = new Set(questions.map(([name]) => name));
  const left = [...operations].flatMap(([name, { readOnly }]) => (readOnly && !asked.has(name) ? [name] : []));
  assert.deepEqual(left, []);
});

/** What may change between two questions, by its type alone. */
const steady = (rows: unknown): unknown =>
  JSON.parse(JSON.stringify(rows) ?? "null", (name, value) => (name === "bytes" ? typeof value : value));

for (const [name, input, count] of questions)
  test(`[R100] ${name} has one answer by command, route and tool: ${input.toString().replace(/^\(\) => \((.*)\)$/, "$1")}`, async () => {
    const asked = input();
    const answers = await Promise.all(
      Object.entries(ways).map(async ([way, ask]) => ({ way, ...(await ask(name, asked)) })),
    );
    const [{ rows } = { rows: undefined }] = answers;
    assert.notEqual(rows, undefined, JSON.stringify(answers));
    if (count >= 0) assert.equal(Array.isArray(rows) && rows.length, count);
    for (const answer of answers) assert.deepEqual(steady(answer.rows), steady(rows), `${answer.way}: ${answer.says}`);
  });

test("[R100] a run has the same fields in the list of runs and where it is shown whole, with its call and what its answer did to it", async () => {
  const { rows } = (await ways.post?.("runs", { event: "tool_start" })) ?? {};
  const [row] = rows as [Record<string, unknown>]; // the list of one run
  const { id, eventId, startedAt, ms, hook, hookName, ...rest } = row;
  assert.match(`${hook} ${hookName}`, /no_push.* no_push$/);
  assert.ok(
    typeof ms === "number" && typeof eventId === "string" && new Date(String(startedAt)).toISOString() === startedAt,
  );
  assert.deepEqual(rest, {
    ...{ event: "PreToolUse", session: "one", status: "completed", outcome: "blocked", call: "Bash: git push" },
    ...{
      reason: `not from ${shop}`,
      result: `deny: not from ${shop}`,
      cause: "event:PreToolUse",
      cwd: shop,
      sender: "emit",
    },
    receipt: null,
  });
  const { rows: whole } = (await ways.get?.("run", { id })) ?? {};
  assert.deepEqual({ ...(whole as object), ...row }, whole);
  assert.deepEqual((whole as { answer: unknown }).answer, { verdict: { is: "deny", by: hook, reason: rest.reason } });
});

/** What cannot be meant is refused, with one sentence. */
const wrong: readonly (readonly [name: string, input: Input, says: RegExp])[] = [
  ["runs", { event: "PreTolUse" }, /no event is called "PreTolUse".*did you mean "PreToolUse"\?/],
  ["runs", { event: "tool_end" }, /tool_end means PostToolUse and PostToolUseFailure/],
  ["runs", { limit: 0 }, /limit must be a whole number from 1 to 10000, not 0/],
  ["runs", { session: "" }, /session must be a text that is not empty/],
  ["runs", { since: "2026-02-30" }, /since must be a time such as 30m, 2h or 1d, or a date, not "2026-02-30"/],
  ["runs", { since: "foo 1" }, /since must be a time/],
  ["runs", { before: "none" }, /no run or event is called "none"/],
  ["runs", { eventId: "none" }, /no run or event is called "none"/],
  ["runs", { since: "soon" }, /since must be a time such as 30m, 2h or 1d, or a date, not "soon"/],
  ["runs", { status: "fialed" }, /status must be "queued" or .*, not "fialed"/],
  ["runs", { hook: "no_psh" }, /no hook is called "no_psh".*did you mean "no_push"\?/],
  ["runs", { project: "nowhere" }, /project needs a folder, and .*nowhere is none/],
  ["runs", { project: ".", all: true }, /all and project exclude each other/],
  ["run", { id: "none" }, /no run or event is called "none"/],
  ["hooks", { event: "PreTolUse" }, /no event is called "PreTolUse".*did you mean "PreToolUse"\?/],
  ["explain", { event: "PreTolUse" }, /no event is called "PreTolUse".*did you mean "PreToolUse"\?/],
  ["emit", { event: "PreTolUse" }, /no event is called "PreTolUse".*did you mean "PreToolUse"\?/],
  ["why", { id: "none" }, /no run or event is called "none"/],
  ["coverage", { session: "none" }, /no session is called "none"/],
  ["why", { session: "none" }, /no run or event is called "none"/],
];

for (const [name, input, says] of wrong)
  test(`[R100] ${name} refuses ${JSON.stringify(input)} in the same words everywhere`, async () => {
    for (const [way, ask] of Object.entries(ways)) {
      if (way === "get" && operations.get(name)?.readOnly === false) continue;
      const { says: said = "", rows } = await ask(name, input);
      assert.equal(rows, undefined, way);
      assert.match(said, says, way);
    }
  });

test("[R75] a tool answers with the runs of the project that it was started in, a route with those of the folder that is named", async () => {
  const of = async (input: Input): Promise<string[]> => {
    const { rows } = await askTool(elsewhere, "runs", input);
    return rows.map(({ session }: { session: string }) => session);
  };
  assert.deepEqual(await of({}), ["two", "two"]);
  assert.deepEqual(await of({ all: true }), ["two", "one", "two", "one"]);
  const { rows } = await askTool(elsewhere, "why", {});
  assert.equal(rows.event.cwd, site);
  const { rows: byRoute } = (await ways.post?.("runs", { cwd: site })) ?? {};
  assert.deepEqual(byRoute, (await askTool(elsewhere, "runs", {})).rows);
  assert.match((await ways.post?.("runs", { cwd: "site" }))?.says ?? "", /^cwd must be the absolute path of a folder$/);
});

test("[R100] that a hook file is broken is said beside the answer by command, route and tool, and the rows stay the same", async () => {
  writeFileSync(join(site, ".hookline", "rules", "bad.yaml"), "hooks:\n  - id: x\n    on: tool_strat\n");
  const broken = /a rule needs "condition" — \.hookline\/rules\/bad\.yaml:2:5, and 2 more — see hookline check/;
  const { stdout, stderr } = command(site, "list", "--json");
  assert.match(stderr, broken);
  const response = await fetch(
    `http://127.0.0.1:${daemon.server.port}/operations/hooks?${new URLSearchParams({ cwd: site })}`,
    {
      headers: { authorization: `Bearer ${token}` },
    },
  );
  const body = await response.json();
  assert.match(JSON.parse(response.headers.get("hookline-notes") ?? "[]").join(), broken);
  const { content } = await elsewhere.client.callTool({ name: "hooks", arguments: {} });
  const texts = (content as { text: string }[]).map(({ text }) => text); // all of them are texts
  assert.match(texts.slice(1).join(), broken);
  for (const rows of [body, JSON.parse(texts[0] ?? "")]) assert.deepEqual(rows, JSON.parse(stdout));
});

test("status changes nothing: a run whose process is gone is told, and still runs in the store", async () => {
  const run = {
    ...(await daemon.daemon.store.runs({ limit: 1 }))[0],
    id: "left",
    status: "running",
    owner: "999999:1",
  };
  await daemon.daemon.store.saveRun(run as Parameters<typeof daemon.daemon.store.saveRun>[0]);
  await daemon.daemon.context.engine.committed();
  for (const [way, ask] of Object.entries(ways)) {
    const { rows } = await ask("status", {});
    const { interrupted, running } = (rows as { store: Record<string, unknown> }).store;
    assert.deepEqual({ interrupted, running }, { interrupted: 1, running: 0 }, way);
  }
  assert.equal((await daemon.daemon.store.run("left"))?.status, "running");
});

test("[R100] a hook's own tool hookline.status knows the machine as the command does", async () => {
  const asks =
    "hooks:\n  - id: asks\n    on: deploy.asked\n    condition: { type: expression, expr: 'True' }\n    action: { type: module_action, module: hookline, action: status }\n";
  writeFileSync(join(shop, ".hookline", "rules", "asks.yaml"), asks);
  command(shop, "emit", "deploy.asked");
  const [{ id }] = JSON.parse(command(shop, "runs", "--event", "deploy.asked", "--json").stdout);
  const { steps } = JSON.parse(command(shop, "runs", "show", id, "--json").stdout);
  const said = JSON.parse(command(shop, "status", "--json").stdout);
  const { output } = steps.at(-1);
  assert.deepEqual(
    Object.keys(output.output ?? output)
      .filter((field) => field in said)
      .sort(),
    Object.keys(said).sort(),
  );
});

test("[R100] emit decides any event in the same way by command, route and tool", async () => {
  // What hooks log, a command hears itself; a daemon has it in its own log.
  const bare = ({ event, runs, logs: _logs, ...rest }: Record<string, unknown>) => ({
    ...rest,
    event: { ...(event as object), id: "", at: 0 },
    runs: (runs as object[]).map((run) => ({ ...run, id: "", ms: 0 })),
  });
  const input = { event: "tool_end", session: "three", data };
  const said = await Promise.all(["command", "post", "tool"].map((way) => ways[way]?.("emit", input)));
  const [first, ...others] = said.map((one) => bare(one?.rows as Record<string, unknown>)); // they are rows of emit
  assert.deepEqual(
    [first?.event, first?.runs.length],
    [{ ...first?.event, name: "PostToolUse", session: "three", sender: "emit", cwd: shop }, 1],
  );
  for (const other of others) assert.deepEqual(other, first);
  assert.match((await ways.get?.("emit", input))?.says ?? "", /emit changes something/);
  const denied = (await ways.tool?.("emit", { ...input, event: "tool_start" }))?.rows as {
    outcome: { verdict: { is: string } };
  };
  assert.equal(denied.outcome.verdict.is, "deny");
});
