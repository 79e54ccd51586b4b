/** Operations for whoever asks from outside: described, chosen, called with JSON, and answered in one form, whatever the way in. */
import { type ErrorCode, HooklineError, messageOf } from "../engine/error.ts";
import type { Fields, HookEvent, Json } from "../engine/event.ts";
import { namesTool } from "../engine/named.ts";
import { nearest } from "../engine/nearest.ts";
import type { Mismatch } from "../engine/schema.ts";
import type { Operation, OperationContext } from "./operation.ts";
import { isFields } from "./views.ts";

export type OperationTable = ReadonlyMap<string, Operation<unknown>>;

export interface Described {
  name: string;
  summary: string;
  /** JSON Schema of the input. */
  input: Fields;
  readOnly: boolean;
  /** It may change or take away what is there, or set off what does. */
  destructive: boolean;
}

export type Answer =
  | { is: "done"; result: Json }
  /** No operation is called so. */
  | { is: "unknown"; message: string; near?: string }
  /** The input is not what it takes. */
  | { is: "invalid"; message: string; mismatch: Mismatch }
  /** It said no, and why. */
  | { is: "refused"; message: string; cause: unknown }
  /** It could not be asked: the store, the disk. */
  | { is: "broken"; message: string; cause: unknown };

export interface Asking {
  signal: AbortSignal;
  /** The event whose hook asks. */
  event?: HookEvent | undefined;
  key?: string | undefined;
}

export interface Choice {
  /** Only those that change nothing. */
  readOnly?: boolean;
  /** Only those of these names; `task_*` and `task` mean all that begin so. */
  only?: readonly string[];
}

export interface ServedOperations {
  list(): Described[];
  /** Never rejects. */
  call(name: string, input: unknown, asking: Asking): Promise<Answer>;
}

/** Those that are chosen, for whoever wants to know what there is. */
export const describeOperations = (all: OperationTable, choice: Choice = {}): Described[] =>
  [...chosen(all, choice)].map(([name, operation]) => describe(name, operation));

export function serveOperations(all: OperationTable, context: OperationContext, choice: Choice = {}): ServedOperations {
  const given = { now: Date.now, id: () => crypto.randomUUID(), ...context };
  const table = chosen(all, choice);
  return {
    list: () => describeOperations(table),
    async call(name, input, { signal, event, key }) {
      const operation = table.get(name);
      if (!operation) return unknown(name, table);
      const [mismatch] = operation.params.check(input);
      if (mismatch) return { is: "invalid", message: sayMismatch(mismatch), mismatch };
      if (signal.aborted)
        return { is: "broken", message: "the call was stopped before it began", cause: signal.reason };
      try {
        const untold: string[] = [];
        const told = { signal, event, untold: (reason: string) => void untold.push(reason) };
        const result = await operation.run(input, { ...given, ...told, ...(key === undefined ? {} : { key }) });
        return { is: "done", result: untold.length > 0 && isFields(result) ? { ...result, not_told: untold } : result };
      } catch (cause) {
        return { is: isBroken(cause) ? "broken" : "refused", message: messageOf(cause), cause };
      }
    },
  };
}

const describe = (name: string, { summary, params, readOnly }: Operation<unknown>): Described => ({
  name,
  summary,
  input: params.json,
  readOnly,
  destructive: !readOnly && changing.has(name.slice(name.lastIndexOf("_") + 1)),
});
/** The other actions only add, or move on what goes on. */
const changing: ReadonlySet<string> = new Set(["emit", "edit", "delete", "write", "apply", "fire"]);

function chosen(all: OperationTable, { readOnly, only }: Choice): OperationTable {
  const isMeant = (name: string): boolean => only === undefined || only.some((written) => means(written, name));
  return new Map([...all].filter(([name, operation]) => (!readOnly || operation.readOnly) && isMeant(name)));
}

/** Whether a name in a list of operations stands for this one: as one in a list of tools does, or as that of its group. */
export const means = (written: string, name: string): boolean =>
  namesTool(written, name) || namesTool(`${written}_*`, name);

function unknown(name: string, table: OperationTable): Answer {
  const near = nearest(name, table.keys());
  const advice = near === undefined ? `there are: ${[...table.keys()].join(", ")}` : `did you mean "${near}"?`;
  const message = `no operation is called "${name}"; ${advice}`;
  return { is: "unknown", message, ...(near === undefined ? {} : { near }) };
}

/** @param show how a place in the input is called where it was written */
export const sayMismatch = (
  { path, expected, found, unknown: isUnknown }: Mismatch,
  show: (path: Mismatch["path"]) => string = (at) => at.join("."),
): string => (isUnknown ? `it does not know "${found}"` : `${show(path) || "it"} needs ${expected}, and has ${found}`);

const environmentCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["store_unusable", "store_locked", "closed"]);

/** What is no answer of the operation, but a failure of what it works on. */
function isBroken(error: unknown): boolean {
  if (error instanceof HooklineError) return environmentCodes.has(error.code);
  return error instanceof Error && "code" in error && (error.code === "ERR_SQLITE_ERROR" || "syscall" in error);
}
