/**
 * Whether a call does another way what was refused just before: by another tool or program, in a file that it runs, by another agent. The
 * line of ordinary work is kept: a deed counts only on the very thing that was refused, and a file of the project that does more than
 * that counts only where it was written since.
 */
import type { CallToRead } from "../../engine/effects.ts";
import type { Patterns } from "../../engine/ports.ts";
import { type Comparing, codeMentions, type Deed, isOfPath, sameDeed, weightiest, wordsOrder } from "./deed.ts";
import { type CallDeeds, deedsOf } from "./reading.ts";

/** A refused call, as far as it was refused. */
export interface Refused {
  deeds: readonly Deed[];
}

/** What a rule's condition found in the call: what of it was refused. */
interface Why {
  path?: string | undefined;
  host?: string | undefined;
  command?: string | undefined;
}

export interface Judging {
  patterns: Patterns;
  workspace: string;
  home: string;
}

const place = ({ workspace, home }: Judging) => ({ workspace, home });

/** Never throws. @param commandText how commands stand in what a condition found */
export function refusedDeeds(
  call: CallToRead,
  why: Why,
  judging: Judging,
  commandText: (words: readonly string[]) => string,
): Deed[] {
  const { deeds, commands, hidden } = deedsOf(call, judging.patterns, place(judging));
  const inside = hidden.flatMap((one) => one.deeds.filter(({ kind }) => kind !== "runs"));
  const ofCommand = ({ command }: Deed): boolean =>
    command !== undefined && why.command === commandText(commands[command]?.words ?? []);
  const found = deeds.filter(({ on }) => on === why.path || on === why.host);
  const own = deeds.filter(ofCommand);
  const strict = withoutFetching(weightiest(found.length > 0 ? found : own.length > 0 ? own : [...deeds, ...inside]));
  const [first] = strict;
  // Of several names for what one command does, the most telling.
  return first && !isOfPath(first)
    ? strict.filter(({ kind, command }) => kind === first.kind || command !== first.command)
    : strict;
}

/** To look at what would have been run is no other way to run it. */
const withoutFetching = (deeds: readonly Deed[]): Deed[] =>
  deeds.some(({ kind }) => kind === fetchedAndRun) ? deeds.filter(({ kind }) => kind !== "connects") : [...deeds];
const fetchedAndRun = "passes network to shell";

interface Knowing {
  /** Whether the file was written after the refusal, by the agent or by anybody. */
  isFresh(path: string): boolean;
  /** Calls since then, for files that were fetched first. */
  since(): readonly CallDeeds[];
}

export const readCall = (call: CallToRead, judging: Judging): CallDeeds =>
  deedsOf(call, judging.patterns, place(judging));

/** Undefined: it does something else. Never throws. */
export function reroutes(
  call: CallDeeds,
  { deeds }: Refused,
  { patterns }: Judging,
  knowing: Knowing,
): Deed | undefined {
  const real = patterns.real ?? ((path: string) => path);
  const listed = call.hidden.map(({ text }) => text).join("\n");
  const comparing: Comparing = { real, glob: patterns.glob, text: `${call.text}\n${listed}` };
  return deeds.find(
    (refused) =>
      sameDeed(refused, call.deeds, comparing) !== undefined ||
      codeMentions(call.code, refused) ||
      wordsOrder(call.words, refused) ||
      runsFetched(refused, call, knowing) ||
      inFile(refused, call, comparing, knowing),
  );
}

/** In a file that it runs: one that was written since, or one that does nothing else. */
function inFile(refused: Deed, call: CallDeeds, comparing: Comparing, knowing: Knowing): boolean {
  return call.hidden.some((file) => {
    const own = { ...comparing, text: `${file.text}\n${comparing.text}` };
    const does = sameDeed(refused, file.deeds, own) !== undefined;
    if (does && doesOnly(refused, file)) return true;
    if ((does || codeMentions(file.code, refused)) && knowing.isFresh(file.path)) return true;
    return inFile(refused, file, own, knowing);
  });
}

const doesOnly = ({ kind }: Deed, { deeds, commands }: CallDeeds): boolean =>
  commands.length > 0 &&
  commands.every(
    ({ words }, index) =>
      /^(?:cd|set|echo|:|true)$/.test(words[0] ?? "") ||
      deeds.some((deed) => deed.command === index && deed.kind === kind),
  );

/** What was fetched from there first, and is run now. */
function runsFetched({ kind, on }: Deed, call: CallDeeds, { since }: Knowing): boolean {
  if (kind !== fetchedAndRun) return false;
  const run = call.deeds.filter((deed) => deed.kind === "executes").map((deed) => deed.on);
  if (run.length === 0) return false;
  return [...since(), call].some(
    ({ deeds }) =>
      deeds.some((deed) => deed.kind === "connects" && deed.on === on) &&
      deeds.some((deed) => deed.kind === "writes" && run.includes(deed.on)),
  );
}
