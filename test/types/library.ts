/** Types of createHookline and what it gives; scripts/check-package.ts compiles this against the package. */
import {
  createHookline,
  createInlineQueue,
  defineHook,
  HooklineError,
  type HookSet,
  type Outcome,
  openMemoryStore,
  type Run,
  type Store,
} from "hookline";
import { createFakeClock, startScriptedModel } from "hookline/testing";

const store: Store = openMemoryStore();
const clock = createFakeClock();
const line = await createHookline({ store, queue: createInlineQueue(), clock, files: false });

const registration = line.use(defineHook({ on: "PreToolUse", run: () => ({ allow: true }) }));
line.session("s1").use({ on: "Stop", run: () => undefined });

const outcome: Outcome = await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
const verdict: "deny" | "ask" | "allow" | "defer" | undefined = outcome.verdict?.is;
// @ts-expect-error: an input is an object
line.emit("PreToolUse", { tool_name: "Bash", tool_input: "ls" });
// @ts-expect-error: the tool is missing
line.emit("PreToolUse", { tool_input: {} });
// @ts-expect-error: no event is called so
line.emit("PreTool", {});
line.emit("deploy.finished", { version: 3 });

const runs: Run[] = await line.runs({ status: "failed", limit: 3 });
// @ts-expect-error: no status is called so
line.runs({ status: "broken" });
const { set }: { set: HookSet } = await line.hooks();
const because: string[] = (await line.explain("Stop", {})).map((one) => one.because);

const undo: () => void = line.registerCondition("is late", { test: ({ event }) => event.at > 0 });
undo();
// @ts-expect-error: a store is a path, "memory" or a store
await createHookline({ store: 3 });

const error: Error = new HooklineError("closed", { name: "the store", where: "here" });
// @ts-expect-error: no code is called so
const other = new HooklineError("shut", {});

const model = await startScriptedModel({ turns: [{ text: "done" }] });
const url: string = model.url;
await model.close();
await line.close();
export const used = { registration, verdict, runs, set, because, error, other, url };
