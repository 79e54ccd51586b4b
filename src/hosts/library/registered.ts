/** The hooks of this process: registered, removed, and put together with those of the files. */

import {
  type Callback,
  callbackOf,
  type HookFunction,
  remove as removeCallback,
} from "../../actions/function/function.ts";
import { HooklineError } from "../../engine/error.ts";
import type { EventName, SessionId } from "../../engine/event.ts";
import type { Hook, HookSet } from "../../engine/hook.ts";
import { hookSetOf } from "../../loading/order.ts";
import { compileDefinition, type HookDefinition } from "./definition.ts";

export interface Registration {
  readonly id: string;
  /** Takes the hook out; says whether it was still there. */
  remove(): boolean;
}

export interface Registered {
  /** Throws HooklineError event_unknown, hook_invalid, name_taken. */
  add<N extends EventName>(definition: HookDefinition<N>, session: SessionId | undefined): Registration;
  clear(session: SessionId): void;
  /** As clear, but callbacks that already wait for their turn may still run. */
  end(session: SessionId): void;
  /** The set for one session. Made again only if its members have changed. */
  combined(files: HookSet | undefined, session: SessionId | undefined): HookSet;
}

/** Sessions that have ended whose callbacks may still be waiting in the queue. */
const endedAtMost = 64;

/** @param invalidity why a hook cannot run, if so */
export function createRegistered(
  functions: Map<string, Callback>,
  invalidity: (hook: Hook) => string | undefined,
): Registered {
  const hooks = new Map<string, { hook: Hook; session: SessionId | undefined }>();
  const empty: HookSet = { id: "empty", hooks: [] };
  const ended: string[][] = [];
  let sets = new WeakMap<HookSet, Map<SessionId | undefined, HookSet>>();
  let count = 0;

  const forget = (id: string): boolean => {
    sets = new WeakMap();
    return hooks.delete(id);
  };
  const release = (id: string): void => {
    const callback = functions.get(id);
    if (callback) removeCallback(callback, id);
    functions.delete(id);
  };
  const remove = (id: string): boolean => {
    release(id);
    return forget(id);
  };
  const idsOf = (session: SessionId): string[] =>
    [...hooks].flatMap(([id, entry]) => (entry.session === session ? [id] : []));
  const nextId = ({ name, run }: Pick<HookDefinition<never>, "name" | "run">): string => {
    count += 1;
    return `code:${name ?? (run.name === "run" || run.name === "" ? "hook" : run.name)}-${count}`;
  };

  return {
    add(definition, session) {
      const id = definition.id ?? nextId(definition);
      if (hooks.has(id)) throw new HooklineError("name_taken", { name: id, where: "use" });
      const hook = compileDefinition(definition, id, session === undefined ? "local" : "session");
      const reason = invalidity(hook);
      if (reason !== undefined) throw new HooklineError("hook_invalid", { name: hook.name, reason, where: "use" });
      hooks.set(id, { hook, session });
      functions.set(id, callbackOf(definition.run as HookFunction, definition.on)); // the hook listens to N only, so it is given nothing else
      sets = new WeakMap();
      return { id, remove: () => remove(id) };
    },
    clear(session) {
      for (const id of idsOf(session)) remove(id);
    },
    end(session) {
      const ids = idsOf(session);
      for (const id of ids) forget(id);
      if (ids.length > 0) ended.push(ids);
      for (const id of ended.length > endedAtMost ? (ended.shift() ?? []) : []) release(id);
    },
    combined(files = empty, session) {
      const known = sets.get(files) ?? new Map<SessionId | undefined, HookSet>();
      sets.set(files, known);
      const own = session !== undefined && idsOf(session).length > 0 ? session : undefined; // most sessions have none
      const held = known.get(own);
      if (held) return held;
      const registered = [...hooks.values()].filter((entry) => entry.session === undefined || entry.session === own);
      const set =
        registered.length === 0
          ? files
          : hookSetOf([...files.hooks, ...registered.map(({ hook }) => hook)], files.workspace, files.shell);
      known.set(own, set);
      return set;
    },
  };
}
