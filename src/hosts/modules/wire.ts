/** What is said between Hookline and the process of a project's modules, as lines of JSON. What that process says is read as a stranger's. */
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields, HookEvent, Json, Seconds, Turn } from "../../engine/event.ts";
import type { Hook, Role } from "../../engine/hook.ts";
import {
  anything,
  flag,
  integer,
  isRecord,
  listOf,
  mapOf,
  object,
  oneOf,
  type Schema,
  text,
} from "../../engine/schema.ts";
import type { ModulePlace } from "../../loading/places.ts";

/** A module, and a hook of it by its position, or what it registered by name. */
export type Target =
  | { module: number; hook: number }
  | { module: number; action: string }
  | { module: number; condition: string };

/** What a function of a module is given, but for what it can call. */
export interface Given {
  event: HookEvent;
  turn?: Turn;
  params?: Json;
  hook?: Pick<Hook, "id" | "name" | "tags">;
  previous?: Json;
}

export type ToModules =
  | { is: "import"; id: string; module: number; place: ModulePlace; taken: string[]; limit: Seconds }
  | { is: "call"; id: string; target: Target; given: Given }
  /** Its caller waits no longer. */
  | { is: "abort"; id: string }
  /** The answer of a tool that a call has asked for, or why there is none. */
  | { is: "tool"; tool: number; answer?: Json; error?: string }
  /** To be answered at once: who does not is busy. */
  | { is: "ping"; id: string };

export type FromModules =
  | { is: "answer"; id: string; answer?: Json }
  | { is: "error"; id: string; message: string }
  | { is: "tool"; id: string; tool: number; name: string; input: Fields }
  | { is: "log"; id?: string; level: string; message: string };

/** What a module gives, without its functions. */
export interface Description {
  /** The files of the project that it consists of. */
  files: string[];
  /** Definitions without `run`. */
  hooks: Fields[];
  conditions: { name: string; summary?: string; params: Fields; explains: boolean }[];
  actions: {
    name: string;
    summary?: string;
    params: Fields;
    role?: Role;
    background?: boolean;
    events?: string[];
  }[];
  /** Registrations that were refused. */
  faults: Fault[];
  /** Why it gives nothing. */
  error?: Fault;
}

/** A HooklineError on its way. */
export interface Fault {
  code: "module_failed" | "name_taken";
  reason?: string;
  where?: string;
  advice?: string;
  name?: string;
}

/** What a condition answers. */
export interface Verdict {
  holds: boolean;
  /** What its test has thrown. */
  failed?: string;
  /** What its own `explain` says. */
  said?: string;
}

const fault = object(
  { code: oneOf("module_failed", "name_taken") },
  { reason: text(), where: text(), advice: text(), name: text() },
);
const fields = mapOf(anything);
const registered = { name: text(), params: fields };
const description = object(
  {
    files: listOf(text()),
    hooks: listOf(fields),
    conditions: listOf(object({ ...registered, explains: flag }, { summary: text() })),
    actions: listOf(
      object(registered, {
        summary: text(),
        role: oneOf("guard", "transform", "observe", "undeclared"),
        background: flag,
        events: listOf(text()),
      }),
    ),
    faults: listOf(fault),
  },
  { error: fault },
);
const messages: { readonly [M in FromModules["is"]]: Schema<unknown> } = {
  answer: object({ is: text(), id: text() }, { answer: anything }),
  error: object({ is: text(), id: text(), message: text() }),
  tool: object({ is: text(), id: text(), tool: integer(), name: text(), input: fields }),
  log: object({ is: text(), level: text(), message: text() }, { id: text() }),
};

/** Undefined: it is none of what may be said. */
export function readLine(line: string): FromModules | undefined {
  try {
    const said: unknown = JSON.parse(line);
    const is = isRecord(said) && typeof said.is === "string" ? said.is : "";
    const schema = Object.hasOwn(messages, is) ? messages[is as FromModules["is"]] : undefined; // it is a key of them
    return schema?.check(said).length === 0 ? (said as FromModules) : undefined; // its schema says so
  } catch {
    return undefined;
  }
}

const verdict = object({ holds: flag }, { failed: text(), said: text() });

/** Both throw where it is none. */
export const readVerdict = (answer: unknown): Verdict => checked(answer, verdict) as Verdict; // its schema says so
export const readDescription = (answer: unknown): Description => checked(answer, description) as Description; // its schema says so

function checked(answer: unknown, schema: Schema<unknown>): unknown {
  if (schema.check(answer).length > 0) throw new Error("its answer cannot be read");
  return answer;
}

export function faultOf(error: unknown): Fault {
  if (!(error instanceof HooklineError)) return { code: "module_failed", reason: messageOf(error) };
  const { code, facts } = error;
  const own = Object.entries(facts).filter(([key]) => ["reason", "where", "advice", "name"].includes(key));
  const known = Object.fromEntries(own.map(([key, value]) => [key, String(value)]));
  return code === "name_taken" ? { ...known, code } : { reason: error.message, ...known, code: "module_failed" };
}

export const errorOf = ({ code, ...facts }: Fault): HooklineError => new HooklineError(code, { ...facts });
