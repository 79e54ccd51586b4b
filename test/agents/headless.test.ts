/** Which sessions nobody sits before, and which shells are an agent's: what a question becomes, and who may loosen a guard, hang on it. */
import assert from "node:assert/strict";
import test from "node:test";
import { isHeadless, shellOfAgent } from "../../src/agents/index.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";

const from = (sender: string, data: Fields = {}): HookEvent => ({
  id: "e",
  name: "PreToolUse",
  at: 0,
  cwd: "/",
  data: { tool_name: "Bash", tool_input: {}, ...data },
  sender,
});

test("Claude Code is headless where its hooks are told that nobody attends, or where it asks nobody anything", () => {
  const claude = from("claude-code", { permission_mode: "default" });
  const cases: [Fields, Record<string, string>, boolean][] = [
    [{}, {}, false],
    [{}, { CLAUDE_CODE_SESSION_ATTENDED: "0", CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, true],
    [{}, { CLAUDE_CODE_SESSION_ATTENDED: "1", CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, false],
    [{}, { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, true],
    [{}, { CLAUDE_CODE_ENTRYPOINT: "cli" }, false],
    [{ permission_mode: "dontAsk" }, {}, true],
    [{ permission_mode: "bypassPermissions" }, {}, false],
  ];
  for (const [data, environment, expected] of cases)
    assert.equal(
      isHeadless({ ...claude, data: { ...claude.data, ...data } }, environment),
      expected,
      JSON.stringify([data, environment]),
    );
});

test("HOOKLINE_HEADLESS says it for every sender, and wins over what the agent says", () => {
  const attended = { CLAUDE_CODE_SESSION_ATTENDED: "0" };
  assert.equal(isHeadless(from("emit"), attended), false, "no variable of an agent's counts for another sender");
  for (const sender of ["emit", "claude-code", "git"]) {
    assert.equal(isHeadless(from(sender), { HOOKLINE_HEADLESS: "1" }), true, sender);
    for (const no of ["0", "false", "no"])
      assert.equal(isHeadless(from(sender), { ...attended, HOOKLINE_HEADLESS: no }), false, sender);
    assert.equal(isHeadless(from(sender), { HOOKLINE_HEADLESS: "" }), false, "an empty variable says nothing");
  }
});

test("an agent's shell is known by its variable, and an editor's terminal beside an agent is a person's", () => {
  assert.equal(shellOfAgent({ CLAUDECODE: "1" }), "CLAUDECODE");
  assert.equal(shellOfAgent({ GEMINI_CLI: "1" }), "GEMINI_CLI");
  assert.equal(shellOfAgent({ CLAUDE_CODE_SSE_PORT: "4000", TERM_PROGRAM: "vscode" }), undefined);
  assert.equal(shellOfAgent({ CLAUDECODE: "" }), undefined);
});
