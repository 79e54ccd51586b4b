/**
 * What counts of a settings hook's program that failed: whatever it answered before, but nothing that loosens (R95). Apart from
 * settings.ts, which reads the answer itself.
 */

import type { Fields, HookId } from "../../../engine/event.ts";
import { isField, type Outcome, type OutcomeField, type OutcomeFields } from "../../../engine/outcome.ts";
import type { StepResult } from "../../../engine/ports.ts";
import type { Ended } from "../../../engine/program.ts";
import { isFields } from "../../../engine/schema.ts";
import { failed, noted } from "../../step.ts";
import { exitReason, launchFailure, unfinished } from "./endings.ts";
import { blocked, textOf } from "./settings-keys.ts";

/**
 * @param ended by itself, with another exit code than 0, or by a signal
 * @param answer the JSON on its stdout, if it holds any. Plain text is no answer here
 */
export function readFailed(ended: Ended, answer: StepResult | undefined, hook: HookId): StepResult {
  const { output = {}, notes: read = [] } = answer ?? {};
  const { outcome, lost } = withoutLoosening(answer?.outcome ?? {});
  const launch = launchFailure(ended);
  const failure =
    unfinished(ended) ?? (launch === undefined ? failed("exit", exitReason(ended)) : failed("launch", launch));
  const how = failure.ok ? "" : failure.reason;
  const notes = [
    ...read,
    ...(lost.length > 0 ? [`a program that failed loosens nothing: its ${lost.join(", ")} does not count`] : []),
  ];
  if (ended.code === 2 && launch === undefined) {
    const none =
      answer || ended.stdout.trim() === "" ? [] : ["stdout holds no answer: exit 2 blocks whatever it holds"];
    const reason = ended.stderr.trim() || reasonIn(answer) || blocked;
    const verdict = { is: "deny", reason, by: hook } as const;
    return { ok: true, output, outcome: { ...outcome, verdict }, ...noted([...notes, ...none]) };
  }
  if (outcome.verdict)
    return { ok: true, output, outcome, ...noted([...notes, `it failed after it had answered (${how})`]) };
  return { ...failure, output, ...(answer ? { outcome } : {}), ...noted(notes) };
}

/** Which values of a field count when the program failed. A field that is not here counts as it is. */
const counts: { readonly [F in OutcomeField]?: (value: OutcomeFields[F]) => boolean } = {
  verdict: ({ is }) => is !== "allow" && is !== "defer",
  updatedInput: () => false,
  updatedOutput: () => false,
  permissions: () => false,
  retry: () => false,
  displayContent: () => false,
  worktreePath: () => false,
  elicitation: ({ action }) => action !== "accept",
};

function withoutLoosening(outcome: Outcome): { outcome: Outcome; lost: string[] } {
  const kept: Outcome = { ...outcome };
  const lost: string[] = [];
  for (const field of Object.keys(kept).filter(isField)) {
    if (doesCount(field, kept)) continue;
    lost.push(field === "verdict" ? (kept.verdict?.is ?? field) : field);
    delete kept[field];
  }
  return { outcome: kept, lost };
}

function doesCount<F extends OutcomeField>(field: F, outcome: Outcome): boolean {
  const value: OutcomeFields[F] | undefined = outcome[field];
  return value === undefined || (counts[field]?.(value) ?? true);
}

/** Why it refuses, where its standard error does not say it. The reason of an allow is none. */
function reasonIn(answer: StepResult | undefined): string | undefined {
  const verdict = answer?.outcome?.verdict;
  if (verdict) return verdict.is === "deny" || verdict.is === "ask" ? verdict.reason : undefined;
  const { hookSpecificOutput: inner, ...said }: Fields = answer?.output ?? {};
  const beside = isFields(inner) ? textOf(inner, "permissionDecisionReason") : undefined;
  return beside ?? textOf(said, "reason") ?? textOf(said, "stopReason");
}
