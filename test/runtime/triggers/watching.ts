/** A folder that is watched, and what is told of it. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Fields, HookEvent } from "../../../src/engine/event.ts";
import type { Hook, WatchRule } from "../../../src/engine/hook.ts";
import { systemPorts } from "../../../src/runtime/system.ts";
import {
  createFileWatcher,
  type FileWatcher,
  type FileWatcherOptions,
} from "../../../src/runtime/triggers/file-watch.ts";
import { aCheck, temporaryFolder } from "./repository.ts";

export interface Told {
  hook: string;
  data: Fields;
  event: HookEvent;
}

export interface Watching {
  folder: string;
  watcher: FileWatcher;
  told: Told[];
  complaints: string[];
  /** The next event that fits and was not given yet. */
  next(fits?: (told: Told) => boolean): Promise<Told>;
  write(name: string, text?: string): void;
  remove(name: string): void;
}

/** Intervals are short, and the clock is the real one: the file system has no other. */
export const quick = { enabled: true, pollInterval: 0.1, debounce: 0.3 };

export interface Way {
  name: string;
  settings: typeof quick;
  poll?: true;
}
/** Nothing is looked at but what is told of. */
export const onlyTold: typeof quick = { ...quick, pollInterval: 3_600 };
export const ways: readonly Way[] = [
  { name: "told folder by folder", settings: onlyTold },
  { name: "polled", settings: quick, poll: true },
];

export function watchingIn(context: TestContext, given: Partial<FileWatcherOptions> = {}): Watching {
  const folder = join(temporaryFolder(context), "app");
  mkdirSync(folder);
  const told: Told[] = [];
  const complaints: string[] = [];
  const left: Told[] = [];
  let waiting: (() => void) | undefined;
  const { now, after, id } = systemPorts();
  const watcher = createFileWatcher({
    now,
    after,
    id,
    settings: () => quick,
    complain: (reason) => complaints.push(reason),
    tell(event) {
      assert.ok(event.to);
      const one = { hook: event.to.hook, data: event.data, event };
      told.push(one);
      left.push(one);
      waiting?.();
    },
    ...given,
  });
  context.after(() => watcher.close());

  async function next(fits: (told: Told) => boolean = () => true): Promise<Told> {
    for (;;) {
      const index = left.findIndex(fits);
      const [found] = index < 0 ? [] : left.splice(index, 1);
      if (found) return found;
      await new Promise<void>((resolve) => {
        waiting = resolve;
      });
    }
  }

  return {
    folder,
    watcher,
    told,
    complaints,
    next,
    write(name, text = `${name}\n`) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    },
    remove: (name) => rmSync(join(folder, name), { recursive: true }),
  };
}

/** An automation's hook that watches below the folder. */
export const aWatch = (id: string, folder: string, watch: WatchRule): Hook =>
  aCheck({
    id: `automation:app/${id}`,
    name: id,
    on: { watch },
    mode: "async",
    project: "app",
    origin: { dialect: "automation", layer: "user", root: folder },
  });

export const changesIn = ({ data }: Told): string[] => {
  assert.ok(Array.isArray(data.changes));
  return data.changes.map((one) => {
    assert.ok(one !== null && typeof one === "object" && !Array.isArray(one));
    return `${one.operation} ${one.path}`;
  });
};
