/** `hookline runs` and `hookline runs show`: what hooks did, newest first, and one run in full. */

import type { Fields } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import { shortened } from "../../engine/one-line.ts";
import { workerOf } from "../../engine/queue.ts";
import type { Run, RunFilter, Store } from "../../engine/record.ts";
import { labelled } from "../../engine/run.ts";
import { object, text } from "../../engine/schema.ts";
import { isUntrusted } from "../../loading/trust/untrusted.ts";
import { coverageLine, knownCoverage } from "../coverage/coverage.ts";
import type { Operation } from "../operation.ts";
import { recordOf, runNamed, shortId } from "../record.ts";
import { ago, oneLine, type Reader, type Shown, type ShownTable } from "../shown.ts";
import { automationLines, automationRun } from "./automation-runs.ts";
import { filterOf, type RunsAsked, runsParams } from "./filter.ts";
import { findRuns } from "./find-runs.ts";
import { followUpsOf, type KeptFollowUp, subjectOf } from "./follow-ups.ts";
import type { RunRow } from "./listed-run.ts";
import { markOf } from "./marks.ts";
import { receiptTones, receiptWords } from "./receipt-words.ts";
import { type FoundRun, runRow } from "./run-row.ts";
import { resultOf, statusAndResult } from "./run-words.ts";

interface Found {
  runs: readonly FoundRun[];
  filter: RunFilter;
}

export const runs: Operation<RunsAsked, Found> = {
  summary: "list what hooks did, newest first",
  params: runsParams,
  readOnly: true,
  example: "hookline runs --status failed --since 2h",
  async run(params, asked) {
    const record = await recordOf(asked);
    const filter = await filterOf(params, asked, record);
    return { runs: await findRuns(record, filter, params), filter };
  },
  rows: (found) => found.runs.map(({ row }) => row),
  show: async ({ runs: found, filter }, reader) => [
    ...(found.length > 0 ? [tableOf(found), ...moreOf(found, filter)] : await noneOf(filter, reader)),
    ...coverageLine(await knownCoverage(filter.session, reader.at)),
  ],
};

const moreOf = ({ length }: readonly FoundRun[], { limit }: RunFilter): Shown[] =>
  length === limit
    ? [{ text: `the newest ${length}: --limit shows more, \`runs show RUN\` one in full`, tone: "dim" }]
    : [];

async function noneOf({ folders }: RunFilter, { at }: Reader<RunsAsked>): Promise<Shown[]> {
  const none = "no run matches. An event that no hook matched leaves no run: `hookline why last` explains it";
  const others = folders && (await (await recordOf(at)).runs({ limit: 1 })).length > 0;
  return others ? [none, "these would be runs of this project: --all shows those of all projects"] : [none];
}

function tableOf(found: readonly FoundRun[]): ShownTable {
  const isUrgent = found.some(({ row }) => row.receipt === "disobeyed");
  return {
    titles: [
      "when",
      { title: "event", ifWide: true },
      "",
      { title: "hook", fills: true },
      { title: "result", fills: true },
      { title: "receipt", ifAny: true, ...(isUrgent ? {} : { ifWide: true }) },
      { title: "ms", align: "right", ifWide: true },
      "run",
    ],
    rows: found.map(({ run, row: { receipt } }) => [
      ago(run.startedAt),
      run.eventName,
      markOf(run),
      run.hookName,
      shortened(oneLine(statusAndResult(run)), longestResult),
      receipt === null ? "" : { text: receipt, tone: receiptTones[receipt] },
      run.ms === undefined ? "" : String(run.ms),
      shortId(run.id),
    ]),
  };
}
/** Reasons are shorter; what a program said has all its room in `runs show`. */
const longestResult = 400;

// One run in full.

interface Whole {
  run: Run;
  row: RunRow;
  trust: string;
  followUps: readonly KeptFollowUp[];
  /** Of an automation's run: the fields of specification 000. */
  automation: Fields | undefined;
}

export const run: Operation<{ id: string }, Whole> = {
  summary: "show one run in full: its steps, their results, and the hook's answer",
  command: "runs show",
  params: object({ id: text("the run's id, or the beginning of it that no other has") }),
  words: ["id"],
  readOnly: true,
  example: "hookline runs show 06e5qxk8t0z4",
  async run({ id }, asked) {
    const record = await recordOf(asked);
    const found = await runNamed(record, id);
    const hook = await hookOfRun(found, record);
    return {
      run: found,
      row: runRow(found, (await record.event(found.eventId))?.event),
      trust: hook ? trustWords(hook) : "not known",
      followUps: await followUpsOf(found, record),
      automation: await automationRun(found, record),
    };
  },
  rows: ({ run: found, row, trust, followUps, automation }) => ({
    ...{ ...row, trust, worker: workerOf(found) ?? null, asked: found.asked },
    ...{ answer: found.outcome ?? null, withheld: found.withheld ?? null, tokens: found.tokens ?? null },
    ...{ steps: found.steps, notes: found.notes },
    ...(followUps.length > 0 && { followUps: followUps.map(({ run: _run, ...one }) => one) }),
    ...(automation && { automation }),
  }),
  show: ({ run: found, trust, followUps, automation }) => [
    {
      labels: [
        ["run", found.id],
        ["hook", found.hookName === found.hook ? found.hook : `${found.hookName} (${found.hook})`],
        ["event", `${found.eventName} ${found.eventId}`],
        ["session", found.session],
        ["trust", trust],
        ["status", found.reason && found.reason !== found.status ? `${found.status}: ${found.reason}` : found.status],
        ["worker", workerOf(found)],
        ["started", new Date(found.startedAt).toISOString()],
        ["ms", found.ms?.toString()],
        ["asked", found.asked > 1 ? `${found.asked} times (its input was rewritten)` : undefined],
        ["answer", resultOf(found)],
        ["receipt", found.receipt && { text: receiptWords(found.receipt), tone: receiptTones[found.receipt.is] }],
        ...found.notes.map((note) => ["note", note] as const),
        ...(automation ? automationLines(automation) : []),
        ...followUps.map((one) => ["follow-up", followUpWords(one)] as const),
        ...found.steps.flatMap((step): [string, string | undefined][] => [
          [
            "step",
            `${step.uses}: ${step.ok ? "ok" : labelled(step.failure ?? "error", step.reason ?? "")} in ${step.ms} ms`,
          ],
          ["exit", step.evidence?.exitCode?.toString()],
          ["stdout", step.evidence?.stdout],
          ["stderr", step.evidence?.stderr],
          ["contained", step.evidence?.containment],
        ]),
      ],
    },
  ],
};

const followUpWords = (one: KeptFollowUp): string =>
  `${one.number} ${oneLine(`${one.kind}: ${subjectOf(one)}`)} (${one.done ? "done" : `open: run \`hookline follow-ups run ${one.id}\``})`;

/** The hook as it was for the run. */
export async function hookOfRun(
  { eventId, hook: id }: Run,
  store: Pick<Store, "event" | "hookSet">,
): Promise<Hook | undefined> {
  const stored = await store.event(eventId);
  const set = stored && (await store.hookSet(stored.set));
  return set?.hooks.find((hook) => hook.id === id);
}

/** Whether a person has trusted it. */
export const trustWords = (hook: Hook): string =>
  isUntrusted(hook) ? "not trusted" : hook.origin.root === undefined ? "your own hook" : "trusted";
