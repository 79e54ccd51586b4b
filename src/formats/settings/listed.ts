/** One entry of a `deny` or `ask` list becomes one Hook that runs nothing: a gate behind a tool pattern, or findings and a guard that fails. */
import type { Hook, Step } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { number, text } from "../../engine/schema.ts";
import type { Entry } from "./entries.ts";
import { createReader, type EntryReader } from "./entry-reader.ts";
import { type FileContext, frame, guardInPlace, isEnabled, nameOf, type Policy, tagsOf } from "./hook.ts";
import { conditionOf } from "./matchers.ts";
import { handlerTypes } from "./steps.ts";
import { isWritten } from "./tool-patterns.ts";
import { type ListedVerdict, listedKeys } from "./verdict-lists.ts";

/** What is wrong with it must not let pass what it denies (R46). */
const policy: Policy = { role: "guard", onFailure: "block", guard: true };

/** It decides from memory. */
const timeLimit = 5;

export function compileListed(entry: Entry, verdict: ListedVerdict, context: FileContext): Hook {
  const reader = createReader(entry, context.report, context.format);
  checkKeys(reader, verdict);
  checkPattern(reader, verdict);
  const when = conditionOf(reader, context);
  const patterns = [entry.fields.get("if")?.value ?? []].flat().map(String).join(" or ");
  const step = gateStep(reader, verdict, `${context.label} ${verbs[verdict]} ${patterns}.`);
  const priority = reader.read("priority", number()) ?? 100;
  const [enabled, tags] = [isEnabled(reader, context), tagsOf(reader)];
  const reason = reader.faults[0];
  if (reason !== undefined) return guardInPlace(reader, context, { ...policy, when, reason });
  return {
    ...frame(reader, context, policy, when),
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
      : (didYouMean(key, listedKeys) ?? `known: ${listedKeys.join(", ")}`);
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
  const written = reader.read(key, text())?.trim();
  if (!written) return undefined;
  return /[.!?…:]$/.test(written) ? written : `${written}.`;
}
