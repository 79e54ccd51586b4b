/** One run as it went: from the event through each condition and step to what the agent was answered. */

import { agents } from "../../../agents/index.ts";
import { compileCondition } from "../../../engine/condition.ts";
import { messageOf } from "../../../engine/error.ts";
import type { Json } from "../../../engine/event.ts";
import { nameOf } from "../../../engine/explain.ts";
import type { Condition, HookSet } from "../../../engine/hook.ts";
import { scopeOf } from "../../../engine/plan.ts";
import type { Ports, Scope } from "../../../engine/ports.ts";
import type { StoredEvent } from "../../../engine/record.ts";
import { findProject, workspaceOf } from "../../../loading/project.ts";
import { effectRows } from "../../../operations/effects.ts";
import { runNamed } from "../../../operations/record.ts";
import { resultOf } from "../../../operations/runs/run-words.ts";
import { reasonsOf } from "../../../operations/why/reasons.ts";
import type { SqliteStore } from "../../../storage/sqlite/sqlite.ts";
import { asRecord } from "../../compose/record.ts";
import { couldBeAllowed, eventShown, type Knowing, placeIn } from "./events.ts";
import type { ConditionShown, Trace } from "./shown.ts";

/** What conditions are compiled with. */
export type Judging = Required<Pick<Ports, "registry" | "registryAt" | "patterns">>;

interface Tracing extends Knowing {
  store: SqliteStore;
  home: string;
  judging: Judging;
}

/** @throws HooklineError run_unknown */
export async function traceOf(id: string, tracing: Tracing): Promise<Trace> {
  const { store, projectAt } = tracing;
  const run = await runNamed(asRecord(store), id);
  const stored = await store.event(run.eventId);
  const set = stored && (await store.hookSet(stored.set));
  const hook = set?.hooks.find((one) => one.id === run.hook);
  const runs = await store.runs({ eventId: run.eventId });
  return {
    run,
    result: resultOf(run),
    hook: hook
      ? {
          ...placeIn(set, hook.id),
          on: nameOf(hook.on),
          format: hook.origin.dialect,
          summary: hook.summary ?? null,
          role: hook.role,
          onFailure: hook.onFailure,
        }
      : null,
    event: stored
      ? {
          ...eventShown(stored, runs),
          cwd: stored.event.cwd,
          session: stored.event.session ?? null,
          project: projectAt(stored.event.cwd),
          data: stored.event.data,
          isCut: stored.cut === true,
        }
      : null,
    condition: hook?.when && stored && !stored.cut ? await judged(hook.when, stored, tracing) : null,
    effects: stored ? effectsOf(stored, tracing) : [],
    others: stored && set ? await othersOf(stored, set, tracing) : [],
    outcome: stored?.outcome ?? null,
    reply: stored ? replyTo(stored) : null,
    couldBeAllowed: couldBeAllowed(run),
  };
}

/** Each part of the condition tested alone, on the event as it was recorded. */
async function judged(condition: Condition, stored: StoredEvent, { judging, home }: Tracing): Promise<ConditionShown> {
  const { event } = stored;
  const registry = judging.registryAt(event);
  const patterns = { ...judging.patterns, workspace: workspaceOf(findProject(event.cwd, home)) };
  const scope: Scope = scopeOf(event);

  async function look(part: Condition): Promise<ConditionShown> {
    const children = "all" in part ? part.all : "any" in part ? part.any : "not" in part ? [part.not] : [];
    const is = "all" in part ? "all" : "any" in part ? "any" : "not" in part ? "not" : "test";
    const parts = [];
    for (const child of children) parts.push(await look(child));
    try {
      const compiled = compileCondition(part, registry, patterns);
      await compiled.ask?.(scope);
      const { holds, because } = compiled.explain(scope);
      return { is, holds, says: because, parts };
    } catch (error) {
      return { is, holds: null, says: messageOf(error), parts };
    }
  }
  return look(condition);
}

/** Those that listen to the event, in running order. */
async function othersOf(stored: StoredEvent, set: HookSet, tracing: Tracing): Promise<Trace["others"]> {
  const { store, judging, home } = tracing;
  const { event } = stored;
  const reasons = await reasonsOf(store, stored, {
    home,
    isAll: true,
    registry: judging.registryAt(event),
    patterns: judging.patterns,
  });
  return reasons
    .filter(({ listens }) => listens)
    .map(({ hook, name, run, status, because, changed }) => ({
      ...{ ...placeIn(set, hook, name), run, status, because },
      changed: [...changed],
    }));
}

function effectsOf({ event }: StoredEvent, { judging, home }: Tracing): string[] {
  const { rows, unclear } = effectRows(event, home, judging.patterns);
  return [
    ...rows.map(([what, does]) => (does === "" ? what : `${what}: ${does}`)),
    ...unclear.map((why) => `unclear: ${why}`),
  ];
}

/** An adapter never throws, and what is no agent's event has no reply. */
function replyTo({ event, outcome }: StoredEvent): Json {
  const agent = Object.hasOwn(agents, event.sender) ? agents[event.sender] : undefined;
  if (!agent || !outcome) return null;
  const { body, stderr, exitCode } = agent.encode(event, outcome, event.data);
  return { ...(body === undefined ? {} : { body }), ...(stderr === undefined ? {} : { stderr }), exitCode };
}
