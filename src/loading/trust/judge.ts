/** Asks for each thing of a project whether a person has trusted it, and leaves of the hooks what may count without (R86). */
import { join, sep } from "node:path";
import type { Json } from "../../engine/event.ts";
import { type Hook, isGuard, type Problem } from "../../engine/hook.ts";
import type { Registry } from "../../engine/ports.ts";
import { type Config, emptyConfig } from "../../formats/config/config.ts";
import { losesHooks } from "../last-good-guards.ts";
import type { StandingModule } from "../load.ts";
import type { Source } from "../order.ts";
import type { HookFile, ModulePlace } from "../places.ts";
import type { Project } from "../project.ts";
import { filesIn, filesOf } from "./bound-files.ts";
import type { Bound } from "./changed.ts";
import {
  type Content,
  contentIn,
  type FolderTrust,
  fileOf,
  type GivenByModule,
  type Item,
  itemOf,
  type ModuleBefore,
  type Trust,
  type TrustedItems,
} from "./item.ts";
import { filesOfModule } from "./module-files.ts";
import { failing, guardBefore, type TrustedForm, type UntrustedItem, untrustedTag, withoutTrust } from "./untrusted.ts";

export interface Judge {
  /** Each source with its hooks as trust leaves them. */
  hooks(source: Source): Source;
  /** The files that what a project's configuration says beside hooks was trusted with; undefined: it is not trusted. */
  settings(config: Config, place: { root: string; file: string }): Bound | undefined;
  /** With the files that it was trusted with; undefined: it is not trusted. */
  module(place: ModulePlace): ModulePlace | undefined;
  /** A module that cannot be used, or not all of it, with the guards that it gave when it last could be: those fail. */
  usable(module: StandingModule): StandingModule;
  /** Whether a person has ever trusted anything of the folder. */
  knows(root: string): boolean;
  /** What is not trusted, as far as it was asked about. */
  readonly untrusted: UntrustedItem[];
  /** Modules that are not what was trusted, with the guards that they gave: those fail (R46). */
  readonly changedModules: StandingModule[];
}

interface Judging {
  trust: Trust;
  project: Pick<Project, "folders" | "worktree">;
  /** What is known here, with what modules have registered; absent: rules are not read yet. */
  registry?: Registry;
  /** Paths whose change may change an answer are added. */
  watched: string[];
  problems: Problem[];
}

/** For one load. */
export function createJudge({ trust, project, registry, watched, problems }: Judging): Judge {
  const untrusted: UntrustedItem[] = [];
  const changedModules: StandingModule[] = [];
  /** Actions that make a rule a guard, of modules that are not what was trusted or cannot be used: why, by name. */
  const lostActions = new Map<string, string>();
  /** Why what an entry takes from a module is not there; undefined: all modules that were trusted are. */
  let lostModule: string | undefined;
  /** The repository's folder around one of its workspace folders: trust is asked for all that is below. */
  const around = [...project.folders, ...(project.worktree === undefined ? [] : [project.worktree])];
  const repositoryOf = (root: string): string =>
    around.find((one) => root === one || root.startsWith(one + sep)) ?? root;
  const known = new Map<string, FolderTrust>();
  function trusted(root: string): TrustedItems | undefined {
    let found = known.get(root);
    if (!found) {
      found = trust.of(root);
      known.set(root, found);
      watched.push(...found.watched);
      if (found.problem) problems.push(notBelieved(found.problem));
    }
    return found.items;
  }

  function ask(
    content: Content,
    paths: readonly string[],
    is: UntrustedItem["is"] = "other",
  ): { item: Item; isTrusted: boolean } {
    const item = itemOf(content, paths);
    watched.push(...paths.map(fileOf));
    const isTrusted = trusted(item.root)?.has(item.hash) ?? false;
    trust.saw?.(item, isTrusted);
    if (!isTrusted) untrusted.push({ hash: item.hash, is });
    return { item, isTrusted };
  }

  /** @param hook what it is here, if it is one */
  function askForHook(form: Hook, { root, label: file }: Of, hook?: Hook): { item: Item; isTrusted: boolean } {
    const { id: _id, project: _project, origin, name, ...content } = form;
    const line = origin.line === undefined ? {} : { line: origin.line };
    return ask(
      { root, kind: "hook", name, file, ...line, content: movedTo(root, origin.root, { name, ...content }) },
      filesOf(form, repositoryOf(root)),
      hook !== undefined && hook.steps[0].uses !== "invalid" ? "hook" : "other",
    );
  }

  /** @param form what trust is asked about @param present the hashes of a file's hooks, to which this one's is added */
  function judged(hook: Hook, form: Hook, of: Of, present: Set<string>): Hook {
    const isKnown = trusted(of.root) !== undefined;
    if (form.steps[0].uses === "invalid") return withoutTrust(hook, isKnown); // it runs nothing: there is nothing to trust
    const { item, isTrusted } = askForHook(form, of, hook);
    present.add(item.hash);
    if (isTrusted && hook.steps[0].uses === "invalid" && lostModule !== undefined) return failing(hook, lostModule);
    if (!isTrusted || hook.steps[0].uses === "invalid") return withoutTrust(hook, isKnown);
    if (item.files.length === 0) return asForeign(hook);
    return { ...asForeign(hook), bound: statesOf(item) };
  }

  /**
   * The guards that a person last trusted in a file, which is now another one, as far as they are not in it any more.
   *
   * @param changed the hooks of the file that are not what was trusted
   */
  function guardsBefore({ root, label }: Of, changed: readonly Hook[], present: ReadonlySet<string>): Hook[] {
    const [first] = changed;
    if (!first) return [];
    const last = trusted(root)?.lastOf(label) ?? [];
    const forms = last
      .filter(({ hash }) => !present.has(hash))
      .map(({ definition }) => asGuardHere(asWritten(definition, first.origin.root ?? root)))
      .filter(isGuard);
    const pairs = stillHere(forms, changed);
    return forms.map((form, index) => ({
      ...guardBefore(form, `${label}#trusted-${index + 1}`, first.origin),
      ...(pairs.has(form) ? { trustedForm: true } : {}),
    }));
  }

  /** What a module that was trusted gave, of which another one lies there now. */
  function standingOf(place: ModulePlace, paths: readonly string[], { gave }: ModuleBefore): StandingModule {
    const path = paths[0] ?? place.from;
    const hooks = guardsOf(gave, {
      place,
      file: path,
      why: "is not what was trusted: hookline trust shows what has changed",
    }).map((form) => guardBefore(form, form.id, form.origin));
    return { place, path, hooks, files: [], problems: [notAsTrusted(place, gave)] };
  }

  /** From here on its actions are known as lost. */
  function guardsOf(gave: GivenByModule | undefined, { place, file, why }: Lost): Hook[] {
    const { layer, root = "", label } = place;
    lostModule = `it takes something from ${label}, which ${why}`;
    for (const name of gave?.actions ?? []) lostActions.set(name, lostModule);
    return (gave?.guards ?? []).map((definition) => {
      const form = contentIn(root, definition) as unknown as Hook; // loadAll wrote it
      const { column = 1 } = form.origin;
      return { ...form, origin: { dialect: "config", layer, file, column, root } };
    });
  }

  /** A module's action is known by its name when it is trusted: what it is for the engine is known where the module is read. */
  function asGuardHere(form: TrustedForm): TrustedForm {
    const roles = form.steps.map(({ uses, with: given }) => registry?.handlers.get(uses)?.action?.role(given));
    const isGuardHere = roles.includes("guard") || form.steps.some(({ uses }) => lostActions.has(uses));
    return form.role === "undeclared" && isGuardHere ? { ...form, role: "guard", onFailure: "block" } : form;
  }

  return {
    untrusted,
    changedModules,
    usable(module) {
      const { place, path, problems: found, hooks } = module;
      const lost = found.find(losesHooks);
      const gave = place.root === undefined ? undefined : trusted(place.root)?.moduleBefore(place.label)?.gave;
      if (!lost || !gave) return module;
      const missing = guardsOf(gave, { place, file: path, why: `cannot be used: ${lost.message}` }).filter(
        ({ id }) => !hooks.some((hook) => hook.id === id),
      );
      return {
        ...module,
        hooks: [...hooks, ...missing.map((guard) => failing(guard, lost.message))],
        problems: found.map(({ loses: _loses, ...problem }) => problem),
      };
    },
    knows: (root) => trusted(root) !== undefined,
    hooks(source) {
      const { file, compiled } = source;
      const { root, label } = file;
      if (file.ofUser || root === undefined) return source;
      if (file.format === "module") return { ...source, hooks: source.hooks.map(asForeign) };
      const of = { ...file, root: file.trustedIn ?? root };
      const present = new Set<string>();
      const forms = new Map(source.written?.flatMap(({ hook, form }) => (hook ? [[hook, form] as const] : [])));
      const hooks = source.hooks.map((hook) => judged(hook, forms.get(hook) ?? hook, of, present));
      // What cannot be a hook here may be one where a module is read: a person is asked about all of a file at once.
      for (const { hook, form } of source.written ?? [])
        if (!(hook && source.hooks.includes(hook)) && form.steps[0].uses !== "invalid") {
          const { item, isTrusted } = askForHook(form, of);
          present.add(item.hash);
          const why = form.steps.map(({ uses }) => lostActions.get(uses)).find((one) => one !== undefined);
          if (isTrusted && why !== undefined) hooks.push(failing({ ...form, role: "guard", onFailure: "block" }, why));
        }
      const changed = source.hooks.filter((_hook, index) => hooks[index] && isChanged(hooks[index]));
      hooks.push(...guardsBefore(of, changed, present).map(asForeign));
      if (!file.overrides || compiled.speaksOf.length === 0) return { ...source, hooks };
      const events = [...compiled.speaksOf].sort();
      const content: Content = {
        root,
        kind: "override",
        name: `replaces hooks of ${events.join(", ")}`,
        file: label,
        content: events,
      };
      const overrides = ask(content, []).isTrusted;
      return { ...source, hooks, compiled: overrides ? compiled : { ...compiled, speaksOf: [] } };
    },
    settings(config, { root, file }) {
      const { apps: _apps, extensions: _extensions, ...content } = config;
      if (JSON.stringify(config) === JSON.stringify(emptyConfig)) return {};
      const json = content as unknown as Json; // a configuration is plain JSON
      const { item, isTrusted } = ask(
        { root, kind: "settings", name: "settings", file, content: json },
        filesIn(json, { root, workspace: repositoryOf(root) }),
      );
      return isTrusted ? statesOf(item) : undefined;
    },
    module(place) {
      const { root, label, name } = place;
      if (root === undefined) return place;
      const paths = filesOfModule(place);
      const { item, isTrusted } = ask({ root, kind: "module", name: label, file: label, content: name }, paths);
      if (isTrusted) return { ...place, bound: statesOf(item), hash: item.hash };
      const before = trusted(root)?.moduleBefore(label);
      if (before) changedModules.push(standingOf(place, paths, before));
      else problems.push(notRead(place));
      return undefined;
    },
  };
}

/** By absolute path. */
const statesOf = ({ root, files }: Item): { [path: string]: string } =>
  Object.fromEntries(files.map(({ path, state }) => [join(root, path), state]));

/** Of a script that works in a linked worktree, what it is where it lies. @param from where it works */
const movedTo = (root: string, from: string | undefined, content: object): Json =>
  JSON.parse(JSON.stringify(content), (_key, value: unknown) =>
    from !== undefined && from !== root && typeof value === "string" && (value === from || value.startsWith(from + sep))
      ? root + value.slice(from.length)
      : value,
  );

type Of = Pick<HookFile, "label"> & { root: string };

const isChanged = ({ untrusted, tags, steps }: Hook): boolean =>
  untrusted !== undefined || tags.includes(untrustedTag) || steps[0].uses === "invalid";

/** Those whose hook is here in another form: each has one that is called as it was, or else listens as it did. */
function stillHere(forms: readonly TrustedForm[], changed: readonly Hook[]): ReadonlySet<TrustedForm> {
  const free = new Set(changed);
  const found = new Set<TrustedForm>();
  for (const isSame of [isCalledAs, listensAs])
    for (const form of forms) {
      const now = found.has(form) ? undefined : [...free].find((hook) => isSame(form, hook));
      if (!now) continue;
      free.delete(now);
      found.add(form);
    }
  return found;
}

const isCalledAs = (form: TrustedForm, { name }: Hook): boolean => form.name === name;
const listensAs = (form: TrustedForm, { on }: Hook): boolean => JSON.stringify(form.on) === JSON.stringify(on);

/** A person has trusted what it does; its words are still its author's, or those of what it read. */
const asForeign = (hook: Hook): Hook => ({ ...hook, foreign: true });

/** A definition of itemOf, in its own folder. */
const asWritten = (definition: string, root: string): TrustedForm =>
  contentIn(root, definition) as unknown as TrustedForm; // a hook is plain JSON

const notBelieved = ({ file, reason }: { file: string; reason: string }): Problem => ({
  severity: "error",
  code: "unreadable",
  message: `the record of what is trusted here is not believed, so nothing of this folder is trusted: ${reason}`,
  suggestion: "run hookline untrust, look at the hooks again, and run hookline trust",
  ...{ file, line: 1, column: 1 },
});

interface Lost {
  place: ModulePlace;
  file: string;
  why: string;
}

/** @param gave absent: nothing tells which guards it held */
function notAsTrusted({ from }: ModulePlace, gave: GivenByModule | undefined): Problem {
  const common = {
    ...({ code: "untrusted", file: from, line: 1, column: 1 } as const),
    message: "the module is not what was trusted, so it is not read",
    suggestion: "hookline trust shows what has changed",
  };
  if (!gave) return { ...common, severity: "error", loses: true };
  if (gave.guards.length + gave.actions.length === 0) return { ...common, severity: "note" };
  return { ...common, severity: "warning", message: `${common.message}, and its guards block until then` };
}

const notRead = ({ from }: ModulePlace): Problem => ({
  severity: "note",
  code: "untrusted",
  message: "the module is not read: it is not trusted",
  suggestion: "hookline trust shows it",
  ...{ file: from, line: 1, column: 1 },
});
