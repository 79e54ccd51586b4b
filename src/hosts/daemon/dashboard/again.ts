/** What a page does with a recorded event: a test of it, the same against the hooks of today, and a hook that a person runs now. */
import { HooklineError } from "../../../engine/error.ts";
import { eventToEmit } from "../../../engine/events.ts";
import type { Hook } from "../../../engine/hook.ts";
import { listensTo } from "../../../engine/plan.ts";
import type { StoredEvent } from "../../../engine/record.ts";
import { object, text } from "../../../engine/schema.ts";
import { findProject } from "../../../loading/project.ts";
import { knownEvent, send } from "../../../operations/event.ts";
import { type Operation, plain } from "../../../operations/operation.ts";
import { resultOf } from "../../../operations/runs/run-words.ts";
import type { Daemon } from "../daemon.ts";
import { eventShown, eventsLooked, type Projects, payloadIn, placeIn, projectParam } from "./events.ts";
import type { Performed, Replay, Sample } from "./shown.ts";

type Working = Pick<Daemon, "store" | "home" | "environment" | "stopping">;

export function againPages(
  { store, home, environment, stopping }: Working,
  { projectAt, hooksAt, rootOf }: Projects,
): Readonly<Record<string, Operation<unknown>>> {
  async function recorded(id: string): Promise<StoredEvent> {
    const run = await store.run(id);
    const stored = run && (await store.event(run.eventId));
    if (!stored) throw new HooklineError("run_unknown", { name: id, where: "the store" });
    return stored;
  }

  const asTest: Operation<{ id: string }> = {
    summary: "Writes the event of a run, and what it was answered, as a hook test.",
    params: object({ id: text("the run's id") }),
    readOnly: true,
    async run({ id }) {
      const stored = await recorded(id);
      const { testText } = await import("../../cli/testing/from-run.ts");
      return { yaml: testText(stored, await store.runs({ eventId: stored.event.id }), { home }) };
    },
  };

  const replay: Operation<{ id: string }> = {
    summary: "Compares what the event of a run was answered with what the hooks of today answer. No program runs.",
    params: object({ id: text("the run's id") }),
    readOnly: true,
    async run({ id }, { signal }) {
      const stored = await recorded(id);
      const { compare, replayEvents, whyNotReplayed } = await import("../../cli/replay/replay.ts");
      const because = whyNotReplayed(stored);
      if (because !== undefined) throw new Error(`it is not replayed: ${because}`);
      const project = findProject(stored.event.cwd, home);
      const place = { cwd: project.root, home, environment };
      const replayed = await replayEvents([stored], { ...{ place, project, store, signal }, run: false, loaded() {} });
      const [first] = replayed;
      if (!first) throw new Error("the replay was stopped");
      const { is, change }: Replay = compare(first);
      return plain({ is, change });
    },
  };

  /** The newest event that a hook listens to, to begin with. */
  async function newestFor(hook: Hook, root: string): Promise<Sample | undefined> {
    const [run] = await store.runs({ hook: hook.id, limit: 1 });
    const own = run && (await store.event(run.eventId));
    const events = own ? [own] : await store.events(eventsLooked);
    const found = events.find(({ event, cut }) => {
      const isHeard = listensTo(hook, event.name) || event.to?.hook === hook.id;
      return !cut && isHeard && (own !== undefined || projectAt(event.cwd).root === root);
    });
    return found && { event: found.event.name, data: found.event.data };
  }

  async function hookCalled(id: string, written: string | undefined): Promise<Hook> {
    const found = (await hooksAt(rootOf(written))).hooks.find((one) => one.id === id);
    if (found) return found;
    throw new Error(`no hook is called "${id}" here`);
  }

  const sample: Operation<{ hook: string; project?: string }> = {
    summary: "Shows an event that a hook listens to: the newest that was recorded.",
    params: object({ hook: text("the hook's id") }, { project: projectParam }),
    readOnly: true,
    async run({ hook: id, project }) {
      const hook = await hookCalled(id, project);
      const [event = "automation.fired"] = "event" in hook.on ? hook.on.event : [];
      return plain((await newestFor(hook, rootOf(project))) ?? { event, data: {} });
    },
  };

  const perform: Operation<{ event: string; payload: string; project?: string; hook?: string }> = {
    summary: "Sends an event to the hooks of a project, or to one of them: their programs run.",
    params: object(
      { event: text("the event's name"), payload: text("its payload, as JSON") },
      { project: projectParam, hook: text("the id of the one hook that is asked; its limits do not hold") },
    ),
    readOnly: false,
    async run({ event: written, payload, project, hook }, { signal: _ofTheCall, ...asked }) {
      const data = payloadIn(payload);
      const name = knownEvent(eventToEmit(written, data), written);
      const to = hook === undefined ? {} : { to: { hook: (await hookCalled(hook, project)).id, force: true as const } };
      const place = { cwd: rootOf(project), sender: "dashboard", ...to };
      const { event, outcome } = await send(name, data, { ...asked, signal: stopping }, place);
      const stored = await store.event(event.id);
      const runs = await store.runs({ eventId: event.id });
      const set = await hooksAt(rootOf(project));
      const refusing = runs.find(({ hook: by }) => by === outcome.verdict?.by);
      const shown = eventShown(stored ?? { event, outcome, set: set.id }, runs);
      const performed: Performed = {
        event: { ...shown, reason: refusing?.outcome?.verdict?.reason ?? shown.reason },
        runs: runs.map((run) => ({
          ...placeIn(set, run.hook, run.hookName),
          ...{ run: run.id, status: run.status, because: resultOf(run) },
        })),
      };
      return plain(performed);
    },
  };

  return { run_test: asTest, run_replay: replay, sample, perform };
}
