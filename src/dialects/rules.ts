/**
 * Rules (specification 003): `hooks` of a rules file and of hookline.yaml, `runtime.hooks` and `agents[].hooks` of an app
 * file become Hooks. Pure; never throws: what cannot be a hook is a problem beside those that can (R33).
 */
import { fingerprint } from "../core/fingerprint.ts";
import type { Hook, Origin, Problem } from "../core/hook.ts";
import { didYouMean } from "../core/nearest.ts";
import type { Patterns, Registry } from "../core/ports.ts";
import type { Member, Node } from "./json-tree.ts";
import { compileRule, type RuleContext } from "./rules-hook.ts";
import { openYaml, type YamlFile } from "./yaml-file.ts";
import type { RuleFinding } from "./yaml-nodes.ts";
import { membersOf } from "./yaml-values.ts";

export { largestRulesFileInBytes } from "./yaml-tree.ts";

export interface RulesOptions {
  /** How ids name the file: relative to its root, never a path of one machine. */
  label: string;
  registry: Registry;
  patterns: Patterns;
  kind: "rules" | "app" | "config";
  /** Events that an agent here can send; absent: not checked. */
  sendable?: ReadonlySet<string>;
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
  if (!file.root && file.problems().length === 0) file.report(0, emptyFile);
  const hooks = hooksOf(lists, file, options);
  return { hooks, problems: file.problems() };
}

/** A list of rules, and whose they are. */
export interface RuleList {
  list: Node;
  agent?: string;
  /** Why none of them can be in force. */
  fault?: string;
}

/** All rules of these lists, each with its id. */
export function hooksOf(lists: readonly RuleList[], file: YamlFile, options: Omit<RulesOptions, "kind">): Hook[] {
  const naming = namesOf(file, options.label);
  return lists.flatMap(({ list, ...whose }) => {
    if (list.type === "null") return [];
    if (list.type !== "array") {
      const message = '"hooks" is a list of rules';
      const suggestion = "begin each with - id: name";
      file.report(list.offset, { severity: "error", code: "wrong-type", message, suggestion });
      return [];
    }
    const context: RuleContext = { ...options, ...whose, file, idOf: naming(whose.agent) };
    return (list.children ?? []).flatMap((node) => compileRule(node, context) ?? []);
  });
}

/** Ids name one hook each, and one project's are not another's: counts and records are kept under them. */
function namesOf({ origin, report }: YamlFile, label: string): (agent: string | undefined) => RuleContext["idOf"] {
  const taken = new Map<string, number>();
  const project = origin.root === undefined ? "" : `@${fingerprint(origin.root).slice(0, 8)}`;
  return (agent) => (written, node) => {
    const name = agent === undefined ? written : `${agent}/${written}`;
    let own = name;
    for (let twins = (taken.get(name) ?? 0) + 1; taken.has(own); twins++) {
      own = `${name}-${twins}`;
      taken.set(name, twins);
    }
    taken.set(own, 1);
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

const emptyFile: RuleFinding = {
  severity: "error",
  code: "syntax",
  message: "the file is empty",
  suggestion: "write hooks: [], or remove the file",
};

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
  for (const { key, at } of membersOf(root)) {
    if (ownKeys.includes(key) || isFree(key)) continue;
    const suggestion = didYouMean(key, ownKeys) ?? "a rules file holds hooks; names that begin with x- are free";
    file.report(at, { severity: "error", code: "unknown-field", message: `nothing reads "${key}"`, suggestion });
  }
  const own = membersOf(root).flatMap(({ key, value }) => (key === "hooks" ? [{ list: value }] : []));
  return [...own, ...listsAround(root, file)];
}

function listsOfApp(root: Node, file: YamlFile): RuleList[] {
  if (!isMap(root, "an app file", "runtime: { hooks: [ … ] }", file)) return [];
  warnOfMisspelt(root, ["runtime", "agents"], file);
  const outside = membersOf(root).find(({ key }) => key === "hooks");
  if (outside) {
    const message = '"hooks" stands outside "runtime", where nothing reads it';
    const suggestion = "write runtime: and indent it below";
    file.report(outside.at, { severity: "error", code: "shape", message, suggestion });
  }
  return listsAround(root, file);
}

/** `runtime.hooks` and `agents[].hooks`. An app file holds much more, which is none of ours. */
function listsAround(root: Node, file: YamlFile): RuleList[] {
  const valueAt = (key: string): Node | undefined => membersOf(root).findLast((member) => member.key === key)?.value;
  const [runtime, agents] = [valueAt("runtime"), valueAt("agents")];
  return [...(runtime ? listsOfRuntime(runtime, file) : []), ...(agents ? listsOfAgents(agents, file) : [])];
}

function listsOfRuntime(runtime: Node, file: YamlFile): RuleList[] {
  if (runtime.type === "null" || !isMap(runtime, '"runtime"', "runtime: { hooks: [ … ] }", file)) return [];
  return hooksIn(runtime, file).map((list) => ({ list }));
}

function listsOfAgents(agents: Node, file: YamlFile): RuleList[] {
  if (agents.type === "array") return (agents.children ?? []).flatMap((agent) => listsOfAgent(agent, file));
  if (agents.type === "null") return [];
  const message = '"agents" is a list of agents, each with an id';
  file.report(agents.offset, { severity: "error", code: "shape", message, suggestion: "write - id: name" });
  return [];
}

function listsOfAgent(agent: Node, file: YamlFile): RuleList[] {
  const lists = hooksIn(agent, file);
  if (lists.length === 0) return [];
  const id = membersOf(agent).find(({ key }) => key === "id")?.value.value;
  if (typeof id === "string" && id.trim() !== "") return lists.map((list) => ({ list, agent: id.trim() }));
  const fault = "its agent has no id";
  const message = "an agent with hooks needs an id, so that they run only while it works";
  file.report(agent.offset, { severity: "error", code: "missing-field", message, suggestion: "write id: name" });
  return lists.map((list) => ({ list, fault }));
}

function hooksIn(node: Node, file: YamlFile): Node[] {
  warnOfMisspelt(node, ["hooks"], file);
  return membersOf(node).flatMap(({ key, value }) => (key === "hooks" ? [value] : []));
}

/** Only where the name itself is missing: other keys may well be alike. */
function warnOfMisspelt(node: Node, names: readonly string[], { report }: YamlFile): void {
  const members: readonly Member[] = membersOf(node);
  const absent = names.filter((name) => !members.some(({ key }) => key === name));
  for (const { key, at } of members) {
    const suggestion = names.includes(key) ? undefined : didYouMean(key, absent);
    if (suggestion)
      report(at, { severity: "warning", code: "unknown-field", message: `"${key}" is not read as hooks`, suggestion });
  }
}

function isMap(node: Node, what: string, example: string, { report }: YamlFile): boolean {
  if (node.type === "object") return true;
  const message = `${what} is a map`;
  report(node.offset, { severity: "error", code: "shape", message, suggestion: `write ${example}` });
  return false;
}
