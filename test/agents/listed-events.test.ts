/** A new event of an agent is found in its program's own list. */
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { qwen } from "../../src/agents/qwen/adapter.ts";
import { eventsListedIn, knownEvents } from "../real-agents/listed-events.ts";

const known = knownEvents(claudeCode);
const list = (names: readonly string[]): string => JSON.stringify(names);

test("the longest list with enough known names is the agent's list of events, and what no table has is new", () => {
  const own = [...claudeCode.settings.events, "PreTeleport"];
  const text = `\0x=${list(["PreToolUse", "PostToolUse", "Stop", "Bash", "Read"])};y=${list(own)};z=${list(Array(60).fill("Other"))}`;
  deepEqual(eventsListedIn(text, known), own);
  deepEqual(
    own.filter((name) => !known.has(name)),
    ["PreTeleport"],
  );
});

test("a program without such a list says nothing, and an agent's own names for events are known", () => {
  equal(eventsListedIn(`["PreToolUse","Stop"]${list(Array(60).fill("Other"))}`, known), undefined);
  equal(knownEvents(qwen).has("TodoCreated"), true);
});
