/**
 * Settings hooks (specification 002): `hooks: {Event: [{matcher, hooks: [handler]}]}` becomes Hooks, in all the shapes
 * that people write. Pure; never throws: what cannot be a hook is a problem beside those that can (R33).
 */

import type { EventName } from "../../engine/event.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import { type Hook, type Origin, type Problem, placeOfHook, type Step } from "../../engine/hook.ts";
import { meantOrKnown } from "../../engine/nearest.ts";
import type { Patterns } from "../../engine/ports.ts";
import { text } from "../../engine/schema.ts";
import { emptyFile } from "../reading/entry.ts";
import { readTree } from "../reading/json-tree.ts";
import { unread } from "../reading/mismatches.ts";
import { createLocator, type Finding, membersOf, type Node, type Place } from "../reading/tree.ts";
import { createNames } from "../reading/unique-names.ts";
import { type Entry, readEntries, type SettingsFormat } from "./entries.ts";
import { createReader, type EntryReader } from "./entry-reader.ts";
import { isEventList } from "./event-lists.ts";
import { isComment } from "./fields.ts";
import { compileEntry, type FileContext, frame, guardInPlace, isEnabled, nameOf, type Policy, tagsOf } from "./hook.ts";
import { conditionOf } from "./matchers.ts";
import { handlerTypes } from "./steps.ts";
import { isWritten } from "./tool-patterns.ts";
import { isVerdictList, type ListedVerdict, listedKeys, meantBy } from "./verdict-lists.ts";

export type { SettingsFormat } from "./entries.ts";

interface SettingsOptions {
  format: SettingsFormat;
  /** How ids name the file: relative to its root, never a path of one machine. */
  label?: string;
  /** Given, invalid regular expressions are found now and not when an event comes. */
  patterns?: Patterns;
  platform?: string;
}
export interface Switches {
  disableAllHooks?: boolean;
  allowManagedHooksOnly?: boolean;
}
export interface CompiledSettings {
  hooks: Hook[];
  problems: Problem[];
  switches: Switches;
  /** Every event that the file names, also with an empty list, which switches it off in `.gen` files (R29). */
  speaksOf: EventName[];
  /** Claude Code's plugins that the file turns on or off. */
  enabledPlugins: { [plugin: string]: boolean };
  /** Where a switch stands, for what is said about it later. */
  placeOf(key: string): Place;
}

/** @param origin dialect, layer, file and root; line and column are set for each hook */
export function compileSettings(text: string, origin: Origin, options: SettingsOptions): CompiledSettings {
  const problems: Problem[] = [];
  const locate = createLocator(text);
  const report = (offset: number, finding: Finding): void => {
    problems.push({ ...finding, file: origin.file ?? "", ...locate(offset) });
  };
  const label = options.label ?? labelOf(origin);
  const context: FileContext = { ...options, origin, label, platform: options.platform ?? "linux", locate, report };
  const root = readTree(text, report);
  // For agents an empty file of theirs is valid.
  if (!root && problems.length === 0 && options.format.isOurs) report(0, emptyFile('{ "hooks": {} }'));
  const { entries, speaksOf } = readEntries(root, options.format, report);
  const compiled = entries.flatMap(
    (entry) => (entry.verdict ? compileListed(entry, entry.verdict, context) : compileEntry(entry, context)) ?? [],
  );
  const hooks = withIds(compiled, label, (problem) => problems.push(problem));
  return { hooks, problems, speaksOf, ...readAround(root, context) };
}

const labelOf = ({ file = "settings.json", root }: Origin): string =>
  root && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file.slice(file.lastIndexOf("/") + 1);

/** Keys of our own file beside the hooks; other settings files hold far more than hooks. */
const ownKeys = ["hooks", "version", "name", "description", "disableAllHooks", "allowManagedHooksOnly", "deny", "ask"];
const spokenOf = ["hooks", "disableAllHooks", "allowManagedHooksOnly"];

function readAround(
  root: Node | undefined,
  context: FileContext,
): Pick<CompiledSettings, "switches" | "enabledPlugins" | "placeOf"> {
  const members = membersOf(root);
  const valueAt = (key: string): Node | undefined => members.findLast((one) => one.key === key)?.value;
  const hasHooks = valueAt("hooks") !== undefined;
  for (const { key, at, value } of members) {
    if (isComment(key) || ownKeys.includes(key) || isEventList(key, value)) continue;
    if (context.format.isOurs && isVerdictList({ key, value })) continue; // reported with its entries
    // In a file of ours without "hooks", the hooks may stand under the unknown key.
    const loses = (!hasHooks && value.children !== undefined) || meantBy(key) !== undefined;
    if (context.format.isOurs)
      context.report(at, { severity: "error", ...unread(key, ownKeys), ...(loses && { loses }) });
    else if (!hasHooks && /^hooks?$/i.test(key)) context.report(at, { severity: "warning", ...unread(key, spokenOf) });
  }
  const switches: Switches = {};
  for (const key of ["disableAllHooks", "allowManagedHooksOnly"] as const)
    if (valueAt(key)?.value === true) switches[key] = true;
  const enabledPlugins = Object.fromEntries(
    membersOf(valueAt("enabledPlugins")).map(({ key, value }) => [key, value.value !== false]),
  );
  return {
    switches,
    enabledPlugins,
    placeOf: (key) => context.locate(members.find((one) => one.key === key)?.at ?? 0),
  };
}

/** Own ids stay; the others are made of the file and what the hook says, so that edits elsewhere leave them alone (R70). */
function withIds(hooks: Hook[], label: string, tell: (problem: Problem) => void): Hook[] {
  const unique = createNames();
  return hooks.map((hook) => {
    const written = hook.id || madeId(hook, label);
    const id = unique(written);
    if (hook.id && id !== written) tell(takenId(hook, id));
    return { ...hook, id };
  });
}

/** Ids name one hook each: in records, limits and commands. */
export const takenId = (hook: Hook, instead: string): Problem => ({
  severity: "warning",
  code: "duplicate-key",
  message: `the id "${hook.id}" is taken by another hook, so this one is called "${instead}"`,
  suggestion: "give it an id of its own",
  ...placeOfHook(hook),
});

/** The project's folder is part of it: limits and records of one project's hook are not those of another's twin. */
function madeId({ on, when, steps, mode, role, onFailure, limits, origin }: Hook, label: string): string {
  const written = "as" in on ? (on.as?.join("+") ?? "") : "";
  return `settings:${label}:${written}:${fingerprint(JSON.stringify([origin.root, when, steps, mode, role, onFailure, limits])).slice(0, 8)}`;
}

/** What is wrong with it must not let pass what it denies (R46). */
const policyOfListed: Policy = { role: "guard", onFailure: "block", guard: true };

/** It decides from memory. */
const timeLimit = 5;

/** One entry of a `deny` or `ask` list: a gate behind a tool pattern, which runs nothing, or findings and a guard that fails. */
function compileListed(entry: Entry, verdict: ListedVerdict, context: FileContext): Hook {
  const reader = createReader(entry, context.report, context.format);
  checkKeys(reader, verdict);
  checkPattern(reader, verdict);
  const when = conditionOf(reader, context);
  const patterns = [entry.fields.get("if")?.value ?? []].flat().map(String).join(" or ");
  const step = gateStep(reader, verdict, `${context.label} ${verbs[verdict]} ${patterns}.`);
  const priority = reader.read("priority") ?? 100;
  const [enabled, tags] = [isEnabled(reader, context), tagsOf(reader)];
  const reason = reader.faults[0];
  if (reason !== undefined) return guardInPlace(reader, context, { ...policyOfListed, when, reason });
  return {
    ...frame(reader, context, policyOfListed, when),
    name: nameOf(reader, `${verdict} ${patterns}`),
    steps: [step],
    limits: { overlap: "coalesce" },
    ...{ mode: "sync", priority, enabled, tags },
  };
}

const verbs: Readonly<Record<ListedVerdict, string>> = { deny: "denies", ask: "asks about" };

/** Keys of hooks, by which an author shows that a program was meant to decide. */
const keysOfHandlers = ["type", "hooks", ...Object.values(handlerTypes).flatMap(({ fields }) => Object.keys(fields))];

function checkKeys({ entry, fault }: EntryReader, verdict: ListedVerdict): void {
  for (const key of entry.fields.keys()) {
    if (listedKeys.includes(key)) continue;
    const advice = keysOfHandlers.includes(key)
      ? `"${verdict}" runs nothing: a handler belongs in the list "hooks" beside it`
      : meantOrKnown(key, listedKeys);
    fault(key, "unknown-field", `nothing reads "${key}" in "${verdict}"`, advice);
  }
}

function checkPattern(reader: EntryReader, verdict: ListedVerdict): void {
  if (isWritten("if", reader)) return;
  const advice = 'write "if": "Bash(git push --force *)"';
  reader.fault("if", "missing-field", `an entry of "${verdict}" names no call`, advice);
}

function gateStep(reader: EntryReader, verdict: ListedVerdict, otherwise: string): Step {
  const [reason, suggestion] = [sentenceAt("reason", reader), sentenceAt("suggestion", reader)];
  const said = [reason ?? otherwise, ...(suggestion === undefined ? [] : [`Suggestion: ${suggestion}`])].join(" ");
  return {
    uses: "gate",
    with: { reason: said, ...(verdict === "ask" ? { ask: true } : {}) },
    timeout: timeLimit,
    onError: "stop",
  };
}

/** With its full stop, so that another sentence can follow. */
function sentenceAt(key: string, reader: EntryReader): string | undefined {
  const written = reader.readBy(key, text())?.trim();
  if (!written) return undefined;
  return /[.!?…:]$/.test(written) ? written : `${written}.`;
}
