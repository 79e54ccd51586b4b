/** `hookline pause` and `resume`: one hook, or all hooks of a project but its guards. */
import { HooklineError } from "../../engine/error.ts";
import type { HookId, Instant, SessionId } from "../../engine/event.ts";
import { type Hook, isGuard } from "../../engine/hook.ts";
import type { Found, Store } from "../../engine/record.ts";
import { object, someText } from "../../engine/schema.ts";
import { stateOf, whyNotPaused } from "../guards.ts";
import { type Asked, folderOf, type Operation } from "../operation.ts";
import { oneLine, type Reader, type Shown } from "../shown.ts";
import { findHook, projectOf } from "./named-hook.ts";

/** What is meant: a hook, or the project. */
interface Meant {
  key: string;
  hook?: Hook;
  /** Those that it touches. */
  hooks: readonly Hook[];
  /** It is a hook that is no longer there. */
  isGone?: true;
}

interface Wanted {
  hook?: string;
}

const params = object(
  {},
  { hook: someText("the hook, by the name or the id that `list` shows; default: the project") },
);

interface Pausing extends Meant {
  changed: boolean;
  /** Guards that stay active. */
  guards: number;
}

export const pause: Operation<Wanted, Pausing> = {
  summary: "pause a hook, or all hooks of the project except its guards",
  params,
  words: ["hook"],
  readOnly: false,
  for: "person",
  example: "hookline pause go-fmt.sh",
  async run({ hook }, asked) {
    const meant = await findMeant(hook, asked);
    const refusal = meant.hook && whyNotPaused(meant.hook);
    if (refusal !== undefined) throw new Error(`nothing was paused — ${oneLine(meant.hook?.name ?? "")} ${refusal}`);
    const { store } = asked;
    const changed = await store.pause(meant.key, asked.now());
    const pausing = { paused: await store.paused(), now: asked.now(), root: meant.key };
    const stay = meant.hook
      ? []
      : meant.hooks.filter((one) => isGuard(one) && one.enabled && stateOf(one, pausing) === "");
    return { ...meant, changed, guards: stay.length };
  },
  rows: (found) => ({ ...named(found), paused: true, changed: found.changed }),
  show({ changed, guards, ...meant }, reader) {
    const word = meant.hook ? ` ${oneLine(meant.hook.id)}` : "";
    const is = changed ? "is paused" : "was already paused";
    const active = guards === 1 ? "1 guard stays" : `${guards} guards stay`;
    return [
      `${wordsFor(meant, reader)} ${is}: to resume, run \`hookline resume${word}\``,
      ...(guards > 0 ? [`${active} active: \`hookline guard off ID --for 1h\` switches one off`] : []),
      ...(meant.hook ? [] : ["hooks from other places, such as your own, still run"]),
    ];
  },
};

interface Resumed extends Meant {
  changed: boolean;
  owed: readonly PendingCheck[];
  missed: number;
  /** Those that stay paused by their own names. */
  still: readonly Hook[];
}

export const resume: Operation<Wanted, Resumed> = {
  summary: "resume a paused hook or project, and list pending checks",
  params,
  words: ["hook"],
  readOnly: false,
  example: "hookline resume go-fmt.sh",
  async run({ hook }, asked) {
    const { store } = asked;
    const meant = await findMeant(hook, asked);
    const since = await asked.pausedSince?.(meant.key);
    const changed = await store.resume(meant.key);
    return {
      ...{ ...meant, changed },
      owed: changed ? await pendingChecks(meant.hooks, store) : [],
      missed: changed && since !== undefined ? await missedBy(meant.hooks, { store, since }) : 0,
      still: meant.hook ? [] : await pausedByName(meant.hooks, store),
    };
  },
  rows: ({ changed, owed, missed, still, ...meant }) => ({
    ...{ ...named(meant), paused: false, changed, owed, missed },
    still: still.map(({ id }) => id),
  }),
  show: ({ changed, owed, missed, still, ...meant }, reader): Shown[] => [
    `${wordsFor(meant, reader)} ${changed ? "runs again" : "was not paused"}`,
    ...(missed > 0 ? [missedWords(missed)] : []),
    ...owed.map(
      ({ name, session, files }) =>
        `${oneLine(name)} runs at the end of the next turn of session ${oneLine(session)}${filesIn(files)}`,
    ),
    ...still.map(
      ({ name, id }) => `${oneLine(name)} stays paused by its name: to resume, run \`hookline resume ${oneLine(id)}\``,
    ),
  ],
};

/** @throws HooklineError hook_unknown */
async function findMeant(name: string | undefined, asked: Asked): Promise<Meant> {
  const cwd = folderOf(asked);
  const { set, root: nearest = cwd } = await asked.active(cwd);
  if (name === undefined) {
    const root = projectOf(set.hooks, nearest);
    return { key: root, hooks: set.hooks.filter(({ origin }) => origin.root === root) };
  }
  try {
    const hook = findHook(set.hooks, { name, cwd, where: "hook" });
    return { key: hook.id, hook, hooks: [hook] };
  } catch (error) {
    const isGone = error instanceof HooklineError && (await asked.store.paused()).has(name);
    if (!isGone) throw error;
    return { key: name, hooks: [], isGone };
  }
}

const named = ({ key, hook, isGone }: Meant): object => ({ [hook || isGone ? "hook" : "project"]: key });

function wordsFor({ key, hook, isGone }: Meant, { path }: Pick<Reader, "path">): string {
  if (hook) return oneLine(hook.name);
  if (isGone) return `${oneLine(key)}, which is no longer there,`;
  return path(key) === "." ? "this project" : `the project ${path(key)}`;
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
