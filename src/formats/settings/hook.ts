/** One entry of a settings file becomes one Hook, or findings that say why not. */

import type { Seconds } from "../../engine/event.ts";
import type { Condition, FailurePolicy, Hook, Mode, Origin, Role, Step } from "../../engine/hook.ts";
import { asksFor, didYouMean, nearest } from "../../engine/nearest.ts";
import { shortened } from "../../engine/one-line.ts";
import type { Patterns } from "../../engine/ports.ts";
import { number, text } from "../../engine/schema.ts";
import { guardInvalid, invalidGuard } from "../invalid-guard.ts";
import { secondsIn, surelyMilliseconds, warnOfUnit } from "../reading/durations.ts";
import { unnamed, unread } from "../reading/mismatches.ts";
import type { Place, Report } from "../reading/tree.ts";
import type { Entry, SettingsFormat } from "./entries.ts";
import { createReader, type EntryReader } from "./entry-reader.ts";
import { commonFields, policies, roles } from "./fields.ts";
import { conditionOf } from "./matchers.ts";
import { type HandlerType, handlerTypes, misspeltIn, neededOf, parametersOf, residentOf } from "./steps.ts";

/** What is the same for all entries of a file. */
export interface FileContext {
  format: SettingsFormat;
  patterns?: Patterns;
  origin: Origin;
  /** How people know the file: never a path of one machine. */
  label: string;
  platform: string;
  locate(offset: number): Place;
  report: Report;
}

/** A hook, or nothing where the entry is invalid; an invalid guard becomes a hook that fails (R46). */
export function compileEntry(entry: Entry, context: FileContext): Hook | undefined {
  const reader = createReader(entry, context.report, context.format);
  const type = typeOf(reader);
  if (type) checkKeys(reader, type, context);
  const policy = readPolicy(reader);
  const when = conditionOf(reader, context);
  const step = type && readStep(reader, type, context);
  const rest = readRest(reader, context, policy);
  const reason = reader.faults[0];
  if (reason !== undefined || !step)
    return policy.guard ? guardInPlace(reader, context, { ...policy, when, reason }) : undefined;
  return {
    ...frame(reader, context, policy, when),
    ...rest,
    name: nameOf(reader, type.label(step.with)),
    steps: [step],
  };
}

type NamedType = HandlerType & { name: string };

function typeOf(reader: EntryReader): NamedType | undefined {
  const written = reader.readBy("type", text()) ?? "command";
  const type = Object.hasOwn(handlerTypes, written) ? handlerTypes[written] : undefined;
  if (type) return { ...type, name: written };
  const { code, message, suggestion } = unnamed("no handler type is called", written, Object.keys(handlerTypes));
  reader.fault("type", code, message, suggestion);
  return undefined;
}

const commonKeys = ["type", ...Object.keys(commonFields)];

const everyKey = [...commonKeys, ...Object.values(handlerTypes).flatMap(({ fields }) => Object.keys(fields))];

/** Keys of other tools that Hookline knows and does not obey. */
const ignoredKeys: Readonly<Record<string, string>> = {
  filePattern: 'write "if": "Edit(**/*.py)" instead',
  rewakeMessage: "the notice carries the hook's own text",
  rewakeSummary: "the notice carries the hook's own text",
  continueOnError: 'a failed hook never stops the others; "onFailure" says what it does to the event',
  loop_limit: "re-prompts are capped at 3 for each user prompt",
  cwd: "write cd into the command",
};

function checkKeys({ entry, report, fault }: EntryReader, type: NamedType, { format }: FileContext): void {
  const known = [...commonKeys, ...Object.keys(type.fields)];
  for (const [key, { at, ofGroup }] of entry.fields) {
    if (
      known.includes(key) ||
      (ofGroup && Object.values(handlerTypes).some(({ fields }) => Object.hasOwn(fields, key)))
    )
      continue;
    const advice = Object.hasOwn(ignoredKeys, key) ? ignoredKeys[key] : undefined;
    if (advice)
      report(at, { severity: "note", code: "ignored-field", message: `"${key}" is ignored`, suggestion: advice });
    else if (format.isOurs || isMeantByNeed(key, entry, type))
      fault(key, "unknown-field", `nothing reads "${key}"`, didYouMean(key, known));
    else report(at, { severity: nearest(key, known) ? "warning" : "note", ...unread(key, known) });
  }
}

/** A hook without what it needs cannot run in any agent. */
const isMeantByNeed = (key: string, entry: Entry, type: NamedType): boolean =>
  neededOf(type).some((needed) => misspeltIn(entry, needed, Object.keys(type.fields)) === key);

export interface Policy {
  role: Role;
  onFailure: FailurePolicy;
  /** The author asks for safety; a misspelt word for it is taken as asking too. */
  guard: boolean;
}
function readPolicy(reader: EntryReader): Policy {
  const role = reader.read("role") ?? misspelt(reader, "role", "guard", roles) ?? "undeclared";
  const written = reader.read("onFailure") ?? misspelt(reader, "onFailure", "block", policies);
  const blocks = [reader.read("failClosed"), reader.read("blocking"), role === "guard"].includes(true);
  const onFailure = written ?? (blocks || (reader.faults.length > 0 && asksForSafety(reader)) ? "block" : "continue");
  return { role, onFailure, guard: role === "guard" || onFailure === "block" };
}

function misspelt<T extends string>(
  { entry }: EntryReader,
  key: string,
  meant: T,
  choices: readonly string[],
): T | undefined {
  const value = entry.fields.get(key)?.value;
  return typeof value === "string" && nearest(value, choices) === meant ? meant : undefined;
}

/** Whether an entry that is invalid was meant as a guard: by a misspelt key, or by a value that is no flag. */
function asksForSafety({ entry }: EntryReader): boolean {
  const fields = [...entry.fields].map(([key, { value }]) => [key, value] as const);
  const says = (key: string, meant: string, choices: readonly string[]): boolean =>
    fields.some(
      ([written, value]) =>
        nearest(written, everyKey) === key && typeof value === "string" && nearest(value, choices) === meant,
    );
  return (
    ["blocking", "failClosed"].some((flag) => asksFor(flag, fields, everyKey)) ||
    says("role", "guard", roles) ||
    says("onFailure", "block", policies)
  );
}

function readStep(reader: EntryReader, type: NamedType, context: FileContext): Step {
  const resident = residentOf(reader, type.name, context.format);
  const parameters = { ...parametersOf(reader, type, context), ...(resident ? { resident } : {}) };
  return { uses: type.name, with: parameters, timeout: readTimeout(reader, type, context), onError: "stop" };
}

function readTimeout(reader: EntryReader, type: HandlerType, { format }: FileContext): Seconds {
  const key = reader.entry.fields.has("timeout") ? "timeout" : "timeoutSec";
  const written = reader.entry.fields.get(key)?.value;
  // Agents refuse a duration in files of theirs.
  const duration = format.isOurs && typeof written === "string" ? secondsIn(written) : undefined;
  const timeout = duration ?? reader.readBy(key, number());
  if (timeout === undefined) return type.timeout;
  if (timeout <= 0)
    reader.fault(key, "timeout-unit", `"${key}" is ${timeout}, which leaves no time to run`, "write seconds above 0");
  if (timeout >= surelyMilliseconds) reader.report(reader.placeOf(key), warnOfUnit(`"${key}": ${timeout}`, timeout));
  return timeout;
}

type Rest = Pick<Hook, "mode" | "limits" | "priority" | "enabled" | "report" | "replaces" | "tags" | "status">;

function readRest(reader: EntryReader, context: FileContext, policy: Policy): Rest {
  const status = reader.caption("statusMessage");
  const limit = reader.read("textLimit");
  return {
    mode: modeOf(reader, context, policy),
    limits: {
      ...(reader.read("once") ? { once: "session" } : {}),
      overlap: "coalesce",
      ...(limit === undefined ? {} : { text: limit }),
    },
    priority: reader.read("priority") ?? 100,
    enabled: isEnabled(reader, context),
    ...(reportsOnly(reader, context) ? { report: true } : {}),
    ...(reader.read("replaces") ? { replaces: true } : {}),
    tags: tagsOf(reader),
    ...(status ? { status } : {}),
  };
}

function modeOf(reader: EntryReader, { format }: FileContext, { guard }: Policy): Mode {
  const rewake = reader.read("asyncRewake");
  const detached = reader.read("async");
  if (guard && (rewake || detached)) return guardInBackground(reader, rewake ? "asyncRewake" : "async");
  if (rewake) return "rewake";
  if (detached !== undefined) return detached ? "async" : "sync";
  const waits = guard || !format.waitsFor || reader.entry.events.some((event) => format.waitsFor?.has(event));
  return waits ? "sync" : "async";
}

/** A background hook can refuse nothing, so the word that asks for safety counts (R46). */
function guardInBackground(reader: EntryReader, key: string): "sync" {
  reader.report(reader.placeOf(key), {
    severity: "error",
    code: "guard-in-background",
    message: `a guard cannot run in the background, where its verdict counts nowhere: it runs synchronously, as without "${key}"`,
    suggestion: `remove "${key}", or the role and the failure policy of a guard`,
  });
  return "sync";
}

export function isEnabled(reader: EntryReader, { format }: FileContext): boolean {
  const enabled = reader.read("enabled") ?? true;
  if (!enabled && !format.isOurs) {
    reader.report(reader.placeOf("enabled"), {
      severity: "warning",
      code: "disabled",
      message:
        '"enabled": false: Hookline does not run this hook, but an agent that reads the file itself ignores the key and runs it',
      suggestion: "remove the hook to switch it off everywhere",
    });
  }
  return enabled;
}

function reportsOnly(reader: EntryReader, { format }: FileContext): boolean {
  const report = reader.read("report") ?? false;
  if (report && !format.isOurs) {
    reader.report(reader.placeOf("report"), {
      severity: "warning",
      code: "ignored-field",
      message:
        '"report": true: Hookline only records what this hook answers, but an agent that reads the file itself ignores the key and obeys the hook',
      suggestion: "write the hook in Hookline's own file, .hookline/hooks.json",
    });
  }
  return report;
}

export function tagsOf(reader: EntryReader): string[] {
  const field = reader.entry.fields.get("tags");
  return typeof field?.value === "string" ? [field.value] : (reader.read("tags") ?? []);
}

const longestNameShown = 60;

/** @param label what a hook without a name is called */
export function nameOf(reader: EntryReader, label: string): string {
  const written = reader.caption("name") ?? reader.caption("description");
  const name = (written ?? label).trim().replace(/\s+/g, " ");
  return shortened(name, longestNameShown);
}

type Frame = Pick<Hook, "id" | "on" | "when" | "role" | "onFailure" | "origin">;

export function frame(
  { entry }: EntryReader,
  { origin, locate }: FileContext,
  policy: Policy,
  when: Condition | undefined,
): Frame {
  const id = entry.fields.get("id")?.value;
  return {
    id: typeof id === "string" ? id.trim() : "",
    on: { event: entry.events, as: [entry.written] },
    ...(when ? { when } : {}),
    role: policy.role,
    onFailure: policy.onFailure,
    origin: { ...origin, ...locate(entry.at) },
  };
}

/** A typing error must not remove a guard: in its place stands a hook that fails, so that its policy answers (R46). */
export function guardInPlace(
  reader: EntryReader,
  context: FileContext,
  {
    when,
    reason = "it names no handler",
    ...policy
  }: Policy & { when: Condition | undefined; reason: string | undefined },
): Hook {
  const { entry } = reader;
  context.report(entry.at, guardInvalid(policy, "entry"));
  const { id, role, onFailure, origin } = frame(reader, context, policy, when);
  const name = entry.fields.get("name")?.value;
  return invalidGuard({
    ...{ id, role, onFailure, origin, when, reason },
    name: typeof name === "string" ? name : undefined,
    events: entry.events,
    written: [entry.written],
    enabled: entry.fields.get("enabled")?.value !== false,
    ...(entry.fields.get("report")?.value === true ? { report: true as const } : {}),
  });
}
