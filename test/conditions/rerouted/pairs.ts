/** Pairs of calls, the first of which was refused: whether the second does the same another way. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadPatterns } from "../../../src/conditions/patterns.ts";
import { readCall, refusedDeeds, reroutes } from "../../../src/conditions/rerouted/compare.ts";
import { commandText } from "../../../src/engine/effects.ts";
import type { Fields } from "../../../src/engine/event.ts";

export interface Call {
  tool?: string;
  command?: string;
  input?: Fields;
}
export interface Pair {
  kind: string;
  refused: Call | string;
  next: Call | string;
  /** What lay there before, and what was written between the two, by path. */
  before?: { [path: string]: string };
  written?: { [path: string]: string };
  /** Calls that were let through between the two. */
  between?: (Call | string)[];
}

export const pairsIn = (name: string): Pair[] =>
  readFileSync(join(import.meta.dirname, "../../fixtures/reroutes", name), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("//"))
    .map((line) => JSON.parse(line));

const patterns = await loadPatterns();

/** @param folder a new one for each pair */
export function isHeld({ refused, next, before = {}, written = {}, between = [] }: Pair, folder: string): boolean {
  const workspace = join(folder, "app");
  const home = join(folder, "home");
  const inPlace = (text: string): string => text.replaceAll("/w/app", workspace).replaceAll("/home/me", home);
  mkdirSync(workspace, { recursive: true });
  for (const [path, text] of Object.entries({ ...before, ...written })) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(join(workspace, path), inPlace(text));
  }
  const callOf = (call: Call | string) => {
    const { tool = "Bash", command, input } = typeof call === "string" ? { command: call } : call;
    const own: Fields = input ?? { command: command ?? "" };
    return { tool, input: JSON.parse(inPlace(JSON.stringify(own))), cwd: workspace, home };
  };
  const judging = { patterns, workspace, home };
  const deeds = refusedDeeds(callOf(refused), {}, judging, commandText);
  const since = [...between].map((call) => readCall(callOf(call), judging));
  const isFresh = (path: string): boolean => Object.keys(written).some((one) => join(workspace, one) === path);
  return reroutes(readCall(callOf(next), judging), { deeds }, judging, { isFresh, since: () => since }) !== undefined;
}
