/** The first error in what a compiler, a linter or a test runner printed: what kind, and where. */
import { plainText } from "./plain-text.ts";

export interface BuildError {
  /** Who says so, such as TypeScript; "" where the form is one that many use. */
  kind: string;
  /** As it was printed. */
  file: string;
  line: number;
  message?: string;
}

interface Format {
  kind: string;
  /** Groups file, line and, where it stands on the same line, message. */
  at: RegExp;
  /** The line before has to be such a one; its group is the message. */
  after?: RegExp;
}

/** A path without blanks at its ends; what follows it is never part of it. */
const pathTo = (end: string): string => String.raw`(?<file>(?:[A-Za-z]:)?[^\s:()'"][^:()'"]*?${end})`;
const path = pathTo("");
const place = String.raw`(?<line>\d{1,7})`;
const format = (kind: string, source: string, after?: RegExp): Format => ({
  kind,
  at: new RegExp(source, "u"),
  ...(after ? { after } : {}),
});

/** One line of output at a time, so that each is tried in linear time. The first that fits is it. */
const formats: readonly Format[] = [
  format("TypeScript", String.raw`^${path}\(${place},\d+\): error (?<message>TS\d+: .*)$`),
  format("TypeScript", String.raw`^${path}:${place}:\d+ - error (?<message>TS\d+: .*)$`),
  format("Rust", String.raw`^\s*--> ${path}:${place}:\d+$`, /^error(?:\[\w+\])?: (?<message>.*)$/u),
  format("pytest", String.raw`^${path}:${place}: (?<message>\w*(?:Error|Exception|Failed)\b.*)$`),
  format("Go", String.raw`^(?:vet: )?${pathTo(String.raw`\.go`)}:${place}:\d+: (?<message>.*)$`),
  format("esbuild", String.raw`^\s+${path}:${place}:\d+:$`, /^(?:✘ |X )?\[ERROR\] (?<message>.*)$/u),
  format("", String.raw`^${path}:${place}:\d+: (?:fatal )?error: (?<message>.*)$`),
  format("ESLint", String.raw`^${path}:${place}:\d+: (?<message>.*\[Error(?:/[\w@/-]+)?\])$`),
  format("Python", String.raw`^\s*File "(?<file>[^"]+)", line ${place}(?:,.*)?$`),
];

/** ESLint's usual form: a file, and below it its places. */
const eslintFile = /^(?<file>(?:\/|[A-Za-z]:\\|\.{0,2}\/?)\S.*\.\w{1,5})$/u;
const eslintPlace = /^\s+(?<line>\d{1,7}):\d+\s+error\s+(?<message>.*)$/u;

const longestLine = 1000;
const mostLines = 20_000;

/** undefined: nothing in it has a form that is known. */
export function firstError(printed: string): BuildError | undefined {
  const lines = plainText(printed).split("\n", mostLines);
  let before: string[] = [];
  let file: string | undefined;
  for (const line of lines.map((one) => one.slice(0, longestLine))) {
    const found = inFormat(line, before);
    if (found) return found;
    const below = file === undefined ? undefined : eslintPlace.exec(line)?.groups;
    if (below) return { kind: "ESLint", file: file ?? "", line: Number(below.line), ...messageIn(below.message) };
    file = line.trim() === "" ? undefined : (eslintFile.exec(line)?.groups?.file ?? file);
    before = [...before, line].slice(-lookBack);
  }
  return undefined;
}

/** An error's place stands within so many lines below its message. */
const lookBack = 3;

function inFormat(line: string, before: readonly string[]): BuildError | undefined {
  for (const { kind, at, after } of formats) {
    const groups = at.exec(line)?.groups;
    if (!groups) continue;
    const above = after && before.map((one) => after.exec(one)).findLast((one) => one !== null);
    if (after && !above) continue;
    const message = groups.message ?? above?.groups?.message;
    return { kind, file: groups.file ?? "", line: Number(groups.line), ...messageIn(message) };
  }
  return undefined;
}

const messageIn = (text: string | undefined): { message?: string } =>
  text === undefined || text.trim() === "" ? {} : { message: text.trim().replaceAll(/\s+/g, " ").slice(0, 200) };
