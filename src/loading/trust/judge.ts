/** Asks for each thing of a project whether a person has trusted it, and leaves of the hooks what may count without (R86). */
import { join, sep } from "node:path";
import type { Json } from "../../engine/event.ts";
import { type Hook, isGuard, type Problem } from "../../engine/hook.ts";
import type { Registry } from "../../engine/ports.ts";
import { type Config, emptyConfig } from "../../formats/config/config.ts";
import type { StandingModule } from "../load.ts";
import type { Source } from "../order.ts";
import type { HookFile, ModulePlace } from "../places.ts";
import type { Project } from "../project.ts";
import { filesIn, filesOf } from "./bound-files.ts";
import {
  type Bound,
  type Content,
  contentIn,
  type FolderTrust,
  fileOf,
  type Item,
  itemOf,
  type Trust,
  type TrustedItems,
} from "./item.ts";
import { createLostModules, type LostModules } from "./lost-modules.ts";
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
  const lost = createLostModules(registry);
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

  function ask(content: Content, paths: readonly string[], is: UntrustedItem["is"] = "other"): Answer {
    const item = itemOf(content, paths);
    watched.push(...paths.map(fileOf));
    const isTrusted = trusted(item.root)?.has(item.hash) ?? false;
    trust.saw?.(item, isTrusted);
    if (!isTrusted) untrusted.push({ hash: item.hash, is });
    return { item, isTrusted };
  }

  return {
    untrusted,
    changedModules,
    hooks: createFileJudge({ trusted, ask, repositoryOf, lost }),
    usable(module) {
      const { root, label } = module.place;
      const gave = root === undefined ? undefined : trusted(root)?.moduleBefore(label)?.gave;
      return gave ? lost.usable(module, gave) : module;
    },
    knows: (root) => trusted(root) !== undefined,
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
      if (before) changedModules.push(lost.standing(place, paths, before));
      else problems.push(notRead(place));
      return undefined;
    },
  };
}

interface Answer {
  item: Item;
  isTrusted: boolean;
}

/** What is asked about the hooks of a file. */
interface Questions {
  trusted(root: string): TrustedItems | undefined;
  /** @param paths of the files that it runs, absolute */
  ask(content: Content, paths: readonly string[], is?: UntrustedItem["is"]): Answer;
  repositoryOf(root: string): string;
  lost: LostModules;
}

/** The hooks of a file as trust leaves them, with the guards that were in it when it was last trusted. */
function createFileJudge({ trusted, ask, repositoryOf, lost }: Questions): Judge["hooks"] {
  /** @param hook what it is here, if it is one */
  function askForHook(form: Hook, { root, label: file }: Of, hook?: Hook): Answer {
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
    const why = lost.why();
    if (isTrusted && hook.steps[0].uses === "invalid" && why !== undefined) return failing(hook, why);
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
      .map(({ definition }) => lost.asGuardHere(asWritten(definition, first.origin.root ?? root)))
      .filter(isGuard);
    const pairs = stillHere(forms, changed);
    return forms.map((form, index) => ({
      ...guardBefore(form, `${label}#trusted-${index + 1}`, first.origin),
      ...(pairs.has(form) ? { trustedForm: true } : {}),
    }));
  }

  function withOverrides(source: Source, root: string): Source {
    const { file, compiled } = source;
    if (!file.overrides || compiled.speaksOf.length === 0) return source;
    const events = [...compiled.speaksOf].sort();
    const content: Content = {
      root,
      kind: "override",
      name: `replaces hooks of ${events.join(", ")}`,
      file: file.label,
      content: events,
    };
    const overrides = ask(content, []).isTrusted;
    return { ...source, compiled: overrides ? compiled : { ...compiled, speaksOf: [] } };
  }

  return (source) => {
    const { file } = source;
    const { root } = file;
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
        const why = lost.whyOf(form);
        if (isTrusted && why !== undefined) hooks.push(failing({ ...form, role: "guard", onFailure: "block" }, why));
      }
    const changed = source.hooks.filter((_hook, index) => hooks[index] && isChanged(hooks[index]));
    hooks.push(...guardsBefore(of, changed, present).map(asForeign));
    return withOverrides({ ...source, hooks }, root);
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

const notRead = ({ from }: ModulePlace): Problem => ({
  severity: "note",
  code: "untrusted",
  message: "the module is not read: it is not trusted",
  suggestion: "hookline trust shows it",
  ...{ file: from, line: 1, column: 1 },
});
