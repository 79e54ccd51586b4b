/** Runs one operation for the command line: on the store, in this folder's project, with or without a daemon. */
import { isAbsolute } from "node:path";
import { HooklineError } from "../../../engine/error.ts";
import type { Json } from "../../../engine/event.ts";
import type { Run } from "../../../engine/record.ts";
import type { Mismatch } from "../../../engine/schema.ts";
import { operations } from "../../../operations/index.ts";
import type { Operation, ShownTable } from "../../../operations/operation.ts";
import { isFields } from "../../../operations/project-service.ts";
import { type Answer, sayMismatch, serveOperations } from "../../../operations/serve.ts";
import { daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { type ExitCode, type Invocation, type RunCommand, textFlag, usageError } from "../command.ts";
import { runTable } from "../hooks/emit.ts";
import { type Line, openLine } from "../line.ts";
import { storePath } from "../place.ts";
import { openStore } from "../store.ts";
import { type Column, table } from "../table.ts";
import { oneLine, safeText, shortPath, type Terminal } from "../terminal.ts";
import { widthOf } from "../width.ts";
import { inputOf, type Param } from "./actions.ts";

export interface Asked {
  group: string;
  full: string;
  operation: Operation<unknown>;
  params: readonly Param[];
  usage: string;
}

export const runOperation =
  (asked: Asked): RunCommand =>
  async (invocation) => {
    const input = inputOf(asked.params, invocation);
    const [mismatch] = asked.operation.params.check(input); // before anything is opened
    if (mismatch) throw wrongInput(mismatch, asked);
    const { answer, runs } = await callOperation({ name: asked.full, input, folder: invocation.cwd }, invocation);
    return tell(answer, runs, asked, invocation);
  };

interface Called {
  answer: Answer;
  /** What it set off, as it ended. */
  runs: readonly Run[];
}

interface Calling {
  name: string;
  input: unknown;
  /** Where it works; the store is found from where the person is. */
  folder: string;
  /** What is asked for again with the same key is not done twice. */
  key?: string;
}

/** The runs that the operation starts end before it answers (R48). */
export async function callOperation({ name, input, folder, key }: Calling, invocation: Invocation): Promise<Called> {
  const { environment, signal } = invocation;
  const store = openStore(invocation);
  await store.repair();
  const runs = new Map<string, Run>();
  const line = await openLine({
    place: { ...invocation, cwd: folder },
    store,
    stop: signal,
    observe: (seen) => void (seen.is === "run" && runs.set(seen.run.id, seen.run)),
  });
  try {
    const served = serveOperations(operations, contextOf(line, { cwd: folder, environment }));
    const answer = await served.call(name, input, { signal, key });
    await line.engine.close();
    return { answer, runs: [...runs.values()] };
  } finally {
    await line.close();
  }
}

/** What operations work on, where a person asks from this folder. */
export const contextOf = (
  { engine, loaded, ports, ...line }: Line,
  place: Pick<Invocation, "cwd" | "environment">,
): Parameters<typeof serveOperations>[1] => ({
  engine,
  store: ports.store,
  hooks: () => loaded.set,
  projectOf: () => loaded.root,
  now: ports.now,
  id: ports.id,
  board: line.board,
  automations: line.automations,
  ...place,
});

function tell(answer: Answer, runs: readonly Run[], asked: Asked, invocation: Invocation): ExitCode {
  const { terminal, json, signal } = invocation;
  if (answer.is === "invalid") throw wrongInput(answer.mismatch, asked);
  if (answer.is === "broken" && answer.cause instanceof HooklineError) throw answer.cause;
  if (answer.is !== "done") {
    terminal.error(`hookline: ${safeText(answer.message)}`);
    return answer.is === "refused" ? 1 : 3;
  }
  const { result } = answer;
  if (json) terminal.print(JSON.stringify(result));
  else {
    for (const line of shownLines(asked.operation, result, invocation)) terminal.print(line);
    for (const reason of untoldIn(result)) terminal.error(`hookline: ${safeText(reason)}`);
    if (runs.length > 0) for (const line of ["", ...runTable(terminal, runs)]) terminal.print(line);
  }
  if (
    asked.operation.needsDaemon?.(result) &&
    !runningDaemon(daemonFilesOf(storePath(invocation, textFlag(invocation.flags, "store"))))
  )
    terminal.error("hookline: no daemon is running, so nothing will fire: run `hookline up`");
  const lacks = asked.operation.lacks?.(result, runs) ?? [];
  for (const line of lacks) terminal.error(`hookline: ${safeText(line)}`);
  return signal.aborted ? 3 : lacks.length > 0 ? 1 : 0;
}

function shownLines({ show, showsText }: Operation<unknown>, result: Json, invocation: Invocation): string[] {
  const { terminal } = invocation;
  if (!show) return linesOf(result, invocation);
  return show(result).flatMap((one) => {
    if (typeof one !== "string") return tableOf(one, invocation);
    return showsText && !terminal.isTerminal ? one : safeText(one);
  });
}

/** Columns with long cells take several lines, and paths are told as a person would. */
function tableOf({ titles, rows }: ShownTable, { terminal, cwd, home }: Invocation): string[] {
  const cells = rows.map((row) => row.map((cell) => (isAbsolute(cell) ? shortPath(cell, cwd, home) : cell)));
  const isWide = (index: number): boolean => cells.some((row) => widthOf(row[index] ?? "") > widest);
  const columns = titles.map((title, index): Column => (isWide(index) ? { title, fills: true } : { title }));
  return table(terminal, columns, cells);
}
const widest = 24;

/** What was written although its event could not be. */
const untoldIn = (result: Json): string[] =>
  isFields(result) && Array.isArray(result.not_told) ? result.not_told.map(String) : [];

/** In the words of the command line. */
function wrongInput(mismatch: Mismatch, { params, usage }: Asked): HooklineError {
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

// The result for people: a table of rows, or the fields of one thing.

function linesOf(result: Json, invocation: Invocation): string[] {
  if (Array.isArray(result)) return rowsOf(result, invocation);
  return isFields(result) ? fieldsOf(result, invocation.terminal) : [sayValue("", result)];
}

function rowsOf(rows: readonly Json[], invocation: Invocation): string[] {
  if (rows.length === 0) return [invocation.terminal.paint("dim", "none")];
  const records = rows.filter(isFields);
  if (records.length < rows.length) return rows.map((row) => oneLine(sayValue("", row)));
  const titles = [...new Set(records.flatMap((row) => Object.keys(row)))].filter((name) =>
    records.some((row) => isShort(row[name])),
  );
  return tableOf({ titles, rows: records.map((row) => titles.map((name) => sayValue(name, row[name]))) }, invocation);
}

/** What has no place in a table is seen when one thing is shown. */
const isShort = (value: unknown): boolean => value !== null && value !== undefined && typeof value !== "object";

function fieldsOf(record: Record<string, unknown>, terminal: Terminal): string[] {
  const entries = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.flatMap(([name, value]) => {
    const [first = "", ...more] = sayValue(name, value).split("\n");
    const title = terminal.paint("dim", oneLine(name).padEnd(width));
    return [`${title}  ${first}`.trimEnd(), ...more.map((line) => `${" ".repeat(width + 2)}${line}`.trimEnd())];
  });
}

function sayValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" && name.endsWith("_at")) return new Date(value * 1000).toISOString();
  if (typeof value === "string") return safeText(value);
  return safeText(JSON.stringify(value));
}
