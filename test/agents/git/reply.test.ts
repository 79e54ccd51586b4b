import assert from "node:assert/strict";
import test from "node:test";
import { gitReply, preCommitEvent } from "../../../src/agents/git/repository.ts";
import type { Outcome } from "../../../src/engine/outcome.ts";
import type { Run } from "../../../src/engine/record.ts";

const run = (more: Partial<Run>): Run => ({
  id: "r",
  hook: "h",
  hookName: "Type check",
  eventId: "e",
  eventName: "git.pre-commit",
  status: "failed",
  cause: "event:git.pre-commit",
  startedAt: 0,
  steps: [],
  notes: [],
  asked: 1,
  ...more,
});
const step = { uses: "script", ok: false, output: { log: "/state/check.log" }, ms: 1, evidence: { exitCode: 7 } };

test("[E50] a script's exit code is git's, and the last line says who refused and where the log is", () => {
  const outcome: Outcome = { verdict: { is: "deny", reason: "two errors\n", by: "h" } };
  assert.deepEqual(gitReply(outcome, [run({ steps: [step] })]), {
    exitCode: 7,
    stderr: 'two errors\nhookline: "Type check" refused the commit — exit code 7 — log: /state/check.log',
  });
});

test("other refusals are exit code 1, and none is 0 whatever a run says", () => {
  const refusals: Outcome[] = [
    { verdict: { is: "deny", reason: "no", by: "h" } },
    { verdict: { is: "ask", reason: "sure?", by: "h" } },
    { stop: { reason: "no more" } },
    { stop: {} },
  ];
  for (const outcome of refusals) assert.equal(gitReply(outcome, [run({})]).exitCode, 1);
  for (const exitCode of [0, -1, 256])
    assert.equal(
      gitReply({ verdict: { is: "deny", by: "h" } }, [run({ steps: [{ ...step, evidence: { exitCode } }] })]).exitCode,
      1,
    );
  assert.match(
    gitReply({ verdict: { is: "ask", reason: "sure?", by: "h" } }, []).stderr,
    /^sure\?\nhookline: "h" refused the commit — it would ask, and no person can be asked here$/,
  );
});

test("what hooks say to a person or a model is shown, and refuses nothing", () => {
  const outcome: Outcome = {
    verdict: { is: "allow", by: "h" },
    messages: [{ to: "person", text: "by the way" }],
    context: ["and this"],
  };
  assert.deepEqual(gitReply(outcome, []), { exitCode: 0, stderr: "by the way\nand this" });
  assert.deepEqual(gitReply({}, []), { exitCode: 0, stderr: "" });
});

test("the event holds the staged names as they are, and the session in which the commit is made", () => {
  const names = "A\0a b\nc\0D\0gone\0M\0-x\0T\0link\0";
  const event = (environment: Record<string, string>, text = names): ReturnType<typeof preCommitEvent> =>
    preCommitEvent({ ask: () => ({ ok: true, text }), top: "/project", environment, id: "e", at: 5 });
  const { data, name, cwd, session, sender } = event({});
  assert.deepEqual(data, { changed_files: ["a b\nc", "gone", "-x", "link"], removed_files: ["gone"] });
  assert.deepEqual([name, cwd, session, sender], ["git.pre-commit", "/project", undefined, "git"]);
  assert.deepEqual(event({}, "").data, { changed_files: [], removed_files: [] });
  assert.equal(event({ HOOKLINE_SESSION_ID: "", CLAUDE_CODE_SESSION_ID: "c", DISCOBOT_SESSION_ID: "d" }).session, "d");
  assert.throws(
    () =>
      preCommitEvent({
        ask: () => ({ ok: false, reason: "broken index" }),
        top: "/project",
        environment: {},
        id: "e",
        at: 5,
      }),
    /the staged files cannot be listed: broken index — \/project/,
  );
});
