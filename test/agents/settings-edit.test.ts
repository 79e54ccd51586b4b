/** Settings belong to people: whatever they look like, install and uninstall must leave every other byte alone. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { applyEdits, inverse } from "../../src/agents/install/json-edit.ts";
import {
  commandFor,
  editorOf,
  type FileChange,
  hashOf,
  type InstallPlan,
  isRegistered,
  ownEntries,
  ownEntry,
  type PlanOptions,
} from "../../src/agents/install/registration.ts";
import type { Json } from "../../src/engine/event.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { rounds } from "./rounds.ts";

const file = "settings.json";
const events = ["SessionStart", "PreToolUse", "Stop"];
const options = (text: string | undefined, more: Partial<PlanOptions> = {}): PlanOptions => ({
  agent: "claude-code",
  tries: [{ run: ["/opt/node/bin/node", "/opt/hookline/bin/hookline.js"] }],
  by: "user",
  refuse: (reason) => ({ exitCode: 2, stderr: reason }),
  timeout: 660,
  text,
  events,
  file,
  ...more,
});
const editor = editorOf(claudeCode);
const planned = (text: string | undefined, more: Partial<PlanOptions> = {}): InstallPlan =>
  editor.plan(options(text === undefined ? undefined : editor.undo({ text, file }).text, more));
const installed = (text: string | undefined, more: Partial<PlanOptions> = {}): string => planned(text, more).text;

/** What install notes for an exact undo. */
function noted(text: string | undefined): { after: string; change: FileChange } {
  const plan = planned(text);
  const change = {
    file,
    created: text === undefined,
    createdFolders: [],
    after: hashOf(plan.text),
    stages: [plan.stage],
    keep: plan.keep,
  };
  return { after: plan.text, change };
}
const removed = (text: string, change?: FileChange): string | undefined =>
  editor.undo({ text, file, ...(change && { change }) }).text;

const written = `{
  // my settings
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./guard.sh" }] } // mine
    ]
  }, /* the end */
}
`;

test("install adds one group for each event after the existing ones, and changes nothing else", () => {
  const after = installed(written);
  const command = commandFor(options(written), "PreToolUse");
  equal(
    command,
    'set -- hook claude-code --event PreToolUse --by user; [ -x "/opt/node/bin/node" ] && [ -f "/opt/hookline/bin/hookline.js" ] && exec "/opt/node/bin/node" "/opt/hookline/bin/hookline.js" "$@"; echo "hookline: Hookline is gone, so its hooks do not run - install it again, or take this line out" >&2; exit 0',
  );
  equal(
    after,
    `{
  // my settings
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./guard.sh" }] }, // mine
      {
        "hooks": [
          {
            "type": "command",
            "command": ${JSON.stringify(command)},
            "timeout": 660
          }
        ]
      }
    ],
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": ${JSON.stringify(commandFor(options(written), "SessionStart"))},
            "timeout": 660
          }
        ]
      }
    ],
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": ${JSON.stringify(commandFor(options(written), "Stop"))},
            "timeout": 660
          }
        ]
      }
    ]
  }, /* the end */
}
`,
  );
  equal(removed(after), written, "and uninstall needs no notes to undo that");
});

const documents: Record<string, string> = {
  "an empty object": "{}",
  "an empty object on two lines": "{\n}\n",
  "tabs and no line end at the end":
    '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"hooks": []\n\t\t\t}\n\t\t]\n\t}\n}',
  CRLF: '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": [\r\n      {"hooks": [{"type": "command", "command": "x"}]}\r\n    ]\r\n  }\r\n}\r\n',
  "one line": '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  "a byte order mark": '\uFEFF{\n    "a": 1\n}\n',
  "a remark and no key": "{\n  // nothing yet\n}\n",
  "a trailing comma behind a remark": '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}, // one\n    ],\n  },\n}\n',
  "a remark in the last line": '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []} /* one */  \n    ]\n  } // end\n}',
  "a line remark and more on the next line": '{ "a": 1 // one\n}',
  "a comma on a line of its own":
    '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []} // one\n      ,\n    ]\n  }\n  , "z": 2\n}',
  "two keys called hooks": '{"hooks": {"Stop": []}, "b": 1, "hooks": {"Stop": [{"hooks": []}]}}',
};
for (const [name, text] of Object.entries(documents)) {
  test(`install and uninstall leave ${name} as it was, byte for byte, also without notes`, () => {
    const { after, change } = noted(text);
    equal(removed(after, change), text);
    const known = ownEntries(after, "claude-code", file).map((entry) => entry.event);
    deepEqual(known.sort(), events.toSorted());
    ok(editor.isCurrent(options(after)), "a second install changes nothing");
    if (!name.includes("two keys")) equal(removed(after), text);
  });
}

test("nothing, a blank file and containers that were empty before come back as they were, by the notes", () => {
  for (const text of [
    undefined,
    "",
    "  \n",
    "\uFEFF",
    '{"hooks": {}}',
    '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
    '{"hooks":{"Stop":[ ]},"a":[]}',
  ]) {
    const { after, change } = noted(text);
    equal(removed(after, change), text);
    ok(editor.isCurrent(options(after)));
  }
});

test("containers that were empty before stay even if the file was edited since", () => {
  const { after, change } = noted('{\n  "hooks": {\n    "Stop": []\n  }\n}\n');
  const edited = after.replace("{\n", '{\n  "model": "opus",\n');
  equal(removed(edited, change), '{\n  "model": "opus",\n  "hooks": {\n    "Stop": []\n  }\n}\n');
});

test("a file that install created goes again, unless something else was put into it", () => {
  const { after, change } = noted(undefined);
  equal(removed(after, change), undefined);
  equal(removed(after.replace("\n", "\n\n"), change), undefined);
  const kept = removed(after.replace("{\n", '{\n  "model": "opus",\n'), change);
  deepEqual(parse(kept ?? ""), { model: "opus" });
});

test("edits that others made since install stay", () => {
  const { after, change } = noted(written);
  const rewritten = JSON.stringify({ ...parse(after), added: true }, null, 4); // as the agent itself writes its settings
  const left = removed(rewritten, change);
  deepEqual(parse(left ?? ""), { ...parse(written), added: true });
});

test("a handler that a person put into our group stays, and so does a group that only looks like ours", () => {
  const own = commandFor(options(undefined), "Stop");
  const stranger = { type: "command", command: `${own} && notify-send done` };
  const text = JSON.stringify({
    hooks: { Stop: [{ hooks: [{ type: "command", command: own }, stranger] }, { hooks: [stranger] }] },
  });
  deepEqual(parse(removed(text) ?? ""), { hooks: { Stop: [{ hooks: [stranger] }, { hooks: [stranger] }] } });
});

test("our entry is recognised by whatever path it calls, and nothing else is", () => {
  const entry = (command: string): unknown => {
    const found = ownEntry({ type: "command", command }, "claude-code");
    if (found) equal(found.command, command);
    const { command: _line, ...rest } = found ?? {};
    return found && rest;
  };
  deepEqual(entry('"/a b/node" "/old/hookline/bin/hookline.js" hook claude-code --event Stop --by local'), {
    event: "Stop",
    by: "local",
  });
  deepEqual(entry("hookline hook claude-code --event Stop"), { event: "Stop" });
  for (const other of [
    "hookline hook codex --event Stop --by user",
    "other hook claude-code --event Stop",
    "hookline hook claude-code --event Stop; rm x",
    "cd /x && hookline hook claude-code --event Stop",
    "echo hookline",
  ]) {
    equal(entry(other), undefined, other);
  }
  equal(ownEntry({ type: "http", url: "x" }, "claude-code"), undefined);
});

test("an install from another path or with other events replaces the older entries in place of adding to them", () => {
  const old = installed(written, {
    tries: [{ run: ["/old node/node", "/old/hookline.js"] }],
    events: ["Stop", "WorktreeCreate"],
  });
  const now = installed(old);
  equal(now, installed(written));
  equal(removed(now), written);
});

test("the command is quoted for sh and never holds two slashes in a row", () => {
  const command = commandFor(
    options(undefined, { tries: [{ run: ["/a b//node", '/x$y`z"w\\v/hookline.js'] }] }),
    "Stop",
  );
  ok(command.includes('exec "/a b/node" "/x\\$y\\`z\\"w\\\\v/hookline.js" "$@"'), command);
  ok(!command.includes("//"));
  deepEqual(ownEntry({ command }, "claude-code"), { event: "Stop", by: "user", command });
});

test("settings that cannot be edited are refused with line and column, and a broken text registers no agent", () => {
  const broken: [string, RegExp][] = [
    ['{\n  "a": 1,\n  "b" 2\n}', /settings\.json:3:7/],
    ["[]", /settings\.json:1:1/],
    ['{\n "hooks": []}', /settings\.json:2:11/],
    ['{"hooks": {\n"Stop": {}}}', /settings\.json:2:9/],
    ["{} trailing", /settings\.json:1:4/],
    [`{"a":${"[".repeat(200_000)}`, /settings\.json:1:/],
  ];
  for (const [text, message] of broken) {
    throws(() => planned(text), { code: "settings_unusable", message });
    if (text.startsWith("{} t")) equal(isRegistered(claudeCode, text), false);
  }
  equal(isRegistered(claudeCode, installed("{}")), true);
});

test("edits and their inverse cancel out", () => {
  const edits = [
    { offset: 4, removed: "ef", inserted: "" },
    { offset: 0, removed: "", inserted: "xx" },
    { offset: 2, removed: "c", inserted: "yyy" },
  ];
  equal(applyEdits("abcdefg", edits), "xxabyyydg");
  equal(applyEdits("xxabyyydg", inverse(edits)), "abcdefg");
});

/** Prints a value as strangely as its seed says: blanks, remarks, line ends, trailing commas. */
function scrawl(value: Json, seed: number[]): string {
  let at = 0;
  const next = (bound: number): number => (seed[at++ % seed.length] ?? 0) % bound;
  const gaps = ["", " ", "\n", "\n  ", "\r\n\t", "  ", "\n\n ", " /* r */ ", " // r\n", "\n// , ] } r\r\n "];
  const gap = (): string => gaps[next(gaps.length)] ?? "";
  const list = (open: string, items: string[], close: string): string => {
    const body = items.map((item, index) => gap() + item + gap() + (index < items.length - 1 ? "," : "")).join("");
    return open + body + (items.length > 0 && next(4) === 0 ? `,${gap()}` : gap()) + close;
  };
  const print = (one: Json): string => {
    if (Array.isArray(one)) return list("[", one.map(print), "]");
    if (isRecord(one))
      return list(
        "{",
        Object.entries(one).map(([key, inner]) => `${JSON.stringify(key) + gap()}:${gap()}${print(inner as Json)}`),
        "}",
      ); // values of JSON are JSON
    return JSON.stringify(one);
  };
  return ["", "\uFEFF", "\n", "  "][next(4)] + print(value) + gap();
}

const handler = fc.constantFrom<Json>(
  { type: "command", command: "./a.sh" },
  { type: "http", url: "https://x" },
  { odd: true },
);
const group = fc.oneof(
  fc.record({ hooks: fc.array(handler, { minLength: 1, maxLength: 2 }) }),
  fc.record({ matcher: fc.constant("Bash"), hooks: fc.array(handler, { maxLength: 2 }) }),
  fc.constantFrom<Json>({}, 7, "text", []),
);
const hooks = fc.dictionary(
  fc.constantFrom("Stop", "PreToolUse", "SessionStart", "Other"),
  fc.array(group, { maxLength: 3 }),
  { maxKeys: 4 },
);
const settings = fc
  .record({
    before: fc.jsonValue({ maxDepth: 2 }),
    hooks: fc.option(hooks, { nil: undefined }),
    after: fc.option(fc.jsonValue({ maxDepth: 1 }), { nil: undefined }),
    swapped: fc.boolean(),
  })
  .map(({ before, hooks: inner, after, swapped }) => {
    const parts: [string, unknown][] = [
      ["before", before],
      ["hooks", inner],
      ["after", after],
    ];
    return Object.fromEntries(
      (swapped ? parts.toReversed() : parts).filter(([, value]) => value !== undefined),
    ) as Json; // JSON values
  });
const texts = fc
  .tuple(settings, fc.array(fc.nat(97), { minLength: 1, maxLength: 60 }))
  .map(([value, seed]) => scrawl(value, seed));

test("whatever the settings look like: install is valid and can be run twice, and uninstall gives the same bytes", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { after, change } = noted(text);
      const known = ownEntries(after, "claude-code", file).map((entry) => entry.event);
      deepEqual(known.sort(), events.toSorted());
      ok(editor.isCurrent(options(after)));
      equal(removed(after, change), text);
    }),
    { numRuns: rounds(1500) },
  );
});

test("without the notes, uninstall still gives the same bytes unless a container was empty before", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { after, change } = noted(text);
      const left = removed(after);
      if (change.keep.every((path) => path === "hooks.Other")) equal(left, text);
      else ok(!isRegistered(claudeCode, left));
    }),
    { numRuns: rounds(1500) },
  );
});

test("when others' groups are added between, before or after ours, uninstall keeps exactly theirs", () => {
  const theirs = { hooks: [{ type: "command", command: "theirs" }] };
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.nat(9), { minLength: 6, maxLength: 6 }),
      fc.array(fc.nat(97), { minLength: 1, maxLength: 40 }),
      (text, places, seed) => {
        const value: unknown = parse(installed(text));
        ok(isRecord(value) && isRecord(value.hooks));
        const expected = structuredClone(parse(text)) as { hooks?: Record<string, Json[]> }; // made above
        for (const [index, event] of ["Stop", "PreToolUse"].entries()) {
          const list = value.hooks[event];
          ok(Array.isArray(list));
          list.splice((places[index] ?? 0) % (list.length + 1), 0, theirs);
          expected.hooks = {
            ...expected.hooks,
            [event]: list.filter((one) => !JSON.stringify(one).includes("hookline")),
          };
        }
        const left: unknown = parse(removed(scrawl(value as Json, seed)) ?? ""); // parsed JSON
        ok(isRecord(left));
        const { SessionStart: _, ...rest } = isRecord(left.hooks) ? left.hooks : {};
        const { SessionStart: __, ...wanted } = expected.hooks ?? {};
        deepEqual(JSON.parse(JSON.stringify(rest)), JSON.parse(JSON.stringify(wanted)));
      },
    ),
    { numRuns: rounds(500) },
  );
});
