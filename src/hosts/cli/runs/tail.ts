/** hookline runs tail: a line for each run as it ends, to be left open beside an agent. It takes what `runs` takes. */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Run, RunFilter } from "../../../engine/record.ts";
import { recordOf } from "../../../operations/record.ts";
import { filterOf } from "../../../operations/runs/filter.ts";
import { fitting } from "../../../operations/runs/find-runs.ts";
import { markOf } from "../../../operations/runs/marks.ts";
import { receiptWords } from "../../../operations/runs/receipt-words.ts";
import { type FoundRun, runRows } from "../../../operations/runs/run-row.ts";
import { statusAndResult } from "../../../operations/runs/run-words.ts";
import { runs } from "../../../operations/runs/runs.ts";
import { askedOf } from "../../../operations/serve.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { openAt } from "../operations/at.ts";
import { inputFor } from "../operations/run.ts";
import { oneLine, shortPath, type Terminal } from "../terminal.ts";
import { cut, padded } from "../width.ts";

const pause = 250;
/** Of those before, so that the view does not begin empty. */
const shownBefore = 5;

export async function tail(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, signal } = invocation;
  const input = inputFor(runs, invocation);
  const opened = await openAt(invocation, { reads: true });
  try {
    const asked = askedOf(opened.at, signal);
    const record = await recordOf(asked);
    const filter = await filterOf(input, asked, record);
    const seen = new Map<string, string>();
    const fits = fitting(input);
    const news = async (): Promise<FoundRun[]> => {
      const newest = await record.runs({ ...filter, limit: 100 });
      const found = await runRows(newest.filter((run) => seen.get(run.id) !== stateOf(run)).reverse(), record);
      for (const { run } of found) seen.set(run.id, stateOf(run));
      return found.filter(fits);
    };
    const before = await news();
    if (terminal.isTerminal && !json) {
      terminal.print(terminal.paint("dim", `Runs ${placeOf(invocation, filter)}, as they end. Ctrl-C ends this view.`));
      for (const { run } of before.slice(-shownBefore)) terminal.print(lineOf(run, terminal));
    }
    while (!signal.aborted) {
      for (const { run, row } of await news())
        if (json) terminal.print(JSON.stringify(row));
        else if (run.status !== "running") terminal.print(lineOf(run, terminal));
      await wait(pause, undefined, { signal }).catch(() => {}); // Ctrl-C ends it
    }
    return 0;
  } finally {
    await opened.close();
  }
}

const placeOf = ({ home }: Invocation, { folders }: RunFilter): string =>
  folders?.[0] === undefined ? "of all projects" : `in ${shortPath(folders[0], join(folders[0], "below"), home)}`;

/** A run is shown again where the agent has not obeyed it. */
const stateOf = ({ status, receipt }: Run): string => (receipt?.is === "disobeyed" ? receipt.is : status);

const hookColumn = 20;

/** On a terminal one line, whatever the reason's length: `runs show` has it whole. */
function lineOf(run: Run, terminal: Terminal): string {
  const time = new Date(run.startedAt).toTimeString().slice(0, 8);
  const hook = padded(cut(oneLine(run.hookName), hookColumn), hookColumn);
  const before = `${time} . ${hook} `.length;
  const { receipt } = run;
  const result = oneLine(receipt?.is === "disobeyed" ? receiptWords(receipt) : statusAndResult(run));
  const shown = terminal.isTerminal ? cut(result, terminal.width - before) : result;
  const { text, tone } = markOf(run);
  return `${terminal.paint("dim", time)} ${terminal.paint(tone, text)} ${hook} ${shown}`;
}
