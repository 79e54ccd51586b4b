/** What the real agents kept of one session each, as their rows read it; and what hostile files do to the reader. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { agents } from "../../src/agents/index.ts";
import type { RecordedEntry, RecordedSessions, RecordedSource } from "../../src/agents/recorded-calls.ts";
import { readRecorded } from "../../src/agents/recorded-calls.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { homeOf, project } from "./recorded-homes.ts";

async function read(recorded: RecordedSessions, source: RecordedSource, from = 0) {
  const entries: RecordedEntry[] = [];
  const done = await readRecorded(recorded, source, {
    from,
    hear: (entry) => entries.push(entry),
    isOver: () => false,
  });
  return { entries, ...done };
}

async function rowOf(name: string): Promise<RecordedSessions> {
  const recorded = await agents[name]?.recorded?.();
  assert.ok(recorded, name);
  return recorded;
}

/** Of the shell: that ran, that a hook refused, and that ended with 3; two at once, one without its input, an unknown tool; then files. */
const usual = ["ran", "refused", "failed", "ran", "ran", "ran", "refused", "refused", "ran"];
const expected: Readonly<Record<string, { results: readonly string[]; subagent: string[] }>> = {
  "claude-code": { results: [...usual, "ran"], subagent: ["ran"] },
  codex: { results: [...usual.with(3, "refused").with(8, "refused"), "unknown"], subagent: ["interrupted"] },
  gemini: { results: [...usual.with(2, "ran"), "ran"], subagent: ["ran"] },
  qwen: { results: [...usual, "ran"], subagent: ["ran"] },
  copilot: { results: [...usual, "ran", "ran"], subagent: [] },
  opencode: { results: [...usual.with(1, "unknown").with(6, "unknown"), "ran"], subagent: ["ran"] },
  pi: { results: usual.with(1, "unknown"), subagent: [] },
};

for (const [name, { results, subagent }] of Object.entries(expected))
  test(`what ${name} kept of a session is found below its home, and each call in it is known with what came of it`, async (t) => {
    const recorded = await rowOf(name);
    const sources = recorded.sources({ home: homeOf(t, name), environment: {}, folder: project, since: 0 });
    const calls = new Map<string, { call: string; result: string | undefined; isOfSubagent: boolean }>();
    const sessions = new Set<string | undefined>();
    for (const source of sources) {
      const { entries, end, why } = await read(recorded, source);
      assert.equal(why, undefined);
      assert.ok(end <= source.end && end > 0);
      const told = entries.find(({ session }) => session !== undefined);
      sessions.add(source.session ?? told?.session);
      const isOfSubagent = (source.subagent ?? told?.subagent) !== undefined;
      assert.equal(entries.find(({ cwd }) => cwd !== undefined)?.cwd ?? source.cwd, project);
      for (const { begun = [], ended = [] } of entries) {
        for (const one of begun) {
          const { tool_name: tool, tool_input: input } = recorded.canonical?.(one) ?? {
            tool_name: one.tool,
            tool_input: one.input,
          };
          if (!calls.has(one.id))
            calls.set(one.id, { call: `${tool} ${JSON.stringify(input)}`, result: undefined, isOfSubagent });
        }
        for (const { id, result } of ended) Object.assign(calls.get(id) ?? {}, { result });
      }
    }
    assert.equal(sessions.size, 1, "one session, its subagents included");
    const [own, below] = [false, true].map((of) => [...calls.values()].filter((one) => one.isOfSubagent === of));
    assert.deepEqual(
      [own, below].map((all) => all?.map(({ result }) => result)),
      [results, subagent],
    );
    const [first, second] = own ?? [];
    assert.match(first?.call ?? "", /^Bash \{"command":"echo from the shell > shell\.txt"/, "by our names");
    assert.match(second?.call ?? "", /echo forbidden > forbidden\.txt/);
  });

test("sessions of another project, and those that were not written since, are left out", async (t) => {
  for (const name of Object.keys(expected)) {
    const recorded = await rowOf(name);
    const home = homeOf(t, name);
    const of = (folder: string, since: number) => recorded.sources({ home, environment: {}, folder, since }).length;
    assert.ok(of(project, 0) > 0, name);
    if (name !== "codex" && name !== "copilot") assert.equal(of("/workspace/other", 0), 0, name);
    assert.equal(of(project, Date.now() + 86_400_000), 0, name);
    assert.deepEqual(recorded.sources({ home: "/nowhere", environment: {}, since: 0 }), [], name);
  }
});

const line = (id: string, text = "ok"): string =>
  `${JSON.stringify({ type: "user", sessionId: "s", cwd: project, message: { content: [{ type: "tool_result", tool_use_id: id, content: text }] } })}\n`;

async function file(t: TestContext, write: (path: string) => void) {
  const path = join(temporaryFolder(t), "s.jsonl");
  write(path);
  const recorded = await rowOf("claude-code");
  const at = (end: number): RecordedSource => ({ path, end, modified: 0 });
  return { path, recorded, read: (from = 0, end = 1) => read(recorded, at(end), from) };
}

const endsIn = (entries: readonly RecordedEntry[]): string[] =>
  entries.flatMap(({ ended = [] }) => ended.map(({ id }) => id));

test("a pipe, a device behind a link and a folder in a transcript's place are not opened, and nothing waits for them", async (t) => {
  const hostile: readonly ((path: string) => void)[] = [
    (path) => void execFileSync("mkfifo", [path]),
    (path) => symlinkSync("/dev/zero", path),
    (path) => mkdirSync(path),
  ];
  for (const make of hostile) {
    const { read } = await file(t, make);
    assert.deepEqual(await read(), { entries: [], end: 0, why: "it is no regular file" });
  }
  const { read } = await file(t, () => {});
  assert.match((await read()).why ?? "", /^it cannot be read: ENOENT/);
});

test("a last line without its end is left for the next time, which begins there", async (t) => {
  const whole = line("one");
  const { path, read } = await file(t, (path) => writeFileSync(path, whole + line("two").slice(0, 40)));
  const first = await read();
  assert.deepEqual([endsIn(first.entries), first.end, first.why], [["one"], whole.length, undefined]);
  appendFileSync(path, line("two").slice(40));
  assert.deepEqual(endsIn((await read(first.end)).entries), ["two"]);
});

test("a line that is no JSON, and one of 50 MB, make what is there unknown: the rest is read", async (t) => {
  const broken = await file(t, (path) => writeFileSync(path, `${line("one")}{"tool_result" no\n${line("two")}`));
  const { entries, why } = await broken.read();
  assert.deepEqual(endsIn(entries), ["one", "two"]);
  assert.match(why ?? "", /is no JSON$/);
  const long = await file(t, (path) =>
    writeFileSync(path, line("one") + line("huge", "x".repeat(50 << 20)) + line("two")),
  );
  const before = process.memoryUsage().arrayBuffers;
  const told = await long.read();
  assert.deepEqual(endsIn(told.entries), ["one", "two"]);
  assert.equal(told.why, "a line of it is 51 MB long");
  assert.ok(process.memoryUsage().arrayBuffers - before < 100 << 20);
});

test("an entry of another form than its agent's says nothing", async () => {
  const strange = [
    {},
    { type: "assistant" },
    { type: "assistant", sessionId: 1 },
    { payload: [] },
    { toolCalls: {} },
    { message: "x" },
    { data: null, type: "tool.execution_start" },
  ];
  for (const name of Object.keys(expected)) {
    const recorded = await rowOf(name);
    for (const written of strange) {
      const { begun = [], ended = [] } = recorded.entry(written) ?? {};
      assert.deepEqual([...begun, ...ended], [], `${name} ${JSON.stringify(written)}`);
    }
  }
});

test("a database in OpenCode's place that is none of its own, or of another form, holds no session", async (t) => {
  const recorded = await rowOf("opencode");
  const home = temporaryFolder(t);
  const path = join(home, ".local/share/opencode/opencode.db");
  mkdirSync(join(path, ".."), { recursive: true });
  const look = () => recorded.sources({ home, environment: {}, since: 0 });
  writeFileSync(path, readFileSync(process.execPath).subarray(0, 8_192));
  assert.deepEqual(look(), []);
  writeFileSync(path, "");
  const database = new DatabaseSync(path);
  database.exec("create table session (name text)");
  database.close();
  assert.deepEqual(look(), []);
});

test("a fork of a session begins with the other's entries: the calls in them are not its own", async () => {
  const { entry } = await rowOf("claude-code");
  const begin = (more: object) =>
    entry({
      ...{ type: "assistant", sessionId: "fork", ...more },
      message: { content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }] },
    })?.begun?.length;
  assert.deepEqual([begin({ requestSessionId: "first" }), begin({ requestSessionId: "fork" }), begin({})], [0, 1, 1]);
});
