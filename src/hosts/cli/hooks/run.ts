/** `hookline run` and `rerun`: a person runs one hook now, on an event made up here or on a recorded one. They are rows, and no tools. */
import { lstatSync, readdirSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { namesKept, workspaceOf } from "../../../actions/script/places.ts";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import type { EventName, Fields, HookEvent } from "../../../engine/event.ts";
import { textsIn } from "../../../engine/file-pattern.ts";
import type { Condition, Hook } from "../../../engine/hook.ts";
import type { Run, RunStatus } from "../../../engine/record.ts";
import { anything, flag, mapOf, object, say, someText } from "../../../engine/schema.ts";
import { pathOf, textOfNames } from "../../../files/names.ts";
import { isFolder } from "../../../files/paths.ts";
import { decided, isNo, type Sent, sentRows, shownSent } from "../../../operations/emit.ts";
import { describedEvent } from "../../../operations/event.ts";
import { findHook } from "../../../operations/hooks/named-hook.ts";
import { type Asked, folderOf, type Operation } from "../../../operations/operation.ts";
import { recordOf, runNamed } from "../../../operations/record.ts";
import { oneLine, type Shown } from "../../../operations/shown.ts";

/** Limits, `enabled` and pauses do not hold for the hook; its condition does. */
interface ByHand extends Sent {
  hook: Hook;
  /** Why its condition does not hold. */
  because?: string;
  /** Whether the session waits for it to pass. */
  owed?: boolean;
  /** The store keeps the event without its secrets. */
  redacted?: boolean;
}

interface Wanted {
  hook: string;
  data?: Fields;
  session?: string;
  all?: boolean;
}

const byHand: Pick<
  Operation<never, ByHand>,
  "for" | "readOnly" | "reportsHooks" | "rows" | "show" | "isNo" | "notes"
> = {
  for: "person",
  readOnly: false,
  reportsHooks: true,
  rows: ({ because, owed, ...sent }) => ({
    ...sentRows(sent),
    ...(sent.runs.length > 0 ? {} : { because: because ?? null }),
    ...(owed === undefined ? {} : { owed }),
  }),
  show: (found, reader) => [...shownSent(found, reader), ...notAsked(found), ...owedWords(found)],
  isNo: ({ outcome, runs }) => isNo(outcome) || runs.some(hasFailed), // a hook that was refused has not said yes either
  notes: ({ redacted }) =>
    redacted ? ["the store redacted secrets in this event, so the hook reads the redacted text"] : [],
};

export const runHook: Operation<Wanted, ByHand> = {
  ...byHand,
  summary: "run one hook now, ignoring its limits, and show the result",
  command: "run",
  params: object(
    { hook: someText("the hook, by the name or the id that `list` shows") },
    {
      data: say(mapOf(anything), "as for `emit`; the event is the first one that the hook listens to", {}),
      session: someText("the session that it runs in; a pending check of that session is done when the hook passes"),
      all: say(flag, "for hooks on changed files: treats every file of the repository as changed", false),
    },
  ),
  words: ["hook"],
  example: "hookline run go-fmt.sh --all",
  async run({ hook: name, data: given = {}, session, all = false }, asked) {
    const cwd = folderOf(asked);
    const { set, root = cwd } = await asked.active(cwd);
    const hook = findHook(set.hooks, { name, cwd, where: "the command line" });
    const facts = { id: asked.id(), at: asked.now(), cwd, sender: "run" };
    const event = describedEvent({ written: firstEventOf(hook), given, session, where: hook.id }, facts);
    return askedAlone(hook, all ? await onAllFiles(hook, event, hook.origin.root ?? root, asked) : event, asked);
  },
};

function firstEventOf({ id, name, on, durable }: Hook): EventName {
  const [event] = "event" in on ? on.event : [];
  if (event) return event;
  if (durable) return "automation.fired";
  throw new HooklineError("hook_invalid", { name, reason: "it listens to no event", where: id });
}

async function onAllFiles(hook: Hook, event: HookEvent, root: string, { environment = {} }: Asked): Promise<HookEvent> {
  if (!looksAtFiles(hook)) {
    const what = `--all: ${hook.name} does not look at changed files`;
    throw new HooklineError("usage", { what, where: "the command line", advice: "leave it out" });
  }
  return { ...event, cwd: root, data: { ...event.data, changed_files: await allFiles(root, environment) } };
}

async function askedAlone(hook: Hook, event: HookEvent, asked: Asked): Promise<ByHand> {
  const sent = await decided({ ...event, to: { hook: hook.id, force: true } }, asked);
  const { session } = sent.event;
  const explained = sent.runs.length > 0 ? [] : await asked.engine.explain(sent.event);
  const own = explained.find((one) => one.hook === hook.id);
  const owed =
    session !== undefined && hook.limits.untilPass
      ? (await asked.store.pendingChecks(session)).has(hook.id)
      : undefined;
  return {
    ...{ ...sent, hook },
    ...(own?.would === "skip" ? { because: own.because } : {}),
    ...(owed === undefined ? {} : { owed }),
  };
}

function notAsked({ hook, runs, because }: ByHand): Shown[] {
  if (runs.length > 0) return [];
  const advice = looksAtFiles(hook)
    ? "use --all to run it on every matching file of the repository"
    : "use --data to give it another event";
  const why = oneLine(because ?? "its condition does not hold");
  return [`${oneLine(hook.name)} did not run: ${why}`, { text: advice, tone: "dim" }];
}

function owedWords({ event: { session = "" }, owed }: ByHand): Shown[] {
  if (owed === undefined) return [];
  const still = "still waits for this check: it runs again at the end of the next turn";
  return [`session ${oneLine(session)} ${owed ? still : "has no pending check of it"}`];
}

const failures: ReadonlySet<RunStatus> = new Set<RunStatus>(["failed", "timeout", "interrupted"]);
const hasFailed = ({ status, outcome, asked }: Run): boolean =>
  failures.has(status) || outcome?.verdict?.is === "deny" || (status === "skipped" && asked === 0);

/** Whether changed files are among the things that it asks about. */
function looksAtFiles({ when }: Hook): boolean {
  const asks = (condition: Condition): boolean => {
    if ("all" in condition) return condition.all.some(asks);
    if ("any" in condition) return condition.any.some(asks);
    return "not" in condition ? asks(condition.not) : condition.is === "changed_files";
  };
  return when !== undefined && asks(when);
}

// A recorded event against the current hook.

export const rerun: Operation<{ run: string }, ByHand> = {
  ...byHand,
  summary: "run a hook again, as it is now, on the event of a recorded run",
  params: object({ run: someText("the run's id, or the beginning of it that no other has") }),
  words: ["run"],
  example: "hookline rerun 06e5qxk8t0z4s1h7m2c9v3b6na",
  async folder({ run: id }, asked) {
    const { event } = await recordedOf(id, asked);
    return isFolder(event.cwd) ? event.cwd : folderOf(asked);
  },
  async run({ run: id }, asked) {
    const { run, event, redacted } = await recordedOf(id, asked);
    const cwd = folderOf(asked);
    const hook = findHook((await asked.active(cwd)).set.hooks, { name: run.hook, cwd, where: `run ${id}` });
    return { ...(await askedAlone(hook, forItsFiles({ ...event, cwd }, run, hook), asked)), redacted };
  },
};

/**
 * A pending script ran for files that had changed before that event, and once it has passed only the run knows them. They
 * count as changed now.
 */
function forItsFiles(event: HookEvent, run: Run, hook: Hook): HookEvent {
  const { changes } = event;
  const output = run.steps.find(({ uses }) => uses === "script")?.output ?? {};
  const lists = [textsIn(output.files) ?? [], textsIn(output.removed) ?? []];
  if (!changes || "unknown" in changes || lists.every((list) => list.length === 0)) return event;
  const folder = workspaceOf({ event, hook });
  const pathOf = (name: string): string => relative(changes.base, resolve(folder, name)).split(sep).join("/");
  // The rest of a list that was cut is not known, so all that may have been in it counts.
  const own = lists.some((list) => list.length >= namesKept) ? changes.earlier : lists.flat().map(pathOf);
  const files = [...new Set([...changes.files, ...own])].sort();
  return { ...event, changes: { ...changes, files, earlier: changes.earlier.filter((name) => !own.includes(name)) } };
}

interface Recorded {
  run: Run;
  event: HookEvent;
  redacted: boolean;
}

/**
 * As it was recorded, turn and changed files included, but not as the happening that it was: its delivery would be given
 * the first verdict, and its sender's own hooks would be left to the sender.
 *
 * @throws HooklineError run_unknown, payload_cut
 */
async function recordedOf(name: string, asked: Asked): Promise<Recorded> {
  const record = await recordOf(asked);
  const run = await runNamed(record, name);
  const stored = await record.event(run.eventId);
  if (!stored) throw new HooklineError("run_unknown", { name, where: "the store" });
  if (stored.cut) {
    const reason = "the store holds only a part of its payload";
    throw new HooklineError("payload_cut", { name, reason, where: `event ${run.eventId}` });
  }
  const { delivery: _delivery, accepts: _accepts, ...event } = stored.event;
  return {
    run,
    event: { ...event, id: asked.id(), at: asked.now(), sender: "rerun" },
    redacted: stored.redacted === true,
  };
}

// run --all: every file of the repository.

/**
 * Names relative to the folder, with forward slashes: what git knows or does not ignore, and without a repository what lies
 * there, but for installed packages.
 *
 * @throws HooklineError file_unreadable
 */
export async function allFiles(folder: string, environment: Readonly<Record<string, string>>): Promise<string[]> {
  const words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { createGit } = await import("../../../runtime/processes/git.ts");
  const answer = await createGit(environment).askIn(folder, words);
  if (!answer.ok) return filesBelow(folder);
  const names = new Set(textOfNames(answer.stdout).split("\0"));
  return [...names].filter((name) => name !== "" && isFile(join(folder, name)));
}

/** What was removed is still listed, and so are repositories within this one. */
function isFile(path: string): boolean {
  const found = lstatSync(pathOf(path), { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}

const notOurs: ReadonlySet<string> = new Set([".git", "node_modules"]);

export function filesBelow(folder: string): string[] {
  const files: string[] = [];
  const left = [""];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    for (const entry of entriesOf(join(folder, place))) {
      const own = textOfNames(entry.name);
      const name = place === "" ? own : `${place}/${own}`;
      if (!entry.isDirectory()) files.push(name);
      else if (!notOurs.has(own)) left.push(name);
    }
  }
  return files.sort();
}

function entriesOf(path: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(path);
  } catch (error) {
    throw new HooklineError("file_unreadable", { reason: messageOf(error), where: path }, { cause: error });
  }
}

const readEntries = (path: string) => readdirSync(pathOf(path), { withFileTypes: true, encoding: "buffer" });
