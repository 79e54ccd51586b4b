/** The engine's own operations. One line each; hooks and models call them as tools of the module `hookline`. */
import { HooklineError, messageOf } from "../core/error.ts";
import { nearest } from "../core/nearest.ts";
import type { ToolInfo, Tools } from "../core/reach.ts";
import { emit } from "./event.ts";
import { explain, hooks } from "./hooks.ts";
import type { Operation, OperationContext } from "./operation.ts";
import { run, runs, status } from "./runs.ts";

export type { Operation, OperationContext } from "./operation.ts";

/** An operation checks its parameters against its own schema, so the table may forget their type. */
const forget = <P>(operation: Operation<P>): Operation<unknown> => operation as unknown as Operation<unknown>;

export const operations: ReadonlyMap<string, Operation<unknown>> = new Map([
  ["hooks", forget(hooks)],
  ["explain", forget(explain)],
  ["runs", forget(runs)],
  ["run", forget(run)],
  ["status", forget(status)],
  ["emit", forget(emit)],
]);

const moduleName = "hookline";

/** The operations as tools: hookline.runs and so on. */
export function createOperations(context: OperationContext): Pick<Tools, "call" | "list"> & { name: string } {
  const given = { now: Date.now, id: () => crypto.randomUUID(), ...context };
  return {
    name: moduleName,
    async call(name, input, signal, event) {
      const operation = known(name);
      const [wrong] = operation.params.check(input);
      if (wrong) {
        const what = wrong.unknown
          ? `it does not know "${wrong.found}"`
          : `${wrong.path.join(".") || "it"} needs ${wrong.expected}, and has ${wrong.found}`;
        throw failed(name, what);
      }
      if (signal.aborted) throw failed(name, "the call was stopped before it began");
      try {
        return { ok: true, output: await operation.run(input, { ...given, signal, event }) };
      } catch (error) {
        throw failed(name, messageOf(error), error);
      }
    },
    list: async () => [...operations].map(([name, operation]) => info(name, operation)),
  };
}

const info = (name: string, { summary, params, readOnly }: Operation<unknown>): ToolInfo => ({
  name: `${moduleName}.${name}`,
  description: summary,
  input: params.json,
  readOnly,
});

function known(name: string): Operation<unknown> {
  const short = name.slice(moduleName.length + 1);
  const operation = operations.get(short);
  if (operation) return operation;
  const near = nearest(short, operations.keys());
  const advice = `it has: ${[...operations.keys()].join(", ")}`;
  throw new HooklineError("tool_unknown", {
    name,
    where: `module ${moduleName}`,
    advice,
    ...(near === undefined ? {} : { near: `${moduleName}.${near}` }),
  });
}

const failed = (name: string, reason: string, cause?: unknown): HooklineError =>
  new HooklineError("tool_failed", { name, reason, where: `module ${moduleName}` }, { cause });
