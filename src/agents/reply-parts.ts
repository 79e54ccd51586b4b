/** What the replies to all agents are made of. */
import type { Message, Outcome, OutcomeField } from "../engine/outcome.ts";

export const onlyAccepted = (outcome: Outcome, accepts: readonly OutcomeField[]): Outcome =>
  Object.fromEntries(accepts.map((field) => [field, outcome[field]]).filter(([, value]) => value !== undefined));

/** Messages as text, to one reader or to both. */
export const texts = (messages: readonly Message[] | undefined, to?: Message["to"]): string[] =>
  (messages ?? [])
    .filter((one) => to === undefined || one.to === to)
    .map((one) => (one.title ? `${one.title}: ${one.text}` : one.text));

/** All that is for the model, as one text (C39); "" is nothing. */
export const contextOf = ({ context = [], messages }: Outcome): string =>
  [...context, ...texts(messages, "model")].join("\n");
