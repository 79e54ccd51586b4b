/** What the dashboard may ask and do: operations that its pages are made of, and some of those of everybody. */

import type { Places } from "../../../agents/adapter.ts";
import { agents } from "../../../agents/index.ts";
import { registeredLayer } from "../../../agents/install/install.ts";
import type { Fields } from "../../../engine/event.ts";
import { eventNames, eventToEmit } from "../../../engine/events.ts";
import { listensTo } from "../../../engine/plan.ts";
import type { StoredEvent } from "../../../engine/record.ts";
import { isRecord, object, text } from "../../../engine/schema.ts";
import { answerAppeal, appealsSince } from "../../../operations/appeals.ts";
import { eventOf, knownEvent } from "../../../operations/event.ts";
import { guardStats } from "../../../operations/guards.ts";
import { countHooks, waitingOf } from "../../../operations/hooks/hook-counts.ts";
import { type Operation, plain } from "../../../operations/operation.ts";
import { rowsOf } from "../../../operations/project-service.ts";
import type { OperationTable } from "../../../operations/serve.ts";

import { newestOfProject, recentlyDenied } from "../../../storage/sqlite/queries.ts";

import { recentlyDisobeyed } from "../../../storage/sqlite/receipts.ts";

import { isLevel } from "../../cli/packs/pack.ts";
import type { Daemon } from "../daemon.ts";
import { againPages } from "./again.ts";
import { automationForm } from "./automation-form.ts";
import { automationsPage } from "./automations.ts";
import { coverageShown } from "./coverage.ts";
import { editorPage } from "./editor.ts";
import {
  blockedShown,
  createProjects,
  eventsLooked,
  payloadIn,
  placeIn,
  projectParam,
  sessionsOf,
  shownAs,
} from "./events.ts";
import { hookPages } from "./hooks.ts";
import { insightPage } from "./insight.ts";
import type { Now, ProjectShown } from "./shown.ts";
import { traceOf } from "./trace.ts";

/** Those of everybody. Nothing that loosens a guard, and nothing about trust: a person does that in a terminal. */
const shared = [
  ...["runs", "pause", "resume"],
  ...["automation_enable", "automation_disable", "automation_pause", "automation_resume", "automation_fire"],
] as const;

const blockedAtMost = 12;
/** What was not obeyed stands on the first page for a week. */
const shownFor = 7 * 86_400_000;
const appealsFor = 86_400_000;

export function dashboardOperations(daemon: Daemon, everybodys: OperationTable): OperationTable {
  const { store, context, home, active } = daemon;
  const projects = createProjects(daemon);
  const { projectAt, hooksAt, rootOf } = projects;
  const knowing = { store, projectAt };
  const project = projectParam;

  const now: Operation<{ project?: string }> = {
    summary: "Shows the sessions that go on, what runs, and what was refused.",
    params: object({}, { project }),
    readOnly: true,
    async run({ project: wanted }) {
      const of =
        wanted === undefined
          ? undefined
          : { root: wanted, holds: (folder: string) => projectAt(folder).root === wanted };
      const stored = async (ids: readonly string[]): Promise<StoredEvent[]> =>
        (await Promise.all(ids.map((id) => store.event(id)))).filter((one) => one !== undefined);
      const newest = await store.events(of ? 1 : eventsLooked);
      const recent = of ? await stored(newestOfProject(store.database, of, eventsLooked)) : newest;
      const denied = await stored(recentlyDenied(store.database, blockedAtMost, of));
      const disobeyed = (await stored(recentlyDisobeyed(store.database, context.now() - shownFor)))
        .filter(({ event }) => of?.holds(event.cwd) ?? true)
        .slice(0, blockedAtMost);
      const set = await hooksAt(rootOf(wanted));
      const counts = countHooks(set.hooks, { paused: await store.paused(), now: context.now(), root: rootOf(wanted) });
      const running = await store.runs({ status: "running", limit: 50 });
      const appeals = (await appealsSince(store, context.now() - appealsFor)).filter(({ isAnswered }) => !isAnswered);
      const covered = await coverageShown({
        ...{ store, home, environment: daemon.environment, now: context.now() },
        ...{ root: rootOf(wanted), isOfOne: of !== undefined, sessions: await sessionsOf(recent, knowing) },
      });
      const shown: Now = {
        at: context.now(),
        disobeyed: await Promise.all(disobeyed.map((one) => blockedShown(one, appeals, knowing))),
        blocked: await Promise.all(denied.map((one) => blockedShown(one, appeals, knowing))),
        ...covered,
        running: running.map(({ id, hook, hookName, eventName, startedAt }) => ({
          ...{ run: id, hook, name: hookName, event: eventName, since: startedAt },
        })),
        isElsewhere: recent.length === 0 && newest.length > 0,
        registered: newest.length > 0 ? [] : registeredAgents({ ...daemon, root: rootOf(wanted) }),
        hooks: counts.active,
        untrusted: waitingOf(counts),
        store: { notWrittenSince: notWrittenSince(store.loss()?.since) },
      };
      return shownAs(shown);
    },
  };

  const trace: Operation<{ id: string }> = {
    summary: "Shows one run whole: the event, each condition with its value, the steps, the outcome and the reply.",
    params: object({ id: text("the run's id") }),
    readOnly: true,
    run: async ({ id }) => plain(await traceOf(id, { ...knowing, home, judging: daemon.judging })),
  };

  const guards: Operation<{ project?: string }> = {
    summary: guardStats.summary,
    readOnly: true,
    params: object({}, { project }),
    async run({ project: written }, asked) {
      const root = rootOf(written);
      const { hooks } = await hooksAt(root);
      const set = { id: "", hooks };
      const stats = await guardStats.run({}, { ...asked, active: () => ({ set, root }), cwd: root });
      const { guards: rows = [], ...rest } = isRecord(stats) ? (stats as Fields) : {}; // an object of JSON
      const shown = rowsOf(rows).map((row) => {
        const tags = hooks.find(({ id }) => id === row.id)?.tags ?? [];
        return { ...row, ...placeIn(set, String(row.id)), level: tags.find(isLevel) ?? null };
      });
      return plain({ ...rest, project: projectAt(root), guards: shown });
    },
  };

  /** No answer but this one is given here: what loosens a guard is done in a terminal. */
  const appealNo: Operation<{ id: string }> = {
    summary: "Says no to an appeal of an agent: the guard stays as it is.",
    params: object({ id: text("the appeal's id") }),
    readOnly: false,
    run: async ({ id }) => ({ answered: await answerAppeal(store, id, context.now()) }),
  };

  const projectList: Operation<object> = {
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
    trace,
    ...hookPages(daemon, projects),
    guards,
    appeal_no: appealNo,
    automations: automationsPage(daemon),
    insight: insightPage(daemon),
    event_names: names,
    projects: projectList,
    event,
    try: attempt,
    ...againPages(daemon, projects),
    ...automationForm(daemon, projects),
    editor: editorPage(daemon),
  };
  return new Map([
    ...shared.flatMap((name) => {
      const operation = everybodys.get(name);
      return operation ? [[name, operation] as const] : [];
    }),
    ...Object.entries(own),
  ]);
}

/** Settings that cannot be read call nothing. */
const registeredAgents = ({ home, root, environment }: Required<Places>): string[] =>
  Object.values(agents).flatMap((agent) => {
    try {
      return registeredLayer(agent, { home, root, environment }) === undefined ? [] : [agent.title];
    } catch {
      return [];
    }
  });

const notWrittenSince = (since: number | undefined): string | null =>
  since === undefined ? null : new Date(since).toISOString();
