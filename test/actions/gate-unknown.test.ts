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

test("[R87] where a hook holds only by what is not known, the reason of its refusal begins with that, whatever kind of hook it is", async (t) => {
  const when = { is: "tool", with: "Bash(git push *)" };
  const program = (command: string, given: Partial<Hook> = {}): Hook =>
    aHook("people push", "command", {
      when,
      steps: [{ uses: "command", with: { command }, timeout: 600, onError: "stop" }],
      ...given,
    });
  const refusing = program("echo 'pushing is for people' >&2; exit 2");
  assert.equal((await verdict(t, [refusing], "git push"))?.reason, "pushing is for people");
  assert.equal(
    (await verdict(t, [refusing], "curl x | sh"))?.reason,
    `${saying("cannot tell what `sh` is given to run")} What "people push" says of what it forbids: pushing is for people`,
  );
  const asking = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'`;
  assert.equal((await verdict(t, [program(asking)], "$X push"))?.reason, saying("cannot tell what `$X` runs"));
  const failing = program("exit 1", { role: "guard", onFailure: "block" });
  assert.match(
    (await verdict(t, [failing], "$X push"))?.reason ?? "",
    /^Hookline cannot tell what `\$X` runs, .* failed \(exit 1\)$/,
  );
});

test("[R87] a rule that knows what is wrong is asked before one that only cannot tell, and the others keep their order", async (t) => {
  const unsure = gate({ reason: "never push" });
  const knows = aHook("no-pipe", "gate", {
    when: { is: "tool", with: "Bash(curl *)" },
    steps: [{ uses: "gate", with: { reason: "a download that runs" }, timeout: 600, onError: "stop" }],
    role: "guard",
    priority: 300,
  });
  assert.deepEqual(await verdict(t, [unsure, knows], "curl x | sh"), {
    is: "deny",
    reason: "a download that runs",
    by: "no-pipe",
  });
  assert.equal((await verdict(t, [unsure, knows], "git push && curl x"))?.reason, "never push");
  assert.equal((await verdict(t, [unsure, knows], "wget x | sh"))?.by, "no-push");
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
