/** hookline pause and resume: one hook, or all hooks of a project but its guards. */
import { HooklineError } from "../../../engine/error.ts";
import type { HookId, Instant, SessionId } from "../../../engine/event.ts";
import { type Hook, isGuard } from "../../../engine/hook.ts";
import type { Found, Store } from "../../../engine/record.ts";
import { stateOf, whyNotPaused } from "../../../operations/guards.ts";
import { findHook, projectOf } from "../../../operations/hooks/named-hook.ts";
import { pausedSince } from "../../../storage/sqlite/queries.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { loadActive } from "../loaded.ts";
import { type OpenedFile, openStore } from "../store.ts";
import { oneLine, shortPath } from "../terminal.ts";

/** What is meant: a hook, or the project. */
interface Meant {
  key: string;
  /** In a person's words. */
  name: string;
  hook?: Hook;
  /** Those that it touches. */
  hooks: readonly Hook[];
}

export const pause = (invocation: Invocation): Promise<ExitCode> =>
  onMeant(invocation, async (meant, store) => {
    const refusal = meant.hook && whyNotPaused(meant.hook);
    if (refusal !== undefined) {
      invocation.terminal.error(`hookline: nothing was paused — ${meant.name} ${refusal}`);
      return 1;
    }
    const changed = await store.pause(meant.key, Date.now());
    if (invocation.json) return print(invocation, meant, { paused: true, changed });
    const { terminal } = invocation;
    terminal.print(
      `${meant.name} ${changed ? "is paused" : "was already paused"}: to resume, run \`hookline resume${wordFor(meant)}\``,
    );
    if (meant.hook) return 0;
    const pausing = { paused: await store.paused(), now: Date.now(), root: meant.key };
    const guards = meant.hooks.filter((hook) => isGuard(hook) && hook.enabled && stateOf(hook, pausing) === "").length;
    if (guards > 0)
      terminal.print(
        `${guards === 1 ? "1 guard stays" : `${guards} guards stay`} active: \`hookline guard off ID --for 1h\` switches one off`,
      );
    terminal.print("hooks from other places, such as your own, still run");
    return 0;
  });

export const resume = (invocation: Invocation): Promise<ExitCode> =>
  onMeant(invocation, async (meant, store) => {
    const since = pausedSince(store.database, meant.key);
    const changed = await store.resume(meant.key);
    const pending = changed ? await pendingChecks(meant.hooks, store) : [];
    const missed = changed && since !== undefined ? await missedBy(meant.hooks, { store, since }) : 0;
    const still = meant.hook ? [] : await pausedByName(meant.hooks, store);
    if (invocation.json)
      return print(invocation, meant, {
        paused: false,
        changed,
        owed: pending,
        missed,
        still: still.map(({ id }) => id),
      });
    const { terminal } = invocation;
    terminal.print(`${meant.name} ${changed ? "runs again" : "was not paused"}`);
    if (missed > 0) terminal.print(missedWords(missed));
    for (const { name, session, files } of pending)
      terminal.print(
        `${oneLine(name)} runs at the end of the next turn of session ${oneLine(session)}${filesIn(files)}`,
      );
    for (const { name, id } of still)
      terminal.print(`${oneLine(name)} stays paused by its name: to resume, run \`hookline resume ${oneLine(id)}\``);
    return 0;
  });

async function onMeant(
  invocation: Invocation,
  work: (meant: Meant, store: OpenedFile) => Promise<ExitCode>,
): Promise<ExitCode> {
  const store = openStore(invocation);
  try {
    return await work(await findMeant(invocation, store), store);
  } finally {
    store.close();
  }
}

/** @throws HooklineError hook_unknown */
async function findMeant(invocation: Invocation, store: Store): Promise<Meant> {
  const { cwd, home, words } = invocation;
  const [name] = words;
  const { set, root: nearest } = await loadActive(invocation, store);
  if (name === undefined) {
    const root = projectOf(set.hooks, nearest);
    const short = shortPath(root, cwd, home);
    const hooks = set.hooks.filter(({ origin }) => origin.root === root);
    return { key: root, name: short === "." ? "this project" : `the project ${short}`, hooks };
  }
  try {
    const hook = findHook(set.hooks, { name, cwd, where: "the command line" });
    return { key: hook.id, name: oneLine(hook.name), hook, hooks: [hook] };
  } catch (error) {
    const isGone = error instanceof HooklineError && (await store.paused()).has(name);
    if (!isGone) throw error;
    return { key: name, name: `${oneLine(name)}, which is no longer there,`, hooks: [] };
  }
}

const wordFor = ({ hook }: Meant): string => (hook ? ` ${oneLine(hook.id)}` : "");

function print({ terminal }: Invocation, { key, hook }: Meant, facts: object): ExitCode {
  terminal.print(JSON.stringify({ [hook ? "hook" : "project"]: key, ...facts }));
  return 0;
}

interface PendingCheck {
  hook: HookId;
  name: string;
  session: SessionId;
  files: number;
}

/** Enough to find the sessions that are still going on. */
const recentRuns = 100;

/** The checks that sessions wait for: each has a run in its session, if only one that says it was paused. */
async function pendingChecks(hooks: readonly Hook[], store: Store): Promise<PendingCheck[]> {
  const pending: PendingCheck[] = [];
  for (const hook of hooks.filter(({ limits }) => limits.untilPass)) {
    const runs = await store.runs({ hook: hook.id, limit: recentRuns });
    for (const session of new Set(runs.flatMap((run) => run.session ?? []))) {
      const found = (await store.pendingChecks(session)).get(hook.id);
      if (found) pending.push({ hook: hook.id, name: hook.name, session, files: filesOf(found) });
    }
  }
  return pending;
}

/** More are not counted. */
const missedAtMost = 1000;

/** The events that the pause which began then kept automations from: an automation does not make up for what it missed. */
async function missedBy(
  hooks: readonly Hook[],
  { store, since }: { store: Pick<Store, "runs">; since: Instant },
): Promise<number> {
  let count = 0;
  for (const hook of hooks.filter(({ durable }) => durable)) {
    const runs = await store.runs({ hook: hook.id, status: "skipped", since, limit: missedAtMost });
    count += runs.filter(({ reason }) => reason?.startsWith("paused")).length;
  }
  return count;
}

const missedWords = (count: number): string =>
  count === 1
    ? "1 event came during the pause, and no automation runs for it now: see `hookline runs --status skipped`"
    : `${count >= missedAtMost ? "at least " : ""}${count} events came during the pause, and no automation runs for them now: see \`hookline runs --status skipped\``;

const filesOf = ({ files }: Found): number => (Array.isArray(files) ? files.length : 0);
const filesIn = (files: number): string => (files === 0 ? "" : ` (${files === 1 ? "1 file" : `${files} files`})`);

async function pausedByName(hooks: readonly Hook[], store: Store): Promise<Hook[]> {
  const paused = await store.paused();
  return hooks.filter(({ id }) => paused.has(id));
}
