/** A line with one automation as its dialect compiles it, and a scripted model behind it: real engine, real client. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import type { TestContext } from "node:test";
import { createHandlers } from "../../src/actions/index.ts";
import { skipFlagsHold } from "../../src/conditions/written-by-formats.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { Model, Project, Projects, Tools } from "../../src/engine/external-services.ts";
import type { Hook } from "../../src/engine/hook.ts";
import type { SkipFlags } from "../../src/engine/named.ts";
import type { ConditionKind, Handler, Patterns, Ports, Registry } from "../../src/engine/ports.ts";
import type { Run, Store } from "../../src/engine/record.ts";
import { anything, object } from "../../src/engine/schema.ts";
import type { ModelSettings } from "../../src/formats/config/config.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { createModel } from "../../src/services/models/index.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { type ScriptedModel, type ScriptedTurn, startScriptedModel } from "../../testing/index.ts";
import { anAutomation } from "../engine/a-hook.ts";

export interface AutomationWish {
  prompt?: string;
  /** What the context steps give, in order; one that fails is an Error. */
  gathered?: readonly (Fields | Error)[];
  flags?: SkipFlags[];
  /** Further parameters of the model's step; null: no model is asked. */
  asks?: Fields | null;
  on?: Hook["on"];
  cwd?: string;
  timeout?: number;
  turns?: readonly ScriptedTurn[];
  /** In place of the scripted one. */
  model?: Model;
  models?: (url: string) => ModelSettings;
  environment?: Record<string, string>;
  tools?: Tools;
  project?: Project;
  projects?: Ports["projects"];
}

export interface AutomationLine {
  server: ScriptedModel;
  store: Store;
  hook: Hook;
  /** Sends the event, waits for the run, and gives it. */
  run(data?: Fields, event?: Partial<HookEvent>): Promise<Run>;
  /** The last message of a person that this request held. */
  told(request?: number): string;
  system(request?: number): string;
  /** The names of the tools that it was offered. */
  offered(request?: number): string[];
}

/** A step whose result the test knows. */
const gather: Handler<{ gives?: Fields; fails?: string }> = {
  params: object({}, { gives: anything, fails: anything }) as Handler<{ gives?: Fields; fails?: string }>["params"], // the test writes them
  run({ gives = {}, fails }, { scope }) {
    const _step_index = scope.results.length;
    if (fails !== undefined)
      return { ok: false, output: { error: fails, _step_index }, failure: "error", reason: fails };
    return { ok: true, output: { ...gives, _step_index } };
  },
};

export const registryOf = (): Registry => ({
  handlers: new Map([...createHandlers(new Map()), ["gather", gather as unknown as Handler]]), // it checks its own parameters
  conditions: new Map([["skip_flags", skipFlagsHold as unknown as ConditionKind]]), // the same
});

export function automationOf(wish: AutomationWish): Hook {
  const { prompt = "Say what happened.", gathered = [], flags, asks = {}, cwd = tmpdir() } = wish;
  const steps = gathered.map((one) => ({
    uses: "gather",
    with: one instanceof Error ? { fails: one.message } : { gives: one },
    timeout: 600,
    onError: "continue" as const,
  }));
  const last = {
    ...(asks === null ? { uses: "no_model", with: {} } : { uses: "ask_model", with: { prompt, ...asks } }),
    timeout: 600,
    onError: "stop" as const,
    templates: true as const,
    ...(flags ? { skipIf: { is: "skip_flags", with: flags } } : {}),
  };
  return anAutomation("nightly", {
    id: "automation:shop/nightly",
    name: "Nightly look",
    on: wish.on ?? { event: ["task.completed"], as: ["task.completed"] },
    steps: [...steps, last] as unknown as Hook["steps"], // there is always a last one
    limits: { overlap: "coalesce", timeout: wish.timeout ?? 300 },
    project: "shop",
    origin: { dialect: "automation", layer: "user", root: cwd },
  });
}

export const localModel = (url: string): ModelSettings => ({
  default: "local/qwen3",
  providers: { local: { kind: "openai-compatible", url: `${url}/v1` } },
});

export async function automationLine(t: TestContext, wish: AutomationWish = {}): Promise<AutomationLine> {
  const server = await startScriptedModel({ turns: wish.turns ?? [{ text: "All is well." }], playSides: true });
  t.after(() => server.close());
  const hook = automationOf(wish);
  const store = openMemoryStore();
  const model = wish.model ?? createModel((wish.models ?? localModel)(server.url), wish.environment ?? {});
  const closed: Run[] = [];
  let ended = Promise.withResolvers<Run>();
  const projects = wish.projects ?? (async () => onlyProject(wish.project));
  const engine = createEngine({
    ...systemPorts(),
    store,
    queue: createInlineQueue(),
    hooks: () => ({ id: "set", hooks: [hook] }),
    registry: registryOf(),
    patterns: {} as Patterns, // it has no matchers
    model: async () => model,
    projects,
    ...(wish.tools ? { tools: async () => wish.tools ?? assert.fail() } : {}),
    observe(seen) {
      if (seen.is !== "run" || seen.run.status === "queued" || seen.run.status === "running") return;
      closed.push(structuredClone(seen.run));
      ended.resolve(seen.run);
    },
  });
  t.after(() => engine.close());
  const body = (request: number): Fields => Object(server.requests[request - 1]?.body);
  const messages = (request: number): { role: string; content: unknown }[] => Object(body(request)).messages;
  return {
    server,
    store,
    hook,
    async run(data = { task_id: "t1" }, event = {}) {
      ended = Promise.withResolvers<Run>();
      const id = `event-${closed.length + 1}`;
      await engine.emit({ id, name: "task.completed", at: 0, cwd: tmpdir(), data, sender: "test", ...event });
      if ((await store.runs({ eventId: id })).length === 0) assert.fail(`no hook heard ${id}`);
      return ended.promise;
    },
    told: (request = 1) => textIn(messages(request).findLast(({ role }) => role === "user")?.content),
    system: (request = 1) => textIn(messages(request).find(({ role }) => role === "system")?.content),
    offered: (request = 1) =>
      Object(body(request).tools ?? []).map((tool: { function: { name: string } }) => tool.function.name),
  };
}

const textIn = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Object(content ?? [])
        .map((part: { text: string }) => part.text)
        .join("");

const onlyProject = (project: Project | undefined): Projects => ({
  project: (id) => (project?.id === id ? project : undefined),
  projectOf: () => assert.fail("no project is made here"),
  createTask: () => assert.fail("no task is made here"),
  searchMemory: () => assert.fail("nothing is looked up here"),
  query: () => assert.fail("nothing is asked here"),
});
