/** What the options of an embedding program make of the ports: its own model, tools and store, and what watches for it. */

import { createScriptRecords, type ScriptRecordsOptions } from "../../actions/script/records.ts";
import type { Ports } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import type { HookSource } from "../../loading/live.ts";
import type { Loaded } from "../../loading/loading.ts";
import { createTracking, type Tracked, type TrackingOptions } from "../../runtime/changes/tracking.ts";
import { stateFolderOf } from "../../runtime/system.ts";
import { openMemoryStore } from "../../storage/memory/memory.ts";
import type { HooklineOptions } from "../library/hookline.ts";

/** What the host brings itself. */
export const broughtPorts = ({
  model,
  tools,
}: Pick<HooklineOptions, "model" | "tools">): Pick<Ports, "model" | "tools"> => ({
  ...(model ? { model: async () => model } : {}),
  ...(tools ? { tools: async () => tools } : {}),
});

export function trackingOf(
  { watch = true, observe }: Pick<HooklineOptions, "watch" | "observe">,
  {
    environment,
    source,
    ...known
  }: Pick<TrackingOptions, "store" | "now" | "home"> & {
    environment: Readonly<Record<string, string>>;
    source: Pick<HookSource<Loaded>, "known"> | undefined;
  },
): Tracked {
  return createTracking({
    ...known,
    root: (event) => source?.known(event.cwd)?.root,
    async finder() {
      const [{ createGit }, { createColdChanges }, { createResidentChanges }] = await Promise.all([
        import("../../runtime/processes/git.ts"),
        import("../../runtime/changes/cold.ts"),
        import("../../runtime/changes/resident.ts"),
      ]);
      const git = createGit(environment);
      const complain = (message: string): void => observe?.({ is: "log", level: "warn", message, hook: "", run: "" });
      return watch ? createResidentChanges(git, complain) : createColdChanges(git, complain);
    },
  });
}

/** Scripts lie in files: a line without files has none to keep anything of. */
export function recordingOf({
  options: { files, observe },
  ...known
}: Pick<ScriptRecordsOptions, "store" | "now" | "home" | "hooks"> & {
  options: Pick<HooklineOptions, "files" | "observe">;
  environment: Readonly<Record<string, string>>;
}): Pick<Ports, "observe" | "keepOutput"> {
  const tell = observe ?? (() => {});
  if (files === false) return observe ? { observe } : {};
  const scripts = createScriptRecords({ ...known, state: stateFolderOf(known.home, known.environment), tell });
  return {
    keepOutput: scripts.keepOutput,
    observe(observation) {
      tell(observation);
      scripts.observe(observation);
    },
  };
}

export async function storeOf(
  { store, clock, observe }: Pick<HooklineOptions, "store" | "clock" | "observe">,
  environment: Readonly<Record<string, string>>,
): Promise<Store> {
  if (typeof store === "object") return store;
  if (store === undefined || store === "memory") return openMemoryStore();
  const [{ openSqliteStore }, { createRedaction }, { ringOfRows, withDegradedMode }] = await Promise.all([
    import("../../storage/sqlite/sqlite.ts"),
    import("../../storage/redaction/redaction.ts"),
    import("../../storage/degraded.ts"),
  ]);
  const complain = (message: string): void => observe?.({ is: "log", level: "warn", message, hook: "", run: "" });
  const time = clock ? { now: clock.now } : {};
  const opened = openSqliteStore({
    path: store,
    redact: createRedaction({ environment }),
    onNotice: complain,
    ...time,
  });
  return withDegradedMode(() => opened, { ring: ringOfRows, complain, ...time });
}

export function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) defined[name] = value;
  return defined;
}
