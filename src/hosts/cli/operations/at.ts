/** What operations work on where a command, or an agent by MCP, asks from a folder. Each part is opened when it is first asked for. */
import type { Run } from "../../../engine/record.ts";
import type { LoadedHooks } from "../../../loading/load.ts";
import type { Logged, OperationContext } from "../../../operations/operation.ts";
import { systemPorts } from "../../../runtime/system.ts";
import { toldOf } from "../../compose/told.ts";
import type { Invocation } from "../command.ts";
import type { Line } from "../line.ts";
import { recordOver } from "../shared-store/record.ts";
import { openStore, openStoreToRead } from "../store.ts";

export interface OpenedAt {
  at: OperationContext;
  /** The hooks that were asked for, if any were. */
  loaded(): LoadedHooks | undefined;
  /** What was set off, as far as it has ended. */
  runs(): readonly Run[];
  /** Waits for what was set off (R48). */
  settled(): Promise<void>;
  close(): Promise<void>;
}

interface Wanted {
  /** It only looks: rows can be read where nothing can be written. */
  reads: boolean;
  /** Where it works; the store is found from where the person is. */
  folder?: string;
}

/** @throws HooklineError store_unusable, store_locked */
export async function openAt(invocation: Invocation, { reads, folder = invocation.cwd }: Wanted): Promise<OpenedAt> {
  const { environment, signal, home } = invocation;
  const place = { ...invocation, cwd: folder };
  const store = reads ? openStoreToRead(invocation) : openStore(invocation);
  const runs = new Map<string, Run>();
  const logs: Logged[] = [];
  let opened: Line | undefined;
  let loaded: LoadedHooks | undefined;
  const line = once(async () => {
    const { openLine } = await import("../line.ts");
    opened = await openLine({
      ...{ place, store, stop: signal },
      observe(seen) {
        if (seen.is === "run") runs.set(seen.run.id, seen.run);
        if (seen.is === "log") logs.push({ level: seen.level, message: seen.message, hook: seen.hook });
      },
    });
    loaded = opened.loaded;
    return opened;
  });
  const record = once(() => recordOver(invocation, store));
  const activeIn = async (cwd: string): Promise<LoadedHooks> =>
    (await import("../loaded.ts")).loadActive({ ...place, cwd }, store);
  const here = once(async () => {
    loaded = opened?.loaded ?? (reads ? await activeIn(folder) : (await line()).loaded);
    return loaded;
  });
  if (!reads) await store.repair();
  const settled = async (): Promise<void> => opened?.engine.close();
  const { id, now } = systemPorts({ newest: store.newestId?.() });
  return {
    at: {
      ...{ id, now },
      ...toldOf(invocation, store, store.path),
      ...{ store, cwd: folder, home, environment, record },
      engine: {
        emit: async (...given) => (await line()).engine.emit(...given),
        explain: async (event) => (await line()).engine.explain(event),
        committed: async () => (await line()).engine.committed(),
      },
      async setOff() {
        await settled();
        return { runs: [...runs.values()], logs };
      },
      active: (asked) => (asked === folder ? here() : activeIn(asked)),
      board: async () => (await line()).board(),
      automations: async () => (await line()).automations(),
      linesOf: async (event) => (await line()).linesOf(event),
      judging: async ({ cwd }) => {
        const [{ registryAt }, { loadPatterns }] = await Promise.all([
          import("../loaded.ts"),
          import("../../../conditions/patterns.ts"),
        ]);
        return { registry: await registryAt({ ...place, cwd }), patterns: await loadPatterns() };
      },
    },
    loaded: () => loaded,
    runs: () => [...runs.values()],
    settled,
    async close() {
      const shared = record.opened();
      if (opened) await opened.close();
      else store.close();
      if (shared) (await shared).closeShared();
    },
  };
}

/** What is opened once, and not before it is asked for. */
function once<T>(open: () => Promise<T>): { (): Promise<T>; opened(): Promise<T> | undefined } {
  let opening: Promise<T> | undefined;
  const opened = (): Promise<T> => {
    opening ??= open();
    return opening;
  };
  return Object.assign(opened, { opened: () => opening });
}
