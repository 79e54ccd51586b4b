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
  | { is: "import"; module: number; place: ModulePlace; taken: string[]; limit: Seconds }
  | { is: "call"; id: number; target: Target; given: Given }
  /** Its caller waits no longer. */
  | { is: "abort"; id: number }
  /** The answer of a tool that a call has asked for, or why there is none. */
  | { is: "tool"; tool: number; answer?: Json; error?: string }
  /** To be answered at once: who does not is busy. */
  | { is: "ping" };

export type FromModules =
  | { is: "module"; module: number; found: Description }
  | { is: "answer"; id: number; answer?: Json }
  | { is: "error"; id: number; message: string }
  | { is: "tool"; id: number; tool: number; name: string; input: Fields }
  | { is: "log"; id?: number; level: string; message: string }
  | { is: "pong" };

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
const number = integer();
const messages: { readonly [M in FromModules["is"]]: Schema<unknown> } = {
  module: object({ is: text(), module: number, found: description }),
  answer: object({ is: text(), id: number }, { answer: anything }),
  error: object({ is: text(), id: number, message: text() }),
  tool: object({ is: text(), id: number, tool: number, name: text(), input: fields }),
  log: object({ is: text(), level: text(), message: text() }, { id: number }),
  pong: object({ is: text() }),
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

/** Throws where it is none. */
export function readVerdict(answer: unknown): Verdict {
  if (verdict.check(answer).length > 0) throw new Error("its answer cannot be read");
  return answer as Verdict; // its schema says so
}

export function faultOf(error: unknown): Fault {
  if (!(error instanceof HooklineError)) return { code: "module_failed", reason: messageOf(error) };
  const { code, facts } = error;
  const own = Object.entries(facts).filter(([key]) => ["reason", "where", "advice", "name"].includes(key));
  const known = Object.fromEntries(own.map(([key, value]) => [key, String(value)]));
  return code === "name_taken" ? { ...known, code } : { reason: error.message, ...known, code: "module_failed" };
}

export const errorOf = ({ code, ...facts }: Fault): HooklineError => new HooklineError(code, { ...facts });
