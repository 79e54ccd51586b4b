/**
 * What it costs to load a file of 1,000 rules, from its text and from the compiled copy of the last load, against the YAML
 * parse alone of the same text.
 *
 * Both sides parse with the same library. Only ours: positions, checks of keys, fields, parameters and events, conditions
 * compiled, tools looked up, and 1,000 Hooks. The rules are of ten kinds, as people write them; all are valid.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { createHandlers } from "../src/actions/index.ts";
import { conditions } from "../src/conditions/index.ts";
import { loadPatterns } from "../src/conditions/patterns.ts";
import type { Origin } from "../src/engine/hook.ts";
import { compileRules } from "../src/formats/rules/rules.ts";
import { createLoadingPorts } from "../src/hosts/compose/compose.ts";
import { compiledHooks } from "../src/loading/compiled.ts";
import { loadAllStable } from "../src/loading/loading.ts";
import { type Benchmark, ratioOf, rowsOf, sampleWork, sized } from "./measure.ts";

const ours = "compileRules";
const parse = "parseDocument";
const copy = "compiled copy";
const count = sized(1_000, 20);

export const rules: Benchmark = {
  name: "rules",
  about: "1,000 rules from text to hooks, against the YAML parse alone",
  async measure() {
    const registry = { conditions, handlers: createHandlers(new Map()) };
    const patterns = await loadPatterns();
    const text = rulesFile(count);
    const load = (): number => {
      const { hooks, problems } = compileRules(text, origin, {
        label: "rules.yaml",
        registry,
        patterns,
        kind: "rules",
      });
      assert.deepEqual(problems, []);
      return hooks.length;
    };
    assert.equal(load(), count, "every rule is valid");
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
    try {
      const samples = await sampleWork(
        [
          { name: parse, run: repeat(() => assert.equal(parseDocument(text).errors.length, 0)) },
          { name: ours, run: repeat(load) },
          { name: copy, run: repeat(await keptIn(folder, text)) },
        ],
        { rounds: 15, milliseconds: 400 },
      );
      return {
        rows: rowsOf("1,000 rules", "ns", samples),
        ratios: [
          ratioOf(samples, { goal: "from the text: at most 1.3 × the parse", cost: ours, by: parse, atMost: 1.3 }),
          ratioOf(samples, { goal: "from the copy: at most 0.1 × the parse", cost: copy, by: parse, atMost: 0.1 }),
        ],
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** A project with the rules, loaded once and kept; gives the reading of what was kept, file states compared. */
async function keptIn(folder: string, text: string): Promise<() => void> {
  const cwd = join(folder, "project");
  mkdirSync(join(cwd, ".hookline", "rules"), { recursive: true });
  writeFileSync(join(cwd, ".hookline", "rules", "rules.yaml"), text);
  const request = { cwd, home: join(folder, "home"), environment: {} };
  const functions = new Map();
  const registry = { conditions, handlers: createHandlers(functions) };
  const load = await loadAllStable(
    request,
    { registry, ...createLoadingPorts(() => {}), wholeRegistry: async () => registry, functions },
    [],
  );
  const { registry: _functions, ...plain } = load.loaded;
  const stable = await loadAllStable(
    request,
    { registry, ...createLoadingPorts(() => {}), wholeRegistry: async () => registry, functions },
    plain.watched,
  );
  const kept = compiledHooks(join(folder, "state"), "bench", request);
  kept.keep({ state: stable.state, loaded: plain }, Date.now() + 10_000);
  return () => {
    const found = kept.read();
    assert.ok("loaded" in found && found.loaded.set.hooks.length === count);
  };
}

const origin: Origin = { dialect: "rules", layer: "project", file: "/project/.hookline/rules.yaml", root: "/project" };

const repeat =
  (work: () => unknown) =>
  (times: number): void => {
    for (let time = 0; time < times; time++) work();
  };

/** Without a closing line break; `N` stands for the rule's number. */
const kinds: readonly string[] = [
  `  - id: lint_N
    on: tool_end
    condition: { type: tool_name, match: "filesystem.write|workspace.write" }
    action:
      type: lsp_diagnose
      path_field: tool.params.path
      publish: true
      inject_result: true
    tags: [code-quality]`,
  `  - id: no_force_N
    "on": tool_start
    condition:
      type: all_of
      conditions:
        - { type: tool_name, match: shell.bash }
        - { type: content_contains, keyword: "push --force" }
    action:
      type: gate
      allow: false
      reason: "rule N: no force pushes"
    priority: 50`,
  `  - id: fetch_N
    on: tool_end
    condition:
      type: all_of
      conditions:
        - type: tool_name
          match: web.fetch
        - type: not
          condition: { type: tool_failed }
    action:
      type: pipe
      to: web.extract
      map:
        html: "{{tool.result.text}}"
        schema: links
      extra: { max_links: N }
      on_error: log`,
  `  - id: remind_N
    on: turn_start
    condition: { type: turn_count, threshold: N, every: 5 }
    action: { type: inject_message, content: "turn N: read the plan again", role: user }
    cooldown: 60`,
  `  - id: long_N
    on: turn_end
    condition: { type: expression, expr: "turn >= N and not tool_failed and len(tools) > 2" }
    action: { type: log, message: "a long turn", level: info }`,
  `  - id: failed_N
    on: [tool_end, error]
    condition:
      type: any_of
      conditions:
        - type: tool_failed
        - { type: error_type, match: "Timeout|Connection N" }
    action:
      type: notify
      level: error
      title: "rule N"
      message: "Suspicious or failed tool call: {{tool.name}}"
    max_fires: 100`,
  `  - id: format_N
    on: post_tool_use
    condition: { type: tool_name, match: [Write, Edit] }
    action:
      type: shell
      command: npx prettier --write "{{tool.params.path}}"
      timeout: 20`,
  `  - id: compact_N
    on: turn_end
    condition: { type: context_pressure, threshold: 0.8 }
    action: { type: compact_context, strategy: summarize, keep_last: 10 }`,
  `  - id: chain_N
    on: session_start
    condition: { type: always }
    action:
      type: chain
      actions:
        - { type: shell, command: "git status --short" }
        - { type: inject_message, content: "{{previous}}" }
        - { type: log, message: "rule N has run" }
    enabled: true`,
  `  - id: safety_N
    on: tool_start
    # agents forget this
    condition: { type: tool_name, match: "shell.*" }
    action:
      type: transform_params
      transformation:
        set: { safety: high, rule: N }
        remove: [unsafe]
    timeout: 5`,
];

const rulesFile = (count: number): string =>
  `hooks:\n${Array.from({ length: count }, (_, at) => (kinds[at % kinds.length] ?? "").replaceAll("N", String(at + 1))).join("\n")}\n`;
