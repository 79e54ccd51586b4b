/** The registry of a host that registers conditions and actions of its own; hook files see them at once. */
import { HooklineError } from "../../engine/error.ts";
import type { ConditionKind, Handler, Registry } from "../../engine/ports.ts";

export interface Extended {
  readonly registry: Registry;
  /** Both give their undo, and throw HooklineError name_taken. */
  addCondition(name: string, kind: ConditionKind): () => void;
  addAction(name: string, handler: Handler): () => void;
}

/** @param changed what was compiled with the registry is out of date */
export function createExtended(base: Registry, changed: () => void): Extended {
  const handlers = new Map(base.handlers);
  const conditions = new Map(base.conditions);
  const add = <T>(entries: Map<string, T>, name: string, entry: T, where: string): (() => void) => {
    if (handlers.has(name) || conditions.has(name)) throw new HooklineError("name_taken", { name, where });
    entries.set(name, entry);
    changed();
    return () => {
      if (entries.get(name) !== entry) return;
      entries.delete(name);
      changed();
    };
  };
  return {
    registry: { handlers, conditions },
    addCondition: (name, kind) => add(conditions, name, kind, "registerCondition"),
    addAction: (name, handler) => add(handlers, name, handler, "registerAction"),
  };
}
