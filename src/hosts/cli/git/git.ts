/** hookline git: puts our hook where git looks for it, takes it out, and answers git when that hook asks. */

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { HooksPlan } from "../../../agents/git/hooks.ts";
import {
  type GitPlace,
  type GitReply,
  gitReply,
  hookName,
  preCommitEvent,
  topOf,
} from "../../../agents/git/repository.ts";
import type { Hook } from "../../../engine/hook.ts";
import type { Run, Store } from "../../../engine/record.ts";
import { commitHooks, waitingForTrust, waitingWords } from "../../../operations/hooks/hook-counts.ts";
import { systemPorts } from "../../../runtime/system.ts";
import { programToRegister } from "../agents/clone-bundle.ts";
import { type Invocation, textFlag, usageError } from "../command.ts";
import { openAgentLine } from "../line.ts";
import { openDegradableStore } from "../store.ts";
import { reportProblems, safeText, shortPath } from "../terminal.ts";
import { type GitHooksOptions, installGitHooks, refreshGitHooks, uninstallGitHooks } from "./hooks.ts";
import { askGitAs, hooksBelow } from "./worktrees.ts";

export async function git(invocation: Invocation): Promise<number> {
  const [word, hook] = invocation.words;
  if (word === "run" && hook === hookName) return await runHook(invocation);
  if (word === "run")
    throw usageError(
      hook ? `Hookline serves the git hook ${hookName}, not "${hook}"` : `missing argument ${hookName}`,
      invocation.usage,
    );
  if (hook !== undefined) throw usageError(`unexpected argument "${hook}"`, invocation.usage);
  if (word === "install") return await install(invocation);
  if (word === "uninstall") return uninstall(invocation);
  throw usageError(word === undefined ? "missing action" : `unknown action "${word}"`, invocation.usage);
}

const optionsOf = (invocation: Invocation, store: Store): GitHooksOptions => ({
  place: invocation,
  program: selfOf(invocation),
  store,
});

/** Through links, as Node itself sees its program: a link of a version manager leads elsewhere tomorrow. */
const selfOf = ({ self: [node, bin] }: Invocation): readonly [string, string] => [realpathSync(node), bin];

const complaining =
  ({ terminal }: Invocation) =>
  (reason: string): void =>
    terminal.error(`hookline: ${safeText(reason)}`);

async function install(invocation: Invocation): Promise<number> {
  const dryRun = invocation.flags["dry-run"] === true;
  const store = openDegradableStore(invocation, textFlag(invocation.flags, "store"), complaining(invocation));
  const { notes } = dryRun ? { notes: [] } : programToRegister(selfOf(invocation));
  const { place, plan, listeners } = await installGitHooks({ ...optionsOf(invocation, store), dryRun });
  store.close();
  const below = await hooksBelow(askGitAs(invocation.environment), place.top, invocation);
  const waiting = waitingForTrust(listeners);
  const show = (path: string): string => safeText(shortPath(path, invocation.cwd, invocation.home));
  const file = plan.name === undefined ? undefined : `${place.hooks}/${plan.name}`;
  const sentences = [
    file === undefined ? nothingToAsk : inPlace(plan, show(file), dryRun),
    ...(file === undefined ? [] : [listenerSentence(listeners)]),
    ...(waiting > 0 ? [waitingWords(waiting)] : []),
    ...below.map(
      ({ origin: { file = "" } }) => `${show(file)} does not run: commits run only hooks at the top of the worktree`,
    ),
    ...plan.notes,
    ...notes,
    ...placeNotes(place, show),
  ];
  print(invocation, sentences, {
    hooks: place.hooks,
    file: file ?? null,
    ...changeOf(plan, dryRun),
    listeners: listeners.map(({ id }) => id),
    notTrusted: waiting,
    notAsked: below.map(({ origin }) => origin.file),
  });
  return 0;
}

const inPlace = ({ changed }: HooksPlan, file: string, dryRun: boolean): string =>
  changed
    ? `git ${dryRun ? "would run" : "now runs"} Hookline before each commit: ${file}`
    : `nothing to do: git already runs Hookline before each commit (${file})`;

const nothingToAsk =
  "nothing is installed: this repository has no pre-commit script and no other hook on git.pre-commit. Hookline installs it when an agent's session starts and finds one";

function listenerSentence(listeners: readonly Hook[]): string {
  const names = [...new Set(listeners.map(({ name }) => name))];
  return names.length === 0
    ? "no hook of this branch listens to commits; other branches may have some, so only `hookline git uninstall` removes it"
    : `${names.length === 1 ? "1 hook listens" : `${names.length} hooks listen`} to commits: ${names.map((name) => safeText(name)).join(", ")}`;
}

/** Where core.hooksPath leads elsewhere. */
function placeNotes({ setBy, isShared, isInWorktree, hooks }: GitPlace, show: (path: string) => string): string[] {
  if (setBy === undefined) return [];
  if (isShared) {
    return [
      `core.hooksPath is set by git's ${setBy} configuration: ${show(hooks)} serves all repositories; in one without hooks for commits, Hookline does nothing`,
    ];
  }
  if (isInWorktree) {
    return [
      `core.hooksPath makes ${show(hooks)} the folder of hooks, which is part of the worktree: the file names programs of this machine, so do not commit it`,
    ];
  }
  return [`core.hooksPath makes ${show(hooks)} the folder of hooks`];
}

function uninstall(invocation: Invocation): number {
  const dryRun = invocation.flags["dry-run"] === true;
  const { place, plans } = uninstallGitHooks({ place: invocation, dryRun });
  const show = (path: string): string => safeText(shortPath(path, invocation.cwd, invocation.home));
  const sentences = plans.flatMap(({ folder, plan }) => [
    plan.changed
      ? `git ${dryRun ? "would no longer run" : "no longer runs"} Hookline before commits: ${show(folder)}`
      : `nothing to do: Hookline is not in ${show(folder)}`,
    ...plan.notes,
  ]);
  print(invocation, sentences, {
    hooks: place.hooks,
    changes: plans.map(({ folder, plan }) => ({ folder, ...changeOf(plan, dryRun) })),
  });
  return 0;
}

const changeOf = ({ steps, changed, notes, original }: HooksPlan, dryRun: boolean): object => ({
  changed,
  dryRun,
  steps: steps.map((step) => (step.do === "write" ? { do: step.do, name: step.name } : step)),
  original: original ?? null,
  notes,
});

function print({ terminal, json }: Invocation, sentences: readonly string[], facts: object): void {
  if (json) terminal.print(JSON.stringify(facts));
  else for (const [index, sentence] of sentences.entries()) terminal.print(index === 0 ? sentence : `  ${sentence}`);
}

/** What the stub calls: nothing is printed unless a hook says something, and the exit code is git's answer. */
async function runHook(invocation: Invocation): Promise<number> {
  const ask = askGitAs(invocation.environment);
  const top = topOf(ask, invocation.cwd);
  const here: Invocation = { ...invocation, cwd: top };
  const { id, now } = systemPorts();
  const event = preCommitEvent({ ask, top, environment: invocation.environment, id: id(), at: now() });
  const runs = new Map<string, Run>();
  const complain = complaining(here);
  const line = await openAgentLine({
    place: here,
    store: textFlag(here.flags, "store"),
    program: here.self,
    only: [event],
    complain,
    observe(seen) {
      if (seen.is === "run") runs.set(seen.run.id, seen.run);
    },
  });
  reportProblems(line.loaded, here);
  const outcome = await line.engine.emit(
    { ...event, id: line.ports.id() },
    { environment: invocation.environment, signal: invocation.signal },
  );
  const reply = invocation.signal.aborted ? interrupted : gitReply(outcome, [...runs.values()]);
  const waiting = waitingForTrust(line.loaded.set.hooks);
  if (waiting > 0) complain(waitingWords(waiting));
  if (reply.stderr !== "") invocation.terminal.error(safeText(reply.stderr));
  const asked = commitHooks(line.loaded.set.hooks);
  if (reply !== interrupted) for (const note of await refreshAfter(here, line.ports.store, asked)) complain(note);
  await line.close();
  return reply.exitCode;
}
const interrupted: GitReply = { exitCode: 130, stderr: "hookline: interrupted" };

/** Another tool may just have written over the hook that called us, and that hook may not know of a guard yet. */
async function refreshAfter(here: Invocation, store: Store, asked: readonly Hook[]): Promise<string[]> {
  const file = textFlag(here.flags, "by");
  if (file === undefined) return []; // a person called
  return refreshGitHooks(optionsOf(here, store), { because: "run", file: resolve(here.cwd, file), asked });
}
