/**
 * The process in which the modules of one project run: it imports them, says what they give, and calls their functions
 * when it is asked. It is spoken to over descriptor 3, so that nothing that a module prints, replaces or closes is an answer.
 */
import { Socket } from "node:net";
import type { HookFunction } from "../../actions/function/function.ts";
import { messageOf } from "../../engine/error.ts";
import { type Fields, firstTurn, type Json } from "../../engine/event.ts";
import type { ToolAnswer } from "../../engine/external-services.ts";
import { isRecord, type Schema } from "../../engine/schema.ts";
import { createLineReader } from "../../files/lines.ts";
import { containModules } from "../cli/module-output.ts";
import { definitionFields } from "../library/definition.ts";
import { importModule, importOnce, readOnly } from "./import-module.ts";
import { type ActionCall, type ActionDefinition, type ConditionDefinition, collect, type Given } from "./setup.ts";
import type { Description, FromModules, ToModules, Verdict } from "./wire.ts";
import { faultOf } from "./wire.ts";

const { parse, stringify } = JSON; // a module may replace them
const exit = process.exit.bind(process);

const channel = new Socket({ fd: 3, readable: true, writable: true });
const write = channel.write.bind(channel);
const say = (message: FromModules): void => void write(`${stringify(message)}\n`);

const modules = new Map<number, Given>();
const calls = new Map<string, AbortController>();
const tools = new Map<number, PromiseWithResolvers<ToolAnswer>>();
let states: Record<string, string> | undefined;
let asked = 0;

type Message<M extends ToModules["is"]> = Extract<ToModules, { is: M }>;

const hears: { readonly [M in ToModules["is"]]: (message: Message<M>) => void } = {
  async import(message) {
    say({ is: "answer", id: message.id, answer: (await read(message)) as unknown as Json }); // made of what JSON takes
  },
  async call({ id, target, given }) {
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      const answer = asJson(await perform({ is: "call", id, target, given }, controller.signal));
      write(`{"is":"answer","id":"${id}"${answer === undefined ? "" : `,"answer":${answer}`}}\n`);
    } catch (error) {
      say({ is: "error", id, message: messageOf(error) });
    } finally {
      calls.delete(id);
    }
  },
  abort: ({ id }) => calls.get(id)?.abort(),
  tool({ tool, answer, error }) {
    const waiting = tools.get(tool);
    tools.delete(tool);
    if (error === undefined)
      waiting?.resolve(answer as unknown as ToolAnswer); // as Hookline was answered
    else waiting?.reject(new Error(error));
  },
  ping: ({ id }) => say({ is: "answer", id }),
};

async function read({ module, place, taken, limit }: Message<"import">): Promise<Description> {
  const nothing = { hooks: [], conditions: [], actions: [], faults: [] };
  let files: string[] = [];
  try {
    if (place.bound && !states) {
      states = {};
      readOnly(states);
    }
    Object.assign(states ?? {}, place.bound);
    const imported = await importModule(place, limit);
    files = imported.files;
    const given = await collect(imported.exported, imported.path, (name) => taken.includes(name));
    modules.set(module, given);
    return { files, ...describe(given) };
  } catch (error) {
    return { files, ...nothing, error: faultOf(error) };
  }
}

const describe = (given: Given): Omit<Description, "files"> => ({
  hooks: given.hooks.map(plainHook),
  conditions: [...given.conditions].map(([name, { summary, params, explain }]) => ({
    ...named(name, summary, params),
    explains: explain !== undefined,
  })),
  actions: [...given.actions].map(([name, { summary, params, role, background, events }]) => ({
    ...named(name, summary, params),
    ...(role === undefined ? {} : { role }),
    ...(background === undefined ? {} : { background }),
    ...(events === undefined ? {} : { events: [...events] }),
  })),
  faults: given.faults.map(faultOf),
});

const named = (
  name: string,
  summary: string | undefined,
  params: Schema<never> | undefined,
): { name: string; summary?: string; params: Fields } => ({
  name,
  ...(summary === undefined ? {} : { summary }),
  params: params?.json ?? { type: "object", properties: {}, required: [] },
});

/** A function or a stray key that JSON would leave out stays, as null: it is a mistake that a person is told of. */
function plainHook({ run, ...others }: Given["hooks"][number]): Fields {
  const given = Object.entries(others).filter(([key, value]) => value !== undefined || !definitionFields.includes(key));
  const plain = given.map(([key, value]): [string, Json] => [key, parse(stringify(value) ?? "null")]);
  const isNamed = others.name !== undefined || others.id !== undefined || run.name === "run" || run.name === "";
  return Object.fromEntries([...(isNamed ? [] : [["name", run.name] as const]), ...plain]);
}

async function perform({ id, target, given }: Message<"call">, signal: AbortSignal): Promise<unknown> {
  const module = modules.get(target.module);
  const { event, turn = firstTurn, params = {}, previous, hook } = given;
  if ("hook" in target) {
    const run = module?.hooks[target.hook]?.run as HookFunction | undefined; // its definition listens to this event
    return (run ?? gone())(event, { signal });
  }
  if ("condition" in target) {
    const condition = module?.conditions.get(target.condition) as ConditionDefinition<Json> | undefined; // checked below
    return tested(condition ?? gone(), { ...turn, event }, params);
  }
  const action = (module?.actions.get(target.action) ?? gone()) as ActionDefinition<Json>; // checked here:
  insist(action.params, params);
  const call: ActionCall<Json> = {
    ...{ params, event, turn, signal, previous },
    hook: hook ?? { id: "", name: "", tags: [] },
    callTool(name, input) {
      const waiting = Promise.withResolvers<ToolAnswer>();
      asked += 1;
      tools.set(asked, waiting);
      say({ is: "tool", id, tool: asked, name, input });
      return waiting.promise;
    },
    log: (message, level = "info") => say({ is: "log", id, level, message: String(message) }),
  };
  return action.run(call);
}

function tested(
  { test, explain, params: schema }: ConditionDefinition<Json>,
  state: Parameters<ConditionDefinition<Json>["test"]>[0],
  params: Json,
): Verdict {
  try {
    insist(schema, params);
    const holds = test(state, params) === true;
    return { holds, ...(explain ? { said: String(explain(state, params)) } : {}) };
  } catch (error) {
    return { holds: false, failed: messageOf(error) };
  }
}

/** A schema that is not ours is known here alone. */
function insist(schema: Schema<Json> | undefined, params: Json): void {
  const [wrong] = schema?.check(params) ?? [];
  if (wrong) throw new Error(`${["params", ...wrong.path].join(".")} needs ${wrong.expected} but has ${wrong.found}`);
}

function gone(): never {
  throw new Error("the module no longer gives it");
}

/** What JSON would leave out may have been meant as a verdict: then the call fails, and a guard's failure blocks. */
function asJson(answer: unknown): string | undefined {
  if (answer === undefined) return undefined;
  const prototype: unknown = isRecord(answer) ? Object.getPrototypeOf(answer) : null;
  if (prototype !== null && prototype !== Object.prototype)
    throw new Error("the callback answered an object of a class: answer a plain one");
  return stringify(answer, (key, value: unknown) => {
    if (typeof value === "function" || typeof value === "symbol")
      throw new Error(`the callback answered a ${typeof value}${key === "" ? "" : ` as "${key}"`}`);
    return value;
  });
}

importOnce();
containModules((seen) => {
  if (seen.is === "log") say({ is: "log", level: seen.level, message: seen.message });
});
const hear = createLineReader(Number.POSITIVE_INFINITY, (line) => {
  const message: ToModules = parse(line); // Hookline says nothing else
  const { [message.is]: heard } = hears;
  (heard as (message: ToModules) => void)(message); // the table has one for each
  return true;
});
channel.on("data", hear).on("error", () => exit(1));
channel.on("close", () => exit(0)); // Hookline has ended, or wants this process no more
