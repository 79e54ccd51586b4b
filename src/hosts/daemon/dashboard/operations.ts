/** What the dashboard may ask and do: operations of everybody that only read or that are undone by a click, and those below that pages are made of. */

import { pauseOf } from "../../../engine/admit.ts";
import { messageOf } from "../../../engine/error.ts";
import type { EventName, Fields } from "../../../engine/event.ts";
import { eventNames, eventToEmit } from "../../../engine/events.ts";
import { type Explanation, nameOf } from "../../../engine/explain.ts";
import { type Hook, isBuiltIn, isWrittenAsGuard } from "../../../engine/hook.ts";
import { listensTo } from "../../../engine/plan.ts";
import type { RunFilter, StoredEvent } from "../../../engine/record.ts";
import { integer, isRecord, object, say, text } from "../../../engine/schema.ts";
import { isUntrusted } from "../../../loading/trust/untrusted.ts";
import { eventOf, knownEvent } from "../../../operations/event.ts";
import { guardStats, type Pausing, stateOf, whyNotPaused } from "../../../operations/guards.ts";
import { type Asked, type Operation, plain } from "../../../operations/operation.ts";
import { runStatus } from "../../../operations/runs.ts";
import type { OperationTable } from "../../../operations/serve.ts";
import { eventPlaces, failuresOf, hookTimings, recentlyDenied } from "../../../storage/sqlite/queries.ts";
import { whenOf } from "../../cli/hooks/when.ts";
import { resultOf } from "../../cli/runs/result.ts";
import type { Daemon } from "../daemon.ts";
import { blockedShown, createProjectFinder, placeIn, sessionsOf } from "./events.ts";
import type { HookShown, Hooks, Now, ProjectShown, RunPage } from "./shown.ts";
import { traceOf } from "./trace.ts";

/** Those of everybody. Nothing that runs a program or loosens a guard, and nothing about trust: a person does that in a terminal. */
const shared = ["guard_stats", "automation_list", "automation_runs", "automation_pause", "automation_resume"] as const;

const eventsLooked = 400;
const blockedAtMost = 12;
const days = 30;
const day = 86_400_000;

export function dashboardOperations(daemon: Daemon, everybodys: OperationTable): OperationTable {
  const { store, context, home, source, active } = daemon;
  const projectAt = createProjectFinder(home);
  const knowing = { store, projectAt };
  const project = text("only of this project, by its folder");

  /** The hooks that are active in a project, as its events meet them. */
  const hooksAt = (root: string): ReturnType<typeof context.hooks> => context.hooks(placeless(root));
  const placeless = (cwd: string) => ({ id: "", name: "Notification" as EventName, at: 0, cwd, data: {}, sender: "" });
  const rootOf = (written: string | undefined): string => written ?? projectAt(context.cwd ?? daemon.cwd).root;

  const now: Operation<{ project?: string }> = {
    summary: "Shows the sessions that go on, what runs, and what was refused.",
    params: object({}, { project }),
    readOnly: true,
    async run({ project: wanted }) {
      const isWanted = ({ event }: StoredEvent): boolean =>
        wanted === undefined || projectAt(event.cwd).root === wanted;
      const recent = await store.events(eventsLooked);
      const denied = (await Promise.all(recentlyDenied(store.database).map((id) => store.event(id)))).filter(
        (one) => one !== undefined,
      );
      const set = await hooksAt(rootOf(wanted));
      const running = await store.runs({ status: "running", limit: 50 });
      const shown: Now = {
        at: context.now(),
        blocked: await Promise.all(
          denied
            .filter(isWanted)
            .slice(0, blockedAtMost)
            .map((one) => blockedShown(one, knowing)),
        ),
        sessions: await sessionsOf(recent.filter(isWanted), knowing),
        running: running.map(({ id, hook, hookName, eventName, startedAt }) => ({
          ...{ run: id, hook, name: hookName, event: eventName, since: startedAt },
        })),
        hooks: set.hooks.filter((hook) => !isBuiltIn(hook) && !isUntrusted(hook)).length,
        untrusted: set.hooks.filter(isUntrusted).length,
        store: { notWrittenSince: notWrittenSince(store.loss()?.since) },
      };
      return plain(shown);
    },
  };

  const runList: Operation<RunFilter> = {
    summary: "Lists runs, newest first, page by page.",
    params: object(
      {},
      {
        hook: text("only runs of the hook with this id"),
        session: text("only runs of this session"),
        event: text("only runs on events of this name"),
        status: runStatus,
        before: text("only runs that began before the run with this id"),
        limit: say(integer(undefined, 1), "how many at most", pageSize),
      },
    ),
    readOnly: true,
    async run({ limit = pageSize, ...filter }) {
      const size = Math.min(limit, largestPage);
      const found = await store.runs({ ...filter, limit: size });
      const places = eventPlaces(store.database, new Set(found.map(({ eventId }) => eventId)));
      const page: RunPage = {
        rows: found.map((run) => {
          const { cwd, sender } = places.get(run.eventId) ?? {};
          return {
            ...{ id: run.id, hook: run.hook, name: run.hookName, event: run.eventName, eventId: run.eventId },
            ...{ status: run.status, at: run.startedAt, ms: run.ms ?? null },
            verdict: run.outcome?.verdict?.is ?? null,
            result: (run.outcome?.verdict?.reason ?? resultOf(run)).slice(0, longestResult),
            project: cwd === undefined ? "" : projectAt(cwd).name,
            sender: sender ?? "",
          };
        }),
        next: found.length === size ? (found.at(-1)?.id ?? null) : null,
      };
      return plain(page);
    },
  };

  const trace: Operation<{ id: string }> = {
    summary: "Shows one run whole: the event, each condition with its value, the steps, the outcome and the reply.",
    params: object({ id: text("the run's id") }),
    readOnly: true,
    run: async ({ id }) => plain(await traceOf(id, { ...knowing, home, judging: daemon.judging })),
  };

  const hookList: Operation<{ project?: string }> = {
    summary: "Lists the active hooks of a project, with how each stands and what it has done.",
    params: object({}, { project }),
    readOnly: true,
    async run({ project: written }, asked) {
      const root = rootOf(written);
      const inOrder = (await hooksAt(root)).hooks;
      const hooks = [...inOrder.filter((hook) => !isBuiltIn(hook)), ...inOrder.filter(isBuiltIn)];
      const pausing: Pausing = { paused: await store.paused(), now: asked.now(), root };
      const timings = hookTimings(
        store.database,
        hooks.map(({ id }) => id),
        asked.now() - days * day,
      );
      const fired = await store.lastFired();
      const said = await explained(hooks, root);
      const shown: Hooks = {
        project: projectAt(root),
        hooks: await Promise.all(
          hooks.map(async (hook): Promise<HookShown> => {
            const timing = timings.get(hook.id);
            const [newest] = await store.runs({ hook: hook.id, limit: 1 });
            return {
              ...placeIn({ id: "", hooks }, hook.id),
              on: nameOf(hook.on),
              when: whenOf(hook),
              format: hook.origin.dialect,
              role: hook.role,
              summary: hook.summary ?? null,
              state: stateOf(hook, pausing),
              isTrusted: !isUntrusted(hook),
              isGuard: isWrittenAsGuard(hook),
              isPaused: pauseOf(hook, pausing.paused, pausing) !== undefined,
              stays: whyNotPaused(hook) ?? null,
              last: fired.get(hook.id) ?? null,
              lastRun: newest?.id ?? null,
              p95: timing?.p95 ?? null,
              runs: timing?.count ?? 0,
              failures: failuresOf(store.database, hook.id),
              notFired: said.get(hook.id) ?? null,
            };
          }),
        ),
        problems: [...(source?.known(root)?.problems ?? [])],
      };
      return plain(shown);
    },
  };

  /** Why each hook did not run on the newest event that it listens to; those that ran are left out. */
  async function explained(hooks: readonly Hook[], root: string): Promise<Map<string, HookShown["notFired"]>> {
    const newest = new Map<EventName, StoredEvent>();
    for (const stored of await store.events(eventsLooked))
      if (projectAt(stored.event.cwd).root === root && !newest.has(stored.event.name))
        newest.set(stored.event.name, stored);
    const explanations = new Map<EventName, Explanation[]>();
    const said = new Map<string, HookShown["notFired"]>();
    for (const hook of hooks) {
      if (!("event" in hook.on)) continue;
      const heard = hook.on.event.flatMap((name) => newest.get(name) ?? []);
      const last = heard.toSorted((one, other) => other.event.at - one.event.at)[0];
      if (!last) continue;
      const { id, name, at } = last.event;
      const run = (await store.runs({ eventId: id, hook: hook.id }))[0];
      if (run && run.asked > 0) continue;
      if (!explanations.has(name)) explanations.set(name, await context.engine.explain(last.event));
      const because = run?.reason ?? explanations.get(name)?.find((one) => one.hook === hook.id)?.because;
      if (because !== undefined) said.set(hook.id, { event: name, at, because });
    }
    return said;
  }

  const pauseOrResume = (is: "pause" | "resume"): Operation<{ id: string; project?: string }> => ({
    summary: is === "pause" ? "Pauses a hook that is no guard." : "Lets a paused hook run again.",
    params: object({ id: text("the hook's id") }, { project }),
    readOnly: false,
    async run({ id, project: written }, asked: Asked) {
      const hook = (await hooksAt(rootOf(written))).hooks.find((one) => one.id === id);
      if (!hook) throw new Error(`no hook is called "${id}" here`);
      const refusal = is === "pause" ? whyNotPaused(hook) : undefined;
      if (refusal !== undefined) throw new Error(`${hook.name} ${refusal}`);
      const changed = is === "pause" ? await store.pause(id, asked.now()) : await store.resume(id);
      return { id, changed };
    },
  });

  const guards: Operation<{ project?: string }> = {
    ...guardStats,
    params: object({}, { project }),
    async run({ project: written }, asked) {
      const root = rootOf(written);
      const { hooks } = await hooksAt(root);
      return guardStats.run({}, { ...asked, hooks: () => ({ id: "", hooks }), projectOf: () => root });
    },
  };

  const projects: Operation<object> = {
    summary: "Lists the projects that were heard of lately, and those of the daemon.",
    params: object({}, {}),
    readOnly: true,
    run: async () => plain(projectsOf(await store.events(eventsLooked))),
  };

  function projectsOf(recent: readonly StoredEvent[]): ProjectShown[] {
    const folders = [...recent.map(({ event }) => event.cwd), daemon.cwd, ...active.folders()];
    return [...new Map(folders.map((folder) => [projectAt(folder).root, projectAt(folder)])).values()];
  }

  const event: Operation<{ id: string }> = {
    summary: "Shows one recorded event.",
    params: object({ id: text("the event's id") }),
    readOnly: true,
    async run({ id }) {
      const found = await store.event(id);
      if (!found) throw new Error(`no event is called "${id}"`);
      return { name: found.event.name, data: found.event.data };
    },
  };

  /** What `explain` does, in the project that is shown, with the payload as a person has typed it. */
  const attempt: Operation<{ event: string; payload: string; project?: string }> = {
    summary: "Shows for every hook of a project whether it would run on such an event, and why. Nothing runs.",
    params: object({ event: text("the event's name"), payload: text("its payload, as JSON") }, { project }),
    readOnly: true,
    async run({ event: written, payload, project: root }, asked) {
      const data = payloadIn(payload);
      const name = knownEvent(eventToEmit(written, data), written);
      const { hooks } = await hooksAt(rootOf(root));
      const said = await context.engine.explain(eventOf(name, data, { ...asked, cwd: rootOf(root) }));
      const listening = new Set(hooks.filter((hook) => listensTo(hook, name)).map(({ id }) => id));
      const shown = said.map(({ hook, would, because }) => ({
        ...placeIn({ id: "", hooks }, hook),
        ...{ would, because, listens: listening.has(hook) },
      }));
      return plain({ project: projectAt(rootOf(root)), hooks: shown });
    },
  };

  const names: Operation<object> = {
    summary: "Lists the names of events that agents send.",
    params: object({}, {}),
    readOnly: true,
    run: () => [...eventNames],
  };

  /** Each checks its parameters against its own schema, so the table need not know their type. */
  const own: Readonly<Record<string, Operation<unknown>>> = {
    now,
    run_list: runList,
    trace,
    hook_list: hookList,
    hook_pause: pauseOrResume("pause"),
    hook_resume: pauseOrResume("resume"),
    guards,
    event_names: names,
    projects,
    event,
    try: attempt,
  };
  return new Map([
    ...shared.flatMap((name) => {
      const operation = everybodys.get(name);
      return operation ? [[name, operation] as const] : [];
    }),
    ...Object.entries(own),
  ]);
}

function payloadIn(written: string): Fields {
  let read: unknown;
  try {
    read = JSON.parse(written);
  } catch (error) {
    throw new Error(`the payload is no JSON: ${messageOf(error)}`);
  }
  if (!isRecord(read)) throw new Error("the payload is no JSON object: begin it with {");
  return read as Fields; // it was JSON
}

const pageSize = 200;
const largestPage = 500;
const longestResult = 300;

const notWrittenSince = (since: number | undefined): string | null =>
  since === undefined ? null : new Date(since).toISOString();
