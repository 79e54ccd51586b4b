/**
 * Repository hooks (specification 001): files of `.system/hooks/` and `.hookline/registry/` become Hooks. Pure; never
 * throws: what cannot be a hook is a problem, and the other files live (R33).
 */
import { fingerprint } from "../../engine/fingerprint.ts";
import { type Hook, isGuard, type Origin, type Problem } from "../../engine/hook.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import type { Node } from "../reading/json-tree.ts";
import { openYaml, type YamlFile } from "../reading/yaml-file.ts";
import { membersOf } from "../reading/yaml-values.ts";
import { compileEntry, type EntryContext } from "./hook.ts";

export interface RegistryOptions {
  /** How ids name the file: relative to its root, never a path of one machine. */
  label: string;
  registry: Registry;
  patterns: Patterns;
  /** Which environment this is (R39). */
  environment: string;
  /** Events that an agent here can send; absent: not checked. */
  sendable?: ReadonlySet<string>;
}
export interface CompiledRegistry {
  /** In the order of the file. */
  hooks: Hook[];
  problems: Problem[];
}

/** @param origin layer, file and root; line and column are set for each hook */
export function compileRegistry(
  text: string,
  origin: Origin,
  { label, ...options }: RegistryOptions,
): CompiledRegistry {
  const file = openYaml(text, { ...origin, dialect: "registry" });
  const context: EntryContext = { ...options, file, idOf: namesOf(file, label) };
  const hooks = entriesOf(file).flatMap((node) => compileEntry(node, context) ?? []);
  return { hooks, problems: file.problems() };
}

/** One project's ids are not another's, and no two hooks of a file have one: records are kept under them. */
function namesOf({ origin }: YamlFile, label: string): EntryContext["idOf"] {
  const taken = new Set<string>();
  const project = origin.root === undefined ? "" : `@${fingerprint(origin.root).slice(0, 8)}`;
  return (written) => {
    let free = written;
    for (let count = 2; taken.has(free); count++) free = `${written}-${count}`;
    taken.add(free);
    return `registry:${label}#${free}${project}`;
  };
}

/** A file is one hook; a list of them is read as well. */
function entriesOf(file: YamlFile): Node[] {
  const { root, text, report } = file;
  if (!root) {
    // Commented out on purpose is not empty by mistake.
    if (file.problems().length === 0 && !/^\s*#/m.test(text))
      report(0, {
        severity: "error",
        code: "syntax",
        message: "the file is empty",
        suggestion: "write a hook, or remove the file",
      });
    return [];
  }
  const list = root.type === "array" ? root : listIn(root);
  if (!list) return [root];
  const entries = list.children ?? [];
  if (entries.length > 0) {
    const message = `${entries.length === 1 ? "the hook stands" : `${entries.length} hooks stand`} in a list; other readers of these files take one hook from each`;
    report(list.offset, { severity: "note", code: "shape", message, suggestion: "give each a file of its own" });
  }
  return entries;
}

function listIn(root: Node): Node | undefined {
  const members = membersOf(root);
  if (members.some(({ key }) => key === "id" || key === "event_type" || key === "handler")) return undefined;
  const list = members.find(({ key }) => key === "hooks")?.value;
  return list?.type === "array" ? list : undefined;
}

/**
 * Ids are unique over all files of a project: the first hook that is enabled keeps its id, and a later one is disabled and
 * says why. A blocking one stays on watch beside it.
 *
 * @returns the same hooks in the same order
 */
export function reportSameIds(hooks: readonly Hook[]): { hooks: Hook[]; problems: Problem[] } {
  const first = new Map<string, Hook>();
  const problems: Problem[] = [];
  const checked = hooks.map((hook) => {
    const key = JSON.stringify([hook.origin.root ?? "", hook.name]);
    const earlier = first.get(key);
    if (!earlier?.enabled) first.set(key, earlier && !hook.enabled ? earlier : hook);
    if (!earlier) return hook;
    const message = `the id "${hook.name}" is also that of ${placeOf(earlier)}`;
    const isOff = earlier.enabled && hook.enabled && !isGuard(hook);
    problems.push(sameId(hook, `${message}${endingOf(earlier, hook)}`));
    return isOff ? { ...hook, enabled: false, disabledBecause: message } : hook;
  });
  return { hooks: checked, problems };
}

function endingOf(earlier: Hook, hook: Hook): string {
  if (!hook.enabled) return "; this hook is disabled";
  if (!earlier.enabled) return ", which is disabled, so this hook runs";
  return isGuard(hook) ? "; both run, because this one is blocking" : ", so this hook does not run";
}

const placeOf = ({ origin: { file = "", line = 1 } }: Hook): string => `${file}:${line}`;

const sameId = ({ origin: { file = "", line = 1, column = 1 } }: Hook, message: string): Problem => ({
  severity: "error",
  code: "duplicate-key",
  message,
  suggestion: "give each hook an id of its own",
  file,
  line,
  column,
});
