/** A store on disk, an engine over it, and the board with its operations: what tests of projects work on. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createHandlers } from "../../../src/actions/index.ts";
import { conditions } from "../../../src/conditions/index.ts";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import type { Fields, HookEvent, Json } from "../../../src/engine/event.ts";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Patterns, Ports } from "../../../src/engine/ports.ts";
import type { Run } from "../../../src/engine/record.ts";
import { type Config, emptyConfig } from "../../../src/formats/config/config.ts";
import { openProjectService } from "../../../src/hosts/compose/projects.ts";
import { createOperations } from "../../../src/operations/index.ts";
import { createInlineQueue } from "../../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../../src/runtime/system.ts";
import type { ProjectService } from "../../../src/services/projects/index.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { aHook } from "../../engine/a-hook.ts";

export const never: AbortSignal = new AbortController().signal;

export interface World {
  /** A folder of its own, links resolved. */
  folder: string;
  store: SqliteStore;
  engine: Engine;
  board: ProjectService;
  /** The application events that were told, oldest first. */
  events(): { name: string; data: Fields; cwd: string }[];
  /** What a person or a hook asks, from a folder. */
  ask(operation: string, input?: Fields, from?: { cwd?: string; event?: HookEvent; key?: string }): Promise<Json>;
  /** What the person was told beside. */
  complaints: string[];
  runs(): Promise<Run[]>;
  /** The board as another process would open it. */
  reopened(): Promise<ProjectService>;
  /** A folder below, made. */
  place(name: string): string;
}

export interface Wish {
  hooks?: readonly Hook[];
  settings?: Partial<Config>;
  environment?: Readonly<Record<string, string>>;
  now?: () => number;
}

export async function worldOf(context: TestContext, wish: Wish = {}): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-projects-")));
  const store = openSqliteStore({ path: join(folder, "state", "hookline.db") });
  const basics = { ...systemPorts(), ...(wish.now ? { now: wish.now } : {}) };
  const environment = { PATH: process.env.PATH ?? "", ...wish.environment };
  const complaints: string[] = [];
  const inForce = { id: "set-1", hooks: wish.hooks ?? [] };
  const ports: Ports = {
    ...basics,
    store,
    queue: createInlineQueue(),
    hooks: () => inForce,
    registry: { handlers: createHandlers(new Map()), conditions },
    patterns: {} as Patterns, // these hooks' conditions ask for none
    projects: async () => board,
  };
  const engine = createEngine(ports);
  async function open(): Promise<ProjectService> {
    const opened = await openProjectService({
      store,
      engine,
      now: basics.now,
      id: basics.id,
      home: join(folder, "home"),
      environment,
      redact: (text) => text.replaceAll("s3cret-value", "[redacted]"),
      settingsIn: () => ({ config: { ...emptyConfig, ...wish.settings }, userConfig: emptyConfig }),
      complain: (reason) => void complaints.push(reason),
    });
    if (!opened) throw new Error("a store on SQLite keeps projects");
    return opened;
  }
  const board = await open();
  context.after(async () => {
    await engine.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const world: World = {
    folder,
    store,
    engine,
    board,
    complaints,
    events: () => [...eventsOf(store)].reverse().filter(({ name }) => /^(task|note)\./.test(name)),
    async ask(operation, input = {}, { cwd = folder, event, key } = {}) {
      const { now, id } = basics;
      const operations = createOperations({
        engine,
        store,
        active: () => ({ set: inForce }),
        home: "/home",
        now,
        id,
        cwd,
        board: async () => board,
      });
      return (await operations.call(`hookline.${operation}`, input, never, event, key)).output;
    },
    runs: async () => store.runs({}),
    reopened: open,
    place(name) {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
  };
  return world;
}

function eventsOf(store: SqliteStore): { name: string; data: Fields; cwd: string }[] {
  const stored = store.events(1000);
  if (!Array.isArray(stored)) throw new Error("this store does not wait");
  return stored.map(({ event: { name, data, cwd } }) => ({ name, data, cwd }));
}

/** A hook on an application event with these steps. */
export const hookOn = (id: string, event: string, steps: Fields[], more: Partial<Hook> = {}): Hook => ({
  ...aHook(id, "x"),
  on: { event: [event as `${string}.${string}`] }, // the tests name application events only
  steps: steps.map(({ uses, ...given }) => ({
    uses: String(uses),
    with: given,
    timeout: 10,
    onError: "continue",
    templates: true,
  })) as unknown as Hook["steps"], // there is at least one
  origin: { dialect: "automation", layer: "user" },
  ...more,
});

export const eventOf = (data: Fields, more: Partial<HookEvent> = {}): HookEvent => ({
  id: `event-${Math.random()}`,
  name: "something.happened",
  at: Date.now(),
  cwd: tmpdir(),
  data,
  sender: "test",
  ...more,
});

export function git(folder: string, ...words: string[]): void {
  const named = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", ...words];
  execFileSync("git", named, { cwd: folder, stdio: "pipe", env: { PATH: process.env.PATH ?? "", HOME: folder } });
}
