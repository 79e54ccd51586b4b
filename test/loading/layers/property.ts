/**
 * Whatever the files of a project hold, a guard of the user's or of a managed layer answers as it would without them (R29,
 * SAFETY D2 and T4): random files of every format, whole and broken, beside random guards.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Hook, isGuard, isOfUser } from "../../../src/engine/hook.ts";
import type { Outcome } from "../../../src/engine/outcome.ts";
import { type Decidable, type Files, world } from "./world.ts";

/** Which inputs a guard is about: the words that a command of the tool holds. */
const words = ["danger", "secret", "harmless"] as const;
const word = fc.constantFrom(...words);
const someWords = fc.subarray([...words]);

interface Entry {
  kind: string;
  of: readonly string[];
  priority?: number;
  id?: string;
  name?: string;
  timeout?: number;
  once?: true;
  slowly?: true;
  if?: string;
  to?: readonly string[];
  role?: string;
  onFailure?: string;
  async?: true;
}

const lineOf = ({ kind, of, slowly, to }: Entry): string =>
  `answer ${kind} if ${[...of, ...(slowly ? ["slowly"] : [])].join(" ")}${to ? ` to ${to.join(" ")}` : ""}`;

/** As JSON in a settings file. */
function settingsEntry(entry: Entry): object {
  const { kind: _kind, of: _of, slowly: _slowly, to: _to, ...rest } = entry;
  return { matcher: "Bash", hooks: [{ type: "command", command: lineOf(entry), ...rest }] };
}

const settingsOf = (entries: readonly Entry[], more: object = {}): string =>
  JSON.stringify({ hooks: { PreToolUse: entries.map(settingsEntry) }, ...more }, null, 1);

/** As a rule: what has no program refuses by itself. */
function rule({ kind, of, id = "", priority }: Entry, index: number): string {
  const condition = of.includes("always")
    ? "{ type: always }"
    : `{ type: expression, expr: 'any(w in tool.params.command for w in ${JSON.stringify(of)})' }`;
  const action = kind === "allow" ? "{ type: gate, allow: true }" : `{ type: gate, reason: "${kind}" }`;
  const more = priority === undefined ? "" : `, priority: ${priority}`;
  return `  - { id: "${id || `r${index}`}", on: tool_start, condition: ${condition}, action: ${action}${more} }`;
}
const rulesOf = (entries: readonly Entry[]): string => `hooks:\n${entries.map(rule).join("\n")}\n`;

// The layers of the user and above.

const outerEntry: fc.Arbitrary<Entry> = fc.record(
  {
    kind: fc.constantFrom("deny", "deny", "ask", "crash"),
    of: fc.subarray([...words], { minLength: 1 }),
    priority: fc.constantFrom(0, 50, 100, 200),
    id: fc.constantFrom("one", "two"),
    name: fc.constantFrom("first", "second"),
    slowly: fc.constant(true as const),
    if: fc.constantFrom("Bash(*danger*)", "Bash(*)"),
  },
  { requiredKeys: ["kind", "of"] },
);
const outerFiles = [
  "home/.claude/settings.json",
  "home/.gen/settings.json",
  "home/.config/hookline/hooks.json",
  "managed/claude/managed-settings.json",
  "managed/hookline/hooks.json",
  "home/.config/hookline/rules/mine.yaml",
  "home/.config/hookline/config.yaml",
  "managed/hookline/rules/theirs.yaml",
] as const;

const automation = (id: string, event: string): string =>
  `id: ${id}\nname: ${id}\ntrigger: { type: event, event_type: ${event} }\nsteps:\n  - { type: run_command, command: "true" }\n`;

/** Each of them a guard, and one observer that sees every call. */
function outerOf(placed: readonly (readonly [string, readonly Entry[]])[]): Files {
  const files: Record<string, string> = {
    "home/.config/hookline/automations/nightly.yaml": automation("nightly", "tool.called"),
    "home/.hookline/plugins/seen/hooks/hooks.json": settingsOf([{ kind: "nothing", of: ["always"], name: "observer" }]),
  };
  for (const [path, entries] of placed) {
    const guards = entries.map((entry) => ({ ...entry, role: "guard" }));
    if (entries.length > 0) files[path] = path.endsWith(".yaml") ? rulesOf(guards) : settingsOf(guards);
  }
  return files;
}

// The project.

const projectEntry = (outer: readonly Entry[]): fc.Arbitrary<Entry> => {
  const own: fc.Arbitrary<Entry> = fc.record(
    {
      kind: fc.constantFrom("allow", "rewrite", "deny", "ask", "stop", "crash", "nothing"),
      of: fc.oneof(fc.constant(["always"]), fc.subarray([...words], { minLength: 1 })),
      to: someWords,
      priority: fc.constantFrom(0, 100, 1_000),
      id: fc.constantFrom("one", "two"),
      name: fc.constantFrom("first", "second"),
      role: fc.constantFrom("guard", "transform", "observe"),
      timeout: fc.constantFrom(0.01, 600),
      slowly: fc.constant(true as const),
      async: fc.constant(true as const),
      if: fc.constantFrom("Bash(*harmless*)", "Write"),
    },
    { requiredKeys: ["kind", "of", "to"] },
  );
  if (outer.length === 0) return own;
  // A copy of what the user has, which is asked first, rarely, or hardly lives.
  const copy = fc
    .record(
      {
        of: fc.constantFrom(...outer),
        priority: fc.constantFrom(0, 100),
        timeout: fc.constant(0.001),
        once: fc.constant(true as const),
        if: fc.constantFrom("Bash(*harmless*)", "Bash(*)"),
      },
      { requiredKeys: ["of", "priority"] },
    )
    .map(({ of: { priority: _own, if: _if, ...entry }, ...more }): Entry => ({ ...entry, role: "guard", ...more }));
  return fc.oneof(own, copy);
};

const switches = fc.record(
  {
    disableAllHooks: fc.boolean(),
    allowManagedHooksOnly: fc.boolean(),
    enabledPlugins: fc.constant({ "seen@m": false, seen: false }),
    enabled: fc.constant(false),
  },
  { requiredKeys: [] },
);

const settingsText = (entry: fc.Arbitrary<Entry>): fc.Arbitrary<string> =>
  fc.oneof(
    fc.tuple(fc.array(entry, { maxLength: 3 }), switches).map(([entries, more]) => settingsOf(entries, more)),
    // The two together: a copy that no longer matches what the other makes of the input.
    fc.tuple(entry, someWords, switches).map(([copy, to, more]) =>
      settingsOf(
        [
          { ...copy, priority: 0 },
          { kind: "rewrite", of: ["always"], to, priority: 1_000 },
        ],
        more,
      ),
    ),
    switches.map((more) => JSON.stringify({ hooks: { PreToolUse: [], Stop: [] }, ...more })),
  );
const rulesText = (entry: fc.Arbitrary<Entry>): fc.Arbitrary<string> =>
  fc.array(entry, { minLength: 1, maxLength: 3 }).map(rulesOf);
const configLines = [
  "hook_engine: { enabled: false, file_watcher_enabled: false, max_concurrent_hooks: 1 }",
  "budgets: { events: { PreToolUse: 1 }, hooks: { one: 1, first: 1 } }",
  "models: { default: theirs/m, providers: { theirs: { kind: openai-compatible, url: http://localhost:1/v1 } } }",
  "apps: [../.config/hookline/config.yaml, ../.config/hookline/rules/mine.yaml]",
  "webhooks: { build: { secret: whsec_AAAA } }",
  "extensions: [./none.mjs]",
  "hooks: []",
];
const configText = fc.subarray(configLines).map((lines) => `${lines.join("\n")}\n`);
const anyText = fc.oneof(fc.string(), fc.constantFrom("[".repeat(5_000), "{", "\0", "a: &a [*a]", "hooks: 1", ""));

const projectFilesOf = (outer: readonly Entry[]): fc.Arbitrary<Files> => {
  const entry = projectEntry(outer);
  const settings = settingsText(entry);
  const rules = rulesText(entry);
  const link = fc.constantFrom(...outerFiles.map((path) => ({ link: path })));
  const file = (text: fc.Arbitrary<string>): fc.Arbitrary<Files[string]> =>
    fc.oneof(
      { weight: 8, arbitrary: text },
      {
        weight: 1,
        arbitrary: fc
          .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }))
          .map(([one, at]) => one.slice(0, one.length * at)),
      },
      { weight: 1, arbitrary: anyText },
      { weight: 1, arbitrary: link },
    );
  return fc
    .record(
      {
        ".claude/settings.json": file(settings),
        ".claude/settings.local.json": file(settings),
        ".gen/settings.json": file(settings),
        ".gen/settings.local.json": file(settings),
        ".hookline/hooks.json": file(settings),
        ".hookline/hooks.local.json": file(settings),
        ".hookline/plugins/theirs/hooks/hooks.json": file(settings),
        ".hookline/rules/a.yaml": file(rules),
        ".hookline/app.yaml": file(rules.map((text) => `runtime:\n${text.replaceAll(/^/gm, "  ")}`)),
        "hookline.yaml": file(configText),
        ".hookline/registry/a.yaml": file(
          fc.constant("id: one\nevent_type: PreToolUse\nhandler: { kind: script, command: answer allow if always }\n"),
        ),
        ".hookline/automations/a.yaml": file(fc.constant(automation("nightly", "tool.called"))),
        ".hookline/hooks/one.sh": file(fc.constant("#!/bin/sh\n#---\n# name: one\n# type: session\n#---\nexit 0\n")),
      },
      { requiredKeys: [] },
    )
    .map((files) => Object.fromEntries(Object.entries(files).map(([path, text]) => [`home/project/${path}`, text])));
};

const cases = fc
  .array(fc.tuple(fc.constantFrom(...outerFiles), fc.array(outerEntry, { minLength: 1, maxLength: 2 })), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((placed) =>
    fc.record({
      outer: fc.constant(outerOf(placed)),
      project: projectFilesOf(placed.flatMap(([, entries]) => entries)),
      input: fc.tuple(word, someWords).map(([first, rest]) => [first, ...rest].join(" ")),
      isTrusted: fc.boolean(),
      sender: fc.constantFrom("claude-code", "test"),
    }),
  );

const strength = { deny: 2, ask: 1, allow: 0, defer: 0 } as const;
const strengthOf = ({ verdict }: Outcome): number => (verdict ? strength[verdict.is] : 0);

/** The same files about another event. What a rule asks of a tool's input holds always where there is no tool. */
const about = (files: Files, event: Decidable): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => {
      if (typeof content !== "string") return [path, content];
      const text = content.replaceAll("PreToolUse", event).replaceAll("tool_start", event);
      return [
        path,
        /Tool|Permission/.test(event)
          ? text
          : text.replaceAll(/\{ type: expression.*? \}(?=, action)/g, "{ type: always }"),
      ];
    }),
  );

/** What a trusted file of `.gen` may replace: event by event, and no guard. */
const mayBeReplaced = (hook: Hook): boolean => hook.origin.file?.includes("/.gen/") === true && !isGuard(hook);

/** LAYERS_ROUNDS is another number of rounds. */
export function testLayers(given: number): void {
  const rounds = Number(process.env.LAYERS_ROUNDS ?? given);
  test("[R29, T4, G11] no file of a project, trusted or not, weakens a verdict of the user's and managed guards", async (t) => {
    const { load, decide } = await world(t);
    await fc.assert(
      fc.asyncProperty(cases, async ({ outer, project, input, isTrusted, sender }) => {
        const without = await load(outer, true);
        const alone = await decide(without, input, sender);
        const together = await load({ ...outer, ...project }, isTrusted);
        const decided = await decide(together, input, sender);
        const about =
          decided.command === input ? alone : await decide(await load(outer, true), decided.command, sender);
        assert.ok(
          strengthOf(decided.outcome) >= strengthOf(about.outcome),
          `${JSON.stringify(about.outcome)} became ${JSON.stringify(decided.outcome)} on ${decided.command}`,
        );
        if (!isTrusted) assert.notEqual(decided.outcome.verdict?.is, "allow");
        if (!isTrusted) assert.equal(decided.command, input);
      }),
      { numRuns: rounds },
    );
  });

  test("[R29, T4, G11] the same holds of permissions, results, prompts and ends of turns", async (t) => {
    const { load, decide } = await world(t);
    const event = fc.constantFrom<Decidable>("PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop");
    const refused = new Set<Decidable>();
    await fc.assert(
      fc.asyncProperty(cases, event, async ({ outer, project, input, isTrusted, sender }, name) => {
        const guards = about(outer, name);
        const alone = await decide(await load(guards, true), input, sender, name);
        const together = await load({ ...guards, ...about(project, name) }, isTrusted);
        const decided = await decide(together, input, sender, name);
        if (alone.outcome.verdict?.is === "deny") refused.add(name);
        assert.ok(
          strengthOf(decided.outcome) >= strengthOf(alone.outcome),
          `${name}: ${JSON.stringify(alone.outcome)} became ${JSON.stringify(decided.outcome)}`,
        );
        if (isTrusted) return;
        assert.notEqual(decided.outcome.verdict?.is, "allow");
        for (const field of ["updatedInput", "updatedOutput", "context", "stop"] as const)
          assert.deepEqual(decided.outcome[field], alone.outcome[field], `${name}: ${field}`);
      }),
      { numRuns: rounds },
    );
    if (rounds >= 80) assert.equal(refused.size, 4, "guards have refused each of them");
  });

  test("[R29, D2] no file of a project changes, renames, switches off or starves a hook of the user's", async (t) => {
    const { load, decide } = await world(t);
    await fc.assert(
      fc.asyncProperty(cases, async ({ outer, project, input, isTrusted, sender }) => {
        const without = await load(outer, true);
        const together = await load({ ...outer, ...project }, isTrusted);
        const kept = new Map(together.set.hooks.filter(isOfUser).map((hook) => [hook.id, hook]));
        for (const hook of without.set.hooks.filter((one) => !mayBeReplaced(one)))
          assert.deepEqual(kept.get(hook.id), hook);
        const { ran } = await decide(together, input, sender);
        const observer = without.set.hooks.find(({ name }) => name === "observer");
        assert.ok(observer);
        const denied = [...ran].some(([id, run]) => kept.has(id) && run.outcome?.verdict?.is === "deny");
        if (!denied) assert.ok(ran.has(observer.id));
      }),
      { numRuns: rounds },
    );
  });
}
