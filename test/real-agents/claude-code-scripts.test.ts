/** What workspace scripts (004) and repository hooks (001) do in a real Claude Code: by what lies on disk and reaches its model. */
import assert from "node:assert/strict";
import { chmod, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ScriptedAnswer } from "../../testing/scripted-model.ts";
import { type ClaudeSession, registration, startClaude } from "./claude-session.ts";
import { real as limits } from "./first-run.ts";

const missing = limits("claude-code").skip;
const skip = missing || (registration === "plain" && "Hookline is left out of this run");
const real = { skip, timeout: 120_000 };

const bash = (command: string): ScriptedAnswer => ({
  calls: [{ tool: "Bash", input: { command, description: "a step" } }],
});
const closing: ScriptedAnswer = { text: "That is all." };

async function script(session: ClaudeSession, path: string, lines: readonly string[]): Promise<void> {
  await session.write(path, ["#!/bin/sh", ...lines, ""].join("\n"));
  await chmod(join(session.repository, path), 0o755);
}

async function install(session: ClaudeSession): Promise<void> {
  for (const words of [["check"], ["install", "claude-code"]]) {
    const { code, stdout, stderr } = await session.hookline(...words);
    assert.equal(code, 0, stdout + stderr);
  }
}

test(
  "[E21, E23, E40, E31] a failing file script blocks the stop with its message, and the turn ends once it passes",
  real,
  async (t) => {
    const session = await startClaude(t, {
      turns: [bash("mkdir -p src && echo wrong >src/a.txt"), closing, bash("echo right >src/a.txt"), closing],
    });
    await script(session, ".hookline/hooks/no-wrong.sh", [
      "#---",
      "# name: No wrong words",
      "# type: file",
      '# pattern: "*.txt"',
      "#---",
      "echo ran >>runs.log",
      "! grep -n wrong $HOOKLINE_CHANGED_FILES",
    ]);
    await install(session);
    assert.equal((await session.run()).code, 0);
    assert.match(session.heard(2), /\[Hookline Hook Failed\] .*No wrong words.* \(pattern: \*\.txt\)/);
    assert.match(session.heard(2), /Files: src\/a\.txt/);
    assert.match(session.heard(2), /\(Attempt 1\/3\)/);
    assert.equal(await session.read("src/a.txt"), "right\n");
    assert.equal(await session.read("runs.log"), "ran\nran\n");
    assert.equal(session.heard(4), "", "the turn went on although the script passed");
  },
);

test(
  "[E10, E13, E18, E20] session scripts run once before the first turn, in order, and a failure does not stop the session",
  real,
  async (t) => {
    const session = await startClaude(t, { turns: [bash("cat prepared.txt"), closing, closing] });
    const header = (name: string) => ["#---", `# name: ${name}`, "# type: session", "#---"];
    await script(session, ".discobot/hooks/1-fails.sh", [...header("Fails"), "echo first >prepared.txt", "exit 3"]);
    await script(session, ".discobot/hooks/2-prepares.sh", [
      ...header("Prepares"),
      'echo "second $DISCOBOT_HOOK_TYPE $DISCOBOT_WORKSPACE" >>prepared.txt',
    ]);
    await install(session);
    assert.equal((await session.run()).code, 0);
    assert.equal(await session.read("prepared.txt"), `first\nsecond session ${session.repository}\n`);
    assert.match(session.heard(1), /first.*second session/);
    await session.run({ flags: ["--continue"], prompt: "Again." });
    assert.equal(await session.read("prepared.txt"), `first\nsecond session ${session.repository}\n`);
    const { stdout } = await session.hookline("runs", "--event", "SessionStart", "--json");
    const statuses = (JSON.parse(stdout) as { hook: string; status: string; reason: string | null }[]).filter((run) =>
      run.hook.includes("1-fails"),
    );
    assert.deepEqual(statuses.map(({ status }) => status).sort(), ["failed", "skipped"]);
  },
);

test(
  "[E50, E51a, ET26] a commit of the agent is refused by a pre-commit script, and its model reads why from git",
  real,
  async (t) => {
    const session = await startClaude(t, {
      turns: [
        bash(
          "git config user.name Ada && git config user.email ada@example.org && echo broken >a.txt && git add a.txt && git commit -m one",
        ),
        bash("echo whole >a.txt && git add a.txt && git commit -m one"),
        closing,
      ],
    });
    await script(session, ".hookline/hooks/whole.sh", [
      "#---",
      "# name: Whole files",
      "# type: pre-commit",
      "#---",
      "! grep -n broken a.txt",
    ]);
    await install(session);
    const installed = await session.hookline("git", "install");
    assert.equal(installed.code, 0, installed.stderr);
    await session.run();
    assert.match(session.heard(1), /1:broken/);
    const log = await readFile(join(session.repository, ".git/logs/HEAD"), "utf8");
    assert.equal(log.trim().split("\n").length, 1);
  },
);

test(
  "[B3, B4, B5, B29, B35, B36] repository hooks: a suggestion becomes context, a guard blocks, a tracker records",
  real,
  async (t) => {
    const session = await startClaude(t, {
      turns: [bash("touch production.txt"), bash("touch staging.txt"), closing],
    });
    const declare = (name: string, lines: readonly string[]) =>
      session.write(`.system/hooks/${name}.yaml`, [`id: ${name}`, ...lines, ""].join("\n"));
    const handler = (name: string): string[] => ["handler:", "  kind: script", `  command: ./scripts/hooks/${name}.sh`];
    await declare("suggest", ["event_type: UserPromptSubmit", ...handler("suggest")]);
    await declare("guard", ["event_type: PreAbilityCall", "match: { ability_scope: Bash }", ...handler("guard")]);
    await declare("track", ["event_type: PostAbilityCall", ...handler("track")]);
    await script(session, "scripts/hooks/suggest.sh", [
      `echo '{"suggested_abilities":[{"id":"deploy_check","reason":"the prompt is about deploys","confidence":0.9}]}'`,
    ]);
    await script(session, "scripts/hooks/guard.sh", [
      "case $(cat) in",
      `*production*) echo '{"messages_to_user":["production is closed"],"error":"blocked_by_policy"}' ;;`,
      "esac",
    ]);
    await script(session, "scripts/hooks/track.sh", [
      "cat >>track.jsonl",
      "echo >>track.jsonl",
      `echo '{"usage_recorded":true}'`,
    ]);
    await install(session);
    assert.equal((await session.run({ prompt: "Deploy it." })).code, 0);
    assert.match(session.heard(0), /deploy_check/);
    assert.equal(session.has("production.txt"), false);
    assert.match(session.heard(1), /production is closed/);
    assert.equal(session.has("staging.txt"), true);
    const [tracked] = (await session.read("track.jsonl"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(tracked.event_type, "PostAbilityCall");
    assert.equal(tracked.ability_id, "Bash");
    assert.equal(tracked.status, "success");
    assert.match(tracked.session_id, /^[0-9a-f-]{36}$/);
    assert.equal(tracked.repository_root, session.repository);
  },
);

test("[B6, B25, B38] the end of a session is its stop, with the files that it changed", real, async (t) => {
  const session = await startClaude(t, {
    turns: [bash("mkdir -p services/billing && touch services/billing/a.ts"), closing],
  });
  await session.write(
    ".system/hooks/stop.yaml",
    [
      "id: stop",
      "event_type: SessionStop",
      "match: { only_if_changed_paths: ['services/**'] }",
      "handler: { kind: script, command: ./stop.sh }",
      "",
    ].join("\n"),
  );
  await script(session, "stop.sh", ["cat >stop.json", "echo '{}'"]);
  await install(session);
  await session.run();
  const context = JSON.parse(await session.read("stop.json"));
  assert.equal(context.event_type, "SessionStop");
  assert.ok(context.changed_files.includes("services/billing/a.ts"), JSON.stringify(context));
});

test("[E52, E53] status, marker and output are where other tools look for them", real, async (t) => {
  const session = await startClaude(t, {
    turns: [bash("echo wrong >a.txt"), closing, bash("echo right >a.txt"), closing],
  });
  await script(session, ".discobot/hooks/check.sh", [
    "#---",
    "# type: file",
    "# pattern: '*.txt'",
    "#---",
    "! grep wrong a.txt",
  ]);
  await install(session);
  await session.run();
  const [id = ""] = await readdir(join(session.home, ".discobot"));
  const folder = join(session.home, ".discobot", id, "hooks");
  const status = JSON.parse(await readFile(join(folder, "status.json"), "utf8"));
  assert.deepEqual(status.pendingHooks, []);
  const { check } = status.hooks;
  assert.deepEqual(
    [check.lastResult, check.lastExitCode, check.runCount, check.failCount, check.consecutiveFailures],
    ["success", 0, 2, 1, 0],
  );
  assert.equal(check.outputPath, join(folder, "output", "check.log"));
  assert.deepEqual((await readdir(folder)).sort(), [".last-eval", "output", "status.json"]);
});
