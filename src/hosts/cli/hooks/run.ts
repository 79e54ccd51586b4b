/** hookline run and rerun: a person runs one hook now, on an event made up here or on a recorded one. */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { namesKept, workspaceOf } from "../../../actions/script/places.ts";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import type { EventName, HookEvent } from "../../../engine/event.ts";
import { textsIn } from "../../../engine/file-pattern.ts";
import type { Condition, Hook } from "../../../engine/hook.ts";
import type { Run, RunStatus, Store } from "../../../engine/record.ts";
import { pathOf, textOfNames } from "../../../files/names.ts";
import { findHook } from "../../../operations/hooks/named-hook.ts";
import { runNamed } from "../../../operations/record.ts";
import { createGit } from "../../../runtime/processes/git.ts";
import { systemPorts } from "../../../runtime/system.ts";
import { type ExitCode, type Invocation, usageError } from "../command.ts";
import type { Line } from "../line.ts";
import { type OpenedStore, openStore } from "../store.ts";
import { oneLine } from "../terminal.ts";
import { eventFrom, isNo, type Sent, send, show } from "./emit.ts";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.words;
  if (name === undefined) throw usageError("missing argument HOOK", invocation.usage);
  return runByHand(invocation, openStore(invocation), async ({ loaded }) => {
    const hook = findHook(loaded.set.hooks, { name, cwd: invocation.cwd, where: "the command line" });
    const event = eventOf(invocation, hook);
    return {
      hook,
      event: invocation.flags.all === true ? await onAllFiles(invocation, hook, event, loaded.root) : event,
    };
  });
}

/** As if what the hook listens to had happened here. */
function eventOf(invocation: Invocation, hook: Hook): HookEvent {
  const { id, now } = systemPorts();
  return { ...eventFrom({ ...invocation, words: [firstEventOf(hook)] }, invocation.usage, id(), now()), sender: "run" };
}

function firstEventOf({ id, name, on, durable }: Hook): EventName {
  const [event] = "event" in on ? on.event : [];
  if (event) return event;
  if (durable) return "automation.fired";
  throw new HooklineError("hook_invalid", { name, reason: "it listens to no event", where: id });
}

async function onAllFiles(
  { usage, environment }: Invocation,
  hook: Hook,
  event: HookEvent,
  projectRoot: Line["loaded"]["root"],
): Promise<HookEvent> {
  if (!looksAtFiles(hook)) throw usageError(`--all: ${hook.name} does not look at changed files`, usage);
  const root = hook.origin.root ?? projectRoot;
  return { ...event, cwd: root, data: { ...event.data, changed_files: await allFiles(root, environment) } };
}

interface Asked {
  hook: Hook;
  /** Its hook is added to it here. */
  event: HookEvent;
}

/** Limits, `enabled` and pauses do not hold for the hook; its condition does. Closes the store. Exits 1 on failure or deny. */
async function runByHand(
  invocation: Invocation,
  store: OpenedStore & Store,
  ask: (line: Line) => Promise<Asked>,
): Promise<ExitCode> {
  let hook: Hook | undefined;
  const facts: Facts = {};
  const sent = await send(
    invocation,
    store,
    async (line) => {
      const asked = await ask(line);
      hook = asked.hook;
      return { ...asked.event, to: { hook: hook.id, force: true } };
    },
    async (line, { event, runs }) => {
      const explained = runs.length > 0 ? [] : await line.engine.explain(event);
      const own = explained.find((one) => one.hook === hook?.id);
      if (own?.would === "skip") facts.because = own.because;
      if (event.session !== undefined && hook?.limits.untilPass)
        facts.owed = (await store.pendingChecks(event.session)).has(hook.id);
    },
  );
  if (hook) tell(invocation, hook, sent, facts);
  return exitCodeOf(sent, invocation);
}

interface Facts {
  /** Why its condition does not hold. */
  because?: string;
  /** Whether the session waits for it to pass. */
  owed?: boolean;
}

function tell(invocation: Invocation, hook: Hook, sent: Sent, { because, owed }: Facts): void {
  const { terminal, json } = invocation;
  const isAsked = sent.runs.length > 0;
  show(invocation, sent, {
    ...(isAsked ? {} : { because: because ?? null }),
    ...(owed === undefined ? {} : { owed }),
  });
  if (json) return;
  if (!isAsked) {
    terminal.print(`${oneLine(hook.name)} did not run: ${oneLine(because ?? "its condition does not hold")}`);
    const advice = looksAtFiles(hook)
      ? "use --all to run it on every matching file of the repository"
      : "use --data to give it another event";
    terminal.print(terminal.paint("dim", advice));
  }
  if (owed !== undefined)
    terminal.print(
      `session ${oneLine(sent.event.session ?? "")} ${owed ? "still waits for this check: it runs again at the end of the next turn" : "has no pending check of it"}`,
    );
}

/** A hook that was refused has not said yes either. */
function exitCodeOf({ outcome, runs }: Sent, { signal }: Invocation): ExitCode {
  if (isNo(outcome) || runs.some(hasFailed)) return 1;
  return signal.aborted ? 3 : 0;
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

// hookline rerun: a recorded event against the current hook.

export async function rerun(invocation: Invocation): Promise<ExitCode> {
  const [id] = invocation.words;
  if (id === undefined) throw usageError("missing argument RUN", invocation.usage);
  const store = openStore(invocation);
  let recorded: Recorded;
  try {
    recorded = await recordedOf(id, store);
  } catch (error) {
    store.close();
    throw error;
  }
  const { run, event, redacted } = recorded;
  if (redacted)
    invocation.terminal.error(
      "hookline: the store redacted secrets in this event, so the hook reads the redacted text",
    );
  const cwd = isFolder(event.cwd) ? event.cwd : invocation.cwd;
  return runByHand({ ...invocation, cwd }, store, async ({ loaded }) => {
    const hook = findHook(loaded.set.hooks, { name: run.hook, cwd, where: `run ${id}` });
    return { hook, event: forItsFiles({ ...event, cwd }, run, hook) };
  });
}

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
async function recordedOf(name: string, store: OpenedStore): Promise<Recorded> {
  const run = await runNamed(store, name);
  const stored = await store.event(run.eventId);
  if (!stored) throw new HooklineError("run_unknown", { name, where: "the store" });
  if (stored.cut) {
    const reason = "the store holds only a part of its payload";
    throw new HooklineError("payload_cut", { name, reason, where: `event ${run.eventId}` });
  }
  const { id, now } = systemPorts();
  const { delivery: _delivery, accepts: _accepts, ...event } = stored.event;
  return { run, event: { ...event, id: id(), at: now(), sender: "rerun" }, redacted: stored.redacted === true };
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

// run --all: every file of the repository.

/**
 * Names relative to the folder, with forward slashes: what git knows or does not ignore, and without a repository what lies
 * there, but for installed packages.
 *
 * @throws HooklineError file_unreadable
 */
export async function allFiles(folder: string, environment: Readonly<Record<string, string>>): Promise<string[]> {
  const words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
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
