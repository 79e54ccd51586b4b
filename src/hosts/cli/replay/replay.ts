/** hookline replay: recorded events against the hooks of today, or against a changed file; prints what would change (R91). */

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { HooklineError } from "../../../engine/error.ts";
import type { Fields, Instant } from "../../../engine/event.ts";
import { nearest } from "../../../engine/nearest.ts";
import type { Store, StoredEvent } from "../../../engine/record.ts";
import { isRecord } from "../../../engine/schema.ts";
import type { Loaded } from "../../../loading/loading.ts";
import { findProject, type Project, workspaceOf } from "../../../loading/project.ts";
import { eventIfNamed } from "../../../operations/record.ts";
import { inputOf } from "../../../operations/runs/run-words.ts";
import { ago } from "../../../operations/shown.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { reportLoaded } from "../report-loaded.ts";
import type { OpenedStore } from "../store.ts";
import { openStoreToRead } from "../store.ts";
import { oneLine, type Style, shortPath } from "../terminal.ts";
import { offerTrust } from "../trust/trust.ts";
import { cut, wrapped } from "../width.ts";
import { type Change, type Compared, compare } from "./compare.ts";
import { type Replayed, replayEvents } from "./judge.ts";

export { compare, replayEvents };

interface Skipped {
  stored: StoredEvent;
  because: string;
}
type Result = Compared & Pick<Replayed, "stored">;

export async function replay(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.words;
  if (name === undefined) throw usageError("missing argument RUN, SESSION or DAY", invocation.usage);
  const given = textFlag(invocation.flags, "with");
  const file = given === undefined ? undefined : resolve(invocation.cwd, given);
  if (file !== undefined && !(existsSync(file) && statSync(file).isFile()))
    throw usageError(`--with: no file is called "${given}"`, invocation.usage);
  const store = openStoreToRead(invocation);
  const results: Result[] = [];
  const skipped: Skipped[] = [];
  try {
    await store.repair();
    const named = await namedEvents(store, name, Date.now());
    for (const [project, events] of byProject(named, invocation)) {
      const open = events.filter((stored) => {
        const because = whyNotReplayed(stored);
        if (because !== undefined) skipped.push({ stored, because });
        return because === undefined;
      });
      const place = { ...invocation, cwd: project.root };
      await offerTrust(place);
      const options = {
        place,
        project,
        store,
        run: invocation.flags.run === true,
        signal: invocation.signal,
        loaded: (found: Loaded) => reportLoaded(found, invocation),
      };
      const replayed = await replayEvents(open, { ...options, ...(file === undefined ? {} : { file }) });
      results.push(...replayed.map((one) => ({ stored: one.stored, ...compare(one) })));
    }
  } finally {
    store.close();
  }
  if (invocation.json) invocation.terminal.print(JSON.stringify(asJson(results, skipped)));
  else print(invocation, results, skipped);
  return invocation.signal.aborted ? 3 : 0;
}

/** Of a day only the events of this project, unless --all; what happened in a folder that is gone belongs to none. */
function byProject(
  { events, isDay }: { events: readonly StoredEvent[]; isDay: boolean },
  { cwd, home, flags }: Invocation,
): Iterable<[Project, StoredEvent[]]> {
  const own = workspaceOf(findProject(cwd, home));
  const projects = new Map<string, [Project, StoredEvent[]]>();
  for (const stored of events) {
    const project = findProject(stored.event.cwd, home);
    const workspace = workspaceOf(project);
    if (isDay && flags.all !== true && workspace !== own) continue;
    const one = projects.get(project.root) ?? [project, []];
    projects.set(project.root, one);
    one[1].push(stored);
  }
  return projects.values();
}

/** Why an event is not sent again. */
export function whyNotReplayed({ event, cut, repeats, outcome }: StoredEvent): string | undefined {
  if (cut) return "the store holds only a part of its payload";
  if (repeats !== undefined) return "it was reported twice, and the first report counts";
  if (outcome === undefined) return "it has no answer: it was interrupted, or is being decided";
  return existsSync(event.cwd) ? undefined : `its folder ${event.cwd} is gone`;
}

const asJson = (results: readonly Result[], skipped: readonly Skipped[]): object => ({
  events: results.length,
  changed: results.filter(({ is }) => is === "changed").length,
  open: results.filter(({ is }) => is === "open").length,
  changes: results
    .filter(({ is }) => is !== "same")
    .map(({ stored: { event }, change, is }) => ({ event: eventOf(event), is, ...change })),
  notReplayed: skipped.map(({ stored: { event }, because }) => ({ event: eventOf(event), because })),
});

const eventOf = ({ id, name, at, session }: StoredEvent["event"]): object => ({
  id,
  name,
  at,
  session: session ?? null,
});

function print(invocation: Invocation, results: readonly Result[], skipped: readonly Skipped[]): void {
  const { terminal, cwd, home } = invocation;
  const say = (line: string): void => terminal.print(line);
  for (const { stored, change } of results.filter(({ is }) => is !== "same")) {
    const { event } = stored;
    const where = event.cwd === cwd ? "" : `, ${shortPath(event.cwd, cwd, home)}`;
    const about = `${ago(event.at)}${where}, event ${event.id}`;
    say(
      `${terminal.paint("bold", event.name)} ${cut(subjectOf(event.data), terminal.width - event.name.length - 1)}`.trimEnd(),
    );
    say(terminal.paint("dim", `  ${about}`));
    for (const line of changeLines(change, invocation)) say(line);
  }
  for (const { stored, because } of skipped)
    say(terminal.paint("dim", `${stored.event.name} of ${ago(stored.event.at)} was not replayed: ${oneLine(because)}`));
  const [changed, open] = (["changed", "open"] as const).map(
    (wanted) => results.filter(({ is }) => is === wanted).length,
  );
  const count = `${results.length} ${results.length === 1 ? "event" : "events"}, ${changed} change`;
  say(`${count}${open ? `, ${open} not known: their programs did not run` : ""}`);
  const depends = results.some(({ change: { runs } }) => runs.some((one) => one.open !== undefined));
  if (depends) say(terminal.paint("dim", "--run runs programs, in a scratch copy of the project"));
}

function subjectOf({ tool_name: tool, tool_input: input }: Fields): string {
  if (typeof tool !== "string") return "";
  return oneLine(`${tool}${isRecord(input) ? `: ${inputOf(input as Fields)}` : ""}`); // a payload is JSON
}

function changeLines({ verdict, runs }: Change, { terminal }: Invocation): string[] {
  const line = (mark: string, style: Style, text: string): string[] => {
    const [first = "", ...rest] = wrapped(`    ${oneLine(text)}`, terminal.width, { hang: 4 });
    return [`  ${terminal.paint(style, mark)} ${first.trimStart()}`, ...rest];
  };
  const lines = verdict
    ? [...line("-", "red", `verdict  ${verdict.old}`), ...line("+", "green", `verdict  ${verdict.new}`)]
    : [];
  for (const { hook, old, new: today, open } of runs) {
    if (old !== null) lines.push(...line("-", "red", `${hook}  ${old}`));
    if (open !== undefined) lines.push(...line("?", "yellow", `${hook}  would run; its answer is not known: ${open}`));
    else lines.push(...line("+", "green", `${hook}  ${today ?? ""}`));
  }
  return lines;
}

interface Named {
  events: readonly StoredEvent[];
  /** Whether a project is chosen by it: a day has the events of all. */
  isDay: boolean;
}

type Events = Pick<OpenedStore, "idsFrom" | "events" | "event" | "run">;

/** @throws HooklineError usage, with what may have been meant */
async function namedEvents(store: Events, name: string, now: Instant): Promise<Named> {
  const day = dayOf(name, now);
  if (day) {
    const events = (await newestEvents(store, day.from)).filter(({ event: { at } }) => at >= day.from && at < day.to);
    if (events.length > 0) return { events: events.reverse(), isDay: true };
    throw unknown(`the store holds no event of ${name}`, "hookline runs lists what there is");
  }
  const one = await eventIfNamed(store, name);
  if (one) return { events: [one.stored], isDay: false };
  const all = await newestEvents(store, 0);
  const [newest] = all;
  if (name === "last" && newest) return { events: [newest], isDay: false };
  const sessions = [...new Set(all.flatMap(({ event }) => event.session ?? []))];
  const meant = sessions.includes(name) ? [name] : sessions.filter((session) => session.startsWith(name));
  const [session, another] = meant;
  if (session !== undefined && another === undefined)
    return { events: all.filter(({ event }) => event.session === session).reverse(), isDay: false };
  if (session !== undefined)
    throw unknown(`${meant.length} sessions begin with "${name}"`, `write more of it: ${meant.slice(0, 3).join(", ")}`);
  const near = nearest(name, ["today", "last", ...sessions]);
  const [latest] = sessions;
  throw unknown(
    `no run, event, session or day is called "${name}"`,
    near !== undefined
      ? `did you mean ${near}?`
      : `a day is today or 2026-11-24; ${latest === undefined ? "the store holds no session yet" : `the newest session is ${latest}`}; hookline runs lists runs`,
  );
}

const unknown = (what: string, advice: string): HooklineError =>
  new HooklineError("usage", { what, where: "the store", advice });

/** Midnights of this machine's clock. */
function dayOf(name: string, now: Instant): { from: Instant; to: Instant } | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(name) ?? [];
  const at = name === "today" ? new Date(now) : new Date(Number(year), Number(month) - 1, Number(date));
  const isSame = name === "today" || (at.getMonth() === Number(month) - 1 && at.getDate() === Number(date));
  if (Number.isNaN(at.getTime()) || !isSame) return undefined;
  const midnight = (days: number): Instant => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
  return { from: midnight(0), to: midnight(1) };
}

const firstLook = 1_000;

/** Newest first, as many as it takes to reach back to the moment. */
async function newestEvents(store: Pick<Store, "events">, from: Instant): Promise<StoredEvent[]> {
  for (let limit = firstLook; ; limit *= 8) {
    const events = await store.events(limit);
    const oldest = events.at(-1);
    if (events.length < limit || (oldest && oldest.event.at < from)) return events;
  }
}
