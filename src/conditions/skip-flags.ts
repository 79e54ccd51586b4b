/**
 * skip_flags: whether what the context steps found makes the model needless (specification 000, A38 and A39). Asked once,
 * before the model's step, with one entry of flags for each context step. Only the automation format writes it.
 */
import type { Fields, Json } from "../engine/event.ts";
import { type SkipFlag, type SkipFlags, skipFlagNames, skipFlags } from "../engine/named.ts";
import type { ConditionKind } from "../engine/ports.ts";
import type { StepRecord } from "../engine/record.ts";
import { flag, listOf, object, say } from "../engine/schema.ts";

/** What a step's result has to be for a flag, in the words of the reason; undefined: it is not. */
const findings: { readonly [F in SkipFlag]: (result: StepRecord) => string | undefined } = {
  exit_zero: ({ output }) => (output.exit_code === 0 ? "exit code 0" : undefined),
  empty: (result) => (isEmpty(result) ? "output empty" : undefined),
  status_ok({ output: { status_code: status } }) {
    return typeof status === "number" && status >= 200 && status < 300 ? `HTTP ${status}` : undefined;
  },
};

/** What a step is about; which of them it has depends on the step (R25). */
const mainOutputs = ["stdout", "content", "body", "diff", "rows", "files"] as const;

function isEmpty(result: StepRecord): boolean {
  const said = mainOutputs.flatMap((field) => result.output[field] ?? []);
  const has = mainOutputs.some((field) => Object.hasOwn(result.output, field));
  return has && !hasFailed(result) && said.every(isBlank);
}

const isBlank = (value: Json): boolean => typeof value === "string" && value.trim() === "";

/** A program that exits otherwise than 0 and says nothing, as grep does, has found nothing; one that complains has failed. */
function hasFailed({ ok, output }: StepRecord): boolean {
  const { error, exit_code: code, stderr, passed } = output;
  if (!ok || passed === false || code === -1) return true;
  if (error !== undefined && error !== null && error !== "") return true;
  return typeof code === "number" && code !== 0 && typeof stderr === "string" && stderr.trim() !== "";
}

function reasonFor(flags: readonly SkipFlags[], results: readonly StepRecord[]): Fields | false {
  for (const [index, wanted] of flags.entries()) {
    const result = results[index];
    if (!result) continue;
    for (const name of skipFlagNames) {
      const found = wanted[name] ? findings[name](result) : undefined;
      if (found !== undefined) return { reason: `step_${index}: ${found} (${skipFlags[name].written})` };
    }
  }
  return false;
}

export const skipFlagsHold: ConditionKind<SkipFlags[]> = {
  params: say(
    listOf(object({}, { exit_zero: flag, empty: flag, status_ok: flag })),
    "what each context step is asked for",
  ),
  compile: (flags) => (scope) => reasonFor(flags, scope.results),
  describe: (flags) =>
    flags
      .flatMap((wanted, index) =>
        skipFlagNames.flatMap((name) => (wanted[name] ? `step_${index}: ${skipFlags[name].written}` : [])),
      )
      .join(" or ") || "no flags",
};
