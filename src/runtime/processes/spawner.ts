/**
 * Starts programs from a small process that stays, because Node forks its whole self for each (docs/decisions/0012). Where
 * that process cannot run, this one forks after all: the promise of `Spawn` is the same.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Spawn } from "../../engine/program.ts";
import { createSupervision, type SpawnLimits } from "./spawn.ts";
import { type Helper, startHelper } from "./spawner-helper.ts";
import { type StartProgram, startChild, startWith } from "./start.ts";

export interface SpawnerOptions {
  limits?: Partial<SpawnLimits>;
  /** The helper program; that of this system, unless said. */
  file?: string | undefined;
  /** Told once, if the helper is there and cannot be used. */
  complain?: (message: string) => void;
}

export interface Spawner {
  spawn: Spawn;
  /** Ends the helper and what it still runs; later programs are started without it. Safe to call twice. */
  close(): Promise<void>;
}

/** The helper is started with the first program, and keeps no process alive. */
export function createSpawner({ limits, file = helperFile(), complain }: SpawnerOptions = {}): Spawner {
  let helper: Helper | undefined;
  let isOut = file === undefined;
  const running = new Set<Promise<unknown>>();

  function helperNow(): Helper | undefined {
    if (isOut || file === undefined) return undefined;
    if (helper && !helper.isOver()) return helper;
    helper = startHelper(file);
    if (!helper) giveUp();
    return helper;
  }

  function giveUp(): void {
    if (!isOut) complain?.(`${file} cannot be executed: programs are started without it, which takes longer`);
    isOut = true;
  }

  const start: StartProgram = async (order, hearing) => {
    const asked = helperNow();
    if (!asked) return startChild(order, hearing);
    const started = await startWith(() => asked.start(order, hearing), order.command);
    if (!("is" in started)) return started;
    if (started.is === "unusable") giveUp();
    return startChild(order, hearing);
  };

  const supervised = createSupervision(start, limits);
  return {
    spawn(command, options) {
      const ended = supervised(command, options);
      running.add(ended);
      void ended.then(() => running.delete(ended)); // it never rejects
      return ended;
    },
    async close() {
      isOut = true;
      await helper?.close();
      await Promise.all(running); // the helper knows only what it started itself: what those have started is ended here
    },
  };
}

/** Beside the sources and beside what is built from them. Absent: there is none for this system. */
function helperFile(): string | undefined {
  const name = `native/${process.platform}-${process.arch}/hookline-spawner`;
  return ["../", "../../"]
    .map((up) => fileURLToPath(new URL(up + name, import.meta.url)))
    .find((path) => existsSync(path));
}
