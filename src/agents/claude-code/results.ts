/**
 * What becomes of a rewritten tool result. Claude Code takes a result of its own tools only in the tool's own shape, and
 * its model sees the fields that it knows: what is added to them travels as context. Results of MCP tools may be anything.
 */
import { isDeepStrictEqual } from "node:util";
import { type Fields, type HookEvent, type Json, textField } from "../../engine/event.ts";
import { usualTextLimit } from "../../engine/hook-words.ts";
import { bothEnds, visible } from "../../engine/one-line.ts";
import { isFields } from "../../engine/schema.ts";

interface DeliveredResult {
  /** In the tool's own shape; absent: the model sees the result as it was. */
  output?: Json;
  /** For the model, beside the result. */
  told?: string;
}

/** Splits a rewritten result by how it can reach the model. */
export function deliverResult({ data }: HookEvent, rewritten: Json): DeliveredResult {
  const tool = textField(data, "tool_name") ?? "the tool";
  const before = data.tool_response;
  if (before === undefined || tool.startsWith("mcp__")) return { output: rewritten };
  if (!isAlike(before, rewritten)) return { told: worded(`A hook gave another result of ${tool}: `, rewritten) };
  if (!isFields(before) || !isFields(rewritten)) return { output: rewritten };
  const added: Fields = {};
  const output = inItsShape(before, rewritten, added);
  return {
    ...(!isDeepStrictEqual(output, before) && { output }),
    ...(Object.keys(added).length > 0 && { told: worded(`Added to the result of ${tool} by a hook: `, added) }),
  };
}

const isAlike = (one: Json, other: Json): boolean =>
  typeof one === typeof other && Array.isArray(one) === Array.isArray(other) && (one === null) === (other === null);

/** The result with the fields that it had, changed where the new value is of the same kind; all else is put into `added`. */
function inItsShape(before: Fields, rewritten: Fields, added: Fields): Fields {
  const output: Fields = {};
  for (const [key, was] of Object.entries(before)) {
    const is = Object.hasOwn(rewritten, key) ? rewritten[key] : undefined;
    if (is === undefined) output[key] = emptied(was);
    else if (isFields(was) && isFields(is)) {
      const below: Fields = {};
      output[key] = inItsShape(was, is, below);
      if (Object.keys(below).length > 0) added[key] = below;
    } else if (was === null || isAlike(was, is)) output[key] = is;
    else {
      output[key] = was;
      added[key] = is;
    }
  }
  for (const [key, is] of Object.entries(rewritten)) if (!Object.hasOwn(before, key)) added[key] = is;
  return output;
}

/** A result without one of its fields would be ignored as a whole, so what is removed is there and empty. */
const emptied = (was: Json): Json => (typeof was === "string" ? "" : Array.isArray(was) ? [] : was);

/** What was a result for a program is now a text for a model, so it is visible and has an end as the others (R90). */
function worded(lead: string, value: Json): string {
  const text = visible(printed(value));
  return lead + (text.length <= usualTextLimit ? text : bothEnds(text, usualTextLimit));
}

/** JSON, but lists of what a linter found as lines that are easily read. */
function printed(value: Json): string {
  if (!isFields(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const entries = Object.entries(value);
  const plain = Object.fromEntries(entries.filter(([, one]) => !isFindings(one)));
  const lists = entries.flatMap(([key, one]) => (isFindings(one) ? [`${key}:`, ...one.map(findingLine)] : []));
  if (lists.length === 0) return JSON.stringify(value);
  return [...(Object.keys(plain).length > 0 ? [JSON.stringify(plain)] : []), ...lists].join("\n");
}

const isFindings = (value: Json): value is Fields[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => isFields(one) && typeof one.line === "number" && typeof one.message === "string");

function findingLine({ line, column, severity, message, source, code }: Fields): string {
  const place = typeof column === "number" ? `${line}:${column}` : `${line}`;
  const origin = [source, code].filter((one) => one !== undefined && one !== "").join(" ");
  const text = String(message).replaceAll("\n", "\n    ");
  return `  ${place}${severity ? ` ${severity}` : ""}: ${text}${origin ? ` (${origin})` : ""}`;
}
