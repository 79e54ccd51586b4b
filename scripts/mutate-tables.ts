/**
 * Which rows of the tables nothing needs: each pattern of the guard pack, each program and each option of a program that runs
 * another one is taken out in turn, and one that changes no judgement of a known line is reported. It takes minutes, so it is no
 * test: npm run mutate. Lines are those of the corpus, of the pack's own examples and of the tests of the reader.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { createHandlers } from "../src/actions/index.ts";
import { conditions } from "../src/conditions/index.ts";
import { loadPatterns } from "../src/conditions/patterns.ts";
import { compileCondition } from "../src/engine/condition.ts";
import type { HookEvent } from "../src/engine/event.ts";
import { scopeOf } from "../src/engine/plan.ts";
import { compileRules } from "../src/formats/rules/rules.ts";
import { programNames, programOf } from "../src/shell/programs.ts";
import { readShell } from "../src/shell/read.ts";
import { compileShellTemplate } from "../src/shell/template.ts";
import { corpus, packFile, workspace } from "../test/packs/judge.ts";

interface Rule {
  id: string;
  condition?: { [key: string]: unknown };
}
interface Pack {
  hooks: Rule[];
  "x-tests": { [id: string]: { stops: string[]; passes: string[] } };
}

const source = readFileSync(packFile, "utf8");
const pack = parse(source) as Pack; // the loader checks it below
const examples = Object.values(pack["x-tests"]).flatMap(({ stops, passes }) => [...stops, ...passes]);
const known = [...corpus("ordinary"), ...corpus("dangerous")].map(({ command }) => command);
const lines = [...new Set([...examples, ...known])];

const patterns = { ...(await loadPatterns()), workspace };
const registry = { handlers: createHandlers(new Map()), conditions };

const scopes = new Map(lines.map((command) => [command, scopeOf(eventOf(command))]));

function eventOf(command: string): HookEvent {
  const data = { tool_name: "Bash", tool_input: { command } };
  return { id: "1", name: "PreToolUse", at: 0, cwd: workspace, data, sender: "emit" };
}

/** @returns the lines for which the rule holds; undefined: it is no rule any more */
function heldBy(rule: Rule, among: readonly string[]): string[] | undefined {
  const origin = { dialect: "rules", layer: "user", file: packFile } as const;
  const text = stringify({ hooks: [rule] });
  const { hooks, problems } = compileRules(text, origin, { label: "guard.yaml", registry, patterns, kind: "rules" });
  const when = hooks[0]?.when;
  if (!when || problems.some(({ severity }) => severity === "error")) return undefined;
  const { test } = compileCondition(when, registry, patterns);
  return among.filter((line) => {
    const scope = scopes.get(line);
    return scope !== undefined && test(scope) !== false;
  });
}

/** Conditions may stand in conditions. */
function* listsIn(value: unknown): Generator<{ key: string; list: unknown[] }> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (/^(?:runs|not|words|reads|writes|deletes|permits|executes|pipes)$/.test(key) && Array.isArray(inner))
      yield { key, list: inner };
    yield* listsIn(inner);
  }
}

/** Whether the rule, without the pattern, still holds a command that is written like it. */
function coverOthers(rule: Rule, removed: string): void {
  const line = removed.replaceAll("*", "x");
  const kept = scopes.get(line);
  scopes.set(line, scopeOf(eventOf(line)));
  if (heldBy(rule, [line])?.length === 1) covered.push(`${rule.id} runs: ${removed}`);
  if (!kept) scopes.delete(line);
}

const covered: string[] = [];

function survivorsOfPack(): string[] {
  const survivors: string[] = [];
  for (const rule of pack.hooks) {
    const before = heldBy(rule, lines) ?? [];
    for (const { key, list } of listsIn(rule.condition))
      for (let at = 0; at < list.length; at++) {
        const [removed] = list.splice(at, 1);
        // Without an exception a rule holds more, without anything else less.
        const after = heldBy(rule, key === "not" ? lines : before);
        if (key === "runs") coverOthers(rule, String(removed));
        if (after?.length === before.length) survivors.push(`${rule.id} ${key}: ${String(removed)}`);
        list.splice(at, 0, removed);
        counted.pack++;
      }
  }
  return survivors;
}

const folder = join(import.meta.dirname, "..", "test", "shell");
const tested = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.includes("fuzz"))
  .flatMap(
    (file) => readFileSync(join(folder, file), "utf8").match(/"(?:\\.|[^"\\\n])+"|'(?:\\.|[^'\\\n])+'|`[^`]+`/g) ?? [],
  )
  .map((text) => text.slice(1, -1).replaceAll("\\n", "\n").replaceAll(/\\(.)/g, "$1"));
const readable = [...new Set([...lines, ...tested])];

const reading = (line: string): string => {
  const template = compileShellTemplate(line.includes("{{") ? line : `${line} "{{event.x}}"`);
  return JSON.stringify([readShell(line, { cwd: "/w", home: "/h" }), template]);
};

/** Whatever may be the name of a program. */
const words = new Map<string, ReadonlySet<string>>();
function wordsOf(line: string): ReadonlySet<string> {
  const found = words.get(line) ?? new Set(line.match(/[\w.+-]+/g));
  words.set(line, found);
  return found;
}

/** Tests make lines of the names in their lists. */
const named = new Set(readFileSync(join(folder, "programs.test.ts"), "utf8").match(/[\w.+-]+/g));

function survivorsOfPrograms(): string[] {
  const survivors: string[] = [];
  for (const name of programNames()) {
    const own = readable.filter((line) => wordsOf(line).has(name));
    if (named.has(name)) own.push(`${name} rm y`, `${name} -c 'rm y'`, `${name} '{{event.v}}'`);
    const before = own.map(reading);
    const isNeeded = (): boolean => own.some((line, at) => reading(line) !== before[at]);
    const row = programOf(name) as { [key: string]: unknown }; // the tables are data: here they are changed for a moment
    const kept = { ...row };
    for (const key of Object.keys(kept)) delete row[key];
    counted.rows++;
    if (!isNeeded()) survivors.push(name);
    Object.assign(row, kept);
    const all = programOf(name).options ?? "";
    for (const option of programOf(name).wraps ? all.split(" ") : []) {
      row.options = all
        .split(" ")
        .filter((one) => one !== option)
        .join(" ");
      counted.options++;
      if (!isNeeded()) survivors.push(`${name} ${option}`);
      row.options = all;
    }
  }
  return survivors;
}

const counted = { pack: 0, rows: 0, options: 0 };
const ofPack = survivorsOfPack();
console.log(ofPack.join("\n"));
console.log(`\ncovered by another pattern of the rule:\n${covered.join("\n")}`);
const ofPrograms = survivorsOfPrograms();
const options = ofPrograms.filter((one) => one.includes(" "));
console.log(`\n${ofPrograms.join("\n")}`);
console.log(
  `\npatterns: ${ofPack.length} of ${counted.pack} change nothing, ${covered.length} are covered by another one`,
);
console.log(`programs: ${ofPrograms.length - options.length} of ${counted.rows} change nothing`);
console.log(`options: ${options.length} of ${counted.options} change nothing`);
