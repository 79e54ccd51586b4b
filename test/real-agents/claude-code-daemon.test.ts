/** A real Claude Code whose hooks are answered by the daemon: through the client that install chose, over HTTP, and after the daemon was killed. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { ScriptedModelOptions } from "../../testing/scripted-model.ts";
import { type ClaudeSession, startClaude } from "./claude-session.ts";
import { real as limits } from "./first-run.ts";

const skip = limits("claude-code").skip;
const real = { skip, timeout: 120_000 };

/** A guard, an answer that the model reads, and one that looks at the environment of whoever asks. */
const hooks = JSON.stringify({
  hooks: {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          {
            type: "command",
            command: "grep -q forbidden && { echo not that one >&2; exit 2; }; exit 0",
            role: "guard",
          },
          { type: "command", command: 'echo "$HOME" >> "$CLAUDE_PROJECT_DIR/homes.txt"' },
        ],
      },
    ],
    UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo the answer is 42" }] }],
  },
});

const script: ScriptedModelOptions = {
  turns: [
    { calls: [{ tool: "Bash", input: { command: "echo allowed > allowed.txt" } }] },
    { calls: [{ tool: "Bash", input: { command: "echo forbidden > forbidden.txt" } }] },
    { text: "Done." },
  ],
};

interface Row {
  event: string;
  status: string;
  reason?: string;
}
const runsOf = async (session: ClaudeSession): Promise<Row[]> =>
  JSON.parse((await session.hookline("runs", "--limit", "200", "--json")).stdout);

/** A daemon on a free port; gives its process. It ends with the session. */
async function daemonFor(session: ClaudeSession): Promise<number> {
  const { stdout, stderr, code } = await session.hookline("up", "--background", "--port", "0", "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).pid;
}

interface Sender {
  sender: string;
  events: number;
}
/** How many events of the agent are in the store, and how many went down the daemon's own line, as it says: what a client decides itself is not among those. */
async function decided(session: ClaudeSession): Promise<{ all: number; byDaemon: number }> {
  const { stdout } = await session.hookline("status", "--json");
  const { store, daemon } = JSON.parse(stdout);
  const database = new DatabaseSync(store.path, { readOnly: true });
  const all = Number(database.prepare("select count(*) as n from event where sender = 'claude-code'").get()?.n);
  database.close();
  const senders: Sender[] = daemon.activity.senders;
  return { all, byDaemon: senders.find(({ sender }) => sender === "claude-code")?.events ?? 0 };
}

for (const [way, words] of [
  ["the client that install chose", []],
  ["its own HTTP hooks", ["--http"]],
] as const)
  test(
    `[R44, R50, X4] through ${way} the daemon answers: a guard blocks, context reaches the model, and a program has the session's environment`,
    real,
    async (t) => {
      const session = await startClaude(t, script, { daemon: true });
      await session.write(".hookline/hooks.json", hooks);
      await daemonFor(session);
      const installed = await session.hookline("install", "claude-code", ...words);
      assert.equal(installed.code, 0, installed.stderr);
      const ended = await session.run({ allowedTools: "Bash" });
      assert.equal(ended.code, 0, ended.stderr);
      assert.deepEqual([session.has("allowed.txt"), session.has("forbidden.txt")], [true, false]);
      assert.match(session.heard(0), /the answer is 42/);
      assert.match(session.heard(2), /not that one/);
      const homes = (await session.read("homes.txt")).trim().split("\n");
      assert.deepEqual(new Set(homes), new Set([session.home]));
      const { all, byDaemon } = await decided(session);
      assert.ok(all >= 5, `${all} events`);
      assert.equal(byDaemon, all, "each was decided by the daemon");
      const [before] = await runsOf(session);
      assert.ok(before);
      await session.hookline("uninstall", "claude-code");
    },
  );

test(
  "[R50, R84] an event that a hook came to want after install is named at the next session's start, and reaches it once install has run again",
  real,
  async (t) => {
    const turns = [1, 2, 3].map((call) => ({ calls: [{ tool: "Bash", input: { command: `echo ${call}` } }] }));
    const session = await startClaude(t, { turns: [...turns, { text: "Done." }] }, { daemon: true });
    await daemonFor(session);
    await session.hookline("install", "claude-code");
    const settings = "../home/.claude/settings.json";
    const before = await session.read(settings);
    const command = 'echo heard >> "$CLAUDE_PROJECT_DIR/batches.txt"';
    const wanting = { hooks: { PostToolBatch: [{ hooks: [{ type: "command", command }] }] } };
    await session.write(".hookline/hooks.json", JSON.stringify(wanting));
    await session.write("batches.txt", "");
    const first = await session.run({ allowedTools: "Bash", prompt: "Begin." });
    assert.equal(first.code, 0, first.stderr);
    assert.equal(await session.read("batches.txt"), "");
    assert.equal(await session.read(settings), before, "a running event edits nothing");
    await session.hookline("install", "claude-code");
    const second = await session.run({ allowedTools: "Bash", prompt: "Again." });
    assert.equal(second.code, 0, second.stderr);
    assert.equal(await session.read("batches.txt"), "heard\n".repeat(turns.length));
  },
);

test(
  "[F1, R60, X2] if a daemon is killed in mid-session, the agent continues by policy, and each run has an end",
  real,
  async (t) => {
    const session = await startClaude(
      t,
      {
        turns: [
          { calls: [{ tool: "Bash", input: { command: "echo one > one.txt" } }] },
          { calls: [{ tool: "Bash", input: { command: "echo kill > kill.txt" } }] },
          { calls: [{ tool: "Bash", input: { command: "echo three > three.txt" } }] },
          { calls: [{ tool: "Bash", input: { command: "echo forbidden > four.txt" } }] },
          { text: "Done." },
        ],
      },
      { daemon: true },
    );
    // The hook of the second call kills the daemon that runs it, while the agent waits for the answer.
    const killer = "grep -q kill.txt && kill -9 $(cat daemon.pid) && sleep 30; exit 0";
    const guard = "grep -q forbidden && { echo not that one >&2; exit 2; }; exit 0";
    await session.write(
      ".hookline/hooks.json",
      JSON.stringify({
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              hooks: [
                { type: "command", command: killer, role: "guard" },
                { type: "command", command: guard, role: "guard" },
              ],
            },
          ],
        },
      }),
    );
    const pid = await daemonFor(session);
    await session.write("daemon.pid", String(pid));
    await session.hookline("install", "claude-code");
    const ended = await session.run({ allowedTools: "Bash" });
    assert.equal(ended.code, 0, ended.stderr);
    const made = ["one.txt", "kill.txt", "three.txt", "four.txt"].map((path) => session.has(path));
    assert.deepEqual(
      made,
      [true, false, true, false],
      "blocked by policy where the guard could not answer, judged elsewhere",
    );
    const runs = (await runsOf(session)).filter(({ event }) => event === "PreToolUse");
    assert.ok(runs.length >= 7, JSON.stringify(runs));
    for (const { status, reason } of runs) {
      assert.ok(!["running", "queued"].includes(status), JSON.stringify(runs));
      if (status !== "completed") assert.ok(reason, "each that did not end by itself says why");
    }
    assert.ok(runs.some(({ status }) => status === "interrupted"));
  },
);
