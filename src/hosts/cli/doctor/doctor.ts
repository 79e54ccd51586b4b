/** hookline doctor: looks at everything that Hookline needs, area by area. Each finding names the command that mends it; --fix does the safe ones. */
import { messageOf } from "../../../engine/error.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { type Style, safeText } from "../terminal.ts";
import { wrapped } from "../width.ts";
import { type Area, type Finding, type Found, lookAt } from "./check.ts";
import { clients } from "./clients.ts";
import { daemon } from "./daemon.ts";
import { fire } from "./fire.ts";
import { git } from "./git.ts";
import { type Here, hereFor } from "./here.ts";
import { others } from "./others.ts";
import { postgres } from "./postgres.ts";
import { programs } from "./programs.ts";
import { hookFiles, trust } from "./project.ts";
import { registrations } from "./registrations.ts";
import { room, store } from "./store.ts";

/** In this order: what the later ones need comes first, and trust last, as mended files ask for it again. */
const areas: readonly Area[] = [
  store,
  room,
  daemon,
  postgres,
  clients,
  registrations,
  others,
  git,
  hookFiles,
  programs,
  trust,
];

/** All that it can find, for its page. */
export const findingNames = (): string[] => [...areas, fire].flatMap(({ checks }) => checks.map(({ name }) => name));

export async function doctor(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, flags } = invocation;
  const all: Finding[] = [];
  let fixable = 0;
  let here = hereFor(invocation);
  for (const area of [...areas, ...(flags.fire === true ? [fire] : [])]) {
    const found = await lookAt(area, here);
    const findings = flags.fix === true ? await mended(found, here) : found.map(({ finding }) => finding);
    if (flags.fix !== true) fixable += found.filter(({ fix }) => fix).length;
    if (findings.some(({ is }) => is === "fixed")) here = hereFor(invocation); // the next areas see it
    all.push(...findings);
    if (!json) for (const finding of findings) for (const line of linesOf(finding, invocation)) terminal.print(line);
  }
  if (json) terminal.print(JSON.stringify(all));
  else for (const line of summary(all, fixable)) terminal.print(line);
  return all.some(({ is }) => is === "bad") ? 1 : 0;
}

/** Two findings with one command are mended by doing it once. */
async function mended(found: readonly Found[], here: Here): Promise<Finding[]> {
  const done = new Map<string | undefined, string | undefined>();
  const findings: Finding[] = [];
  for (const { finding, fix } of found) {
    const { run } = finding;
    if (fix && !done.has(run)) done.set(run, await tried(fix, finding, here));
    const did = fix && done.get(run);
    findings.push(did === undefined ? finding : { ...finding, is: "fixed", did });
  }
  return findings;
}

async function tried(fix: NonNullable<Found["fix"]>, finding: Finding, here: Here): Promise<string | undefined> {
  try {
    return await fix();
  } catch (error) {
    here.invocation.terminal.error(
      `hookline: ${safeText(`${finding.finding} could not be mended: ${messageOf(error)}`)}`,
    );
    return undefined;
  }
}

const signs: Readonly<Record<Finding["is"], { sign: string; style: Style }>> = {
  good: { sign: "✓", style: "green" },
  fixed: { sign: "✓", style: "green" },
  note: { sign: "·", style: "yellow" },
  bad: { sign: "✗", style: "red" },
};
const indent = 14;
/** Narrower than this, what is said begins on a line of its own. */
const wideEnough = 60;

/** The command stands on a line of its own, unbroken, so that it can be pasted. */
function linesOf({ area, is, says, run, did }: Finding, { terminal }: Invocation): string[] {
  const { sign, style } = signs[is];
  const isNarrow = terminal.width < wideEnough;
  const left = " ".repeat(isNarrow ? 2 : indent);
  const text = wrapped(safeText(says), terminal.width - left.length);
  const quiet = (line: string): string => (is === "good" ? terminal.paint("dim", line) : line);
  const head = `${terminal.paint(style, sign)} ${area.padEnd(indent - 3)}`;
  const [first = "", ...rest] = text;
  return [
    ...(isNarrow ? [head.trimEnd(), `${left}${quiet(first)}`] : [`${head} ${quiet(first)}`]),
    ...rest.map((line) => `${left}${quiet(line)}`),
    ...(did === undefined
      ? []
      : wrapped(`fixed: ${safeText(did)}`, terminal.width - left.length).map(
          (line) => `${left}${terminal.paint("green", line)}`,
        )),
    ...(run === undefined || did !== undefined ? [] : [`${left}run: ${terminal.paint("bold", safeText(run))}`]),
  ];
}

function summary(all: readonly Finding[], fixable: number): string[] {
  const count = (is: Finding["is"]): number => all.filter((one) => one.is === is).length;
  if (count("bad") + count("note") + count("fixed") === 0) return [];
  const parts = [
    `${count("bad")} to mend`,
    `${count("note")} to know`,
    ...(count("fixed") > 0 ? [`${count("fixed")} fixed`] : []),
  ];
  return ["", `${parts.join(", ")}${fixable > 0 ? "; `hookline doctor --fix` does the safe ones" : ""}`];
}
