/** Runs one operation for the command line: on the store, in this folder's project, with or without a daemon. */
import { HooklineError } from "../../../engine/error.ts";
import type { Json } from "../../../engine/event.ts";
import type { Mismatch } from "../../../engine/schema.ts";
import { untrustedWords } from "../../../operations/hooks/hook-counts.ts";
import { operations } from "../../../operations/index.ts";
import type { Operation } from "../../../operations/operation.ts";
import { shownRuns } from "../../../operations/outcome.ts";
import { isFields } from "../../../operations/project-service.ts";
import { type Answer, askedOf, sayMismatch, serveOperations } from "../../../operations/serve.ts";
import type { Reader, Shown } from "../../../operations/shown.ts";
import { type ExitCode, type Invocation, type RunCommand, textFlag, usageError, wrongUse } from "../command.ts";
import { sharedStore } from "../place.ts";
import { isPersonThere, oneLine, safeText, shortPath } from "../terminal.ts";
import { type OpenedAt, openAt } from "./at.ts";
import { painted } from "./paint.ts";
import { inputOf, type Param, paramsOf } from "./rows.ts";

export interface Asking {
  name: string;
  row: Operation<unknown, unknown>;
  params: readonly Param[];
  usage: string;
}

export const runOperation =
  (asking: Asking): RunCommand =>
  async (invocation) => {
    const { name, row } = asking;
    const input = checkedInput(asking, invocation); // before anything is opened
    if (row.asksTrust && isPersonThere(invocation)) await (await import("../trust/trust.ts")).offerTrust(invocation);
    const opened = await openAt(invocation, { reads: row.readOnly, folder: await folderOf(row, input, invocation) });
    try {
      const answer = await serveOperations(new Map([[name, row]]), opened.at).call(name, input, invocation);
      await opened.settled();
      return await tell(answer, { ...asking, input }, opened, invocation);
    } finally {
      await opened.close();
      if (!row.readOnly && sharedStore(invocation, textFlag(invocation.flags, "store")) !== undefined)
        await (await import("../shared-store/record.ts")).bringRecord(invocation);
    }
  };

async function folderOf(row: Asking["row"], input: unknown, invocation: Invocation): Promise<string> {
  if (!row.folder) return invocation.cwd;
  const opened = await openAt(invocation, { reads: true });
  try {
    return await row.folder(input, askedOf(opened.at, invocation.signal));
  } finally {
    await opened.close();
  }
}

function checkedInput(
  { row, params, usage }: Pick<Asking, "params" | "usage"> & { row: Pick<Asking["row"], "params"> },
  invocation: Invocation,
): unknown {
  const input = inputOf(params, invocation);
  const [mismatch] = row.params.check(input);
  if (mismatch) throw wrongInput(mismatch, { params, usage });
  return input;
}

/** What a command that is no row asks, with the flags of one. @throws HooklineError usage */
export const inputFor = <P, R>(row: Operation<P, R>, invocation: Invocation): P =>
  checkedInput({ row, params: paramsOf(row), usage: invocation.usage }, invocation) as P; // its schema has checked it

interface Calling {
  name: string;
  input: unknown;
  /** Where it works; the store is found from where the person is. */
  folder: string;
  /** What is asked for again with the same key is not done twice. */
  key?: string;
}

/** For a command that asks an operation on its way. */
export async function callOperation({ name, input, folder, key }: Calling, invocation: Invocation): Promise<Answer> {
  const opened = await openAt(invocation, { reads: false, folder });
  try {
    const answer = await serveOperations(operations, opened.at).call(name, input, { ...invocation, key });
    await opened.settled();
    return answer;
  } finally {
    await opened.close();
  }
}

async function tell(
  answer: Answer,
  asked: Asking & { input: unknown },
  opened: OpenedAt,
  invocation: Invocation,
): Promise<ExitCode> {
  const { terminal, json, signal } = invocation;
  const { row } = asked;
  if (answer.is === "invalid") throw wrongInput(answer.mismatch, asked);
  if (answer.is !== "done") {
    const { cause } = answer.is === "unknown" ? {} : answer;
    if (cause instanceof HooklineError && (answer.is === "broken" || wrongUse.has(cause.code))) throw cause;
    terminal.error(`hookline: ${safeText(answer.message)}`);
    return answer.is === "refused" ? 1 : 3;
  }
  const { result, found, notes } = answer;
  const runs = opened.runs();
  const loaded = row.reportsHooks && !json ? opened.loaded() : undefined; // rows say of themselves what is not trusted
  const asking = loaded && untrustedWords(loaded);
  for (const note of [...notes, ...(asking === undefined ? [] : [asking])])
    terminal.error(`hookline: ${safeText(note)}`);
  if (json) terminal.print(JSON.stringify(result));
  else {
    for (const line of await linesOf(answer, asked, opened, invocation)) terminal.print(line);
    for (const reason of untoldIn(result)) terminal.error(`hookline: ${safeText(reason)}`);
    if (runs.length > 0) for (const line of ["", ...painted([shownRuns(runs)], invocation)]) terminal.print(line);
  }
  if (row.needsDaemon?.(found) && !(await opened.at.daemon?.()))
    terminal.error("hookline: no daemon is running, so nothing will fire: run `hookline up`");
  const lacks = row.lacks?.(found, runs) ?? [];
  for (const line of lacks) terminal.error(`hookline: ${safeText(line)}`);
  if (lacks.length > 0 || row.isNo?.(found)) return 1;
  return signal.aborted ? 3 : 0; // what was cut short has not said yes
}

async function linesOf(
  { result, found }: Answer & { is: "done" },
  { row, input }: Asking & { input: unknown },
  { at }: OpenedAt,
  invocation: Invocation,
): Promise<string[]> {
  const { cwd, home, flags, signal } = invocation;
  const asked = askedOf(at, signal);
  const reader: Reader = {
    ...{ asked: input, at: asked, all: flags.verbose === true },
    path: (path) => shortPath(path, cwd, home),
  };
  const shown: readonly Shown[] = (await row.show?.(found, reader)) ?? fieldsOrRows(result);
  return painted(shown, invocation, row.showsText === true);
}

/** What was written although its event could not be. */
const untoldIn = (result: Json): string[] =>
  isFields(result) && Array.isArray(result.not_told) ? result.not_told.map(String) : [];

/** In the words of the command line. */
function wrongInput(mismatch: Mismatch, { params, usage }: Pick<Asking, "params" | "usage">): HooklineError {
  const [name, ...deeper] = mismatch.path;
  const param = params.find((one) => one.name === name);
  if (param && mismatch.found === "nothing" && deeper.length === 0)
    return usageError(
      `missing ${param.isWord ? `argument ${param.title}` : `flag --${param.flag}`}: ${mismatch.expected}`,
      usage,
    );
  const show = (): string => [param ? writtenAs(param) : String(name ?? "it"), ...deeper].join(".");
  return usageError(sayMismatch(mismatch, show), usage);
}

const writtenAs = ({ isWord, title, flag }: Param): string => (isWord ? title : `--${flag}`);

// Without `show`: a table of rows, or the fields of one thing.

function fieldsOrRows(result: Json): Shown[] {
  if (Array.isArray(result)) return rowsOf(result);
  return isFields(result) ? [{ labels: labelsOf(result) }] : [sayValue("", result)];
}

function rowsOf(rows: readonly Json[]): Shown[] {
  if (rows.length === 0) return [{ text: "none", tone: "dim" }];
  const records = rows.filter(isFields);
  if (records.length < rows.length) return rows.map((row) => oneLine(sayValue("", row)));
  const titles = [...new Set(records.flatMap((row) => Object.keys(row)))].filter((name) =>
    records.some((row) => isShort(row[name])),
  );
  return [{ titles, rows: records.map((row) => titles.map((name) => sayValue(name, row[name]))) }];
}

/** What has no place in a table is seen when one thing is shown. */
const isShort = (value: unknown): boolean => value !== null && value !== undefined && typeof value !== "object";

const labelsOf = (record: Record<string, unknown>): [string, string][] =>
  Object.entries(record).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, sayValue(name, value)]],
  );

function sayValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" && name.endsWith("_at")) return new Date(value * 1000).toISOString();
  return typeof value === "string" ? value : JSON.stringify(value);
}
