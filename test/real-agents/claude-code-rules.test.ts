/** What rules (specification 003) do to a real Claude Code: judged by what lies on disk and by what reaches its model. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import type { ScriptedAnswer } from "../../testing/scripted-model.ts";
import { type ClaudeSession, registration, startClaude } from "./claude-session.ts";
import { real as limits } from "./first-run.ts";

const missing = limits("claude-code").skip;
const skip = missing || (registration === "plain" && "Hookline is left out of this run");
const real = { skip, timeout: 120_000 };

const bash = (command: string, more: Partial<ScriptedAnswer> = {}): ScriptedAnswer => ({
  calls: [{ tool: "Bash", input: { command, description: "a step" } }],
  ...more,
});
const closing: ScriptedAnswer = { text: "That is all." };
const run = (session: ClaudeSession, ...flags: string[]) => session.run({ flags });

test("[D55, DT15] a gate denies a Write: no file appears, and the model gets the reason", real, async (t) => {
  const content = "x";
  const session = await startClaude(t, {
    // A turn is made when it is asked for, so the folder is known by then.
    get turns() {
      const write = (name: string): ScriptedAnswer => ({
        calls: [{ tool: "Write", input: { file_path: join(session.repository, name), content } }],
      });
      return [write("denied.txt"), write("allowed.txt"), closing];
    },
  });
  await session.rule(`
hooks:
  - id: no_denied
    on: tool_start
    condition:
      type: all_of
      conditions:
        - { type: tool_name, match: "Write|Edit" }
        - { type: expression, expr: "'denied' in tool.params.file_path" }
    action: { type: gate, allow: false, reason: "this file is written by people" }
`);
  assert.equal((await run(session)).code, 0);
  assert.equal(session.has("denied.txt"), false);
  assert.equal(session.has("allowed.txt"), true);
  assert.match(session.heard(1), /this file is written by people/);
});

test(
  "a question in a headless session is refused with the way to allow it, and a refusal's code is not for the model",
  real,
  async (t) => {
    const session = await startClaude(t, { turns: [bash("touch asked.txt"), bash("curl denied"), closing] });
    await session.rule(`
hooks:
  - id: ask_touch
    on: tool_start
    condition: { type: expression, expr: "'touch' in tool.params.command" }
    action: { type: gate, ask: true, reason: "may I touch it?" }
  - id: no_curl
    on: tool_start
    condition: { type: expression, expr: "'curl' in tool.params.command" }
    action: { type: gate, reason: "no network" }
`);
    assert.equal((await run(session)).code, 0);
    assert.equal(session.has("asked.txt"), false);
    const asked = /may I touch it\?[\s\S]*No person can be asked in this session: .*hookline allow-once/;
    assert.match(session.heard(1), asked);
    assert.match(session.heard(2), /no network/);
    assert.doesNotMatch(session.heard(2), /to allow this call once/);
  },
);

test("[D56, DT16] transform_params rewrites a command before it runs", real, async (t) => {
  const session = await startClaude(t, { turns: [bash("touch original.txt"), closing] });
  await session.rule(`
hooks:
  - id: rename
    on: tool_start
    condition: { type: tool_name, match: Bash }
    action: { type: transform_params, transformation: { set: { command: "touch rewritten.txt" } } }
`);
  await run(session);
  assert.equal(session.has("original.txt"), false);
  assert.equal(session.has("rewritten.txt"), true);
});

test("[D50, DT12] an injected message reaches the model, with the values of its placeholders", real, async (t) => {
  const session = await startClaude(t, { turns: [bash("true"), closing] });
  await session.rule(`
hooks:
  - id: at_the_start
    on: turn_start
    condition: { type: always }
    action: { type: inject_message, content: "the branch is frozen" }
  - id: after_a_tool
    on: tool_end
    condition: { type: tool_name, match: "B*" }
    action: { type: inject_message, content: "look at what {{tool.name}} did" }
`);
  await run(session);
  assert.match(session.heard(0), /the branch is frozen/);
  assert.doesNotMatch(session.heard(0), /look at what/);
  assert.match(session.heard(1), /look at what Bash did/);
});

const nearlyFull = `
hooks:
  - id: nearly_full
    on: tool_end
    condition: { type: context_pressure, threshold: 0.75 }
    action: { type: inject_message, content: "the context is nearly full" }
`;

test("[D35] context_pressure holds once the tokens of the last answer reach the threshold", real, async (t) => {
  const turns = [bash("true", { inputTokens: 10_000 }), bash("true", { inputTokens: 80_000 }), closing];
  const session = await startClaude(t, { turns });
  const own = join(session.home, ".config", "hookline");
  await mkdir(own, { recursive: true });
  await writeFile(join(own, "config.yaml"), "models:\n  windows:\n    claude-: 100000\n"); // a project's does not count
  await session.rule(nearlyFull);
  await run(session);
  assert.doesNotMatch(session.heard(1), /the context is nearly full/);
  assert.match(session.heard(2), /the context is nearly full/);
});

test("[D35] the window is that of the model that the session uses", real, async (t) => {
  const heardWith = async (model: string): Promise<string> => {
    const session = await startClaude(t, { turns: [bash("true", { inputTokens: 155_000 }), closing] });
    await session.rule(nearlyFull);
    await run(session, "--model", model);
    return session.heard(1);
  };
  assert.match(await heardWith("claude-opus-4-6"), /the context is nearly full/);
  const large = await heardWith("claude-opus-4-6[1m]");
  assert.match(large, /That is all|tool_result/);
  assert.doesNotMatch(large, /the context is nearly full/);
});

test("[D36] turn_count counts the prompts of a session that began before Hookline was there", real, async (t) => {
  const session = await startClaude(t, { turns: [closing, closing, closing] });
  await run(session);
  await session.rule(`
hooks:
  - id: second
    on: turn_start
    condition: { type: turn_count, threshold: 2 }
    action: { type: inject_message, content: "this is the second prompt" }
`);
  await run(session, "--continue");
  assert.match(session.heard(1), /this is the second prompt/);
  const timesHeard = (turn: number): number => session.heard(turn).split("this is the second prompt").length - 1;
  await run(session, "--continue");
  assert.equal(timesHeard(2), timesHeard(1), "the third prompt brings no second one");
});

test(
  "[D57, DT16] what transform_result adds reaches the model next to the result, what it changes is the result",
  real,
  async (t) => {
    const session = await startClaude(t, { turns: [bash("echo a secret"), closing] });
    await session.rule(`
hooks:
  - id: hide
    on: tool_end
    condition: { type: tool_name, match: Bash }
    action: { type: transform_result, transformation: { set: { stdout: "hidden", reviewed: "by a rule" } } }
`);
    await run(session);
    assert.match(session.heard(1), /hidden/);
    assert.match(session.heard(1), /Added to the result of Bash by a hook: \{\\+"reviewed\\+":\\+"by a rule\\+"\}/);
    const results = JSON.stringify(session.model.conversation()[1]?.body).match(/"type":"tool_result"[^}]*\}/g) ?? [];
    assert.doesNotMatch(results.join(), /a secret/);
  },
);

test("[D61] findings that a hook adds to the result of a Write are read by the model", real, async (t) => {
  const findings = '[{"line": 3, "column": 5, "severity": "error", "message": "Cannot find name x", "source": "ts"}]';
  const session = await startClaude(t, {
    get turns() {
      const input: Fields = { file_path: join(session.repository, "a.ts"), content: "x\n" };
      return [{ calls: [{ tool: "Write", input }] }, closing];
    },
  });
  await session.rule(`
hooks:
  - id: lint
    on: tool_end
    condition: { type: tool_name, match: Write }
    action: { type: transform_result, transformation: { diagnostics: ${findings} } }
`);
  await run(session);
  assert.equal(session.has("a.ts"), true);
  assert.match(session.heard(1), /Added to the result of Write by a hook/);
  assert.match(session.heard(1), /3:5 error: Cannot find name x \(ts\)/);
});

test("[R8, D50] a message of turn_end starts no new round: it comes with the next prompt, once", real, async (t) => {
  const session = await startClaude(t, { turns: [closing, closing, closing] });
  await session.rule(`
hooks:
  - id: reminder
    on: turn_end
    condition: { type: always }
    max_fires: 1
    action: { type: inject_message, content: "run the tests next time" }
`);
  assert.equal((await run(session)).code, 0);
  assert.equal(session.model.conversation().length, 1);
  await run(session, "--continue");
  assert.equal(session.model.conversation().length, 2);
  assert.match(session.heard(1), /run the tests next time/);
  await run(session, "--continue");
  assert.equal(session.heard(2).split("run the tests next time").length, 2, "it is not told a second time");
});

test("[DT29, R8] a gate that always denies turn_end gets 3 continuations", real, async (t) => {
  const session = await startClaude(t, { turns: [] });
  await session.rule(`
hooks:
  - id: never_done
    on: turn_end
    condition: { type: always }
    action: { type: gate, allow: false, reason: "still not done" }
`);
  assert.equal((await run(session)).code, 0);
  assert.equal(session.model.conversation().length, 4);
});

test(
  "[D20, D21, D22, D23, DT27] one turn with two tool calls: each event once for each happening, in order",
  real,
  async (t) => {
    const session = await startClaude(t, { turns: [bash("true"), bash("false"), closing] });
    const names = ["turn_start", "turn_end", "tool_start", "tool_end"];
    await session.rule(
      `hooks:\n${names.map((name) => `  - { id: ${name}, on: ${name}, condition: { type: always }, action: { type: gate, allow: true } }`).join("\n")}\n`,
    );
    await run(session);
    const runs: { hook: string; event: string; started?: number }[] = JSON.parse(
      (await session.hookline("runs", "--json")).stdout,
    );
    assert.deepEqual(runs.map(({ event }) => event).sort(), [
      "PostToolUse",
      "PostToolUseFailure",
      "PreToolUse",
      "PreToolUse",
      "Stop",
      "UserPromptSubmit",
    ]);
    const inOrder = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PreToolUse", "PostToolUseFailure", "Stop"];
    const told = runs.map(({ event }) => event);
    assert.ok([told.join(), told.toReversed().join()].includes(inOrder.join()), told.join());
  },
);

test(
  "[D24, D25, D29, D30, DT30] sessions and subagents are reported with their ids and how they ended",
  real,
  async (t) => {
    const input = {
      description: "a part",
      prompt: "SUBTASK",
      subagent_type: "general-purpose",
      run_in_background: false,
    };
    const session = await startClaude(t, {
      turns: [{ calls: [{ tool: "Agent", input }] }, closing],
      conversations: [{ opening: /SUBTASK/, turns: [{ text: "done" }] }],
    });
    const told = (on: string, words: string): string =>
      `  - { id: ${on}, on: ${on}, condition: { type: always }, action: { type: shell, command: "echo ${words} > ${on}" } }`;
    await session.rule(
      `hooks:\n${[
        told("session_start", "{{event.source}}"),
        told("agent_spawn", "{{event.agent_id}} {{event.status}}"),
        told("agent_complete", "{{event.agent_id}} {{event.status}}"),
        told("session_end", "{{event.reason}}"),
      ].join("\n")}\n`,
    );
    await run(session);
    for (const name of ["session_start", "agent_spawn", "agent_complete", "session_end"]) await session.appears(name);
    assert.equal((await session.read("session_start")).trim(), "startup");
    assert.match(await session.read("agent_spawn"), /^a[0-9a-f]+ ?$/m);
    assert.match(await session.read("agent_complete"), /^a[0-9a-f]+ completed$/m);
  },
);
