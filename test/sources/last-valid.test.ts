import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookSet } from "../../src/core/hook.ts";
import { readConfig } from "../../src/dialects/config-file.ts";
import type { CompiledRules } from "../../src/dialects/rules.ts";
import { hookSetOf } from "../../src/sources/hook-set.ts";
import { lastValidGuards, withLastValid } from "../../src/sources/last-valid.ts";
import { compile, label, origin, patterns, registry } from "../dialects/rules-helpers.ts";

const gate = (more = ""): string =>
  `{ id: g, on: tool_start, condition: { type: tool_name, match: Bash }, action: { type: gate, reason: no }${more} }`;
const other = "{ id: h, on: turn_end, condition: { type: always }, action: { type: gate, reason: wait } }";

async function inForce(valid: CompiledRules, now: CompiledRules): Promise<string[]> {
  const before: HookSet = hookSetOf(valid.hooks);
  const store = { setsInForce: async () => [before.id], hookSet: async () => before };
  const found = await lastValidGuards({ set: hookSetOf(now.hooks), problems: now.problems }, store);
  return withLastValid(now.hooks, found, now.problems).map(({ name, steps: [{ uses }] }) => `${name}: ${uses}`);
}

const valid = compile(`hooks:\n  - ${gate()}\n  - ${other}\n`);

const broken: readonly [string, string][] = [
  ["a misspelt hooks", `hoks:\n  - ${gate()}\n  - ${other}\n`],
  ["hooks without its colon", `hooks\n  - ${gate()}\n  - ${other}\n`],
  [
    "a map under hooks",
    `hooks:\n  g:\n    ${gate()
      .slice(2, -2)
      .replace("id: g, ", "")
      .replaceAll(/, (?=condition|action)/g, "\n    ")}\n`,
  ],
  ["a misspelt hooks whose rules are gone", "hoks: []\n"],
  ["a text in the place of the file", "hooks hooks\n"],
  ["a rule at the root", "id: g\non: tool_start\ncondition: { type: always }\naction: { type: gate }\n"],
  ["runtime with a misspelt hooks", `runtime:\n  hook:\n    - ${gate()}\n    - ${other}\n`],
  ["a file that is too large", `hooks:\n  - ${gate()}\n  - ${other}\nx-more: "${"x".repeat(4 * 1024 * 1024)}"\n`],
];

for (const [what, text] of broken) {
  test(`[R46] after ${what} the guards of the file keep their last valid forms, and nothing else stands for them`, async () => {
    assert.deepEqual((await inForce(valid, compile(text))).sort(), ["g: gate", "h: gate"]);
  });
}

test("[R46] after a misspelt hooks of hookline.yaml they do, too", async () => {
  const read = (text: string): CompiledRules =>
    readConfig(text, origin, { registry, patterns, label, layer: "project" });
  const before = read(`hooks:\n  - ${gate()}\n`);
  assert.deepEqual(await inForce(before, read(`hoooks:\n  - ${gate()}\n`)), ["g: gate"]);
  assert.deepEqual(await inForce(before, read("hooks\n")), ["g: gate"]);
});

test("[R46] a guard that is taken out of a file without an error is gone, and so is one beside a broken rule's text", async () => {
  assert.deepEqual(await inForce(valid, compile(`hooks:\n  - ${gate()}\n`)), ["g: gate"]);
  assert.deepEqual(await inForce(valid, compile("hooks: []\n")), []);
  assert.deepEqual(await inForce(valid, compile(`hooks:\n  - ${gate(", priority: x")}\n`)), ["g: gate"]);
});
