/** What hooks do to a real Gemini CLI: judged by what lies on disk and by what reaches its model, never by its screen. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isCovered } from "./covered.ts";
import { real, runsByItself } from "./first-run.ts";
import { obeys } from "./obeys.ts";
import { type AgentSession, type Script, startAgent } from "./session.ts";

runsByItself("gemini");
isCovered("gemini");
obeys("gemini", { permission: "none" });

const says = (event: string, fields: object): { type: string; command: string } => ({
  type: "command",
  command: `printf '%s' '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } })}'`,
});
const notes = (file: string) => ({ type: "command", command: `echo x >> ${file}` });

async function begun(t: TestContext, script: Script, hooks: object, ...installs: string[][]): Promise<AgentSession> {
  const session = await startAgent(t, "gemini", script);
  await session.write(".hookline/hooks.json", JSON.stringify(hooks));
  for (const words of installs) {
    const { code, stderr } = await session.hookline("install", ...words);
    assert.equal(code, 0, stderr);
  }
  return session;
}
const lines = async (session: AgentSession, file: string): Promise<number> =>
  session.has(file) ? (await session.read(file)).trim().split("\n").length : 0;

test(
  "with both of its files each event is judged once, and so it is beside Claude Code's",
  real("gemini"),
  async (t) => {
    const session = await begun(
      t,
      ({ shell }) => ({ turns: [shell("git push; touch pushed"), shell("touch free"), { text: "That is all." }] }),
      {
        deny: ["Bash(git push *)"],
        hooks: {
          PreToolUse: [{ hooks: [notes("calls.txt")] }],
          PostToolUse: [{ hooks: [notes("results.txt")] }],
          UserPromptSubmit: [{ hooks: [notes("prompts.txt")] }],
          Stop: [{ hooks: [notes("stops.txt")] }],
        },
      },
      ["gemini", "--layer", "project"],
      ["gemini"],
      ["claude-code", "--layer", "project"],
    );
    const { code, stdout, stderr } = await session.run();
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.deepEqual([session.has("pushed"), session.has("free")], [false, true]);
    assert.match(session.heard(1), /denies Bash\(git push \*\)/);
    const counts = await Promise.all(
      ["calls.txt", "results.txt", "prompts.txt", "stops.txt"].map((file) => lines(session, file)),
    );
    assert.deepEqual(counts, [1, 1, 1, 1], "the refused call is judged by the rule before the hook");
  },
);

test(
  "a command that fails is a failure, its context is heard, and the reason of a block takes a result's place",
  real("gemini"),
  async (t) => {
    const session = await begun(
      t,
      ({ shell }) => ({ turns: [shell("exit 3"), shell("echo secret-two"), { text: "That is all." }] }),
      {
        hooks: {
          PostToolUseFailure: [{ hooks: [says("PostToolUseFailure", { additionalContext: "word-of-the-failure" })] }],
          PostToolUse: [
            {
              matcher: "Bash(echo secret-two)",
              hooks: [{ type: "command", command: "echo 'this result is not for models' >&2; exit 2" }],
            },
          ],
        },
      },
      ["gemini"],
    );
    await session.run();
    assert.match(session.heard(1), /word-of-the-failure/);
    assert.match(session.heard(2), /this result is not for models/);
    assert.doesNotMatch(session.heard(2), /Output: secret-two/);
  },
);

test(
  "a line is judged in the folder that the call names, and a rewritten one runs there",
  real("gemini"),
  async (t) => {
    const call = (command: string) => ({ calls: [{ tool: "run_shell_command", input: { command, dir_path: "sub" } }] });
    const session = await begun(
      t,
      { turns: [call("echo x > kept.txt"), call("echo one > a.txt"), { text: "That is all." }] },
      {
        hooks: {
          PreToolUse: [
            { hooks: [{ type: "command", command: `if grep -q "cd 'sub' && echo x"; then echo no >&2; exit 2; fi` }] },
            {
              matcher: "Bash(echo one)",
              hooks: [says("PreToolUse", { updatedInput: { command: "echo two > b.txt", dir_path: "sub" } })],
            },
          ],
        },
      },
      ["gemini", "--layer", "project"],
    );
    await session.write("sub/there.txt", "");
    await session.run();
    assert.equal(session.has("sub/kept.txt"), false, session.heard(1));
    assert.deepEqual([session.has("sub/a.txt"), session.has("sub/b.txt")], [false, true]);
  },
);
