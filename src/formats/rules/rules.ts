/**
 * Rules (specification 003): `hooks` of a rules file and of hookline.yaml, `runtime.hooks` and `agents[].hooks` of an app
 * file become Hooks. Pure; never throws: what cannot be a hook is a problem beside those that can (R33).
 */

import type { Hook, Origin, Problem } from "../../engine/hook.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import { emptyFile, isOnlyRemarks } from "../reading/entry.ts";
import { type Member, membersOf, type Node } from "../reading/tree.ts";
import { createNames, ofProject } from "../reading/unique-names.ts";
import { openYaml, type YamlFile } from "../reading/yaml-tree.ts";
import { compileRule, type RuleContext } from "./entry.ts";
import { isRuleField } from "./fields.ts";

export { largestRulesFileInBytes } from "../reading/yaml-tree.ts";

export interface RulesOptions {
  /** How ids name the file: relative to its root, never a path of one machine. */
  label: string;
  registry: Registry;
  patterns: Patterns;
  kind: "rules" | "app" | "config";
  /** Events that an agent here can send; absent: not checked. */
  sendable?: ReadonlySet<string>;
  /** The names of agents' tools. */
  tools?: readonly string[];
  /** Modules whose tools rules may name; absent: any. */
  modules?: ReadonlySet<string>;
}
export interface CompiledRules {
  /** In the order of the file, those of the app before those of its agents. */
  hooks: Hook[];
  problems: Problem[];
}

/** @param origin dialect, layer, file and root; line, column and agent are set for each hook */
export function compileRules(text: string, origin: Origin, options: RulesOptions): CompiledRules {
  const file = openYaml(text, origin);
  const lists = file.root ? listReaders[options.kind](file.root, file) : [];
  if (!file.root && file.problems().length === 0 && !isOnlyRemarks(text)) file.report(0, emptyFile("hooks: []"));
  const hooks = hooksOf(lists, file, options);
  return { hooks, problems: file.problems() };
}

/** A list of rules, and whose they are. */
export interface RuleList {
  list: Node;
  agent?: string;
  /** Why none of them can be active. */
  fault?: string;
}

/** All rules of these lists, each with its id. */
export function hooksOf(lists: readonly RuleList[], file: YamlFile, options: Omit<RulesOptions, "kind">): Hook[] {
  const naming = namesOf(file, options.label);
  return lists.flatMap(({ list, ...whose }) => {
    const context: RuleContext = { ...options, ...whose, file, idOf: naming(whose.agent) };
    return itemsOf(list, file).flatMap((node) => compileRule(node, context) ?? []);
  });
}

function itemsOf(list: Node, { report }: YamlFile): readonly Node[] {
  if (list.type === "null") return [];
  if (list.type === "array") return list.children ?? [];
  const message = '"hooks" is a list of rules';
  const suggestion = "begin each with - id: name";
  report(list.offset, { severity: "error", code: "wrong-type", message, suggestion, loses: true });
  return [];
}

/** Ids name one hook each, and one project's are not another's: counts and records are kept under them. */
function namesOf({ origin, report }: YamlFile, label: string): (agent: string | undefined) => RuleContext["idOf"] {
  const unique = createNames();
  const project = ofProject(origin.root);
  return (agent) => (written, node) => {
    const name = agent === undefined ? written : `${agent}/${written}`;
    const own = unique(name);
    if (own !== name) {
      report(node.offset, {
        severity: "warning",
        code: "duplicate-key",
        message: `the id "${written}" is taken by another rule of this file, so this one is called "${own}"`,
        suggestion: "give it an id of its own",
      });
    }
    return `rules:${label}#${own}${project}`;
  };
}

/** Keys of a rules file beside the hooks; those that begin with x- are free, for anchors. */
const ownKeys = ["hooks", "runtime", "agents", "version", "name", "description"];
const isFree = (key: string): boolean => key.startsWith("x-");

const listReaders: { readonly [K in RulesOptions["kind"]]: (root: Node, file: YamlFile) => RuleList[] } = {
  config: (root) => membersOf(root).flatMap(({ key, value }) => (key === "hooks" ? [{ list: value }] : [])),
  rules: listsOfRules,
  app: listsOfApp,
};

function listsOfRules(root: Node, file: YamlFile): RuleList[] {
  if (root.type === "array") {
    const message = 'the list of rules stands by itself; it is read as "hooks"';
    file.report(root.offset, { severity: "warning", code: "shape", message, suggestion: "write hooks: above it" });
    return [{ list: root }];
  }
  if (!isMap(root, "a rules file", "hooks: [ … ]", file)) return [];
  const own = membersOf(root).flatMap(({ key, value }) => (key === "hooks" ? [{ list: value }] : []));
  const advice = "a rules file holds hooks; names that begin with x- are free";
  const isKnown = (key: string): boolean => ownKeys.includes(key) || isFree(key);
  reportUnread(root, file, { isKnown, names: ownKeys, advice });
  return [...own, ...listsAround(root, file, true)];
}

interface Keys {
  isKnown(key: string): boolean;
  names: readonly string[];
  /** Where no name is near. */
  advice: string;
}

/** Keys that hold rules. */
const listKeys = ["hooks", "runtime", "agents"];

/** Reports the keys of a file that nothing reads, and whether rules may stand under them. */
export function reportUnread(root: Node, { report, isBroken }: YamlFile, { isKnown, names, advice }: Keys): void {
  const isRule = isRuleAtRoot(root);
  if (isRule && !isBroken(root)) {
    const message = "a rule stands by itself, where nothing reads it";
    const suggestion = "write hooks: above it, and begin it with - ";
    report(root.offset, { severity: "error", code: "shape", message, suggestion, loses: true });
  }
  for (const { key, at, value } of membersOf(root)) {
    if (isKnown(key) || (isRule && isRuleField(key))) continue;
    const suggestion = didYouMean(key, names) ?? advice;
    const finding = {
      severity: "error",
      code: "unknown-field",
      message: `nothing reads "${key}"`,
      suggestion,
    } as const;
    report(at, mayHoldRules(key, value, names) ? { ...finding, loses: true } : finding);
  }
}

function isRuleAtRoot(root: Node): boolean {
  const keys = new Set(membersOf(root).map(({ key }) => key));
  return keys.has("action") || keys.has("condition") || (keys.has("id") && keys.has("on"));
}

/** By its name and kind alone: a misspelt name of a list, or a list of maps under a name of its own. */
function mayHoldRules(key: string, value: Node, names: readonly string[]): boolean {
  const near = nearest(key, names);
  if (near !== undefined) return listKeys.includes(near);
  return value.type === "array" && holdsMaps(value);
}

/** A list of maps, or a map with one inside, as `runtme: { hooks: [ … ] }` is. */
const holdsMaps = (value: Node): boolean =>
  value.type === "array"
    ? (value.children ?? []).some(({ type }) => type === "object")
    : membersOf(value).some(({ value: inner }) => inner.type === "array" && holdsMaps(inner));

function listsOfApp(root: Node, file: YamlFile): RuleList[] {
  if (!isMap(root, "an app file", "runtime: { hooks: [ … ] }", file)) return [];
  tellMisspelt(root, ["runtime", "agents"], file, "warning");
  const outside = membersOf(root).find(({ key }) => key === "hooks");
  if (outside) {
    const message = '"hooks" is outside "runtime", where nothing reads it';
    const suggestion = "write runtime: and indent it below";
    file.report(outside.at, { severity: "error", code: "shape", message, suggestion, loses: true });
  }
  return listsAround(root, file, false);
}

/** `runtime.hooks` and `agents[].hooks`. An app file holds much more, which is none of ours. @param isOurs all of the file is */
function listsAround(root: Node, file: YamlFile, isOurs: boolean): RuleList[] {
  const valueAt = (key: string): Node | undefined => membersOf(root).findLast((member) => member.key === key)?.value;
  const [runtime, agents] = [valueAt("runtime"), valueAt("agents")];
  return [
    ...(runtime ? listsOfRuntime(runtime, file, isOurs) : []),
    ...(agents ? listsOfAgents(agents, file, isOurs) : []),
  ];
}

function listsOfRuntime(runtime: Node, file: YamlFile, isOurs: boolean): RuleList[] {
  if (runtime.type === "null" || !isMap(runtime, '"runtime"', "runtime: { hooks: [ … ] }", file)) return [];
  return hooksIn(runtime, file, isOurs);
}

function listsOfAgents(agents: Node, file: YamlFile, isOurs: boolean): RuleList[] {
  if (agents.type === "array") return (agents.children ?? []).flatMap((agent) => listsOfAgent(agent, file, isOurs));
  if (agents.type !== "null") {
    const message = '"agents" is a list of agents, each with an id';
    const suggestion = "write - id: name";
    file.report(agents.offset, { severity: "error", code: "shape", message, suggestion, loses: true });
  }
  return [];
}

function listsOfAgent(agent: Node, file: YamlFile, isOurs: boolean): RuleList[] {
  const lists = hooksIn(agent, file, isOurs);
  if (lists.length === 0) return [];
  const id = membersOf(agent).find(({ key }) => key === "id")?.value.value;
  if (typeof id === "string" && id.trim() !== "") return lists.map((list) => ({ ...list, agent: id.trim() }));
  const fault = "its agent has no id";
  const message = "an agent with hooks needs an id, so that they run only while it works";
  file.report(agent.offset, { severity: "error", code: "missing-field", message, suggestion: "write id: name" });
  return lists.map((list) => ({ ...list, fault }));
}

function hooksIn(node: Node, file: YamlFile, isOurs: boolean): RuleList[] {
  tellMisspelt(node, ["hooks"], file, isOurs ? "error" : "warning");
  return membersOf(node).flatMap(({ key, value }) => (key === "hooks" ? [{ list: value }] : []));
}

/**
 * Only where the name itself is missing: other keys may well be alike, and in a file of others they may mean something. A
 * list of maps in the place of rules is an error in any file.
 */
function tellMisspelt(
  node: Node,
  names: readonly string[],
  { report }: YamlFile,
  otherwise: "error" | "warning",
): void {
  const members: readonly Member[] = membersOf(node);
  const absent = names.filter((name) => !members.some(({ key }) => key === name));
  for (const { key, at, value } of members) {
    const suggestion = names.includes(key) ? undefined : didYouMean(key, absent);
    if (!suggestion) continue;
    const finding = { code: "unknown-field", message: `"${key}" is not read as hooks`, suggestion } as const;
    const isError = otherwise === "error" || holdsMaps(value);
    report(at, isError ? { severity: "error", ...finding, loses: true } : { severity: "warning", ...finding });
  }
}

function isMap(node: Node, what: string, example: string, { report }: YamlFile): boolean {
  if (node.type === "object") return true;
  const message = `${what} is a map`;
  report(node.offset, { severity: "error", code: "shape", message, suggestion: `write ${example}`, loses: true });
  return false;
}
