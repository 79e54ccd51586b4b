import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { eventNames } from "../../../src/engine/events.ts";
import { nearest } from "../../../src/engine/nearest.ts";
import { command, compile, type FormatName } from "../settings-helpers.ts";

const flavours = fc.constantFrom<FormatName>("claude", "gen", "plugin", "hookline");
const keys = fc.constantFrom(
  "type",
  "command",
  "url",
  "timeout",
  "matcher",
  "if",
  "not",
  "reason",
  "deny",
  "ask",
  "role",
  "onFailure",
  "async",
  "enabled",
  "args",
  "id",
  "tags",
  "hooks",
  "__proto__",
);
const handler = fc.dictionary(
  keys,
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("command", "http", "guard", "block", "Bash(git *)")),
);

/** @param rounds of each property */
export function testSettingsProperties(rounds: number): void {
  test("[R33] compiling never throws, whatever the JSON, whole or cut off", () => {
    const events = fc.dictionary(
      fc.oneof(fc.constantFrom(...eventNames), fc.string()),
      fc.oneof(
        fc.array(
          fc.oneof(handler, fc.record({ matcher: fc.jsonValue(), hooks: fc.array(handler), deny: fc.array(handler) })),
        ),
        fc.jsonValue(),
      ),
    );
    const lists = fc.dictionary(
      fc.constantFrom("deny", "ask", "hooks", "dney", "name"),
      fc.oneof(fc.array(fc.oneof(handler, fc.constant("Bash(git *)"), fc.jsonValue({ maxDepth: 1 }))), events),
    );
    const files = fc.oneof(fc.jsonValue(), fc.record({ hooks: events }), events, lists);
    fc.assert(
      fc.property(files, flavours, fc.double({ min: 0, max: 1, noNaN: true }), (file, flavour, share) => {
        const text = JSON.stringify(file);
        for (const source of [text, text.slice(0, text.length * share)]) {
          const { hooks, problems } = compile(source, flavour);
          assert.equal(new Set(hooks.map(({ id }) => id)).size, hooks.length, "ids name one hook each");
          const lines = source.split("\n").length;
          for (const { line, column } of problems) assert.ok(line >= 1 && line <= lines && column >= 1);
          JSON.stringify(hooks);
        }
      }),
      { numRuns: rounds },
    );
  });

  test("[X6, R33] one bad entry between two good ones keeps both", () => {
    const bad = fc.oneof(fc.jsonValue({ maxDepth: 2 }), handler);
    fc.assert(
      fc.property(bad, flavours, (entry, flavour) => {
        const text = JSON.stringify({ hooks: { Stop: [{ hooks: [command("first"), entry, command("last")] }] } });
        const names = compile(text, flavour).hooks.map(({ steps: [step] }) => step.with.command);
        assert.equal(names[0], "first");
        assert.equal(names.at(-1), "last");
      }),
      { numRuns: rounds },
    );
  });

  test("positions point at the characters of the handler, whatever is before it", () => {
    const blank = fc.string({ unit: fc.constantFrom(" ", "\n", "\r\n", "\t", "/* é \n */"), maxLength: 20 });
    fc.assert(
      fc.property(blank, blank, (before, between) => {
        const text = `${before}{"hooks":${between}{"Stop":[${before}{"hooks":[${between}{"command":"mark"}]}]}}`;
        const { line = 0, column = 0 } = compile(text).hooks[0]?.origin ?? {};
        assert.ok(
          text
            .split("\n")
            [line - 1]?.slice(column - 1)
            .startsWith('{"command":"mark"}'),
        );
      }),
      { numRuns: rounds },
    );
  });

  test("a word one letter away from a name is recognised, and a far one is not", () => {
    fc.assert(
      fc.property(fc.constantFrom(...eventNames.filter((name) => name.length > 5)), fc.nat(), (name, at) => {
        const cut = at % name.length;
        assert.notEqual(nearest(`${name.slice(0, cut)}${name.slice(cut + 1)}`, eventNames), undefined);
      }),
      { numRuns: rounds },
    );
    assert.equal(nearest("qqqqqqqqqq", eventNames), undefined);
    assert.equal(nearest("x".repeat(100_000), eventNames), undefined);
  });
}
