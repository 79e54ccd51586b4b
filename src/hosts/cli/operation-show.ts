/** What an operation gave, for a person: a table of rows, or the fields of one thing. */
import type { Fields, Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { type Column, oneLine, safeText, type Terminal, table } from "./terminal.ts";

export function linesOf(result: Json, terminal: Terminal): string[] {
  if (Array.isArray(result)) return rowsOf(result, terminal);
  return isFields(result) ? fieldsOf(result, terminal) : [sayValue("", result)];
}

const isFields = (value: Json): value is Fields => isRecord(value);

function rowsOf(rows: readonly Json[], terminal: Terminal): string[] {
  if (rows.length === 0) return [terminal.paint("dim", "none")];
  const records = rows.filter(isFields);
  if (records.length < rows.length) return rows.map((row) => oneLine(sayValue("", row)));
  const names = [...new Set(records.flatMap((row) => Object.keys(row)))].filter((name) =>
    records.some((row) => isShort(row[name])),
  );
  const columns = names.map((name): Column => (isWide(name, records) ? { title: name, fills: true } : { title: name }));
  return table(
    terminal,
    columns,
    records.map((row) => names.map((name) => sayValue(name, row[name]))),
  );
}

/** What has no place in a table is seen when one thing is shown. */
const isShort = (value: unknown): boolean => value !== null && value !== undefined && typeof value !== "object";

const widest = 24;
const isWide = (name: string, rows: readonly Record<string, unknown>[]): boolean =>
  rows.some((row) => sayValue(name, row[name]).length > widest);

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
