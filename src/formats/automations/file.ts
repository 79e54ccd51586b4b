/**
 * Files of automations: one automation in each document, or a list of them under `automations`; and automations as the text
 * of such a file, which reads back to the same ones. Loads the YAML library. Pure; never throws: what cannot be an automation is
 * a problem beside those that can (R33).
 */
import { stringify } from "yaml";
import type { Fields, Json } from "../../engine/event.ts";
import type { Hook, Origin, Problem } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { emptyFile, isOnlyRemarks } from "../reading/entry.ts";
import { offsetAt } from "../reading/mismatches.ts";
import { createLocator, jsonOf, type Member, membersOf, type Node, type Place, type Report } from "../reading/tree.ts";
import { readYaml } from "../reading/yaml-tree.ts";
import { type AutomationOptions, type CompiledAutomation, compileAutomation } from "./automation.ts";
import { type Automation, automationDefaults, automationFields, defaultCooldown, isAutomationField } from "./fields.ts";
import type { AutomationFinding } from "./findings.ts";

/** One that was read, and where it stands. */
export interface WrittenAutomation extends CompiledAutomation {
  place: Place;
}
export interface CompiledAutomations {
  /** In the order of the file, broken ones included. */
  automations: WrittenAutomation[];
  hooks: Hook[];
  problems: Problem[];
}

/** The user's own automations that name no project are for all of them. */
const projectOfAll = "user";

/** @param origin dialect, layer, file and root; line and column are set for each hook */
export function compileAutomationFile(text: string, origin: Origin, options: AutomationOptions): CompiledAutomations {
  const locate = createLocator(text);
  const problems = new Map<string, Problem>();
  const report: Report = (offset, finding) => {
    const problem: Problem = { ...finding, file: origin.file ?? "", ...locate(offset) };
    problems.set(`${offset} ${finding.code} ${finding.message}`, problem);
  };
  const ending = options.now === undefined ? "read on" : "not read"; // of what is being made, all or none
  let isEmpty = true;
  const nodes = documentsOf(text).flatMap(({ start, end }) => {
    const at: Report = (offset, finding) => report(offset + start, finding);
    const { root, isFaulty } = readYaml(text.slice(start, end), at, ending);
    if (root && root.type !== "null") isEmpty = false;
    return automationsIn(root, at).flatMap((node) => (isFaulty(node) ? [] : [{ node, start }]));
  });
  if (isEmpty && problems.size === 0 && !isOnlyRemarks(text)) report(0, emptyFile("name: … and trigger: …"));
  const taken = new Map<string, Place>();
  const automations = nodes.flatMap(({ node, start }): WrittenAutomation[] => {
    const place = locate(node.offset + start);
    const read = compileOne(node, { ...origin, ...place }, options);
    for (const { path, ofKey, isBearable: _isBearable, ...finding } of read.findings)
      report(start + offsetAt({ node }, path, ofKey ? "key" : "value"), finding);
    const first = read.hook && taken.get(read.hook.id);
    if (first) report(start + offsetAt({ node }, ["id"], "key"), twice(read, first));
    else if (read.hook) taken.set(read.hook.id, place);
    return first ? [] : [{ ...read, place }];
  });
  return {
    automations,
    hooks: automations.flatMap(({ hook }) => hook ?? []),
    problems: [...problems.values()].sort((left, right) => left.line - right.line || left.column - right.column),
  };
}

function compileOne(node: Node, origin: Origin, options: AutomationOptions): CompiledAutomation {
  const project = options.project ?? projectOfAll;
  const read = compileAutomation(jsonOf(node), origin, { ...options, project });
  const isForAll = options.project === undefined && read.hook?.project === projectOfAll;
  if (!read.hook || !isForAll) return read;
  const { when: _anyProject, ...hook } = read.hook;
  return { ...read, hook };
}

const twice = ({ automation, hook }: CompiledAutomation, { line }: Place): Omit<AutomationFinding, "path"> => ({
  severity: "error",
  code: "duplicate-key",
  message: `the id "${automation?.id ?? hook?.name}" is taken by the automation in line ${line}`,
  suggestion: "give it an id of its own",
});

/** Where a document's text begins and ends; a file of one document is one as a whole, its directives included. */
function documentsOf(text: string): { start: number; end: number }[] {
  const starts = [0, ...[...text.matchAll(/^---(?=\s|$)/gm)].map(({ index }) => index)];
  const pieces = starts.map((start, index) => ({ start, end: starts[index + 1] ?? text.length }));
  const filled = pieces.filter(({ start, end }) =>
    /^(?!---|\s*#|%|\s*$)|^---[ \t]+[^#\s]/m.test(text.slice(start, end)),
  );
  return filled.length < 2 ? [{ start: 0, end: text.length }] : filled;
}

function automationsIn(root: Node | undefined, report: Report): Node[] {
  if (!root || root.type === "null") return [];
  if (root.type === "array") {
    const message = 'the list of automations stands by itself; it is read as "automations"';
    report(root.offset, { severity: "warning", code: "shape", message, suggestion: "write automations: above it" });
    return root.children ?? [];
  }
  const members = membersOf(root);
  const list = members.find(({ key }) => key === "automations") ?? misspelt(members, report);
  if (!list) return [root];
  for (const member of members) if (member !== list) tellBeside(member, report);
  if (list.value.type === "array") return list.value.children ?? [];
  if (list.value.type !== "null") {
    const message = '"automations" is a list of automations';
    const suggestion = "begin each with - name: …";
    report(list.value.offset, { severity: "error", code: "wrong-type", message, suggestion });
  }
  return [];
}

/** A list under another name, in a map that holds nothing of an automation. */
function misspelt(members: readonly Member[], report: Report): Member | undefined {
  if (members.some(({ key }) => isAutomationField(key))) return undefined;
  const list = members.find(({ key, value }) => value.type === "array" && didYouMean(key, ["automations"]));
  if (!list) return undefined;
  const message = `nothing reads "${list.key}"`;
  report(list.at, { severity: "error", code: "unknown-field", message, suggestion: 'did you mean "automations"?' });
  return list;
}

function tellBeside({ key, at }: Member, report: Report): void {
  if (key.startsWith("x-") || ["version", "description"].includes(key)) return;
  const message = isAutomationField(key)
    ? `"${key}" stands beside the list, where nothing reads it`
    : `nothing reads "${key}"`;
  const suggestion = isAutomationField(key)
    ? "indent it into an automation of the list"
    : "names that begin with x- are free";
  report(at, { severity: "error", code: "unknown-field", message, suggestion });
}

/** What holds where it is left out is left out. */
function written(automation: Automation): Fields {
  const cooldown_seconds = defaultCooldown[automation.trigger.type];
  const otherwise: Readonly<Record<string, unknown>> = { ...automationDefaults, cooldown_seconds, context_steps: [] };
  const all = automation as unknown as Fields; // its fields are plain JSON
  const fields: Fields = {};
  for (const [key, { isOurs }] of Object.entries(automationFields)) {
    const value = all[key];
    if (isOurs || value === undefined || JSON.stringify(value) === JSON.stringify(otherwise[key])) continue;
    fields[key] = value;
  }
  return fields;
}

/** Names first, so that a list of them can be read from above. */
export function automationText(automations: readonly Automation[]): string {
  const list: Json[] = automations.map(written);
  return stringify({ automations: list }, textForm);
}

/** Long texts stay on their lines, texts that YAML reads otherwise are quoted, and nothing is written by reference. */
const textForm = {
  aliasDuplicateObjects: false,
  lineWidth: 0,
  version: "1.2",
  schema: "core",
  doubleQuotedAsJSON: true,
} as const;
