/** The functions of our mod, in a Claude Code of the tests that gives them what the real one gives: whom they ask, and what they make of the answer. */
import { deepEqual, equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { temporaryFolder } from "../temporary-folder.ts";

type Call = { [name: string]: unknown };
type Hook = ($: unknown, call: Call, next: (call: Call) => Promise<Call>) => Promise<Call>;

interface Inside {
  hooks: Record<string, { run: Hook; caught?: Hook }>;
  notices: string[];
  aborted: unknown[];
  $: unknown;
  /** One call of a tool, as Claude Code passes it; gives what comes of it and the call as it was let through. */
  call(input: Call): Promise<{ done: Call; ran: Call | undefined; decision: Call | undefined }>;
}

interface Given {
  /** The line of each event, in sh. */
  lines: Readonly<Record<string, string>>;
  isGuarded?: boolean;
  environment?: Record<string, string>;
  /** What Claude Code's own check of permissions finds. */
  found?: Call;
}

/** Never the whole of $: what the mod may not use is not there. */
async function inside(
  t: TestContext,
  { lines, isGuarded = false, environment = {}, found = { decision: "allow" } }: Given,
): Promise<Inside> {
  const folder = temporaryFolder(t);
  const file = join(folder, "hookline.mjs");
  const calls = Object.entries(lines).map(([event, line]) => ({
    event,
    command: `set -- hook claude-code --event ${event} --by mod${isGuarded ? " --guarded" : ""}; ${line}`,
  }));
  writeFileSync(file, claudeCode.settings.mod?.print({ mark: "hookline:managed claude-code", calls }) ?? "");
  const { register } = await import(file);
  const hooks: Inside["hooks"] = {};
  register((event: string, run: Hook) => {
    hooks[event] = { run };
    return {
      catch(caught: Hook) {
        hooks[event] = { run, caught };
      },
    };
  });
  const [notices, aborted]: [string[], unknown[]] = [[], []];
  const variables: Record<string, string> = { HOME: folder, ...environment };
  const $ = {
    env: { get: async (name: string) => variables[name] },
    fs: { read: async (path: string) => readFileSync(path, "utf8") },
    session: { cwd: async () => folder, info: async () => ({ transcriptPath: "/t.jsonl", promptId: "p1" }) },
    process: {
      hookEnv: async () => ({ CLAUDE_CODE_SESSION_ID: "s1" }),
      run: async ([program = "", ...words]: string[], { stdin }: { stdin: string }) => {
        const { status, stdout, stderr } = spawnSync(program, words, { input: stdin, encoding: "utf8", cwd: folder });
        return { exitCode: status, stdout, stderr };
      },
    },
    http: { fetch: fetchOver },
    ui: { notice: async (text: string) => void notices.push(text) },
    turn: { abort: async (which: unknown) => void aborted.push(which) },
  };
  return {
    hooks,
    notices,
    aborted,
    $,
    async call(input) {
      let ran: Call | undefined;
      let decision: Call | undefined;
      const call = { ...input, tool: "Bash", tool_use_id: "t1" };
      const done = await hooks["tool.call"]?.run($, call, async (passed) => {
        const { tool, tool_use_id, ...rest } = passed;
        decision = await hooks["tool.check"]?.run($, { tool, tool_use_id, input: rest }, async () => found);
        ran = passed;
        return { result: "ok" };
      });
      return { done: done ?? {}, ran, decision };
    },
  };
}

/** As $.http.fetch over a unix socket. */
function fetchOver(
  url: string,
  { socketPath, method, headers, body }: { [name: string]: string } & { headers: Record<string, string> },
) {
  return new Promise((resolve, reject) => {
    const { pathname, search } = new URL(url);
    const asked = request({ socketPath, path: pathname + search, method, headers }, async (answer: IncomingMessage) => {
      let text = "";
      for await (const piece of answer) text += piece;
      resolve({ status: answer.statusCode, text });
    });
    asked.on("error", reject).end(body);
  });
}

const says = (reply: object): string => `printf %s '${JSON.stringify(reply)}'`;
const decides = (fields: object): object => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });

test("without a daemon the line decides: it gets the call as a payload, and its denial keeps the call from running", async (t) => {
  const { call, notices } = await inside(t, {
    lines: {
      PreToolUse: `grep -q '"command":"git push"' || exit 7; ${says({ systemMessage: "told", ...decides({ permissionDecision: "deny", permissionDecisionReason: "not that" }) })}`,
    },
  });
  const { done, ran } = await call({ command: "git push" });
  deepEqual([done, ran, notices], [{ deny: "not that" }, undefined, ["told"]]);
});

test("what the line says of code 2, of rubbish and of its own failure refuses where a guard was active, and passes elsewhere", async (t) => {
  for (const [line, guarded, open] of [
    ["echo no >&2; exit 2", /^no$/, "refused"],
    ["exit 7", /a guard is active/, "passes"],
    ["echo rubbish", /a guard is active/, "passes"],
  ] as const) {
    const strict = await inside(t, { lines: { PreToolUse: line }, isGuarded: true });
    match(String((await strict.call({ command: "ls" })).done.deny), guarded);
    const lenient = await inside(t, { lines: { PreToolUse: line } });
    equal((await lenient.call({ command: "ls" })).ran === undefined ? "refused" : "passes", open, line);
  }
});

test("where the mod itself fails, Claude Code gets a denial if a guard was active and the call as it was if not", async (t) => {
  const call = { tool: "Bash", tool_use_id: "t1", command: "ls" };
  const next = async (passed: Call): Promise<Call> => ({ passed });
  const guarded = await inside(t, { lines: { PreToolUse: "true" }, isGuarded: true });
  match(String((await guarded.hooks["tool.call"]?.caught?.(guarded.$, call, next))?.deny), /a guard is active/);
  const open = await inside(t, { lines: { PreToolUse: "true" } });
  deepEqual(await open.hooks["tool.call"]?.caught?.(open.$, call, next), { passed: call });
});

test("a rewrite is what runs, whole, context stands beside the result, and a stop ends the turn", async (t) => {
  const reply = decides({ updatedInput: { command: "ls" }, additionalContext: "look here" });
  const { call } = await inside(t, { lines: { PreToolUse: says(reply) } });
  const { done, ran } = await call({ command: "rm x", description: "d" });
  deepEqual(ran, { command: "ls", tool: "Bash", tool_use_id: "t1" });
  deepEqual(done, { result: "ok", context: ["look here"] });
  const stopping = await inside(t, { lines: { PreToolUse: says({ continue: false, stopReason: "enough" }) } });
  await stopping.hooks["turn.start"]?.run(stopping.$, { turnId: "turn1" }, async (e) => e);
  deepEqual(await stopping.call({ command: "ls" }).then(({ done, ran }) => [done, ran]), [
    { deny: "enough" },
    undefined,
  ]);
  deepEqual(stopping.aborted, [{ turnId: "turn1" }]);
});

test("a question is asked whatever Claude Code's own check allows, and an allow overrides no rule of the person's and no denial", async (t) => {
  const asks = says(decides({ permissionDecision: "ask", permissionDecisionReason: "sure?" }));
  const allows = says(decides({ permissionDecision: "allow" }));
  for (const [line, found, expected] of [
    [asks, { decision: "allow" }, { decision: "ask", reason: "sure?" }],
    [asks, { decision: "deny" }, { decision: "deny" }],
    [allows, { decision: "ask" }, { decision: "allow" }],
    [allows, { decision: "ask", rule: "Bash(ls)" }, { decision: "ask", rule: "Bash(ls)" }],
    [allows, { decision: "deny" }, { decision: "deny" }],
    ["true", { decision: "ask" }, { decision: "ask" }],
  ] as const) {
    const { call } = await inside(t, { lines: { PreToolUse: line }, found });
    deepEqual((await call({ command: "ls" })).decision, expected, line);
  }
});

test("a daemon is asked over its socket and no line runs; one that refuses, or another store, leaves it to the line", async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, "hookline"));
  const socket = join(folder, "d.sock");
  writeFileSync(join(folder, "hookline", "daemon.address"), `4665 token proof 1 2 0.1.0 ${socket}\n`);
  const heard: unknown[] = [];
  let status = 200;
  const daemon = createServer(async (asked, answer) => {
    let body = "";
    for await (const piece of asked) body += piece;
    heard.push([asked.url, JSON.parse(body)]);
    answer
      .writeHead(status)
      .end(JSON.stringify(decides({ permissionDecision: "deny", permissionDecisionReason: "of the daemon" })));
  });
  await new Promise<void>((resolve) => daemon.listen(socket, resolve));
  t.after(() => daemon.close());
  const lines = { PreToolUse: says(decides({ permissionDecision: "deny", permissionDecisionReason: "of the line" })) };
  const reasonWith = async (environment: Record<string, string>): Promise<unknown> =>
    (await (await inside(t, { lines, environment })).call({ command: "ls" })).done.deny;
  equal(await reasonWith({ XDG_STATE_HOME: folder }), "of the daemon");
  const [[url, payload] = []] = heard as [string, Call][];
  equal(url, "/hook/claude-code?event=PreToolUse&by=socket");
  const { cwd, ...rest } = payload ?? {};
  equal(typeof cwd, "string");
  deepEqual(rest, {
    ...{ session_id: "s1", transcript_path: "/t.jsonl", prompt_id: "p1", hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" },
  });
  for (const other of [{ HOOKLINE_STORE: "/x.db" }, { HOOKLINE_DAEMON: "off" }])
    equal(await reasonWith({ XDG_STATE_HOME: folder, ...other }), "of the line");
  status = 503;
  equal(await reasonWith({ XDG_STATE_HOME: folder }), "of the line");
});

test("the end of a call joins what the hooks of settings have said, and is asked about only where settings have no line for it", async (t) => {
  const reply = {
    decision: "block",
    reason: "of ours",
    ...{ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "more", updatedToolOutput: "new" } },
  };
  const both = await inside(t, { lines: { PostToolUse: says(reply) } });
  const next = async (): Promise<Call> => ({ block: "of theirs", additionalContext: ["first"] });
  deepEqual(await both.hooks["classic.PostToolUse"]?.run(both.$, {}, next), {
    block: "of theirs\nof ours",
    additionalContext: ["first", "more"],
    updatedToolOutput: "new",
  });
  const beside = await inside(t, { lines: { PreToolUse: "true" } });
  deepEqual(await beside.hooks["classic.PostToolUse"]?.run(beside.$, {}, next), await next());
});
