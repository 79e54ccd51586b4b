/**
 * A process of its own that performs an automation with a real store and journal: node automation-worker.ts FOLDER URL
 * [emit] [stuck]. Its tools say what they do, one line each; with `stuck` the tool hookline.second never ends.
 */
import { join } from "node:path";
import { createEngine } from "../../src/engine/engine.ts";
import type { Tools } from "../../src/engine/external-services.ts";
import type { Patterns } from "../../src/engine/ports.ts";
import { openDurableQueue } from "../../src/hosts/compose/durable-queue.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { createModel } from "../../src/services/models/index.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { automationOf, localModel, registryOf } from "./automation-line.ts";

const [folder = "", url = "", ...words] = process.argv.slice(2);
const print = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const tools: Tools = {
  list: async () => [{ name: "hookline.first" }, { name: "hookline.second" }],
  async call(name, _input, _signal, _event, key) {
    print({ tool: name, key });
    if (name === "hookline.second" && words.includes("stuck")) await new Promise(() => {});
    return { ok: true, output: `${name} is done` };
  },
  close: async () => {},
};
const store = openSqliteStore({ path: join(folder, "store.db") });
const hook = automationOf({
  cwd: folder,
  gathered: [{ stdout: "gathered" }],
  prompt: "{{step_0}}",
  asks: { tools: "all" },
});
const model = createModel(localModel(url), {});
const queue = openDurableQueue(store, { cap: () => 2, environment: {}, poll: 0.05 });
const engine = createEngine({
  ...systemPorts(),
  store,
  queue,
  hooks: () => ({ id: "set", hooks: [hook] }),
  registry: registryOf(),
  patterns: {} as Patterns, // it has no matchers
  model: async () => model,
  tools: async () => tools,
  observe(seen) {
    if (seen.is === "run") print({ status: seen.run.status, output: seen.run.steps.at(-1)?.output });
  },
});
setInterval(() => {}, 1 << 30); // a tool that never ends keeps nothing alive
if (words.includes("emit"))
  await engine.emit({ id: "event-1", name: "task.completed", at: Date.now(), cwd: folder, data: {}, sender: "test" });
