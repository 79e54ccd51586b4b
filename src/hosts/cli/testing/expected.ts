/** What a test expects against what came of its event: one row for each field that can be expected. */
import { isDeepStrictEqual } from "node:util";
import type { Fields, Json } from "../../../engine/event.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Run } from "../../../engine/record.ts";
import { isRecord } from "../../../engine/schema.ts";
import type { Expectation, ExpectedField, ExpectedRun } from "../../../formats/hook-tests/fields.ts";
import type { WrittenTest } from "../../../formats/hook-tests/file.ts";
import type { Place } from "../../../formats/reading/tree.ts";
import { resultOf } from "../../../operations/runs/run-words.ts";
import type { Performed, Seen } from "./perform.ts";

export interface Failure extends Place {
  field: ExpectedField;
  expected: string;
  actual: string;
}

/** In the order of the file. */
export function failuresOf(test: WrittenTest, seen: Performed["seen"]): Failure[] {
  return test.events.flatMap(({ expect = {}, placeOf }, index) => {
    const one = seen[index];
    if (!one) return [];
    return expectedFields.flatMap((field): Failure[] => {
      const actual = differs(field, expect, one);
      if (actual === undefined) return [];
      return [{ field, expected: expectedText(field, expect), actual, ...placeOf(field) }];
    });
  });
}

type Check<F extends ExpectedField> = (wanted: NonNullable<Expectation[F]>, seen: Seen) => string | undefined;

/** Each gives what there is instead; undefined: it is as expected. */
const checks: { readonly [F in ExpectedField]: Check<F> } = {
  verdict: (wanted, { outcome }) => (verdictOf(outcome) === wanted ? undefined : withReason(outcome)),
  by: (wanted, seen) => {
    const by = seen.outcome.verdict?.by;
    return by !== undefined && isCalled(wanted, by, seen) ? undefined : by === undefined ? "no hook" : nameOf(by, seen);
  },
  reason: (wanted, { outcome }) =>
    lacking(wanted, outcome.verdict?.reason === undefined ? [] : [outcome.verdict.reason]),
  context: (wanted, { outcome }) => lacking(wanted, outcome.context ?? []),
  message: (wanted, { outcome }) =>
    lacking(
      wanted,
      (outcome.messages ?? []).map(({ text }) => text),
    ),
  input: (wanted, { outcome: { updatedInput } }) => {
    if (wanted === "none") return updatedInput && JSON.stringify(updatedInput);
    return updatedInput && holds(wanted, updatedInput)
      ? undefined
      : updatedInput
        ? JSON.stringify(updatedInput)
        : "none";
  },
  runs: (wanted, seen) => (Array.isArray(wanted) ? otherRuns(wanted, seen) : endedOtherwise(wanted, seen)),
};
const expectedFields = Object.keys(checks) as ExpectedField[]; // the mapped type makes the list complete

function differs<F extends ExpectedField>(field: F, expect: Expectation, seen: Seen): string | undefined {
  const wanted = expect[field];
  return wanted === undefined ? undefined : checks[field](wanted, seen);
}

function expectedText(field: ExpectedField, expect: Expectation): string {
  const wanted = expect[field];
  return typeof wanted === "string" ? wanted : JSON.stringify(wanted);
}

export const verdictOf = ({ verdict, stop }: Outcome): string => verdict?.is ?? (stop ? "stop" : "none");

const withReason = (outcome: Outcome): string =>
  `${verdictOf(outcome)}${outcome.verdict?.reason === undefined ? "" : `: ${outcome.verdict.reason}`}`;

function lacking(wanted: string | readonly string[], found: readonly string[]): string | undefined {
  const all = found.join("\n");
  const isThere =
    Array.isArray(wanted) && wanted.length === 0
      ? found.length === 0
      : [wanted].flat().every((text) => all.includes(text));
  return isThere ? undefined : found.length === 0 ? "none" : all;
}

/** The fields that are named are as expected; the others may be anything. */
const holds = (wanted: Fields, found: Fields): boolean =>
  Object.entries(wanted).every(([key, value]) => isAsWanted(value, found[key]));

const isAsWanted = (wanted: Json, found: Json | undefined): boolean =>
  isRecord(wanted) && isRecord(found) ? holds(wanted as Fields, found as Fields) : isDeepStrictEqual(wanted, found); // both are JSON

const nameOf = (hook: string, { explained }: Seen): string => explained.find((one) => one.hook === hook)?.name ?? hook;

const isCalled = (wanted: string, hook: string, seen: Seen): boolean =>
  hook === wanted || nameOf(hook, seen) === wanted;

export const hasRun = ({ asked }: Run): boolean => asked > 0;

function otherRuns(wanted: readonly string[], seen: Seen): string | undefined {
  const ran = seen.runs.filter(hasRun);
  const isSame =
    ran.length === wanted.length && ran.every(({ hook }, index) => isCalled(wanted[index] ?? "", hook, seen));
  return isSame ? undefined : JSON.stringify(ran.map(({ hookName }) => hookName));
}

type WantedRuns = Exclude<NonNullable<Expectation["runs"]>, string[]>;

function endedOtherwise(wanted: WantedRuns, seen: Seen): string | undefined {
  const wrong = Object.entries(wanted).flatMap(([name, given]) => {
    const { status, reason = "" }: ExpectedRun = typeof given === "string" ? { status: given } : given;
    const found = endOf(name, seen);
    const isSame = found.status === status && found.because.includes(reason);
    return isSame ? [] : [`${name}: ${found.status}${found.because === "" ? "" : ` (${found.because})`}`];
  });
  return wrong.length === 0 ? undefined : wrong.join("; ");
}

function endOf(name: string, seen: Seen): { status: string; because: string } {
  const run = seen.runs.find(({ hook }) => isCalled(name, hook, seen));
  if (run) return { status: run.status, because: run.reason ?? (hasRun(run) ? resultOf(run) : "") };
  const explained = seen.explained.find((one) => one.hook === name || one.name === name);
  return explained
    ? { status: "not matched", because: explained.because }
    : { status: "no such hook", because: `hooks here: ${seen.explained.map((one) => one.name).join(", ") || "none"}` };
}

/** Which hooks ran, and why the others did not, in a sentence for each. */
export function storyOf({ runs, explained }: Seen): { ran: string[]; others: string[] } {
  const ran = runs.filter(hasRun).map((run) => `${run.hookName}: ${run.status}, ${resultOf(run)}`);
  const skipped = runs.filter((run) => !hasRun(run)).map((run) => `${run.hookName}: ${run.reason ?? run.status}`);
  const unmatched = explained
    .filter(({ hook, file }) => file !== undefined && !runs.some((run) => run.hook === hook)) // what is built in is in no file
    .map(({ name, because }) => `${name}: ${because}`);
  return { ran, others: [...skipped, ...unmatched] };
}
