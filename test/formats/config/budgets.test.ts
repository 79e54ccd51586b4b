import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConfig } from "../../../src/formats/config/config.ts";
import { mergeConfig, readConfig } from "../../../src/formats/config/file.ts";

const read = (text: string) =>
  readConfig(text, { dialect: "rules", layer: "project", file: "/p/hookline.yaml" }, { layer: "project" });

test("budgets are read by event and by hook, events by their own names", () => {
  const { config, problems } = read("budgets:\n  events: { tool_start: 200, Stop: 60000 }\n  hooks: { lint: 50 }\n");
  assert.deepEqual(problems, []);
  assert.deepEqual(config.budgets, { events: { PreToolUse: 200, Stop: 60_000 }, hooks: { lint: 50 } });
});

test("a mistake in one budget leaves the others active, and is reported at its place", () => {
  const { config, problems } = read(
    "budgets:\n  events: { Stop: soon, PreTolUse: 5, SessionStart: 9 }\n  hooks: { lint: 0 }\n  hook: { lint: 5 }\n",
  );
  assert.deepEqual(config.budgets, { events: { SessionStart: 9 }, hooks: {} });
  assert.deepEqual(
    problems.map(({ line, code, suggestion }) => [line, code, suggestion]),
    [
      [2, "wrong-type", undefined],
      [2, "unknown-event", 'did you mean "PreToolUse"?'],
      [3, "wrong-type", undefined],
      [4, "unknown-field", 'did you mean "hooks"?'],
    ],
  );
});

test("of two files the inner one wins, name by name", () => {
  const outer = { ...emptyConfig, budgets: { events: { Stop: 1, PreToolUse: 2 }, hooks: { lint: 3 } } };
  const { budgets } = mergeConfig(outer, { budgets: { events: { Stop: 4 } } });
  assert.deepEqual(budgets, { events: { Stop: 4, PreToolUse: 2 }, hooks: { lint: 3 } });
});
