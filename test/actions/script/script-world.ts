/** A workspace with scripts, a home, and the real line over them: engine, spawner, SQLite, status files. */

import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { createHandlers } from "../../../src/actions/index.ts";
import { createScriptRecords, type StatusFile } from "../../../src/actions/script/records.ts";
import { conventions } from "../../../src/agents/index.ts";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import type { Changes, EventName, Fields, HookEvent } from "../../../src/engine/event.ts";
import { fingerprint } from "../../../src/engine/fingerprint.ts";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Outcome } from "../../../src/engine/outcome.ts";
import type { Caller, ConditionKind, Observation, Patterns } from "../../../src/engine/ports.ts";
import type { Run, Store } from "../../../src/engine/record.ts";
import { anything } from "../../../src/engine/schema.ts";
import { createSpawn } from "../../../src/runtime/processes/spawn.ts";
import { createInlineQueue } from "../../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../../src/runtime/system.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";

export interface ScriptWish {
  /** The file, below the workspace. */
  file?: string;
  name?: string;
  type?: "session" | "file" | "pre-commit";
  /** The lines behind #!/bin/sh, or the whole text where it begins with #!. */
  does: string;
  pattern?: string;
  /** Beyond the usual parameters of the step. */
  with?: Fields;
  mode?: Hook["mode"];
  layer?: "user";
  executable?: false;
}
export interface Told {
  session?: string | undefined;
  data?: Fields;
  changes?: Partial<Changes> | { unknown: string };
  caller?: Caller;
  cwd?: string;
  to?: HookEvent["to"];
}
export interface ScriptWorld {
  root: string;
  home: string;
  state: string;
  hooks: Hook[];
  engine: Engine;
  store: Store;
  logs: Extract<Observation, { is: "log" }>[];
  emit(name: EventName, told?: Told): Promise<Outcome>;
  /** A Stop after these files changed. */
  stop(files: readonly string[], told?: Told): Promise<Outcome>;
  /** Oldest first. */
  runs(): Promise<Run[]>;
  lastRun(hook?: number): Promise<Run>;
  read(path: string): string;
  /** The folder of the session's status. */
  folder(session?: string): string;
  status(session?: string): StatusFile;
  log(slug: string, session?: string): string;
}

export const PATH: string = process.env.PATH ?? "";

export function scriptWorld(
  t: TestContext,
  wishes: readonly ScriptWish[],
  given: { store?: Store; recording?: "none" } = {},
): ScriptWorld {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "hookline-")));
  const [root, home] = [join(top, "workspace"), join(top, "home")];
  for (const folder of [root, home]) mkdirSync(folder);
  const state = join(home, ".local", "state", "hookline");
  const hooks = wishes.map((wish, index) => writeScript(wish, index, root));
  const logs: ScriptWorld["logs"] = [];
  const record = given.recording ? { record: given.recording } : {};
  const store = given.store ?? openSqliteStore({ path: join(top, "store.db"), ...record });
  const basics = systemPorts();
  const tell = (seen: Observation): void => void (seen.is === "log" && logs.push(seen));
  const set = { id: "set", hooks };
  const scripts = createScriptRecords({ home, state, store, hooks: () => set, now: basics.now, tell });
  const engine = createEngine({
    ...basics,
    store,
    queue: createInlineQueue(),
    hooks: () => set,
    registry: { handlers: createHandlers(new Map()), conditions: new Map([["ends_with", endsWith as ConditionKind]]) }, // params are checked by nobody here
    patterns: {} as Patterns, // none of these hooks has any
    spawn: createSpawn(),
    conventions,
    keepOutput: scripts.keepOutput,
    observe(seen) {
      tell(seen);
      scripts.observe(seen);
    },
  });
  t.after(async () => {
    await engine.close();
    store.close();
    rmSync(top, { recursive: true, force: true });
  });
  const folder = (session = "s1"): string => join(state, "sessions", session, "hooks");
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  let count = 0;
  const emit: ScriptWorld["emit"] = async (name, told = {}) => {
    count += 1;
    const { data = {}, cwd = root, caller = {}, changes, to } = told;
    const event: HookEvent = {
      id: `event-${process.pid}-${count}`,
      name,
      at: Date.now(),
      cwd,
      data,
      sender: "test",
      ...(to ? { to } : {}),
      ...("session" in told ? (told.session === undefined ? {} : { session: told.session }) : { session: "s1" }),
      ...(changes ? { changes: "unknown" in changes ? changes : { ...noChanges, base: root, ...changes } } : {}),
    };
    return engine.emit(event, { environment: { PATH, HOME: home }, ...caller });
  };
  const runs = async (): Promise<Run[]> => (await store.runs({})).reverse();
  return {
    root,
    home,
    state,
    hooks,
    engine,
    store,
    logs,
    emit,
    stop: (files, told) => emit("Stop", { changes: { files: [...files] }, ...told }),
    runs,
    lastRun: async (hook = 0) =>
      (await runs()).findLast((run) => run.hook === hooks[hook]?.id) ?? assert.fail("no run"),
    read,
    folder,
    status: (session) => JSON.parse(readFileSync(join(folder(session), "status.json"), "utf8")),
    log: (slug, session) => readFileSync(join(folder(session), "output", `${slug}.log`), "utf8"),
  };
}

const noChanges = { files: [], earlier: [], removed: [] };

/** As the condition changed_files is for a pattern without a slash: what it finds is what changed. */
const endsWith: ConditionKind<{ end: string }> = {
  params: anything as ConditionKind<{ end: string }>["params"], // built by hand below
  compile:
    ({ end }) =>
    ({ event: { changes, data } }) => {
      const listed = Array.isArray(data.changed_files) ? data.changed_files.map(String) : undefined;
      const files = (listed ?? (changes && "files" in changes ? changes.files : [])).filter((name) =>
        name.endsWith(end),
      );
      return files.length > 0 ? { files } : false;
    },
};

const events = { session: "SessionStart", file: "Stop", "pre-commit": "git.pre-commit" } as const;
const limits = {
  session: { once: "session", overlap: "queue" },
  file: { untilPass: true, overlap: "queue" },
  "pre-commit": { overlap: "queue" },
} as const;

function writeScript(wish: ScriptWish, index: number, root: string): Hook {
  const { type = "file", does, layer } = wish;
  const path = wish.file ?? `.hookline/hooks/${index}-script.sh`;
  const file = path.startsWith("/") ? path : join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, does.startsWith("#!") ? does : `#!/bin/sh\n${does}\n`);
  chmodSync(file, wish.executable === false ? 0o644 : 0o755);
  const pattern = wish.pattern ?? (type === "file" ? "*.go" : undefined);
  const slug =
    /([^/]*?)(?:\.sh)?$/
      .exec(path)?.[1]
      ?.toLowerCase()
      .replaceAll(/[^a-z0-9_-]/g, "-") ?? "script";
  const family = path.includes(".discobot/") ? "discobot" : "hookline";
  const limit = typeof wish.with?.limit === "number" ? wish.with.limit : 300;
  return {
    id: `script:${slug}${layer ? "" : `@${fingerprint(root).slice(0, 8)}`}`,
    name: wish.name ?? path.slice(path.lastIndexOf("/") + 1),
    on: { event: [events[type]], as: [events[type]] },
    ...(pattern ? { when: { is: "ends_with", with: { end: pattern.replace("*", "") } } } : {}),
    steps: [
      {
        uses: "script",
        with: { file, type, slug, family, ...(pattern ? { pattern } : {}), ...wish.with },
        timeout: limit + 15,
        onError: "stop",
      },
    ],
    limits: limits[type],
    mode: wish.mode ?? "sync",
    role: type === "pre-commit" ? "guard" : "observe",
    onFailure: type === "pre-commit" ? "block" : "continue",
    priority: 100,
    enabled: true,
    tags: [],
    origin: { dialect: "script", layer: layer ?? "project", file, ...(layer ? {} : { root }), line: 1, column: 1 },
  };
}

/** What a verdict tells the model. */
export const reasonOf = (outcome: Outcome): string => outcome.verdict?.reason ?? assert.fail("nothing was denied");

/** The codes and files that the step kept. */
export const outputOf = (run: Run): Fields => run.steps[0]?.output ?? assert.fail("no step");
