/**
 * Finds runs by what a person sees of them. That is put together of several columns, so the store only narrows it down: it gives the
 * runs whose record holds a word of the text, page by page.
 */
import type { RunFilter } from "../../engine/record.ts";
import type { RecordStore } from "../record.ts";
import type { RunsAsked } from "./filter.ts";
import { type FoundRun, runRows } from "./run-row.ts";

type Seeing = Pick<RunsAsked, "text" | "outcome">;

const page = 500;

/** Newest first, at most as many as the filter says. */
export async function findRuns(record: RecordStore, filter: RunFilter, seeing: Seeing): Promise<FoundRun[]> {
  if (seeing.text === undefined && seeing.outcome === undefined) return runRows(await record.runs(filter), record);
  const most = filter.limit ?? Number.POSITIVE_INFINITY;
  const found: FoundRun[] = [];
  for (let next: RunFilter = { ...filter, ...narrowing(seeing), limit: page }; ; ) {
    const runs = await record.runs(next);
    found.push(...(await runRows(runs, record)).filter(fitting(seeing)));
    const last = runs.at(-1);
    if (last === undefined || runs.length < page || found.length >= most) return found.slice(0, most);
    next = { ...next, before: last.id };
  }
}

/** Letters and digits of ASCII are written in JSON as they are, and every store knows their capitals. */
function narrowing({ text = "", outcome }: Seeing): Pick<RunFilter, "text" | "receipt"> {
  const [word] = (text.match(/[a-z\d]+/gi) ?? []).toSorted((one, other) => other.length - one.length);
  return {
    ...(word === undefined ? {} : { text: word }),
    ...(outcome === "disobeyed" ? { receipt: outcome } : {}),
  };
}

export function fitting({ text, outcome }: Seeing): (found: FoundRun) => boolean {
  const sought = text?.toLowerCase();
  return ({ row }) =>
    (outcome === undefined || (outcome === "disobeyed" ? row.receipt : row.outcome) === outcome) &&
    (sought === undefined ||
      [row.hook, row.hookName, row.call, row.reason, row.result].some((said) => said?.toLowerCase().includes(sought)));
}
