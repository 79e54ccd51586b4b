/** What hooks do to a real pi: judged by what lies on disk and by what reaches its model, never by its screen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { real, runsByItself } from "./first-run.ts";
import { alwaysBlocking, obeys } from "./in-process.ts";
import { startAgent } from "./session.ts";

runsByItself("pi");
obeys("pi", { file: ".pi/agent/extensions/hookline.ts" });

test("a hook that denies every stop makes it go on three times, then it ends", real("pi"), async (t) => {
  const session = await startAgent(t, "pi", { turns: [1, 2, 3, 4, 5].map((turn) => ({ text: `Answer ${turn}.` })) });
  await session.register(alwaysBlocking);
  const { code, stdout, stderr } = await session.run();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Answer 4/);
  assert.equal(await session.read("stops.txt"), "x\n".repeat(4));
  assert.equal(session.model.conversation().length, 4);
  assert.match(session.heard(3), /not yet/);
});

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
