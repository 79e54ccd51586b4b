/** Ids of settings hooks: readable, one for each project, and unchanged by edits elsewhere in the file (R70). */
import { fingerprint } from "../core/fingerprint.ts";
import type { Hook, Problem } from "../core/hook.ts";

/** Own ids stay; the others are made of the file and what the hook says, so that edits elsewhere leave them alone (R70). */
export function withIds(hooks: Hook[], label: string, tell: (problem: Problem) => void): Hook[] {
  const taken = new Map<string, number>();
  return hooks.map((hook) => {
    const id = hook.id || madeId(hook, label);
    const twins = (taken.get(id) ?? 0) + 1;
    taken.set(id, twins);
    if (twins === 1) return { ...hook, id };
    if (hook.id) tell(takenId(hook, `${id}-${twins}`));
    return { ...hook, id: `${id}-${twins}` };
  });
}

/** Ids name one hook each: in records, limits and commands. */
export const takenId = ({ id, origin }: Hook, instead: string): Problem => ({
  severity: "warning",
  code: "duplicate-key",
  message: `the id "${id}" is taken by another hook, so this one is called "${instead}"`,
  suggestion: "give it an id of its own",
  file: origin.file ?? "",
  line: origin.line ?? 1,
  column: origin.column ?? 1,
});

/** The project's folder is part of it: limits and records of one project's hook are not those of another's twin. */
function madeId({ on, when, steps, mode, role, onFailure, limits, origin }: Hook, label: string): string {
  const written = "as" in on ? (on.as?.join("+") ?? "") : "";
  return `settings:${label}:${written}:${fingerprint(JSON.stringify([origin.root, when, steps, mode, role, onFailure, limits])).slice(0, 8)}`;
}
