/** The hook of an automation: its steps, then the model's, around what sets it off. */
import type { Fields } from "../../engine/event.ts";
import { isId } from "../../engine/fingerprint.ts";
import type { Condition, Hook, Origin, Step } from "../../engine/hook.ts";
import { type Automation, hookIdOf } from "./fields.ts";
import type { Findings } from "./findings.ts";
import type { ReadSteps } from "./steps.ts";
import type { ReadTrigger } from "./trigger.ts";

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
