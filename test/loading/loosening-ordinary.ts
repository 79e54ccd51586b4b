/** What the guard against loosening makes of ordinary lines, of all of the corpus or of a part. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { patternNeeds } from "../../src/conditions/patterns.ts";
import { compileCondition } from "../../src/engine/condition.ts";
import type { HookEvent } from "../../src/engine/event.ts";
import type { Scope } from "../../src/engine/ports.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { patterns, registry } from "../formats/rules-helpers.ts";

const cwd = "/srv/shop";
const hook = selfProtection({ home: homedir(), environment: {}, managed: managedFoldersOf("linux") });
const noScope = { turn: {} as Scope["turn"], names: ["Bash"], results: [] }; // the condition reads the event alone

/** Of a file of the corpus. */
export const linesOf = (file: string): string[] =>
  readFileSync(join(dirname(import.meta.dirname), "corpus", file), "utf8")
    .split("\n")
    .filter(Boolean);

/** @param every 4 takes one line in four, and 1 takes all */
export function testOrdinary(every: number): void {
  test("[R92] of ordinary lines the guard takes none for one that loosens Hookline, and it reads hardly any as a shell does on its account", () => {
    const any = hook.when && "any" in hook.when ? hook.when.any : [];
    const [own] = any;
    assert.ok(own);
    const { test: loosens } = compileCondition(own, registry, patterns);
    const eventOf = (command: string): HookEvent => ({
      ...{ id: "e", name: "PreToolUse", at: 0, cwd, sender: "test", session: "s" },
      data: { tool_name: "Bash", tool_input: { command } },
    });
    const commands = ["ordinary.jsonl", "second/ordinary.jsonl"]
      .flatMap(linesOf)
      .filter((_, at) => at % every === 0)
      .map((one): string => JSON.parse(one).command);
    const asked = commands.filter((command) => loosens({ ...noScope, event: eventOf(command) }) !== false);
    assert.deepEqual(asked, []);
    const alone = { ...hook, when: own };
    const plain = commands.filter((one) => !/[`{]|\$['"(]|\$\w/.test(one));
    const read = plain.filter((command) => patternNeeds([alone], [eventOf(command)]).shell);
    assert.ok(read.length <= plain.length * 0.03, `${read.length} of ${plain.length}: ${read.slice(0, 40).join("\n")}`);
  });
}
