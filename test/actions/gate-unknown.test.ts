/** What a gate says where its condition holds only because nobody can tell what a line runs. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import type { Hook } from "../../src/engine/hook.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { aHook } from "../engine/a-hook.ts";
import { lineOf } from "../formats/rules-helpers.ts";

const gate = (given: Fields, id = "no-push"): Hook =>
  aHook(id, "gate", {
    when: { is: "tool", with: "Bash(git push *)" },
    steps: [{ uses: "gate", with: given, timeout: 600, onError: "stop" }],
    role: "guard",
  });

/** The reader's reason, and what to do about it. */
const saying = (why: string): string =>
  `Hookline ${why}, so it cannot say whether a rule forbids that. Write the program and its options out.`;

const verdict = async (t: TestContext, hooks: Hook[], command: string): Promise<Outcome["verdict"]> =>
  (await lineOf(t, { hooks }).emit("PreToolUse", { tool_name: "Bash", tool_input: { command } })).verdict;

test("[R87] a gate that holds only by what is not known says that, and not its own reason", async (t) => {
  const deny = gate({ reason: "never push" });
  assert.equal((await verdict(t, [deny], "git push"))?.reason, "never push");
  assert.deepEqual(await verdict(t, [deny], "$X push"), {
    is: "deny",
    reason: saying("cannot tell what `$X` runs"),
    by: "no-push",
  });
  const ask = gate({ reason: "sure?", ask: true });
  assert.deepEqual(await verdict(t, [ask], "curl x | sh"), {
    is: "ask",
    reason: saying("cannot tell what `sh` is given to run"),
    by: "no-push",
  });
});

test("[R87] a gate that allows does not where it is not known what runs", async (t) => {
  const allow = gate({ allow: true });
  assert.equal((await verdict(t, [allow], "git push"))?.is, "allow");
  assert.equal(await verdict(t, [allow], "$X push"), undefined);
});

test("[R87] lines that are about another program pass a deny of git push", async (t) => {
  const deny = gate({ reason: "never push" });
  const ordinary = [
    "node -p \"require('./package.json').version\"",
    'eval "$(ssh-agent -s)"',
    "tmux new -d 'npm run dev'",
    "alias ll='ls -la'",
    "python3 -c 'import numpy; print(numpy.__version__)'",
  ];
  for (const line of ordinary) assert.equal(await verdict(t, [deny], line), undefined, line);
});

test("[R87, R6] a gate that is evaluated again on a rewritten line says why it holds then", async (t) => {
  const rewrite = aHook("rewrite", "transform_params", {
    steps: [
      { uses: "transform_params", with: { transformation: { command: "$X push" } }, timeout: 600, onError: "stop" },
    ],
    priority: 200,
  });
  const found = await verdict(t, [gate({ reason: "never push" }), rewrite], "git status");
  assert.equal(found?.reason, saying("cannot tell what `$X` runs"));
});
