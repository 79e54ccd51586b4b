/**
 * Recorded events sent again to the hooks of today. Without programs: what decides by the event alone decides anew, and a program
 * whose file and input are unchanged gives its recorded answer (R91); what another would say is not known.
 */
import { statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createHandlers, decidesAlone } from "../../../actions/index.ts";
import { handler } from "../../../actions/step.ts";
import type { HookEvent, HookId } from "../../../engine/event.ts";
import type { Explanation } from "../../../engine/explain.ts";
import type { Hook, HookSet, Step } from "../../../engine/hook.ts";
import { emitRecorded } from "../../../engine/later.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Handler, StepContext, StepResult } from "../../../engine/ports.ts";
import type { Run, StoredEvent } from "../../../engine/record.ts";
import { object } from "../../../engine/schema.ts";
import type { Loaded } from "../../../loading/loading.ts";
import { workspaceOf } from "../../../loading/project.ts";
import { filesOf } from "../../../loading/trust/bound-files.ts";
import { filesOfModule } from "../../../loading/trust/module-files.ts";
import { createInlineQueue } from "../../../runtime/queues/inline.ts";
import { openSqliteStore } from "../../../storage/sqlite/sqlite.ts";
import { openLine } from "../line.ts";
import { loadingFor } from "../loaded.ts";
import type { Place } from "../place.ts";
import { backIn, openStage, type ReplayOptions, type Stage } from "./stage.ts";

export interface Replayed {
  stored: StoredEvent;
  /** The runs of the record, and the hooks as they were. */
  before: { runs: readonly Run[]; set: HookSet | undefined };
  outcome: Outcome;
  runs: readonly Run[];
  explained: readonly Explanation[];
  /** Hooks of which it is not known what they would answer, by id, and why. */
  open: ReadonlyMap<HookId, string>;
  /** Hooks that gave their recorded answer, by id. */
  recorded: ReadonlySet<HookId>;
  /** The hooks of today. Their files are those of the project, wherever they were read. */
  set: HookSet;
}

export async function replayEvents(events: readonly StoredEvent[], options: ReplayOptions): Promise<Replayed[]> {
  const stage = await openStage(options);
  try {
    options.loaded({ ...stage.loaded, problems: backIn(stage.loaded.problems, stage) });
    return await judged(events, stage, options);
  } finally {
    stage.close();
  }
}

async function judged(events: readonly StoredEvent[], stage: Stage, options: ReplayOptions): Promise<Replayed[]> {
  const { store, signal, run } = options;
  const answers = createAnswers(stage, options);
  const waited = withoutJournal(stage.loaded);
  const loaded = run ? waited : await withRecorded(waited, answers.handler, stage.place);
  const queue = createInlineQueue();
  const runs = new Map<string, Run>();
  let now = events[0]?.event.at ?? Date.now();
  const path = join(stage.own, "replay.db");
  const line = await openLine({
    ...{ place: stage.place, store: openSqliteStore({ path }), loaded, queue, now: () => now, stop: signal },
    observe(seen) {
      if (seen.is === "run") runs.set(seen.run.id, seen.run);
    },
  });
  const replayed: Omit<Replayed, "runs" | "open" | "recorded">[] = [];
  try {
    for (const stored of events) {
      if (signal.aborted) break;
      now = stored.event.at;
      const before = {
        runs: await store.runs({ eventId: stored.event.id, limit: 10_000 }),
        set: await store.hookSet(stored.set),
      };
      const event = asSent(stored.event, stage);
      answers.expect(event, stored, before);
      const explained = await line.engine.explain(event);
      const outcome = await emitRecorded(line.engine, event, { environment: stage.place.environment, signal });
      await queue.idle(); // the next event came after it
      replayed.push({ stored, before, ...backIn({ explained, outcome, set: stage.loaded.set }, stage) });
    }
    await line.engine.close();
  } finally {
    await line.close();
  }
  return replayed.map((one) => ({
    ...one,
    runs: backIn(
      [...runs.values()].filter(({ eventId }) => eventId === one.stored.event.id),
      stage,
    ),
    ...answers.of(one.stored.event.id),
  }));
}

/** As it was recorded, turn and changed files included; what is delivered now is no redelivery. */
function asSent(event: HookEvent, { into, place }: Stage): HookEvent {
  const { delivery: _delivery, ...sent } = JSON.parse(into(JSON.stringify(event))) as HookEvent; // only names of folders differ
  return statSync(sent.cwd, { throwIfNoEntry: false })?.isDirectory() ? sent : { ...sent, cwd: place.cwd };
}

/** Runs of automations would wait in a queue for others; here the next event waits for them. */
const withoutJournal = (loaded: Loaded): Loaded => ({
  ...loaded,
  set: { ...loaded.set, hooks: loaded.set.hooks.map(({ durable: _durable, ...hook }) => hook) },
});

const recordedName = "recorded answer";

/** Every hook that would do more than decide gives its recorded answer instead. */
async function withRecorded(loaded: Loaded, recorded: Handler, place: Place): Promise<Loaded> {
  const registry = loaded.modules.length > 0 ? loaded.registry : await loadingFor(place).wholeRegistry();
  const hooks = loaded.set.hooks.map((hook): Hook => {
    if (hook.steps.every(({ uses }) => decidesAlone.has(uses))) return hook;
    const [{ timeout }] = hook.steps;
    return { ...hook, steps: [{ uses: recordedName, with: {}, timeout, onError: "stop" }] };
  });
  return {
    ...loaded,
    set: { ...loaded.set, hooks },
    registry: { ...registry, handlers: new Map([...registry.handlers, [recordedName, recorded]]) },
  };
}

interface Answers {
  handler: Handler;
  /** What was recorded of this event, before it is sent. */
  expect(event: HookEvent, stored: StoredEvent, before: Replayed["before"]): void;
  of(eventId: string): Pick<Replayed, "open" | "recorded">;
}

function createAnswers(stage: Stage, { project, file }: ReplayOptions): Answers {
  const expected = new Map<string, { sent: HookEvent; stored: StoredEvent; before: Replayed["before"] }>();
  const given = new Map<string, { open: Map<HookId, string>; recorded: Set<HookId> }>();
  const workspace = workspaceOf(project);
  const ofModules = backIn(stage.loaded.modules.flatMap(filesOfModule), stage);
  const today = new Map(
    backIn(stage.loaded.set, stage).hooks.map((hook, index) => [stage.loaded.set.hooks[index]?.id, hook]),
  );

  function run(_params: unknown, { event, hook: { id } }: Pick<StepContext, "event" | "hook">): StepResult {
    const one = expected.get(event.id);
    const hook = today.get(id);
    const before = one && hook ? ofBefore(hook, one.before) : undefined;
    const reason =
      !one || !hook || !before?.run
        ? "it did not run then"
        : whyOpen(event, hook, { ...one, ...before, run: before.run });
    const ofEvent = given.get(event.id) ?? { open: new Map(), recorded: new Set() };
    given.set(event.id, ofEvent);
    if (reason === undefined && before?.run) {
      ofEvent.recorded.add(id);
      return answerOf(before.run);
    }
    ofEvent.open.set(id, reason ?? "it did not run then");
    return { ok: true, output: {}, notes: [`not run: ${reason}`] };
  }

  interface Before {
    sent: HookEvent;
    stored: StoredEvent;
    run: Run;
    hook?: Hook | undefined;
  }

  /** Why its recorded answer need not be the one that it would give; undefined: it is. */
  function whyOpen(
    event: HookEvent,
    hook: Hook,
    { sent, stored, run: recorded, hook: then }: Before,
  ): string | undefined {
    if (!then || !isDeepStrictEqual(stepsOf(then), stepsOf(hook))) return "what it runs has changed";
    const files = hook.steps.some(isOfModule) ? [...filesOf(hook, workspace), ...ofModules] : filesOf(hook, workspace);
    const changed = files.find((path) => hasChanged(path, recorded, file));
    if (changed !== undefined) return `${relative(workspace, changed)} has changed since`;
    const rewritten = stage.into(JSON.stringify(stored.outcome?.updatedInput ?? null));
    const isSame =
      isDeepStrictEqual(event.data, sent.data) || isDeepStrictEqual(event.data.tool_input, JSON.parse(rewritten));
    return isSame ? undefined : "its input is another one";
  }

  return {
    handler: handler({ params: object({}), run }),
    expect: (sent, stored, before) => void expected.set(sent.id, { sent, stored, before }),
    of: (eventId) => given.get(eventId) ?? { open: new Map(), recorded: new Set() },
  };
}

const builtIn = createHandlers(new Map());
/** What it does lies in a module. */
const isOfModule = ({ uses }: Step): boolean => uses === "function" || !builtIn.has(uses);

/** A callback is named by the place of its module, which is another one in a copy. */
const stepsOf = ({ steps }: Hook): Step[] =>
  steps.map((step) => (step.uses === "function" ? { ...step, with: {} } : step));

const hasChanged = (path: string, { startedAt }: Run, file: string | undefined): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return (
    (found !== undefined && Math.max(found.mtimeMs, found.ctimeMs) > startedAt) ||
    basename(path) === basename(file ?? "/")
  );
};

/** The same hook in the record: by its id, or by its name and file where the copy gives it another. */
function ofBefore(hook: Hook, { runs, set }: Replayed["before"]): { run?: Run | undefined; hook?: Hook | undefined } {
  const then =
    set?.hooks.find(({ id }) => id === hook.id) ??
    set?.hooks.find(({ name, origin: { file } }) => name === hook.name && file === hook.origin.file);
  const run = runs.find((one) => one.hook === then?.id);
  return { hook: then, ...(run && run.asked > 0 ? { run } : {}) };
}

function answerOf({ status, outcome, withheld, steps, reason }: Run): StepResult {
  const given = outcome ?? withheld?.outcome;
  if (status === "completed")
    return { ok: true, output: steps.at(-1)?.output ?? {}, ...(given ? { outcome: given } : {}) };
  const failed = steps.find(({ ok }) => !ok);
  const failure = failed?.failure ?? (status === "timeout" ? "timeout" : "error");
  return {
    ok: false,
    output: {},
    failure,
    reason: failed?.reason ?? reason ?? status,
    ...(given ? { outcome: given } : {}),
  };
}
