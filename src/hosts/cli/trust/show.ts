/** What trust would allow, as a person reads it: every text from the workspace made safe, what is new beside what was trusted. */
import { join } from "node:path";
import type { Json } from "../../../engine/event.ts";
import { isRecord } from "../../../engine/schema.ts";
import { readRegularBytesSync } from "../../../files/regular-file.ts";
import { contentIn, fileOf, type Item } from "../../../loading/trust/item.ts";
import { lastOf, type Trusted, type TrustRecords } from "../../../loading/trust/records.ts";
import { patchLines } from "../patch-lines.ts";
import { oneLine, safeText, shortPath, type Terminal } from "../terminal.ts";
import { cut } from "../width.ts";
import { type AskedItem, type AskingFolder, type Rank, rankOf, ranks } from "./folders.ts";

interface Screen {
  terminal: Terminal;
  cwd: string;
  home: string;
}

const words = {
  trusted: ["trusted", "green"],
  changed: ["changed since it was trusted", "yellow"],
  untrusted: ["not trusted", "yellow"],
  "nothing to trust": ["nothing to trust", "dim"],
} as const;

export function showFolder(folder: AskingFolder, records: TrustRecords, screen: Screen): void {
  const { terminal, cwd, home } = screen;
  const [said, style] = words[folder.state];
  terminal.print(
    `${terminal.paint("bold", safeText(shortPath(folder.path, cwd, home) === "." ? folder.path : shortPath(folder.path, cwd, home)))}  ${terminal.paint(style, said)}`,
  );
  if (folder.problem)
    terminal.print(
      terminal.paint("red", `  the record of what you trusted does not count: ${safeText(folder.problem)}`),
    );
  const open = folder.items.filter(({ isTrusted }) => !isTrusted);
  const trusted = folder.items.length - open.length;
  if (trusted > 0 && open.length > 0)
    terminal.print(terminal.paint("dim", `  not shown: ${trusted} that you have trusted`));
  const seen = new Set<string>();
  for (const one of open) showItem(one, { records, seen }, screen);
  if (open.length > 1) terminal.print(`\n  ${countedRanks(open)}`);
}

const plurals: Readonly<Record<Rank, readonly [one: string, more: string]>> = {
  module: ["module", "modules"],
  settings: ["file of settings", "files of settings"],
  override: ["replacement of your hooks", "replacements of your hooks"],
  program: ["program", "programs"],
  address: ["address or tool", "addresses or tools"],
  model: ["question to a model", "questions to a model"],
  "refusal or text": ["refusal or text", "refusals or texts"],
};

/** For one look at the end of a long list. */
function countedRanks(items: readonly AskedItem[]): string {
  const counts = ranks.map((rank) => [rank, items.filter(({ item }) => rankOf(item) === rank).length] as const);
  const said = counts
    .filter(([, count]) => count > 0)
    .map(([rank, count]) => `${count} ${plurals[rank][count > 1 ? 1 : 0]}`);
  return `in all: ${said.join(", ")}`;
}

interface Known {
  records: TrustRecords;
  /** Files whose change stands above already: each is shown once. */
  seen: Set<string>;
}

function showItem({ item }: AskedItem, known: Known, { terminal }: Screen): void {
  const place = item.line === undefined ? item.file : `${item.file}:${item.line}`;
  terminal.print("");
  terminal.print(
    `  ${item.kind}  ${terminal.paint("bold", oneLine(item.name))}  ${terminal.paint("dim", oneLine(place))}`,
  );
  const record = known.records.record(item.root);
  const earlier = record && lastOf(record, item);
  const lines = earlier ? changeLines(item, earlier, known) : contentLines(item);
  for (const line of lines.slice(0, mostLines)) terminal.print(`    ${painted(line, terminal)}`);
  const hidden = lines.length - mostLines;
  if (hidden > 0 || lines.some((line) => line.length > longestLine))
    terminal.print(
      terminal.paint(
        "red",
        `    ! ${hidden > 0 ? `${hidden} more lines` : "the rest of a long line"} not shown: read ${oneLine(item.file)} first`,
      ),
    );
  const foreign = [...new Set(`${item.name}${item.definition}`.match(/[^\p{ASCII}]/gu) ?? [])];
  if (foreign.length > 0)
    terminal.print(
      terminal.paint("yellow", `    ! letters that are not ASCII: ${foreign.slice(0, 12).map(codeOf).join(" ")}`),
    );
}

const mostLines = 200;
const longestLine = 2_000;

const codeOf = (letter: string): string =>
  `${safeText(letter)} (U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")})`;

function painted(line: string, terminal: Terminal): string {
  const safe = safeText(cut(line, longestLine));
  if (line.startsWith("+")) return terminal.paint("green", safe);
  return line.startsWith("-") ? terminal.paint("red", safe) : safe;
}

function contentLines(item: Item): string[] {
  const files = item.files.map(
    ({ path, state }) => `file ${path} ${state === "absent" ? "(not there yet)" : "(read it)"}`,
  );
  return [...definitionLines(item.definition), ...files];
}

/**
 * Events, condition and steps of a hook; anything else as YAML would have it, a line for each value.
 *
 * @param isWhole with what is as usual: where two are compared, every difference that trust counts must be seen
 */
function definitionLines(definition: string, isWhole = false): string[] {
  const content = contentIn(".", definition);
  if (!isRecord(content) || !isRecord(content.on)) return valueLines("", content);
  const { on, when, steps, ...rest } = content as Record<string, Json>;
  const facts = Object.fromEntries(
    Object.entries(rest).filter(([key, value]) => isWhole || usual[key]?.includes(value) === false),
  );
  return [
    ...valueLines("on", isRecord(on) && "event" in on ? (on.event ?? null) : (on ?? null)),
    ...(when === undefined ? [] : [`when: ${conditionText(when)}`]),
    ...(Array.isArray(steps) ? steps.flatMap((step) => stepLines(step, isWhole)) : []),
    ...valueLines("", facts),
  ];
}

/** A condition as one expression; every value as JSON, so that no text passes for a part of the expression. */
function conditionText(condition: Json): string {
  const [[key, value] = ["", null], [second, given] = ["", null], ...others] = isRecord(condition)
    ? Object.entries(condition as Record<string, Json>)
    : [];
  if (others.length === 0 && key === "is" && typeof value === "string" && /^\w+$/.test(value)) {
    if (second === "") return value;
    if (second === "with") return `${value} ${JSON.stringify(value === "expression" ? writtenOf(given) : given)}`;
  }
  const parts = Array.isArray(value) && value.length > 0 ? value.map(conditionText) : [];
  if (second === "" && key === "all" && parts.length > 0) return parts.join(" and ");
  if (second === "" && key === "any" && parts.length > 0) return `(${parts.join(" or ")})`;
  return second === "" && key === "not" ? `not (${conditionText(value ?? null)})` : JSON.stringify(condition);
}

/** Without the tree that Hookline has made of the text: nothing else can stand in its place. */
function writtenOf(given: Json): Json {
  const { tree: _tree, ...written } = isRecord(given) ? (given as Record<string, Json>) : {};
  return Object.keys(written).join() === "expr" ? (written.expr ?? null) : given;
}

/** Facts that are shown where they are none of these. */
const usual: { readonly [fact: string]: readonly (Json | undefined)[] } = {
  role: ["undeclared", "observe"],
  onFailure: ["continue"],
  mode: ["sync"],
  priority: [100],
};

function stepLines(step: Json, isWhole: boolean): string[] {
  if (!isRecord(step)) return [];
  const { uses, with: given, skipIf, ...rest } = step as Record<string, Json>;
  const values = given ?? null;
  const [[key, only] = ["", values], ...others] = isRecord(values)
    ? Object.entries(values as Record<string, Json>)
    : [];
  return [
    ...valueLines(String(uses), others.length === 0 && key === uses ? only : values),
    ...(isWhole && skipIf !== undefined ? [`  skipIf: ${conditionText(skipIf)}`] : []),
    ...(isWhole ? valueLines("", rest).map((line) => `  ${line}`) : []),
  ];
}

function valueLines(name: string, value: Json): string[] {
  const label = name === "" ? "" : `${name}: `;
  if (typeof value === "string")
    return (label + value).split("\n").map((line, index) => (index === 0 ? line : `  ${line}`));
  if (Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null))
    return [label + value.map(String).join(" ")];
  if (value === null || typeof value !== "object") return [label + String(value)];
  const entries = Object.entries(value as Record<string, Json>);
  if (entries.length === 0) return name === "" ? [] : [`${label}{}`];
  const inner = entries.flatMap(([key, one]) => valueLines(key, one));
  return name === "" ? inner : [`${name}:`, ...inner.map((line) => `  ${line}`)];
}

function changeLines(item: Item, earlier: Trusted, { records, seen }: Known): string[] {
  const before = definitionLines(earlier.definition, true).join("\n");
  const lines = patchLines(before, definitionLines(item.definition, true).join("\n"));
  for (const { path, state } of item.files) {
    const was = earlier.files.find((one) => one.path === path)?.state;
    if (was === state) continue;
    if (seen.has(path)) {
      lines.push(`file ${path}: see above`);
      continue;
    }
    seen.add(path);
    lines.push(`file ${path}${was === undefined ? " is new" : state === "absent" ? " is gone" : " has changed"}`);
    const old = was === undefined ? "" : records.textOf(was);
    const now = state === "absent" ? "" : textAt(join(item.root, path));
    const changes = old === undefined || now === undefined ? [] : patchLines(old, now);
    lines.push(...changes);
    if (changes.length === 0 && was !== undefined) lines.push("  its text is the same: its mode or a link has changed");
  }
  for (const { path } of earlier.files)
    if (!item.files.some((one) => one.path === path)) lines.push(`file ${path} is no longer run`);
  return lines;
}

function textAt(path: string): string | undefined {
  try {
    return readRegularBytesSync(fileOf(path)).toString();
  } catch {
    return undefined;
  }
}
