/** A line with hooks as people write them in a settings file, and a scripted model behind it: real engine, real client. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import type { TestContext } from "node:test";
import { type Callback, callbackOf, type HookFunction } from "../../src/actions/function/function.ts";
import { createHandlers } from "../../src/actions/index.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { EventName, Fields } from "../../src/engine/event.ts";
import type { Tools } from "../../src/engine/external-services.ts";
import type { Hook } from "../../src/engine/hook.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Caller, Patterns } from "../../src/engine/ports.ts";
import type { Run, Store } from "../../src/engine/record.ts";
import type { ModelSettings } from "../../src/formats/config/config.ts";
import { compileSettings } from "../../src/formats/settings/settings.ts";
import { ownFormat } from "../../src/loading/places.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { createModel } from "../../src/services/models/index.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { type ScriptedModel, type ScriptedTurn, startScriptedModel } from "../../testing/index.ts";

export interface ModelLine {
  server: ScriptedModel;
  store: Store;
  emit(name: EventName, data: Fields, caller?: Caller): Promise<Outcome>;
  /** The last run of the hook at this place. */
  run(index?: number): Run;
  /** What the model was told, as one text. */
  told(request?: number): string;
}

export interface LineWish {
  turns?: readonly ScriptedTurn[];
  /** The handlers of the event, as settings files write them; a function stands for a deterministic hook. */
  hooks: readonly (Fields | HookFunction)[];
  event?: EventName;
  cwd?: string;
  tools?: Tools;
  store?: Store;
  /** Absent: a server that speaks as Ollama does. */
  models?: (url: string) => ModelSettings;
}

export async function modelLine(t: TestContext, wish: LineWish): Promise<ModelLine> {
  const { event = "PreToolUse", cwd = tmpdir(), turns = [] } = wish;
  const server = await startScriptedModel({ turns, playSides: true });
  t.after(() => server.close());
  const functions = new Map<string, Callback>();
  const hooks = wish.hooks.map((one, index): Hook => hookOf(one, index, { event, cwd, functions }));
  const models =
    wish.models ??
    ((url) => ({ default: "local/qwen3", providers: { local: { kind: "openai-compatible", url: `${url}/v1` } } }));
  const model = createModel(models(server.url), {});
  const store = wish.store ?? openMemoryStore();
  const runs: Run[] = [];
  const engine = createEngine({
    ...systemPorts(),
    store,
    queue: createInlineQueue(),
    hooks: () => ({ id: "set", hooks }),
    registry: { handlers: createHandlers(functions), conditions: new Map() },
    patterns: {} as Patterns, // hooks without matchers ask for none
    model: async () => model,
    ...(wish.tools ? { tools: async () => wish.tools ?? assert.fail() } : {}),
    observe: (seen) => void (seen.is === "run" && runs.push(structuredClone(seen.run))),
  });
  t.after(() => engine.close());
  let count = 0;
  return {
    server,
    store,
    async emit(name, data, caller) {
      count += 1;
      return engine.emit(
        { id: `event-${count}`, name, at: 0, cwd, data, sender: "test", session: "session-1" },
        caller,
      );
    },
    run: (index = 0) =>
      runs.findLast(({ hook }) => hook === hooks[index]?.id) ?? assert.fail(`no run of hook ${index}`),
    told: (request = 1) => JSON.stringify(server.requests[request - 1]?.body),
  };
}

function hookOf(
  one: Fields | HookFunction,
  index: number,
  { event, cwd, functions }: { event: EventName; cwd: string; functions: Map<string, Callback> },
): Hook {
  const written = typeof one === "function" ? { type: "command", command: "true" } : one;
  const text = JSON.stringify({ hooks: { [event]: [{ hooks: [written] }] } });
  const origin = { dialect: "settings", layer: "project", file: `${cwd}/.hookline/hooks.json`, root: cwd } as const;
  const { hooks, problems } = compileSettings(text, origin, { format: ownFormat });
  const [hook] = hooks;
  assert.ok(hook && problems.length === 0, JSON.stringify(problems));
  const id = `hook-${index}`;
  if (typeof one !== "function") return { ...hook, id };
  functions.set(id, callbackOf(one));
  return { ...hook, id, steps: [{ uses: "function", with: { id }, timeout: 600, onError: "stop" }] };
}

export const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });
