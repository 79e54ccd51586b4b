/** A hook that holds only because nobody can tell what a call does (R87): what is said then, in one place for every kind of hook. */
import type { Hook } from "./hook.ts";
import type { Outcome } from "./outcome.ts";
import type { Found } from "./record.ts";

/** Why nobody can tell; undefined: what the condition found is sure. */
export const unsureIn = (match: Found | undefined): string | undefined =>
  typeof match?.unknown === "string" ? match.unknown : undefined;

/** What is unknown is a program of a line, or the tool's whole input, which the agent knows best. */
export const unsureSentence = (why: string): string =>
  `Hookline ${why}, so it cannot say whether a rule forbids that.${why.startsWith("cannot tell") ? " Write the program and its options out." : ""}`;

/** A refusal or a question begins with the true reason; the hook's own is about the call that it was written for. */
export function withTrueReason(outcome: Outcome, match: Found | undefined, { name }: Hook): Outcome {
  const why = unsureIn(match);
  const { verdict } = outcome;
  if (why === undefined || !verdict || (verdict.is !== "deny" && verdict.is !== "ask")) return outcome;
  const begin = unsureSentence(why);
  const { reason } = verdict;
  if (reason?.startsWith(begin)) return outcome;
  const own = reason === undefined ? "" : ` What "${name}" says of what it forbids: ${reason}`;
  return { ...outcome, verdict: { ...verdict, reason: `${begin}${own}` } };
}
