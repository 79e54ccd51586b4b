/** How the tests of the rules dialect compile a text, and how they run what came out: with the real tables and engine. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createHandlers } from "../../src/actions/index.ts";
import { toolNames } from "../../src/agents/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import type { ShellSettings } from "../../src/engine/effects.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { EventName, Fields, HookEvent } from "../../src/engine/event.ts";
import type { Hook, Origin, Problem } from "../../src/engine/hook.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Observation, Patterns, Registry, UnansweredAsk } from "../../src/engine/ports.ts";
import { type CompiledRules, compileRules, type RulesOptions } from "../../src/formats/rules/rules.ts";
import { hookSetOf } from "../../src/loading/order.ts";
import { createSpawn } from "../../src/runtime/processes/spawn.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";

export const origin: Origin = {
  dialect: "rules",
  layer: "project",
  file: "/project/.hookline/rules/team.yaml",
  root: "/project",
};
export const label = ".hookline/rules/team.yaml";
export const registry: Registry = { conditions, handlers: createHandlers(new Map()) };
export const patterns: Patterns = await loadPatterns();

export const compile = (text: string, options: Partial<RulesOptions> = {}): CompiledRules =>
  compileRules(text, origin, { label, registry, patterns, kind: "rules", tools: toolNames(), ...options });

/** A rules file of these rules, each in YAML's flow style or a block of its own lines. */
export const file = (...rules: string[]): string =>
  `hooks:\n${rules.map((rule) => `  - ${rule.trim().replaceAll("\n", "\n    ")}\n`).join("")}`;

/** A valid rule, with these fields instead of its own. */
export function rule(fields: { [name: string]: string | undefined } = {}): string {
  const all: { [name: string]: string | undefined } = {
    id: "a",
    on: "tool_start",
    condition: "{ type: always }",
    action: "{ type: log, message: hello }",
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return lines.join("\n");
}

export function only({ hooks, problems }: CompiledRules): Hook {
  const [hook] = hooks;
  if (!hook || hooks.length > 1) throw new Error(`expected one hook, got ${hooks.length}: ${JSON.stringify(problems)}`);
  return hook;
}
export function problem({ problems }: CompiledRules): Problem {
  const [one] = problems;
  if (!one || problems.length > 1) throw new Error(`expected one problem: ${JSON.stringify(problems)}`);
  return one;
}
export const codes = ({ problems }: { problems: readonly Problem[] }): string[] => problems.map(({ code }) => code);
export const names = ({ hooks }: { hooks: readonly Hook[] }): string[] => hooks.map(({ name }) => name);
/** file:line:column is the file's to say; here line:column. */
export const place = ({ line, column }: Pick<Problem, "line" | "column">): string => `${line}:${column}`;

export const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../fixtures/rules", name), "utf8");

export interface RuleLine {
  emit(name: EventName, data?: Fields, more?: Partial<HookEvent>): Promise<Outcome>;
  /** The lines that log has written. */
  logged(): string[];
  observed: Observation[];
  close(): Promise<void>;
}

/** The rules in force, and nothing else. @param unanswered absent: a person answers questions */
export function lineOf(
  t: TestContext,
  { hooks, unanswered, shell }: { hooks: readonly Hook[]; unanswered?: UnansweredAsk; shell?: ShellSettings },
): RuleLine {
  const observed: Observation[] = [];
  const set = hookSetOf(hooks, undefined, shell);
  let count = 0;
  const engine = createEngine({
    ...systemPorts(),
    store: openMemoryStore(),
    queue: createInlineQueue(),
    hooks: () => set,
    registry,
    patterns,
    spawn: createSpawn(),
    ...(unanswered ? { unanswered: () => unanswered } : {}),
    observe: (one) => void observed.push(one),
  });
  t.after(() => engine.close());
  return {
    observed,
    close: () => engine.close(),
    logged: () => observed.flatMap((one) => (one.is === "log" ? [one.message] : [])),
    async emit(name, data = {}, more = {}) {
      count += 1;
      const event: HookEvent = {
        id: `event-${count}`,
        name,
        at: 0,
        cwd: tmpdir(),
        sender: "test",
        session: "s",
        data,
        ...more,
      };
      return await engine.emit(event, { environment: { PATH: process.env.PATH ?? "" } });
    },
  };
}

export const write: Fields = { tool_name: "Write", tool_input: { file_path: "/a.ts", content: "x" } };
