/** What a daemon follows: hook files, settings, and the automations of its store and its folders, as other processes change them. */
import { messageOf } from "../../engine/error.ts";
import type { Ports } from "../../engine/ports.ts";
import { watchPaths } from "../../files/watch-paths.ts";
import type { Config, EngineSettings } from "../../formats/config/config.ts";
import { engineDefaults } from "../../formats/config/keys.ts";
import type { HookSource } from "../../loading/live.ts";
import type { Loaded } from "../../loading/loading.ts";
import type { ActiveAutomations } from "./active-automations.ts";
import type { DaemonOptions } from "./daemon.ts";

interface ChangesOptions extends Pick<DaemonOptions, "cwd" | "storeFile" | "place" | "complain">, Pick<Ports, "after"> {
  /** Milliseconds on a monotonic clock. */
  elapsed(): number;
  active: Pick<ActiveAutomations, "refresh" | "placeless" | "version" | "folders">;
  source: HookSource<Loaded> | undefined;
  settings: {
    read(loaded: Loaded | undefined): void;
    /** As a text: another one where they have changed. */
    mark(): string;
  };
  /** Makes a project of a folder. May throw: none may lie there. */
  makeProject(folder: string): Promise<void>;
  followFiles(): Promise<void>;
  /** The automations or the settings are others than before. */
  changed(): Promise<void>;
  /** Other processes may have queued runs. */
  queued(): void;
}

export interface Changes {
  /** Looks at everything. */
  look(): Promise<void>;
  /** Begins to follow; resolves when all that is there is watched. */
  follow(): Promise<void>;
  /** Waits for the look that is under way. Safe to call twice. */
  stop(): Promise<void>;
}

/** Milliseconds between two looks: where the system reports no changes, and where it does. */
const looksEvery = { unwatched: 500, watched: 30_000 };

export function createChanges(options: ChangesOptions): Changes {
  const { cwd, active, source, settings, elapsed, after, complain, place } = options;
  const projects = new Set<string>();
  let following: Following | undefined;
  let watching: ReturnType<typeof watchStore> | undefined;
  let mark = "";
  let lookedAtAll = 0;

  /** True: folders are left for the next look. */
  async function look(isThorough: boolean): Promise<boolean> {
    settings.read(await source?.at(cwd));
    const isLeft = await active.refresh(isThorough);
    for (const folder of active.placeless()) await makeProject(folder);
    return isLeft;
  }

  /** Folders may have the same name; projects do not, whichever process looks at them. */
  async function makeProject(folder: string): Promise<void> {
    if (projects.has(folder)) return;
    projects.add(folder);
    try {
      await options.makeProject(folder);
    } catch {
      // no project may lie there, as in a home: it goes by the folder's name
    }
  }

  async function lookAndFollow(): Promise<number> {
    if (isGone()) return looksEvery.watched;
    const isThorough = elapsed() - lookedAtAll > looksEvery.watched / 2;
    if (isThorough) lookedAtAll = elapsed();
    const isLeft = await look(isThorough);
    await options.followFiles();
    const found = JSON.stringify([active.version(), settings.mark()]);
    if (found !== mark) await options.changed();
    mark = found;
    return isLeft || !isWatched() ? looksEvery.unwatched : looksEvery.watched;
  }

  /** The system reports all that may change. */
  const isWatched = (): boolean =>
    watching !== undefined && [cwd, ...active.folders()].every((folder) => source?.isHeard(folder) === true);

  function isGone(): boolean {
    if (place?.isGone() !== true) return false;
    place.gone();
    return true;
  }

  function storeWritten(): void {
    if (isGone()) return;
    following?.hear();
    options.queued();
  }

  return {
    look: () => look(true).then(() => undefined),
    async follow() {
      if (options.storeFile !== undefined)
        watching ??= watchStore(options.storeFile, { after, written: storeWritten, others: place?.files ?? [] });
      const first = await lookAndFollow();
      following ??= follow({ work: lookAndFollow, after, complain }, first);
      source?.listen(following.hear);
    },
    async stop() {
      watching?.close();
      await following?.stop();
    },
  };
}

interface Following {
  /** Something may have changed. Heard while the work is done, it is done again. */
  hear(): void;
  /** Waits for the work that is being done. Safe to call twice. */
  stop(): Promise<void>;
}

interface FollowOptions extends Pick<Ports, "after"> {
  /** @returns after how many milliseconds it is done at the latest, whatever is heard */
  work(): Promise<number>;
  /** Told what went wrong; the next time may go better. */
  complain(reason: string): void;
}

/** Changes mostly come in company. */
const gathersFor = 20;
const triesAgainAfter = 500;

/** Does the work whenever something may have changed, and now and then although nothing was heard of. */
function follow({ work, after, complain }: FollowOptions, first: number): Following {
  let waiting: { undo(): void; isSoon: boolean } | undefined;
  let doing: Promise<void> | undefined;
  let isHeard = false;
  let isStopped = false;

  function wait(milliseconds: number, isSoon: boolean): void {
    if (isStopped || waiting?.isSoon) return;
    waiting?.undo();
    waiting = { undo: after(milliseconds, begin), isSoon };
  }

  function begin(): void {
    waiting = undefined;
    isHeard = false;
    doing = attempt().then((milliseconds) => {
      doing = undefined;
      if (isHeard) wait(gathersFor, true);
      else wait(milliseconds, false);
    });
  }

  async function attempt(): Promise<number> {
    try {
      return await work();
    } catch (error) {
      complain(messageOf(error));
      return triesAgainAfter;
    }
  }

  wait(first, false);
  return {
    hear() {
      isHeard = true;
      if (!doing) wait(gathersFor, true);
    },
    async stop() {
      isStopped = true;
      waiting?.undo();
      await doing;
    },
  };
}

/** A process that writes much hears of itself: so long it does not listen then. */
const deafFor = 100;

interface StoreWatchOptions extends Pick<Ports, "after"> {
  /** Called soon after the file was written to or taken away; again only after a tenth of a second. */
  written(): void;
  /** Further paths whose changes count. */
  others?: readonly string[];
}

/** Silent where the system reports no changes: createChanges looks now and then all the same. */
function watchStore(file: string, { after, written, others = [] }: StoreWatchOptions): { close(): void } {
  const followed = [file, `${file}-wal`, ...others];
  let undo: (() => void) | undefined;
  const paths = watchPaths({
    changed(key) {
      paths.drop(key);
      undo = after(deafFor, () => {
        paths.follow(key, followed);
        written();
      });
    },
  });
  paths.follow("store", followed);
  return {
    close() {
      undo?.();
      paths.close();
    },
  };
}

/** What the settings say of automations, with what holds where they say nothing. Read anew whenever they change. */
export interface Settings {
  engine: Required<EngineSettings>;
  notifications: Config["notifications"];
  /** The names of the channels that get notices where neither a hook nor its project names any. */
  notify: readonly string[];
  webhooks: Config["webhooks"];
  telemetry: NonNullable<Config["telemetry"]>;
}

/**
 * Of the daemon's own folder: its file says how many automations run and how often files are looked at. The switches, who gets
 * notices and which webhooks are heard, the user's own file says: those of a project reach only its own automations.
 */
export function settingsOf(loaded: Pick<Loaded, "config" | "userConfig"> | undefined): Settings {
  const { engine = {}, notify = [] } = loaded?.config ?? {};
  const { notifications = {}, webhooks = {}, telemetry = {}, engine: own = {} } = loaded?.userConfig ?? {};
  const { enabled, file_watcher_enabled } = { ...engineDefaults, ...own };
  const said = { ...engineDefaults, ...engine, enabled, file_watcher_enabled };
  return { engine: said, notifications, notify, webhooks, telemetry };
}
