/** What a module registers as what the engine asks: a kind of condition, a handler. Apart, because a module's own process needs neither. */
import { asRepositoryEvent, callbackOf } from "../../actions/function/function.ts";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields, Json } from "../../engine/event.ts";
import type { ConditionKind, Handler, Scope, StepContext, StepResult } from "../../engine/ports.ts";
import {
  anything,
  either,
  flag,
  integer,
  isRecord,
  listOf,
  mapOf,
  number,
  numberWithin,
  object,
  oneOf,
  type Schema,
  text,
} from "../../engine/schema.ts";
import { mainOutput } from "../../engine/template.ts";
import type { ActionAnswer, ActionCall, ActionDefinition, ConditionDefinition, ConditionState } from "./setup.ts";

export function conditionKind<P>(name: string, definition: ConditionDefinition<P>): ConditionKind {
  const kind: ConditionKind<P> = {
    params: definition.params ?? (object({}) as Schema<unknown> as Schema<P>), // without a schema P has no members
    ...(definition.summary === undefined ? {} : { summary: definition.summary }),
    compile: (params) => (scope) => {
      try {
        return definition.test(stateOf(scope), params ?? ({} as P)) === true; // none were written, and none are needed
      } catch (error) {
        scope.faults?.push(`${name} failed: ${messageOf(error)}`);
        return false;
      }
    },
    explain: (params, scope) => {
      const said = definition.explain?.(stateOf(scope), params) ?? name;
      return { holds: said, fails: definition.explain ? said : `not: ${said}` };
    },
  };
  return kind as unknown as ConditionKind; // compileCondition checks parameters against the kind's own schema
}

const stateOf = ({ turn, event }: Scope): ConditionState => ({ ...turn, event });

export function actionHandler<P>(name: string, definition: ActionDefinition<P>): Handler {
  const handler: Handler<P> = {
    params: definition.params ?? (object({}) as Schema<unknown> as Schema<P>), // without a schema P has no members
    action: {
      summary: definition.summary ?? `the action ${name} of this project`,
      role: () => definition.role ?? "observe",
      ...(definition.background ? { background: true } : {}),
      ...(definition.events ? { events: definition.events } : {}),
    },
    builtin: {
      summary: definition.summary ?? `the action ${name} of this project`,
      role: () => definition.role ?? "observe",
      ...(definition.events ? { events: definition.events } : {}),
    },
    async run(params, context) {
      const { event, hook } = context;
      const given = hook.origin.dialect === "registry" ? await asRepositoryEvent(event, hook) : event;
      const answer = await definition.run(callOf(params, given, context));
      return read(answer, context);
    },
  };
  return handler as unknown as Handler; // its own schema has passed the parameters
}

function callOf<P>(params: P, event: ActionCall<P>["event"], context: StepContext): ActionCall<P> {
  const { event: own, hook, ports, scope, run } = context;
  const last = scope.results.at(-1);
  return {
    params,
    event,
    turn: scope.turn,
    hook,
    get signal() {
      return context.signal;
    },
    previous: last && mainOutput(last.output),
    async callTool(tool, input) {
      if (!ports.tools) throw new HooklineError("tool_unknown", { name: tool, where: hook.name });
      return (await ports.tools(own, hook)).call(tool, input, context.signal);
    },
    log: (message, level = "info") => ports.observe?.({ is: "log", level, message, hook: hook.id, run }),
  };
}

const nothing = callbackOf(() => undefined);

/** The answer's own fields as a callback's; `output` is the step's. */
async function read(answer: ActionAnswer, context: StepContext): Promise<StepResult> {
  if (!isRecord(answer) || !("output" in answer)) {
    return answer === undefined ? { ok: true, output: {} } : await nothing.read(answer, context);
  }
  const { output, ...rest } = answer;
  const result = await nothing.read(Object.keys(rest).length > 0 ? rest : undefined, context);
  return { ...result, output: isRecord(output) ? (output as Fields) : { content: (output ?? null) as Json } }; // actions answer JSON
}

// A schema from what it says of itself as JSON: its check is a function of the module's process, and files are read without asking that.

/** Of what no schema of ours says it takes anything: the process of the module checks it again. */
export const schemaOf = (json: Fields): Schema<unknown> => ({ ...built(json), json });

type Build = (json: Fields) => Schema<unknown>;

const built: Build = (json) => {
  if (Array.isArray(json.enum)) return oneOf(...json.enum.filter((one) => typeof one === "string"));
  if (Array.isArray(json.anyOf)) {
    const [first, ...others] = json.anyOf.map(inside);
    return first ? others.reduce((left, right) => either(left, right), first) : anything;
  }
  const { type } = json;
  return typeof type === "string" && Object.hasOwn(byType, type) ? (byType[type]?.(json) ?? anything) : anything;
};

const inside = (json: Json | undefined): Schema<unknown> => (isRecord(json) ? schemaOf(json as Fields) : anything); // what was parsed from JSON holds nothing else

const minimumOf = ({ minimum }: Fields): number | undefined => (typeof minimum === "number" ? minimum : undefined);

const byType: { readonly [type: string]: Build | undefined } = {
  boolean: () => flag,
  string: () => text(),
  integer: (json) => integer(undefined, minimumOf(json)),
  number: (json) =>
    typeof json.maximum === "number"
      ? numberWithin(minimumOf(json) ?? Number.NEGATIVE_INFINITY, json.maximum)
      : number(undefined, minimumOf(json)),
  array: ({ items }) => listOf(inside(items)),
  object({ properties, required, additionalProperties }) {
    if (!isRecord(properties)) return mapOf(inside(additionalProperties));
    const needed = Array.isArray(required) ? required : [];
    const members = Object.entries(properties).map(([key, one]): [string, Schema<unknown>] => [
      key,
      inside(one as Json),
    ]);
    return object(
      Object.fromEntries(members.filter(([key]) => needed.includes(key))),
      Object.fromEntries(members.filter(([key]) => !needed.includes(key))),
    );
  },
};
