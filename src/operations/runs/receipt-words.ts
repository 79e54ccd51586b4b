/** What an agent did with a decision, in words: beside the decision, and never in its place (R105). */
import type { Receipt, ReceiptState } from "../../engine/receipt.ts";
import type { ReceiptCount } from "../../engine/record.ts";
import { counted } from "../../engine/words.ts";
import type { Tone } from "../shown.ts";

const heads: Readonly<Record<ReceiptState, string>> = {
  open: "the turn goes on: what the agent does with it is not known yet",
  obeyed: "the agent obeyed",
  disobeyed: "the agent did not obey",
  unknown: "whether the agent obeyed is not known",
};
export const receiptTones: Readonly<Record<ReceiptState, Tone>> = {
  open: "dim",
  obeyed: "green",
  disobeyed: "red",
  unknown: "yellow",
};

export const receiptWords = ({ is, because }: Receipt): string =>
  because === undefined || is === "open" ? heads[is] : `${heads[is]}: ${because}`;

/** Of denials: how many there were, and what became of them. */
export interface Denials {
  all: number;
  disobeyed: number;
  unknown: number;
}

export function denialsIn(counts: readonly ReceiptCount[]): Denials {
  const sum = (holds: (one: ReceiptCount) => boolean): number =>
    counts.reduce((total, one) => (one.to === "deny" && holds(one) ? total + one.count : total), 0);
  return {
    all: sum(() => true),
    disobeyed: sum(({ is }) => is === "disobeyed"),
    unknown: sum(({ is }) => is === "unknown"),
  };
}

/** Undefined: nothing was denied. */
export function denialWords({ all, disobeyed, unknown }: Denials): { text: string; tone: Tone } | undefined {
  if (all === 0) return undefined;
  const denials = `${counted(all, "denial")} of the last 7 days`;
  const open = unknown > 0 ? `; of ${unknown} it is not known` : "";
  if (disobeyed === 0) return { text: `none of ${denials} was executed, as far as agents report${open}`, tone: "dim" };
  const were = disobeyed === 1 ? "was" : "were";
  return {
    text: `${disobeyed} of ${denials} ${were} executed all the same${open}: run \`hookline runs --outcome disobeyed --since 7d\``,
    tone: "red",
  };
}
