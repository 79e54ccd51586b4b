/** The hook of an automation (specification 000, section 4): its context steps, their flags as a condition, then the model's step. */
import type { Fields, Json, Seconds } from "../../engine/event.ts";
import { isId } from "../../engine/fingerprint.ts";
import type { Condition, Hook, Origin, Step } from "../../engine/hook.ts";
import { type SkipFlags, skipFlagNames, skipFlags } from "../../engine/named.ts";
import { didYouMean, meantOrKnown } from "../../engine/nearest.ts";
import type { ContextStepUse, Handler, Patterns, Registry } from "../../engine/ports.ts";
import { isRecord, kindOf, type Mismatch } from "../../engine/schema.ts";
import { warnOfPlaceholders } from "../placeholders.ts";
import type { Path } from "../reading/mismatches.ts";
import { type Automation, hookIdOf } from "./fields.ts";
import { type Findings, reportMismatches } from "./findings.ts";
import type { ReadTrigger } from "./trigger.ts";

export interface StepsContext {
  findings: Findings;
  registry: Pick<Registry, "handlers">;
  origin: Pick<Origin, "root">;
  /** Absent: what steps hold of patterns and shell lines is believed. It was read when the automation was made. */
  patterns?: Patterns;
}
export interface ReadSteps {
  steps: Step[];
  /** One entry for each step; empty where its author set no flag. */
  flags: SkipFlags[];
}
type StepHandler = Handler & { contextStep: ContextStepUse };

/** The steps that an automation's author may name: what stands behind `type`, and who does it. */
export function contextSteps({
  handlers,
}: Pick<Registry, "handlers">): Map<string, { uses: string; handler: StepHandler }> {
  const steps = new Map<string, { uses: string; handler: StepHandler }>();
  for (const [uses, handler] of handlers) if (isStep(handler)) steps.set(handler.contextStep.type, { uses, handler });
  return steps;
}
const isStep = (handler: Handler): handler is StepHandler => handler.contextStep !== undefined;

/** What runs where nothing has the step's type: it says so in its result, and the next step runs (AT15). */
const unknownStep = "unknown_step";
const unknownStepLimit: Seconds = 10;
/** A handler keeps its own limit; the engine's comes later, so that the specified result counts. */
const margin: Seconds = 5;

const flagsByName = new Map(skipFlagNames.map((name) => [skipFlags[name].written, name]));

export function readSteps(written: Json | undefined, context: StepsContext): ReadSteps {
  const { findings, registry } = context;
  const path: Path = ["context_steps"];
  if (written === undefined || written === null) return { steps: [], flags: [] };
  if (!Array.isArray(written)) {
    const message = `"context_steps" needs a list of steps but is ${kindOf(written)}`;
    findings.error(path, { code: "wrong-type", message, suggestion: "write [{ type: shell, command: … }]" });
    return { steps: [], flags: [] };
  }
  const known = contextSteps(registry);
  const read = written.map((one, index) => readStep(one, { ...context, known, path: [...path, index], index }));
  return { steps: read.map(({ step }) => step), flags: read.map(({ flags }) => flags) };
}

interface StepContext extends StepsContext {
  known: ReturnType<typeof contextSteps>;
  path: Path;
  index: number;
}

function readStep(written: Json, context: StepContext): { step: Step; flags: SkipFlags } {
  const { findings, known, path, index } = context;
  if (!isRecord(written)) {
    const message = `a context step is a map with a type, not ${kindOf(written)}`;
    findings.error(path, { code: "wrong-type", message, suggestion: "write { type: shell, command: … }" });
    return { step: unknown(""), flags: {} };
  }
  const { type, ...rest } = written as Fields; // it is JSON
  const { flags, params } = splitFlags(rest, context);
  const found = typeof type === "string" ? known.get(type) : undefined;
  if (!found) {
    tellType(type, rest, context);
    return { step: unknown(typeof type === "string" ? type : String(type ?? "")), flags };
  }
  checkParams(params, String(type), found.handler, context);
  warnOfPlaceholders(params, { findings, path, steps: index });
  const own = params.timeout;
  const limit = typeof own === "number" && own > 0 ? own : found.handler.contextStep.limit;
  return { step: stepOf(found.uses, params, limit + margin), flags };
}

const stepOf = (uses: string, params: Fields, timeout: Seconds): Step => ({
  uses,
  with: params,
  timeout,
  onError: "continue",
  templates: true,
});

const unknown = (type: string): Step => ({
  uses: unknownStep,
  with: { type },
  timeout: unknownStepLimit,
  onError: "continue",
});

function tellType(type: Json | undefined, rest: Fields, { findings, known, path }: StepContext): void {
  const types = [...known.keys()];
  if (type === undefined) {
    const near = Object.keys(rest).find((key) => didYouMean(key, ["type"]));
    const suggestion = near ? 'did you mean "type"?' : `write type: one of ${types.join(", ")}`;
    const message = `a context step needs a "type"${near ? `; "${near}" is none` : ""}`;
    findings.error(near ? [...path, near] : path, { code: "missing-field", message, suggestion });
    return;
  }
  findings.error([...path, "type"], {
    code: "unknown-type",
    message: `Unknown step type: ${String(type)}`,
    suggestion: meantOrKnown(String(type), types),
    isBearable: true,
  });
}

function splitFlags(written: Fields, { findings, path }: StepContext): { flags: SkipFlags; params: Fields } {
  const flags: SkipFlags = {};
  const params: Fields = {};
  for (const [key, value] of Object.entries(written)) {
    const name = flagsByName.get(key);
    if (name === undefined) params[key] = value;
    else if (typeof value === "boolean") {
      if (value) flags[name] = true;
    } else if (value !== null) {
      const message = `"${key}" needs true or false but is ${kindOf(value)}`;
      findings.error([...path, key], { code: "wrong-type", message, suggestion: "write true" });
    }
  }
  return { flags, params };
}

/** Null is as good as nothing, where the parameter itself does not take it. */
function checkParams(params: Fields, type: string, handler: StepHandler, context: StepContext): void {
  const { findings, path, origin, patterns } = context;
  const wrong = handler.params.check(params);
  for (const { path: at, expected } of wrong)
    if (at.length === 1 && params[String(at[0])] === null && !expected.includes("null")) delete params[String(at[0])];
  const mismatches = handler.params.check(params).map(withFlags);
  reportMismatches(mismatches, { name: `the ${type} step`, at: path, value: params }, findings);
  if (mismatches.length > 0) return;
  for (const found of handler.inspect?.(params, patterns, origin) ?? [])
    findings.error([...path, ...found.path], {
      code: "wrong-type",
      message: found.expected.startsWith("Unknown ") ? found.expected : sentence(found, type),
      isBearable: true,
    });
}

const sentence = ({ path, expected, found }: Mismatch, type: string): string =>
  `"${path.join(".")}" of the ${type} step needs ${expected} but is ${found}`;

/** A flag that is misspelt is one of the names that were meant. */
const withFlags = (mismatch: Mismatch): Mismatch =>
  mismatch.unknown && mismatch.path.length === 1
    ? { ...mismatch, known: [...(mismatch.known ?? []), ...flagsByName.keys()] }
    : mismatch;

interface Placed {
  /** The folder of its project. */
  workspace?: string;
}

/** What sets it off is known, but not what it does: its runs fail and say why (R48). */
export function brokenHook(
  automation: Automation,
  trigger: ReadTrigger,
  { all }: Findings,
  origin: Origin,
  placed: Placed,
): Hook | undefined {
  const reason = all.find(({ severity, isBearable }) => severity === "error" && !isBearable)?.message ?? "";
  if (!isId(automation.id) || !isId(automation.project_id)) return undefined;
  const step: Step = { uses: "invalid", with: { reason }, timeout: 10, onError: "stop" };
  const hook = hookAround(automation, trigger, [step], origin, placed);
  return { ...hook, tags: [brokenTag] };
}

/** The hook stands for an automation that cannot run. */
export const brokenTag = "broken";

export function hookOf(
  automation: Automation,
  trigger: ReadTrigger,
  { steps, flags }: ReadSteps,
  origin: Origin,
  workspace: Placed,
): Hook {
  const { prompt_template: prompt, timeout_seconds: timeout } = automation;
  const asksNone = trigger.trigger.skip_llm === true || prompt.trim() === "";
  const last: Step = asksNone
    ? { uses: "no_model", with: {}, timeout: 10, onError: "stop" }
    : {
        uses: "ask_model",
        with: modelParams(automation),
        timeout,
        onError: "stop",
        templates: true,
        ...(flags.some((one) => Object.keys(one).length > 0) ? { skipIf: { is: "skip_flags", with: flags } } : {}),
      };
  const [first, ...rest] = [...steps, last];
  return hookAround(automation, trigger, [first ?? last, ...rest], origin, workspace);
}

const modelParams = ({ prompt_template: prompt, llm_config: llm, ...given }: Automation): Fields => ({
  prompt,
  ...llm,
  ...(given.max_tokens_per_run === null ? {} : { max_tokens: given.max_tokens_per_run }),
  ...(given.max_turns === null ? {} : { max_turns: given.max_turns }),
  ...(given.tools === null ? {} : { tools: given.tools }),
});

function hookAround(
  automation: Automation,
  { on }: ReadTrigger,
  steps: Hook["steps"],
  origin: Origin,
  { workspace }: Placed,
): Hook {
  const {
    project_id: project,
    name,
    enabled,
    cooldown_seconds: cooldown,
    timeout_seconds: timeout,
    overlap,
    notify,
  } = automation;
  return {
    id: hookIdOf(automation),
    name,
    on,
    ...("event" in on ? { when: concerns(project, workspace) } : {}),
    steps,
    limits: { timeout, ...(cooldown > 0 ? { cooldown } : {}), overlap },
    mode: "async",
    role: "observe",
    onFailure: "continue",
    priority: 100,
    enabled,
    tags: [],
    durable: true,
    project,
    ...(notify === null ? {} : { notify }),
    origin: { ...origin, ...(workspace === undefined ? {} : { root: workspace }) },
  };
}

const concerns = (project: string, workspace: string | undefined): Condition => ({
  is: "of_project",
  with: { project, ...(workspace === undefined ? {} : { workspace }) },
});
