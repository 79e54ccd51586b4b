/** Where recorded events meet the hooks of today: in their place, or in a scratch copy with a changed file or with programs that run. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { HooklineError } from "../../../engine/error.ts";
import type { Store } from "../../../engine/record.ts";
import { readRegularBytesSync } from "../../../files/regular-file.ts";
import type { Loaded } from "../../../loading/loading.ts";
import type { Project } from "../../../loading/project.ts";
import { loadFiles, loadingFor } from "../loaded.ts";
import type { Place } from "../place.ts";
import { loadCopy } from "../testing/perform.ts";
import { openScratch, placeOfHooks, placeOfSettings, scratchEnvironment } from "../testing/scratch.ts";

export interface ReplayOptions {
  /** The person's, in the project's folder. */
  place: Place;
  project: Project;
  /** The store with the record. */
  store: Store;
  /** A hook file that takes the place of the one with its name. */
  file?: string;
  /** Programs run, in a scratch copy. */
  run: boolean;
  signal: AbortSignal;
  /** Gets what was loaded, with the names of the project's files. */
  loaded(found: Loaded): void;
}

export interface Stage {
  place: Place;
  loaded: Loaded;
  own: string;
  into(text: string): string;
  back(text: string): string;
  close(): void;
}

/** What is plain JSON, with the names of the project's folders. */
export const backIn = <T>(value: T, { back }: Stage): T => JSON.parse(back(JSON.stringify(value))) as T; // only names of folders differ

export const openStage = (options: ReplayOptions): Promise<Stage> =>
  options.file === undefined && !options.run ? inPlace(options) : inCopy(options);

/** The hooks are read where they lie, and nothing else of the project is touched. */
async function inPlace({ place, store }: ReplayOptions): Promise<Stage> {
  const own = realpathSync(mkdtempSync(join(tmpdir(), "hookline-replay-")));
  mkdirSync(join(own, "state"));
  return {
    place: { ...place, environment: scratchEnvironment(own, place.environment) },
    loaded: await loadFiles(place, store, { loading: loadingFor(place) }),
    ...{ own, into: (text) => text, back: (text) => text },
    close: () => rmSync(own, { recursive: true, force: true }),
  };
}

async function inCopy({ place, project, store, file, run }: ReplayOptions): Promise<Stage> {
  const target = file === undefined ? undefined : await placeOfFile(file, { place, project, store });
  const scratch = await openScratch({
    ...{ place, home: "own" as const },
    ...(file !== undefined && target !== undefined
      ? { files: { [target]: readRegularBytesSync(file).toString() } }
      : {}),
    ...(target !== undefined && !run ? { accepts: target } : {}), // nothing of it runs
  });
  return { ...scratch, loaded: await loadCopy(scratch) };
}

/** From the project's folder: where its file of the same name lies, else where such files lie. */
async function placeOfFile(
  file: string,
  { place, project, store }: Pick<ReplayOptions, "place" | "project" | "store">,
): Promise<string> {
  if (/\.[mc]?[jt]s$/.test(file))
    throw new HooklineError("usage", {
      what: "a module is a program, and a replay runs none that you have not trusted in its place",
      where: file,
      advice: "change it in its place, trust it, and replay without --with",
    });
  const { files } = await loadFiles(place, store, { loading: loadingFor(place) });
  const own = files.filter(
    ({ path }) => basename(path) === basename(file) && !relative(project.root, path).startsWith(".."),
  );
  const [first, second] = own;
  if (second)
    throw new HooklineError("usage", {
      what: `${own.length} hook files are called ${basename(file)}`,
      where: own.map(({ path }) => path).join(", "),
      advice: "give the file another name: it is then added to them",
    });
  if (first) return relative(project.root, first.path);
  const added = placeOfHooks(file, project.root) ?? (file.endsWith(".json") ? placeOfSettings : undefined);
  if (added !== undefined) return added;
  throw new HooklineError("usage", {
    what: `${basename(file)} is no hook file`,
    where: file,
    advice: "a hook file is YAML or JSON, or a script with its front matter",
  });
}
