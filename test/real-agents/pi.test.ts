/** What hooks do to a real pi: judged by what lies on disk and by what reaches its model, never by its screen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isCovered } from "./covered.ts";
import { real, runsByItself } from "./first-run.ts";
import { refusesPrompts } from "./in-process.ts";
import { obeys } from "./obeys.ts";
import { startAgent } from "./session.ts";

runsByItself("pi");
isCovered("pi");
obeys("pi", { "deny MCP": "none", "deny subagent": "none", permission: "none" });
refusesPrompts("pi");

test("a hook that denies a compaction prevents it", real("pi"), async (t) => {
  for (const denies of [true, false]) {
    const session = await startAgent(t, "pi", {
      turns: [{ text: "Long. ".repeat(20_000), inputTokens: 127_000 }, { text: "That is all." }],
    });
    const command = denies ? "echo 'keep it whole' >&2; exit 2" : "true";
    await session.register({
      PreCompact: [{ hooks: [{ type: "command", command: `echo x >>"$PWD/compactions"; ${command}` }] }],
    });
    const first = await session.run();
    const second = await session.run({ prompt: "Go on.", continued: true });
    assert.equal(second.code, 0, `${first.stderr}${second.stderr}`);
    assert.equal(session.has("compactions"), true, second.stderr);
    assert.equal(
      session.model.requests.some(({ side }) => side === true),
      !denies,
    );
  }
});
