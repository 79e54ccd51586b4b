/** What hooks have asked for afterwards, and what of it is done. Apart, because `runs show` tells it too. */
import type { Fields } from "../../engine/event.ts";
import type { FollowUp } from "../../engine/outcome.ts";
import type { Claim, Run, Store } from "../../engine/record.ts";

export interface KeptFollowUp extends FollowUp {
  /** run.number */
  id: string;
  /** In its run, from 1. */
  number: number;
  run: Run;
  done: boolean;
}

/** Of one run, in its order. */
export async function followUpsOf(run: Run, store: Pick<Store, "peek">): Promise<KeptFollowUp[]> {
  const kept: KeptFollowUp[] = [];
  for (const [index, { kind, payload }] of (run.outcome?.followUps ?? []).entries()) {
    const number = index + 1;
    const done = (await store.peek([claimOf(run.id, number)], Date.now())) !== undefined;
    kept.push({ id: `${run.id}.${number}`, number, run, kind, payload: payload ?? {}, done });
  }
  return kept;
}

/** Each is done once: whoever has this claim does it. */
export const claimOf = (run: string, number: number): Claim => ({
  key: `follow-up:${run}:${number}`,
  max: 1,
  refusal: "it was done before",
});

/** What a person would name of it. */
export function subjectOf({ kind, payload }: FollowUp): string {
  const named = Object.hasOwn(subjects, kind) ? subjects[kind]?.(payload) : undefined;
  return named ?? JSON.stringify(payload);
}

const subjects: { readonly [kind: string]: (payload: Fields) => string | undefined } = {
  open_file: ({ path, line }) =>
    typeof path === "string" ? `${path}${typeof line === "number" ? `:${line}` : ""}` : undefined,
  run_command({ command, args }) {
    if (typeof command !== "string") return undefined;
    return Array.isArray(args) ? [command, ...args.map(String)].map(word).join(" ") : command;
  },
  create_task: ({ title, name, description }) => [title, name, description].find((one) => typeof one === "string"),
};

/** As a shell would take it for one word, so that a person sees where it ends. */
const word = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
