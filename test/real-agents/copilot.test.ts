/** What hooks do to a real Copilot CLI: judged by what lies on disk and by what reaches its model, never by its screen. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isCovered } from "./covered.ts";
import { real, runsByItself } from "./first-run.ts";
import { obeys } from "./obeys.ts";
import { type AgentSession, type Script, startAgent } from "./session.ts";

runsByItself("copilot");
isCovered("copilot");
obeys("copilot");

const says = (event: string, fields: object): { type: string; command: string } => ({
  type: "command",
  command: `printf '%s' '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } })}'`,
});
const notes = (file: string) => ({ type: "command", command: `echo x >> ${file}` });

async function begun(t: TestContext, script: Script, hooks: object, ...installs: string[][]): Promise<AgentSession> {
  const session = await startAgent(t, "copilot", script, { daemon: true });
  await session.write(".hookline/hooks.json", JSON.stringify(hooks));
  for (const words of installs) {
    const { code, stderr } = await session.hookline("install", ...words);
    assert.equal(code, 0, stderr);
  }
  // the contract shows what happens without one
  assert.equal((await session.hookline("up", "--background")).code, 0);
  return session;
}
const lines = async (session: AgentSession, file: string): Promise<number> =>
  session.has(file) ? (await session.read(file)).trim().split("\n").length : 0;

const counted = {
  deny: ["Bash(git push *)"],
  hooks: {
    PreToolUse: [{ hooks: [notes("calls.txt")] }],
    PostToolUse: [{ hooks: [notes("results.txt"), says("PostToolUse", { additionalContext: "word-of-the-result" })] }],
    UserPromptSubmit: [{ hooks: [notes("prompts.txt")] }],
    Stop: [{ hooks: [notes("stops.txt")] }],
  },
};

for (const [sentence, installs] of [
  [
    "beside Claude Code's lines in the same project each event is judged once",
    [["claude-code", "--layer", "project"], ["copilot"]],
  ],
  ["the file of a repository alone is enough", [["copilot", "--layer", "project"]]],
  ["with both of its own files each event is judged once", [["copilot", "--layer", "project"], ["copilot"]]],
  [
    "where only Claude Code is installed its lines answer in Copilot CLI's form",
    [["claude-code", "--layer", "project"]],
  ],
] as const) {
  test(sentence, real("copilot"), async (t) => {
    const session = await begun(
      t,
      ({ shell }) => ({ turns: [shell("git push; touch pushed"), shell("touch free"), { text: "That is all." }] }),
      counted,
      ...installs.map((words) => [...words]),
    );
    const { code, stdout, stderr } = await session.run();
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.equal(session.has("pushed"), false);
    assert.equal(session.has("free"), true);
    assert.match(session.heard(1), /denies Bash\(git push \*\)/);
    assert.match(session.heard(2), /word-of-the-result/);
    const counts = await Promise.all(
      ["calls.txt", "results.txt", "prompts.txt", "stops.txt"].map((file) => lines(session, file)),
    );
    assert.deepEqual(counts, [1, 1, 1, 1], "the refused call is judged by the rule before the hook");
  });
}

const subagent = {
  calls: [
    {
      tool: "task",
      input: { agent_type: "task", name: "sub", description: "sub", prompt: "For the helper.", mode: "sync" },
    },
  ],
};

test(
  "a subagent's calls are judged, its end is one event that ends, and the session stops once",
  real("copilot"),
  async (t) => {
    const session = await begun(
      t,
      ({ shell }) => ({
        turns: [subagent, { text: "That is all." }],
        conversations: [
          {
            opening: /For the helper/,
            turns: [shell("git push; touch pushed"), ...Array(9).fill({ text: "I am done." })],
          },
        ],
      }),
      {
        deny: ["Bash(git push *)"],
        hooks: {
          SubagentStop: [{ hooks: [{ type: "command", command: "echo x >> ends.txt; echo 'not yet' >&2; exit 2" }] }],
          Stop: [{ hooks: [notes("stops.txt")] }],
          UserPromptSubmit: [{ hooks: [notes("prompts.txt")] }],
        },
      },
      ["copilot"],
    );
    const { code, stdout, stderr } = await session.run();
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.equal(session.has("pushed"), false);
    assert.equal(await lines(session, "ends.txt"), 4, "four runs, three continuations");
    assert.deepEqual([await lines(session, "stops.txt"), await lines(session, "prompts.txt")], [1, 1]);
  },
);

test("a result is replaced, or its place taken by the reason of a block", real("copilot"), async (t) => {
  const session = await begun(
    t,
    ({ shell }) => ({ turns: [shell("echo secret-one"), shell("echo secret-two"), { text: "That is all." }] }),
    {
      hooks: {
        PostToolUse: [
          { matcher: "Bash(echo secret-one)", hooks: [says("PostToolUse", { updatedToolOutput: "nothing to see" })] },
          {
            matcher: "Bash(echo secret-two)",
            hooks: [{ type: "command", command: "echo 'this result is not for models' >&2; exit 2" }],
          },
        ],
      },
    },
    ["copilot"],
  );
  await session.run();
  const answers = session.heard(2).split('"role":"tool"');
  assert.match(answers[1] ?? "", /nothing to see/);
  assert.doesNotMatch(answers[1]?.split('"role":"assistant"')[0] ?? "", /secret-one\\n/);
  assert.match(answers[2] ?? "", /this result is not for models/);
});
