/** Follow-ups: what hooks have asked for afterwards. A person has each done, once; `hookline follow-ups run` does that. */
import type { Fields } from "../../engine/event.ts";
import type { FollowUp } from "../../engine/outcome.ts";
import { word } from "../../engine/program.ts";
import type { Claim, Run, Store } from "../../engine/record.ts";
import { flag, object, say } from "../../engine/schema.ts";
import { folderOf, type Operation } from "../operation.ts";
import { projectFolders } from "../project-folders.ts";
import { recordOf } from "../record.ts";
import { ago } from "../shown.ts";

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

/** Each is done once: by the process that has this claim. */
export const claimOf = (run: string, number: number): Claim => ({
  key: `follow-up:${run}:${number}`,
  max: 1,
  refusal: "this follow-up is already done",
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

/** So many of the newest runs are looked through. */
const newest = 1000;

/** A follow-up in a list. */
export interface FollowUpRow extends Pick<KeptFollowUp, "id" | "number" | "kind" | "payload" | "done"> {
  run: string;
  hook: string;
  hookName: string;
  event: string;
  session: string | null;
  at: string;
}

interface Found {
  followUps: readonly KeptFollowUp[];
  /** There are older runs. */
  isCut: boolean;
}

export const followUps: Operation<{ all?: boolean }, Found> = {
  summary: "list what hooks proposed to do later",
  command: "follow-ups list",
  params: object({}, { all: say(flag, "also those that are done, and those of other projects", false) }),
  readOnly: true,
  example: "hookline follow-ups list",
  async run({ all = false }, asked) {
    const { home } = asked;
    const record = await recordOf(asked);
    const folders = projectFolders({ cwd: folderOf(asked), home });
    const runs = await record.runs({ limit: newest, ...(all ? {} : { folders }) });
    const found = (await Promise.all(runs.map((run) => followUpsOf(run, record)))).flat();
    return { followUps: all ? found : found.filter(({ done }) => !done), isCut: runs.length === newest };
  },
  rows: (found) => found.followUps.map(rowOf),
  notes: ({ isCut }) =>
    isCut ? [`this list covers the newest ${newest} runs; \`hookline runs show RUN\` shows those of an older run`] : [],
  show: ({ followUps: found, isCut }) => [
    found.length === 0
      ? `no follow-up is open${isCut ? ` in the newest ${newest} runs` : ""}`
      : {
          titles: [
            "when",
            "kind",
            { title: "what", fills: true },
            { title: "asked for by", fills: true },
            "state",
            "follow-up",
          ],
          rows: found.map((one) => [
            ago(one.run.startedAt),
            one.kind,
            subjectOf(one),
            one.run.hookName,
            one.done ? "done" : "open",
            one.id,
          ]),
        },
  ],
};

const rowOf = ({ id, number, run, kind, payload, done }: KeptFollowUp): FollowUpRow => ({
  ...{ id, run: run.id, number, kind, payload, hook: run.hook, hookName: run.hookName, event: run.eventName },
  ...{ session: run.session ?? null, at: new Date(run.startedAt).toISOString(), done },
});
