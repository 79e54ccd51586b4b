/** Of the calls that an agent has written down, which reached Hookline: by commands, over real files and a real store. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { agents } from "../../src/agents/index.ts";
import type { Fields } from "../../src/engine/event.ts";
import { advance } from "../../src/engine/events.ts";
import type { Transcript } from "../../src/engine/record.ts";
import { coverageOfSessions } from "../../src/operations/coverage/sessions.ts";
import { reachedOf, readOn, type SettledCall } from "../../src/operations/coverage/transcript.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { deliveries, homeOf, project } from "../agents/recorded-homes.ts";
import { emptyRepository } from "../repository.ts";
import { anEvent, noHooks } from "../storage/contract.ts";
import { type World, world } from "../world.ts";

/** What one look finds in what the real agent kept, where these of its calls have come. */
async function lookAt(t: TestContext, name: string, came: readonly string[]) {
  const store = openMemoryStore();
  for (const id of came) {
    const [session = ""]: string[] = JSON.parse(id);
    await store.record(anEvent({ session, delivery: { id, by: `${name} user` } }), noHooks, advance);
  }
  const recorded = await agents[name]?.recorded?.();
  assert.ok(recorded);
  const rows: Transcript[] = [];
  const settled: SettledCall[] = [];
  for (const source of recorded.sources({ home: homeOf(t, name), environment: {}, folder: project, since: 0 }))
    rows.push(
      await readOn({
        ...{ recorded, source, known: undefined, sender: name, since: 0, isOver: () => false },
        reached: (session) => reachedOf(session, store),
        settled: (_session, call) => void settled.push(call),
      }),
    );
  const [coverage] = await coverageOfSessions(rows, store, {});
  assert.ok(coverage);
  return { coverage, settled };
}

const ofSession: Readonly<Record<string, number>> = {
  ...{ "claude-code": 9, codex: 6, gemini: 9, qwen: 9, copilot: 11, opencode: 11, pi: 7 },
};

for (const [name, calls] of Object.entries(ofSession))
  test(`all ${calls} calls of the recorded session of ${name} reached Hookline, its subagents' included; those that it refused itself are not counted`, async (t) => {
    const { coverage } = await lookAt(t, name, deliveries[name] ?? []);
    const { reached, missed, because, unknown, silentSince } = coverage;
    assert.deepEqual(
      { calls: coverage.calls, reached, missed, because, unknown, silentSince },
      { calls, reached: calls, missed: [], because: null, unknown: null, silentSince: null },
    );
  });

test("[X13] a call that did not come is named, and only that one; where the agent gives calls no ids too", async (t) => {
  for (const name of ["claude-code", "copilot", "gemini"]) {
    const came = (deliveries[name] ?? []).filter((_id, index) => index !== 2); // the one that ends with 3
    const { coverage } = await lookAt(t, name, came);
    assert.equal(coverage.calls - coverage.reached, 1, name);
    assert.deepEqual(
      coverage.missed.map(({ tool, subject }) => `${tool}: ${subject}`),
      ["Bash: echo out; exit 3"],
      name,
    );
    assert.match(coverage.because ?? "", /^others like them came: a mod answered/);
  }
});

test("where no call of a tool came, and calls of others did, that is what is said", async (t) => {
  const all = deliveries["claude-code"] ?? [];
  const { coverage } = await lookAt(t, "claude-code", all.toSpliced(3, 1)); // the only Write
  assert.deepEqual(
    coverage.missed.map(({ tool }) => tool),
    ["Write"],
  );
  assert.match(coverage.because ?? "", /^no call of Write came: a matcher leaves it out, or a mod answers for it/);
});

test("calls of a subagent that did not come are told as that", async (t) => {
  const { coverage } = await lookAt(t, "claude-code", (deliveries["claude-code"] ?? []).slice(0, -1));
  assert.deepEqual([coverage.calls, coverage.reached], [9, 8]);
  assert.equal(coverage.missed[0]?.subagent, "general-purpose");
  assert.match(coverage.because ?? "", /they are calls of subagents \(general-purpose\)/);
});

test("what came of each call is told once, for who follows what was refused", async (t) => {
  const { settled } = await lookAt(t, "claude-code", []);
  assert.deepEqual(
    settled.slice(0, 3).map(({ tool, result }) => [tool, result]),
    [
      ["Bash", "ran"],
      ["Bash", "refused"],
      ["Bash", "failed"],
    ],
  );
});

// By commands: a repository with Claude Code registered, and sessions as it would write them.

const session = "8246d42f-027c-4953-b408-91ed1e77ccd5";

interface Written extends World {
  /** Where Claude Code would write the session. */
  transcript(id?: string): string;
  /** As Claude Code would: the calls in its transcript, and those of them that come in its hooks' payloads. */
  session(id: string, calls: readonly string[], came?: readonly string[]): void;
}

function written(t: TestContext): Written {
  const here = world(t, { "home/.claude/settings.json": "{}\n" });
  emptyRepository(here.workspace);
  assert.equal(here.hookline("install", "claude-code").status, 0);
  const transcript = (id = session) =>
    join(here.home, ".claude/projects", here.workspace.replaceAll(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`);
  return {
    ...here,
    transcript,
    session(id, calls, came = calls) {
      mkdirSync(dirname(transcript(id)), { recursive: true });
      for (const call of calls) {
        if (came.includes(call)) here.hooklineWith(payloadOf(id, here.workspace, call), ...asRegistered);
        appendFileSync(transcript(id), linesOf(id, here.workspace, call));
      }
    },
  };
}

const asRegistered = ["hook", "claude-code", "--by", "user", "--event", "PreToolUse"];

const payloadOf = (session_id: string, cwd: string, call: string): string =>
  JSON.stringify({
    ...{ session_id, cwd, hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_input: { command: call }, tool_use_id: call },
  });

const linesOf = (sessionId: string, cwd: string, call: string): string =>
  [
    { type: "assistant", part: { type: "tool_use", id: call, name: "Bash", input: { command: call } } },
    { type: "user", part: { type: "tool_result", tool_use_id: call, content: "ok" } },
  ]
    .map(({ type, part }) => ({
      type,
      sessionId,
      cwd,
      timestamp: new Date().toISOString(),
      message: { content: [part] },
    }))
    .map((one) => `${JSON.stringify(one)}\n`)
    .join("");

const ten = Array.from({ length: 10 }, (_one, index) => `echo ${index}`);

test("[X13] status says that ten of ten calls of the last session reached Hookline, and after one without hooks that none did", (t) => {
  const here = written(t);
  assert.doesNotMatch(here.hookline("status").stdout, /^session/m);
  here.session(session, ten);
  const { stdout } = here.hookline("status");
  assert.match(stdout, /^session +10 of 10 calls of the last session reached Hookline$/m);
  assert.match(stdout, /claude-code calls Hookline \(user: ~\/\.claude\/settings\.json\), last (just now|\d+ s ago)$/m);
  here.session("bare", ten, []);
  assert.match(
    here.hookline("status").stdout,
    /^session +none of the 10 calls of the last session reached Hookline: `hookline coverage bare`$/m,
  );
  const [last, before] = here.json("coverage");
  assert.deepEqual([last.session, last.calls, last.reached], ["bare", 10, 0]);
  assert.match(last.because, /no event of this session came: Claude Code was started without its hooks \(--bare, /);
  assert.deepEqual([before.session, before.reached, before.because], [session, 10, null]);
});

test("[X11] a refused call that the agent has written down as run is not obeyed, also where no report of it came", (t) => {
  const here = written(t);
  here.write("workspace/.hookline/hooks.json", JSON.stringify({ deny: ["Bash(git push *)"] }));
  here.session(session, ["git push one", "ls"]);
  const refused = (call: string): string =>
    linesOf(session, here.workspace, call).replace('"content":"ok"', '"is_error":true,"content":"Hook PreToolUse: no"');
  here.hooklineWith(payloadOf(session, here.workspace, "git push two"), ...asRegistered);
  appendFileSync(here.transcript(), refused("git push two"));
  here.hookline("coverage");
  const receipts = here.json("runs").map(({ call, receipt }: Fields) => `${call}: ${receipt}`);
  assert.deepEqual(receipts.sort(), ["Bash: git push one: disobeyed", "Bash: git push two: null"]);
});

test("the first look at a session shows no secret of its calls either", (t) => {
  const here = written(t);
  here.session(session, ["curl -H 'x-api-key: sk-ant-api03-abcdefghijklmnopqrstuvwxyz' https://example.com"], []);
  for (const _again of [1, 2]) {
    const { stdout } = here.hookline("coverage", session);
    assert.match(stdout, /x-api-key: \[redacted\]/);
  }
});

test("[X13] calls that stop reaching Hookline are told with the time at which they stopped, and each of them in coverage SESSION", (t) => {
  const here = written(t);
  here.session(session, ten, ten.slice(0, 7));
  assert.match(
    here.hookline("status").stdout,
    /^session +7 of 10 calls of the last session reached Hookline; 3 did not: since \d\d:\d\d no call reaches it: /m,
  );
  const { stdout } = here.hookline("coverage", session.slice(0, 8));
  for (const call of ten.slice(7)) assert.match(stdout, new RegExp(`Bash +${call}`));
  assert.doesNotMatch(stdout, /echo 6/);
  here.session(session, ["echo again"]);
  assert.match(stdout, /hooks were switched off in the middle of the session/);
  const [{ calls, reached, silentSince }] = here.json("coverage");
  assert.deepEqual([calls, reached, silentSince], [11, 8, null], "it goes on where the last look ended");
});

test("what an agent did before it was registered is not held against it", (t) => {
  const here = written(t);
  here.session(session, ten, []);
  const old = linesOf(session, here.workspace, "echo old").replaceAll(
    /"timestamp":"[^"]*"/g,
    '"timestamp":"2020-01-01T00:00:00Z"',
  );
  appendFileSync(here.transcript(), old);
  assert.equal(here.json("coverage")[0].calls, 10);
});

test("[X13] a transcript that is another version's, is cut or cannot be read makes coverage unknown, with the reason", (t) => {
  const here = written(t);
  mkdirSync(dirname(here.transcript()), { recursive: true });
  writeFileSync(here.transcript(), `${JSON.stringify({ v: 9, kind: "tool_use", calls: ["x"] })}\n`);
  assert.match(
    here.hookline("status").stdout,
    /^session +how many calls of the last session reached Hookline is not known: nothing in 8246d42f-[-\w]+\.jsonl is as Claude Code 2\.1\.330 writes it: /m,
  );
  here.session("cut", ten);
  appendFileSync(here.transcript("cut"), '{"type":"assistant" "tool_use"\n');
  assert.match(here.json("coverage", "cut")[0].unknown, /^cut\.jsonl: what stands before its byte \d+ is no JSON$/);
});

test("[X13] an agent's record that tells of no call although calls came is of another form, and nothing is guessed", (t) => {
  const here = written(t);
  here.session(session, ["echo one"]);
  const other = linesOf(session, here.workspace, "echo one")
    .replaceAll("tool_use", "bash_tool")
    .replaceAll("tool_result", "result");
  writeFileSync(here.transcript(), other + other);
  assert.match(here.json("coverage")[0].unknown, /1 call came, and its agent's own record tells of none/);
});

test("an unknown session is refused, and where no event of one came, why says that coverage shows its calls", (t) => {
  const here = written(t);
  here.session("bare", ten, []);
  here.session(session, ten, ten.slice(1));
  const refused = here.hookline("coverage", "nowhere");
  assert.deepEqual([refused.status, refused.stdout], [2, ""]);
  assert.match(refused.stderr, /no session is called "nowhere"/);
  here.hookline("status");
  assert.match(here.hookline("why", "bare").stderr, /none of this session reached Hookline: `hookline coverage bare`/);
  const { stdout, stderr } = here.hookline("why", session.slice(0, 8));
  assert.match(stderr, /this is the newest event of session 8246d42f-/);
  assert.match(
    stdout,
    /^9 of 10 calls of this session reached Hookline; 1 did not: `hookline coverage 8246d42f-027c`$/m,
  );
  assert.match(here.hookline("runs", "--session", session).stdout, /^9 of 10 calls of this session reached Hookline/m);
});
