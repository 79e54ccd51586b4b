/**
 * A condition tree of three clauses, as specification 003 writes them: tool_name, content_contains, not tool_failed.
 *
 * Ours is what a rule compiles to: compileCondition over the tree, its test asked with a scope. "closures" are the same
 * three clauses written by hand for these very events, one closure each and one that joins them. filtrex 3.1.0 compiles an
 * expression of the same meaning to JavaScript; its events are laid out flat for it beforehand, and what its language
 * lacks (a search without regard to capitals) is a function given to it, the same as in the closures. All sides answer every event alike before any is
 * timed. "usual" is a session's mix, where most tools are others; in "every clause" none is decided before its last clause.
 */
import assert from "node:assert/strict";
import { conditions as kinds } from "../src/conditions/index.ts";
import { loadPatterns } from "../src/conditions/patterns.ts";
import { compileCondition } from "../src/engine/condition.ts";
import { type Fields, firstTurn, type HookEvent } from "../src/engine/event.ts";
import { hasFailed } from "../src/engine/events.ts";
import type { Condition } from "../src/engine/hook.ts";
import { matchNames } from "../src/engine/plan.ts";
import type { Scope } from "../src/engine/ports.ts";
import { type Benchmark, type Findings, joined, ratioOf, rowsOf, sampleWork, type Work } from "./measure.ts";
import { loadPeers, missingPeers } from "./peers.ts";

export const conditions: Benchmark = {
  name: "conditions",
  about: "three clauses: tool_name, content_contains, not tool_failed",
  missing: missingPeers,
  async measure() {
    const test = await ours();
    const filtrex = (await loadPeers()).filtrex.compileExpression(sentence, { extraFunctions: { holds } });
    const parts: Findings[] = [];
    for (const [name, moments] of Object.entries(cases)) parts.push(await measureCase(name, moments, test, filtrex));
    return joined(parts);
  },
};

const tree: Condition = {
  all: [
    { is: "tool_name", with: { match: "Write|Edit" } },
    { is: "content_contains", with: { keyword: "todo" } },
    { not: { is: "tool_failed" } },
  ],
};

type Test = (scope: Scope) => boolean;

async function ours(): Promise<Test> {
  const { test } = compileCondition(tree, { conditions: kinds }, await loadPatterns({}));
  return (scope) => test(scope) !== false;
}

const isWanted: Test = ({ names: [name] }) => name === "Write" || name === "Edit";
const isSaid: Test = ({ event: { data }, turn }) =>
  holds(turn.prompt) || holds(turn.answer) || Object.values(data.tool_input as Fields).some(holds); // every event here has one
const hasSucceeded: Test = ({ event }) => !hasFailed(event.data);
const todo = /todo/i;
const holds = (text: unknown): boolean => todo.test(String(text));

const all =
  (first: Test, second: Test, third: Test): Test =>
  (scope) =>
    first(scope) && second(scope) && third(scope);
const byHand: Test = all(isWanted, isSaid, hasSucceeded);

/** The same for filtrex. */
const sentence =
  'tool in ("Write", "Edit") and (holds(prompt) or holds(answer) or holds(path) or holds(content)) and not failed';

/** As an expression language wants it: one level, one name each. */
const flattened = ({ event: { data }, turn }: Scope): object => {
  const input = data.tool_input as Fields; // every event here has one
  return {
    tool: data.tool_name,
    prompt: turn.prompt,
    answer: turn.answer,
    path: input.file_path ?? input.command ?? "",
    content: input.content ?? "",
    failed: hasFailed(data),
  };
};

const turn = {
  ...firstTurn,
  number: 3,
  prompt: "Rename the settings page and keep its tests green, please.",
  answer: "I renamed the page and its route. The tests pass; one of them was skipped before, and still is.",
};

function momentOf(tool: string, input: Fields, response: Fields = {}): Scope {
  const event: HookEvent = {
    id: "event",
    name: "PostToolUse",
    at: 1_790_000_000_000,
    cwd: "/project",
    data: { tool_name: tool, tool_input: input, tool_response: response },
    sender: "embedder",
    session: "session",
  };
  return { event, turn, names: matchNames(event), results: [] };
}

const plain = "export const title = 'Settings';\n".repeat(4);
const marked = `${plain}// TODO: translate\n`;
const write = (content: string, response?: Fields): Scope =>
  momentOf("Write", { file_path: "/project/src/settings.ts", content }, response);

const cases: Readonly<Record<string, readonly Scope[]>> = {
  usual: [
    momentOf("Bash", { command: "git status" }),
    momentOf("Read", { file_path: "/project/src/settings.ts" }),
    write(marked),
    momentOf("Grep", { command: "title" }),
    momentOf("Bash", { command: "npm test" }),
    write(plain),
    momentOf("WebFetch", { command: "https://example.com" }),
    momentOf("mcp__github__search", { command: "is:open" }),
  ],
  "every clause": Array.from({ length: 8 }, (_, index) => write(marked, index % 2 === 0 ? {} : { success: false })),
};

async function measureCase(
  name: string,
  moments: readonly Scope[],
  test: Test,
  filtrex: (flat: object) => unknown,
): Promise<Findings> {
  const flat = moments.map(flattened);
  for (const [index, moment] of moments.entries()) {
    assert.equal(test(moment), byHand(moment), "hookline answers as the closures do");
    assert.equal(filtrex(flat[index] ?? {}), byHand(moment), "filtrex answers as the closures do");
  }
  const sides: Work[] = [
    repeat("hookline", moments, test),
    repeat("closures", moments, byHand),
    repeat("filtrex", flat, filtrex),
  ];
  const samples = await sampleWork(sides, { rounds: 41, milliseconds: 12 });
  return {
    rows: rowsOf(name, "ns", samples),
    ratios: [
      ratioOf(samples, { goal: `${name}: near hand-written closures`, cost: "hookline", by: "closures", atMost: 2 }),
      ratioOf(samples, { goal: `${name}: faster than filtrex`, cost: "filtrex", by: "hookline", atLeast: 3 }),
    ],
  };
}

/** There are eight of each. */
const repeat = <T>(name: string, given: readonly T[], work: (one: T) => unknown): Work => ({
  name,
  run(times) {
    for (let index = 0; index < times; index++) work(given[index & 7] as T);
  },
});
