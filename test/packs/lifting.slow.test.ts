/** What an agent tries in order to push past its guards or to lift them, against the built-in guard and the pack together. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { judgeOf, workspace } from "./judge.ts";

interface Try {
  command?: string;
  tool?: string;
  input?: Fields;
}

const tries = readFileSync(join(import.meta.dirname, "..", "corpus", "lifting.jsonl"), "utf8")
  .split("\n")
  .filter(Boolean)
  .map((text): Fields => {
    const { command = "", tool = "Bash", input = { command } }: Try = JSON.parse(text);
    return { tool_name: tool, tool_input: input };
  });

test("with the pack none of an agent's tries passes in a session without a person, and each question says what the call would do", async (t) => {
  const hook = selfProtection({ home: homedir(), environment: {}, managed: managedFoldersOf("linux") });
  const line = lineOf(t, { hooks: [hook] });
  const judge = await judgeOf("standard");
  assert.ok(tries.length >= 200);
  const passed: unknown[] = [];
  const silent: unknown[] = [];
  for (const data of tries) {
    const { verdict } = await line.emit("PreToolUse", data, { cwd: workspace });
    const { decision, by } = judge.call(data);
    if (verdict === undefined && decision === "pass") passed.push(data.tool_input);
    const isSaid = verdict ? /^This would [a-z]/.test(verdict.reason ?? "") : by.length > 0;
    if (!isSaid) silent.push([data.tool_input, verdict]);
  }
  assert.deepEqual(passed, []);
  assert.deepEqual(silent, []);
});
