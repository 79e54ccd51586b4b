/** Operations for callers outside: described, chosen, called with JSON, and answered in one form, whatever the way in. */
import { type ErrorCode, HooklineError, messageOf } from "../engine/error.ts";
import type { Fields, HookEvent, Json } from "../engine/event.ts";
import { warningAbout } from "../engine/hook.ts";
import { namesTool, type OperationName } from "../engine/named.ts";
import { nearest } from "../engine/nearest.ts";
import { isRecord, type Mismatch } from "../engine/schema.ts";
import { automationOf } from "../formats/automations/fields.ts";
import { type Asked, folderOf, type Operation, type OperationContext } from "./operation.ts";
import { isFields, projectServiceOf, rowsOf } from "./project-service.ts";
import { pathFrom } from "./shown.ts";

export type OperationTable = ReadonlyMap<string, Operation<unknown, unknown>>;

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
  | {
      is: "done";
      result: Json;
      /** What `show` is given. */
      found: unknown;
      /** What the caller should know beside it. */
      notes: readonly string[];
    }
  /** No operation is called so. */
  | { is: "unknown"; message: string; near?: string }
  /** The input is not what it takes. */
  | { is: "invalid"; message: string; mismatch: Mismatch }
  /** It said no, and why. */
  | { is: "refused"; message: string; cause: unknown }
  /** It could not be asked: the store, the disk. */
  | { is: "broken"; message: string; cause: unknown };

export interface CallOptions {
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
  /** A model may ask: what is for a person is left out, and refused (R92). */
  forModels?: true;
}

export interface ServedOperations {
  list(): Described[];
  /** Never rejects. */
  call(name: string, input: unknown, options: CallOptions): Promise<Answer>;
}

/** Those that are chosen. */
export const describeOperations = (all: OperationTable, choice: Choice = {}): Described[] =>
  [...chosen(all, choice)].map(([name, operation]) => describe(name, operation));

export function serveOperations(all: OperationTable, context: OperationContext, choice: Choice = {}): ServedOperations {
  const table = chosen(all, choice);
  return {
    list: () => describeOperations(table),
    async call(name, input, { signal, event, key }) {
      const operation = table.get(name);
      if (!operation && choice.forModels && all.get(name)?.for === "person") return forPerson(name, all);
      if (!operation) return unknown(name, table);
      const [mismatch] = operation.params.check(input);
      if (mismatch) return { is: "invalid", message: sayMismatch(mismatch), mismatch };
      if (signal.aborted)
        return { is: "broken", message: "the call was stopped before it began", cause: signal.reason };
      try {
        const untold: string[] = [];
        const asked = askedOf(context, signal, event);
        const more = { untold: (reason: string) => void untold.push(reason), ...(key === undefined ? {} : { key }) };
        const found = await operation.run(input, { ...asked, ...more });
        const result = resultOf(operation, found);
        const told = untold.length > 0 && isFields(result) ? { ...result, not_told: untold } : result;
        return { is: "done", result: told, found, notes: await notesOn(operation, found, asked) };
      } catch (cause) {
        return { is: isBroken(cause) ? "broken" : "refused", message: messageOf(cause), cause };
      }
    },
  };
}

/** That hook files are broken, where it is about hooks: the other hooks are active all the same. */
async function notesOn(
  { reportsHooks, notes }: Operation<unknown, unknown>,
  found: unknown,
  asked: Asked,
): Promise<string[]> {
  const folder = folderOf(asked);
  const { problems = [] } = reportsHooks ? await asked.active(folder) : {};
  const broken = warningAbout({ problems }, (path) => pathFrom(path, folder, asked.home));
  return [...(broken === undefined ? [] : [broken]), ...(notes?.(found) ?? [])];
}

export const askedOf = (context: OperationContext, signal: AbortSignal, event?: HookEvent): Asked => ({
  ...{ now: Date.now, id: () => crypto.randomUUID(), ...context },
  ...{ signal, event },
});

/** Rows are records of JSON values: their types have no index signature, and that is all that is missing. */
const resultOf = (operation: Operation<unknown, unknown>, found: unknown): Json =>
  (operation.rows ? operation.rows(found) : found) as Json;

const describe = (name: string, { summary, params, readOnly }: Operation<unknown, unknown>): Described => ({
  name,
  summary: sentence(summary),
  input: params.json,
  readOnly,
  destructive: !readOnly && changing.has(name.slice(name.lastIndexOf("_") + 1)),
});
/** The other actions only add, or move on what goes on. */
const changing: ReadonlySet<string> = new Set(["emit", "edit", "delete", "write", "apply", "fire"]);

/** A phrase as a sentence, for models. */
export const sentence = (summary: string): string =>
  `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}${summary.endsWith(".") ? "" : "."}`;

/** As a person types it: `automation fire`. */
export const commandOf = (name: string, { command }: Pick<Operation<unknown>, "command">): string =>
  command ?? name.replace("_", " ").replaceAll("_", "-");

function forPerson(name: string, all: OperationTable): Answer {
  const command = commandOf(name, all.get(name) ?? {});
  const message = `${name} is for a person, not for a model or a program — ask the person to type \`hookline ${command}\` in a terminal`;
  return { is: "refused", message, cause: undefined };
}

function chosen(all: OperationTable, { readOnly, only, forModels }: Choice): OperationTable {
  const isMeant = (name: string): boolean => only === undefined || only.some((written) => means(written, name));
  return new Map(
    [...all].filter(
      ([name, row]) => (!readOnly || row.readOnly) && isMeant(name) && !(forModels && row.for === "person"),
    ),
  );
}

/** Whether a name in a list of operations stands for this one: as one in a list of tools does, or as that of its group. */
export const means = (written: string, name: string): boolean =>
  namesTool(written, name) || namesTool(`${written}_*`, name);

function unknown(name: string, table: OperationTable): Answer {
  const near = nearest(name, table.keys());
  const advice = near === undefined ? `known: ${[...table.keys()].join(", ")}` : `did you mean "${near}"?`;
  const message = `no operation is called "${name}"; ${advice}`;
  return { is: "unknown", message, ...(near === undefined ? {} : { near }) };
}

/** @param show how a place in the input is called where it was written */
export function sayMismatch(
  { path, expected, found, unknown: isUnknown }: Mismatch,
  show: (path: Mismatch["path"]) => string = (at) => at.join("."),
): string {
  if (isUnknown) return `unknown field "${found}"`;
  const place = show(path) || "the input";
  return found === "nothing" ? `missing ${place}: ${expected}` : `${place} must be ${expected}, not ${found}`;
}

const environmentCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["store_unusable", "store_locked", "closed"]);

/** What is no answer of the operation, but a failure of what it works on. */
function isBroken(error: unknown): boolean {
  if (error instanceof HooklineError) return environmentCodes.has(error.code);
  return error instanceof Error && "code" in error && (error.code === "ERR_SQLITE_ERROR" || "syscall" in error);
}

// Operations for a model that may read one project only (R28): each is limited by its parameters or by its result. One
// line each.

interface Limit {
  /** What it is asked instead. May throw an Error that says why not. */
  asked?(params: Fields, project: string): Fields;
  /** What of its answer may be seen. */
  shown?(result: Json, project: string): Json;
  /** It reads what lies in the store below the project's row. */
  isKept?: true;
}

/** By the parameter that says which project is meant. */
const by = (name: "project" | "id"): Pick<Limit, "asked"> => ({
  asked(params, project) {
    const { [name]: said = project } = params;
    if (said !== project) throw new Error(`this model may read only the project ${project}`);
    return { ...params, [name]: project };
  },
});

/** What is not here cannot be kept to one project, or changes something. */
const limits: { readonly [N in OperationName]?: Limit } = {
  automation_list: by("project"),
  automation_show: by("project"),
  automation_export: by("project"),
  automation_runs: by("project"),
  runs: {
    asked: ({ project: _folder, ...params }, project) => ({
      ...params,
      all: true,
      among: { prefix: `automation:${project}/` },
    }),
  },
  run: { shown: (run, project) => onlyIf(automationOf(textIn(run, "hook"))?.project === project, run) },
  project_list: { shown: (rows, project) => rowsOf(rows).filter(({ id }) => id === project) },
  project_show: { ...by("id"), isKept: true },
  task_list: { ...by("project"), isKept: true },
  task_show: { shown: (task, project) => onlyIf(textIn(task, "project_id") === project, task), isKept: true },
  note_list: { ...by("project"), isKept: true },
  note_show: { ...by("project"), isKept: true },
  memory_search: { ...by("project"), isKept: true },
};

const textIn = (result: Json, key: string): string => (isRecord(result) ? String(result[key]) : "");

function onlyIf(isOwn: boolean, result: Json): Json {
  if (!isOwn) throw new Error("it belongs to another project, which this model may not read");
  return result;
}

export const operationsWithin = (all: OperationTable, project: string): OperationTable =>
  new Map(
    Object.entries(limits).flatMap(([name, limit]) => {
      const operation = all.get(name);
      return operation ? [[name, limited(operation, limit, project)] as const] : [];
    }),
  );

const limited = (
  { rows, ...operation }: Operation<unknown, unknown>,
  limit: Limit,
  project: string,
): Operation<unknown> => ({
  ...operation,
  async run(params, asked: Asked) {
    const { asked: instead, shown, isKept } = limit;
    const meant = instead ? instead(params as Fields, project) : params; // checked by its schema: an object
    if (isKept && !(await (await projectServiceOf(asked)).project(project)))
      throw new Error(`the store holds nothing of the project ${project} yet`);
    const result = resultOf(rows ? { ...operation, rows } : operation, await operation.run(meant, asked));
    return shown ? shown(result, project) : result;
  },
});

// `GET` and `POST /operations/NAME`. Pure: the HTTP server mounts it.

export interface OperationRequest {
  method: "GET" | "POST";
  name: string;
  /** The body, or the parameters of a question. */
  input: Fields;
  signal: AbortSignal;
}
/** The result itself, or an error in the form of all others. */
interface OperationReply {
  status: number;
  /** `hookline-notes`: a list of what the caller should know beside the result, as JSON in ASCII. */
  headers?: Readonly<Record<string, string>>;
  body: Json;
}

const refusals = {
  unknown: { status: 404, code: "operation_unknown", advice: "GET /operations lists them" },
  invalid: { status: 400, code: "input_invalid", advice: "GET /operations shows what it takes" },
  refused: { status: 422, code: "operation_refused", advice: "see the message" },
  broken: { status: 507, code: "operation_failed", advice: "see the message" },
} as const satisfies { [K in Exclude<Answer["is"], "done">]: Refusal };
const changesSomething: Refusal = { status: 405, code: "method_not_allowed", advice: "use POST" };

interface Refusal {
  status: number;
  code: string;
  advice: string;
}

/** Never rejects. Only what changes nothing is done on `GET`: following a link must not delete anything. */
export async function answerOverHttp(
  { method, name, input, signal }: OperationRequest,
  served: ServedOperations,
): Promise<OperationReply> {
  if (method === "GET" && served.list().some((one) => one.name === name && !one.readOnly))
    return refuse(changesSomething, `${name} changes something`);
  const answer = await served.call(name, input, { signal });
  if (answer.is === "done") return { status: 200, headers: headersOf(answer.notes), body: answer.result };
  return refuse(refusals[answer.is], answer.message);
}

const headersOf = (notes: readonly string[]): Readonly<Record<string, string>> =>
  notes.length === 0 ? {} : { "hookline-notes": JSON.stringify(notes).replaceAll(/[^ -~]/g, escaped) };
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

const refuse = ({ status, code, advice }: Refusal, message: string): OperationReply => ({
  status,
  body: { error: { code, message, advice } },
});

export const wrongFolder: OperationReply = refuse(refusals.invalid, "cwd must be the absolute path of a folder");
