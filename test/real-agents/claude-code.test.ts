/** What hooks do to a real Claude Code: judged by what lies on disk and by what reaches its model, never by its screen. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import type { ScriptedAnswer } from "../../testing/scripted-model.ts";
import { bin, type ClaudeSession, type Hooks, registration, startClaude } from "./claude-session.ts";
import { real as limits, runsByItself } from "./first-run.ts";

const skip = limits("claude-code").skip;
const real = { skip, timeout: 120_000 };
/** What Hookline adds to what Claude Code does with the same hooks. */
const ours = { ...real, skip: skip || (registration === "plain" && "Hookline is left out of this run") };

const bash = (command: string): ScriptedAnswer => ({
  calls: [{ tool: "Bash", input: { command, description: "a step" } }],
});
const command = (line: string, more: Fields = {}): Fields => ({ type: "command", command: line, ...more });
const on = (event: string, ...hooks: Fields[]): Hooks => ({ [event]: [{ hooks }] });
const onBash = (event: string, ...hooks: Fields[]): Hooks => ({ [event]: [{ matcher: "Bash", hooks }] });
/** A command that answers with JSON, as hook programs do. */
const answering = (event: string, answer: Fields): Fields =>
  command(`printf '%s' '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...answer } })}'`);
const lines = async (session: ClaudeSession, path: string): Promise<number> =>
  session.has(path) ? (await session.read(path)).trim().split("\n").length : 0;

const closing: ScriptedAnswer = { text: "That is all." };

runsByItself("claude-code");

test("a call whose hook exits 2 is not made, and the model gets the reason", real, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch denied.txt"), closing] });
  await session.register(onBash("PreToolUse", command("echo 'touching is not allowed here' >&2; exit 2")));
  assert.equal((await session.run()).code, 0);
  assert.equal(session.has("denied.txt"), false);
  assert.doesNotMatch(session.heard(0), /touching is not allowed here/);
  assert.match(session.heard(1), /touching is not allowed here/);
});

test("a call that a hook denies in JSON is not made, and the next call is", real, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch denied.txt"), bash("mkdir made"), closing] });
  const denied = { permissionDecision: "deny", permissionDecisionReason: "use mkdir" };
  await session.register({
    PreToolUse: [{ matcher: "Bash", hooks: [{ ...answering("PreToolUse", denied), if: "Bash(touch *)" }] }],
  });
  await session.run();
  assert.equal(session.has("denied.txt"), false);
  assert.equal(session.has("made"), true);
  assert.match(session.heard(1), /use mkdir/);
});

test("a deny holds inside a subagent too", real, async (t) => {
  const input = {
    description: "a part",
    prompt: "SUBTASK: touch it",
    subagent_type: "general-purpose",
    run_in_background: false,
  };
  const session = await startClaude(t, {
    turns: [{ calls: [{ tool: "Agent", input }] }, closing],
    conversations: [{ opening: /SUBTASK/, turns: [bash("touch denied.txt"), bash("mkdir made"), closing] }],
  });
  await session.register({
    PreToolUse: [{ matcher: "Bash", hooks: [command("grep -q touch || exit 0; echo 'no touching' >&2; exit 2")] }],
  });
  await session.run();
  assert.equal(session.has("denied.txt"), false);
  assert.equal(session.has("made"), true);
});

test("a deny holds where the agent skips its own permissions", real, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch denied.txt"), bash("mkdir made"), closing] });
  await session.register(onBash("PreToolUse", command("grep -q touch || exit 0; exit 2")));
  await session.run({ flags: ["--dangerously-skip-permissions"] });
  assert.equal(session.has("denied.txt"), false);
  assert.equal(session.has("made"), true);
});

test("a rewritten command is run in place of the original", real, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch original.txt"), closing] });
  await session.register(
    onBash(
      "PreToolUse",
      answering("PreToolUse", { updatedInput: { command: "touch rewritten.txt", description: "a step" } }),
    ),
  );
  await session.run();
  assert.equal(session.has("original.txt"), false);
  assert.equal(session.has("rewritten.txt"), true);
});

test(
  "context of SessionStart and UserPromptSubmit is in the first request, that of a tool call in the next",
  real,
  async (t) => {
    const session = await startClaude(t, { turns: [bash("true"), closing] });
    await session.register({
      ...on("SessionStart", command("echo 'the branch is frozen'")),
      ...on("UserPromptSubmit", answering("UserPromptSubmit", { additionalContext: "the ticket is open" })),
      ...onBash("PreToolUse", answering("PreToolUse", { additionalContext: "the disk is nearly full" })),
      ...onBash("PostToolUse", answering("PostToolUse", { additionalContext: "three files changed" })),
    });
    await session.run();
    assert.match(session.heard(0), /the branch is frozen/);
    assert.match(session.heard(0), /the ticket is open/);
    assert.doesNotMatch(session.heard(0), /nearly full|three files/);
    assert.match(session.heard(1), /the disk is nearly full/);
    assert.match(session.heard(1), /three files changed/);
  },
);

test("a prompt that a hook blocks never reaches the model", real, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch made.txt"), closing] });
  await session.register(on("UserPromptSubmit", command("echo 'no secrets in prompts' >&2; exit 2")));
  assert.equal((await session.run()).code, 0);
  assert.deepEqual(session.model.conversation(), []);
});

test("a Stop is blocked once: the model gets the reason and the run ends after its answer", real, async (t) => {
  const session = await startClaude(t, { turns: [{ text: "first" }, { text: "second" }] });
  await session.register(
    on("Stop", command("[ -e held ] && exit 0; touch held; echo 'run the tests first' >&2; exit 2")),
  );
  assert.equal((await session.run()).code, 0);
  assert.equal(session.model.conversation().length, 2);
  assert.match(session.heard(1), /run the tests first/);
});

test(
  "a hook that always blocks Stop gets 3 continuations, and its fourth run does not make the agent continue",
  ours,
  async (t) => {
    const session = await startClaude(t, { turns: [] });
    await session.register(on("Stop", command("echo stop >> stops; echo 'still not done' >&2; exit 2")));
    assert.equal((await session.run()).code, 0);
    assert.equal(await lines(session, "stops"), 4);
    assert.equal(session.model.conversation().length, 4);
  },
);

test("an async hook does not hold the call up, and ends after the agent", ours, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch called"), closing] });
  const waiting = "until [ -e called ] && [ -e ended ]; do sleep 0.05; done; touch finished";
  await session.register(onBash("PreToolUse", command(waiting, { async: true })));
  await session.run();
  assert.equal(session.has("called"), true);
  assert.equal(session.has("finished"), false);
  await session.write("ended", "");
  await session.appears("finished");
});

test("a rewake notice reaches the model at a later event of the session", ours, async (t) => {
  const notice = "[ -e started ] && exit 0; touch started; echo 'the build broke meanwhile' >&2; exit 2";
  const until = `until '${process.execPath}' '${bin}' runs --json | tr -d ' \\n' | grep -q '"status":"completed"'; do sleep 0.1; done`;
  const session = await startClaude(t, { turns: [bash("true"), bash(until), closing] });
  await session.register(onBash("PostToolUse", command(notice, { asyncRewake: true })));
  await session.run();
  const heard = session.model.conversation().map((request) => JSON.stringify(request.body));
  assert.doesNotMatch(heard[0] ?? "", /the build broke meanwhile/);
  assert.match(heard.at(-1) ?? "", /the build broke meanwhile/);
});

test("an http hook on loopback denies a call", real, async (t) => {
  const asked: string[] = [];
  const url = await startHookServer(t, (body) => {
    asked.push(body);
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "the service said no",
      },
    };
  });
  const session = await startClaude(t, { turns: [bash("touch denied.txt"), closing] });
  await session.register(onBash("PreToolUse", { type: "http", url }));
  await session.run();
  assert.equal(session.has("denied.txt"), false);
  assert.equal(asked.length, 1);
  assert.match(asked[0] ?? "", /touch denied\.txt/);
  assert.match(session.heard(1), /the service said no/);
});

const bashResult = { stdout: "hidden", stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
const rewritten = (result: Fields): Hooks =>
  onBash("PostToolUse", answering("PostToolUse", { updatedToolOutput: result }));

test(
  "Claude Code itself takes a result in the tool's own shape only, and shows its model no fields that it does not know",
  real,
  async (t) => {
    const heardWith = async (result: Fields): Promise<string> => {
      const session = await startClaude(t, { turns: [bash("echo plain"), closing] });
      await session.write(".claude/settings.json", JSON.stringify({ hooks: rewritten(result) }));
      await session.run();
      return session.heard(1);
    };
    const added = await heardWith({ ...bashResult, found: "by a hook" });
    assert.match(added, /hidden/);
    assert.doesNotMatch(added, /by a hook/);
    const { interrupted: _left, ...incomplete } = bashResult;
    const unshaped = await heardWith(incomplete);
    assert.match(unshaped, /"content":"plain"/);
    assert.doesNotMatch(unshaped, /hidden/);
  },
);

test(
  "[D57] what a hook adds to a result is reported next to it, and what it leaves out costs nothing else",
  ours,
  async (t) => {
    const session = await startClaude(t, { turns: [bash("echo plain"), closing] });
    const { interrupted: _left, ...incomplete } = bashResult;
    await session.register(rewritten({ ...incomplete, found: "by a hook" }));
    await session.run();
    assert.match(session.heard(1), /"content":"hidden"/);
    assert.match(session.heard(1), /Added to the result of Bash by a hook: \{\\+"found\\+":\\+"by a hook\\+"\}/);
  },
);

test("a PermissionRequest hook allows what no other hook allowed", real, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch permitted.txt"), closing] });
  await session.run({ allowedTools: "Read" });
  assert.equal(session.has("permitted.txt"), false);
  await session.register(on("PermissionRequest", answering("PermissionRequest", { decision: { behavior: "allow" } })));
  await session.run({ allowedTools: "Read" });
  assert.equal(session.has("permitted.txt"), true);
});

test("[R35] a hook that the agent runs itself is not run a second time by Hookline", ours, async (t) => {
  const session = await startClaude(t, { turns: [bash("true"), closing] });
  const itself = onBash("PreToolUse", command("echo once >> itself"));
  await session.write(".claude/settings.json", JSON.stringify({ hooks: itself }));
  await session.register(onBash("PreToolUse", command("echo once >> through-hookline")));
  await session.run();
  assert.equal(await lines(session, "itself"), 1);
  assert.equal(await lines(session, "through-hookline"), 1);
  const data = JSON.stringify({ tool_name: "Bash", tool_input: { command: "true" } });
  await session.hookline("emit", "PreToolUse", "--data", data);
  assert.equal(await lines(session, "itself"), 2, "no agent is there to run it, so Hookline does");
});

test("every hook that matched is recorded, with what came of it", ours, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch denied.txt"), closing] });
  await session.register({
    ...onBash("PreToolUse", command("exit 2")),
    ...on("Stop", command("true")),
    ...onBash("PostToolUse", command("true")),
  });
  await session.run();
  const runs: { event: string; status: string; session: string }[] = JSON.parse(
    (await session.hookline("runs", "--json")).stdout,
  );
  assert.deepEqual(runs.map((run) => run.event).sort(), ["PreToolUse", "Stop"]);
  assert.deepEqual(new Set(runs.map((run) => run.status)), new Set(["completed"]));
  assert.equal(new Set(runs.map((run) => run.session)).size, 1);
});

const layers = {
  user: (session: ClaudeSession) => join(session.home, ".claude/settings.json"),
  project: (session: ClaudeSession) => join(session.repository, ".claude/settings.json"),
  local: (session: ClaudeSession) => join(session.repository, ".claude/settings.local.json"),
};
/** Odd on purpose: tabs, key order, a number that JSON.stringify writes another way, no line end. */
const oddSettings = `{\n\t"model" : "opus",   "cleanupPeriodDays": 3e1,\n\t"hooks": {"Stop": [ {"hooks":[{"type":"command","command":"true"}]} ]}\n}`;

for (const [layer, pathIn] of Object.entries(layers)) {
  test(
    `install into the ${layer} layer works, and uninstall leaves the settings file byte for byte as it was`,
    ours,
    async (t) => {
      const session = await startClaude(t, { turns: [bash("touch denied.txt"), closing] });
      await session.write(".hookline/hooks.json", JSON.stringify({ hooks: onBash("PreToolUse", command("exit 2")) }));
      const path = pathIn(session);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, oddSettings);
      await session.hookline("install", "claude-code", "--layer", layer);
      assert.notEqual(await readFile(path, "utf8"), oddSettings);
      await session.run();
      assert.equal(session.has("denied.txt"), false);
      await session.hookline("uninstall", "claude-code", "--layer", layer);
      assert.equal(await readFile(path, "utf8"), oddSettings);
      await session.run();
      assert.equal(session.has("denied.txt"), true);
    },
  );
}

test("uninstall leaves no settings file where there was none, even after a second install", ours, async (t) => {
  const session = await startClaude(t, { turns: [] });
  const path = layers.project(session);
  await session.hookline("install", "claude-code", "--layer", "project");
  const once = await readFile(path, "utf8");
  await session.hookline("install", "claude-code", "--layer", "project");
  assert.equal(await readFile(path, "utf8"), once);
  await session.hookline("uninstall", "claude-code", "--layer", "project");
  assert.equal(existsSync(path), false);
});

/** A service that answers each hook request with JSON. */
async function startHookServer(t: TestContext, reply: (body: string) => Fields): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address && typeof address === "object");
  return `http://127.0.0.1:${address.port}/hook`;
}
