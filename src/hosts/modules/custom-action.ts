/** Actions that users register: a schema and a function, made into a handler that hook files use like a built-in one. */

import { type Answer, asRepositoryEvent, callbackOf, type RepositoryEvent } from "../../actions/function/function.ts";
import { HooklineError } from "../../engine/error.ts";
import type { Fields, HookEvent, Json, MaybePromise, Turn } from "../../engine/event.ts";
import type { Hook, Role } from "../../engine/hook.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import type { ToolAnswer } from "../../engine/reach.ts";
import { isRecord, object, type Schema } from "../../engine/schema.ts";
import { mainOutput } from "../../engine/template.ts";

export interface ActionCall<P> {
  /** As the author wrote them, placeholders filled. */
  params: P;
  /** In hooks of specification 001 its fields stand beside ours: see RepositoryEvent. */
  event: HookEvent | RepositoryEvent;
  turn: Turn;
  hook: Pick<Hook, "id" | "name" | "tags">;
  /** Aborts at the action's limit. */
  readonly signal: AbortSignal;
  /** What the action before this one answered, in a chain. */
  previous: Json | undefined;
  /** Calls a tool of the project's servers, or one of Hookline's own: "server.tool". */
  callTool(name: string, input: Fields): Promise<ToolAnswer>;
  log(message: string, level?: "debug" | "info" | "warn" | "error"): void;
}
/** What an action answers: as a function hook does, and `output` for the actions after it. */
export type ActionAnswer = (Answer & { output?: Json }) | Answer;

export interface ActionDefinition<P = Record<never, never>> {
  summary?: string;
  /** What the author may write beside `type`. Left out: nothing. */
  params?: Schema<P>;
  /** guard: a rule with it blocks when it fails, and is asked again about rewritten input. Default: observe. */
  role?: Role;
  /** Nobody waits for it; what it answers comes with the next event. */
  background?: boolean;
  /** Events on which it has an effect, for warnings; left out: all. */
  events?: readonly string[];
  run(call: ActionCall<P>): MaybePromise<ActionAnswer>;
}

/** Gives an action the types of its parameters. It changes nothing. */
export const defineAction = <P = Record<never, never>>(definition: ActionDefinition<P>): ActionDefinition<P> =>
  definition;

/** @internal */
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
