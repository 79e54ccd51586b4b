/** Runs of automations in the fields of specification 000 (A45). */
import { type Fields, type HookId, textField } from "../../engine/event.ts";
import type { Run, Store } from "../../engine/record.ts";
import { integer, isRecord, object, say, text } from "../../engine/schema.ts";
import { automationOf } from "../../formats/automations/fields.ts";
import { chooseNamed, hookOf, knownAnywhere, notFound } from "../automations/stored.ts";
import type { Asked, Operation } from "../operation.ts";

/** How an automation ends: with a model, or without. All steps before are context steps. */
const endings: ReadonlySet<string> = new Set(["ask_model", "no_model"]);

/** The fields of the specification; times are unix seconds. Undefined: it is no automation's run. */
export async function automationRun(run: Run, store: Pick<Store, "event">): Promise<Fields | undefined> {
  const automation = automationOf(run.hook);
  if (!automation) return undefined;
  const data = (await store.event(run.eventId))?.event.data;
  const said = run.steps.find(({ uses }) => endings.has(uses))?.output ?? {};
  return {
    id: run.id,
    hook_id: automation.id,
    project_id: automation.project,
    trigger_reason: run.cause,
    status: run.status,
    event_data: data && Object.keys(data).length > 0 ? data : null,
    context_results: run.steps
      .filter(({ uses }) => !endings.has(uses))
      .map(({ output }, index) => ({ _step_index: index, ...output })),
    prompt_sent: textIn(said, "prompt"),
    llm_response: responseOf(run, said),
    actions_taken: Array.isArray(said.actions) ? said.actions : null,
    skipped_reason: run.status === "skipped" ? (run.reason ?? "") : null,
    tokens_used: run.tokens ?? 0,
    started_at: run.startedAt / 1000,
    completed_at: isOpen(run) ? null : (run.startedAt + (run.ms ?? 0)) / 1000,
  };
}

const isOpen = ({ status }: Run): boolean => status === "queued" || status === "running";

/** What the model said; of a run that ended otherwise, why (A46). */
function responseOf({ status, reason }: Run, said: Fields): string | null {
  const response = textIn(said, "response");
  if (status === "completed" || status === "running" || status === "queued") return response;
  if (status === "skipped") return null;
  return (status === "failed" ? response : undefined) ?? reason ?? null;
}

const textIn = (fields: Fields, key: string): string | null => textField(fields, key) ?? null;

const usualRuns = 10;
const largestLimit = 1000;

interface Wanted {
  id?: string;
  project?: string;
  limit?: number;
}

export const automationRuns: Operation<Wanted> = {
  summary:
    "Lists runs of automations, newest first: what they gathered, and the model's prompt, response and tool calls.",
  params: object(
    {},
    {
      id: text("only runs of the automation with this id, or PROJECT/ID"),
      project: text("only runs of this project's automations"),
      limit: say(integer(undefined, 1), `how many at most; never more than ${largestLimit}`, usualRuns),
    },
  ),
  readOnly: true,
  words: ["id"],
  example: "hookline automation runs nightly-tests --limit 3",
  async run({ id, project, limit = usualRuns }, asked) {
    const { store } = asked;
    const among = { prefix: project === undefined ? "automation:" : `automation:${project}/`, suffix: "" };
    const meant = id === undefined ? { among } : { hook: await hookMeant({ id, project }, asked) };
    const found = await store.runs({ ...meant, limit: Math.min(limit, largestLimit) });
    const views = await Promise.all(found.map((run) => automationRun(run, store)));
    return views.filter((view) => view !== undefined);
  },
  show: (runs) =>
    Array.isArray(runs) && runs.length > 0
      ? runs.flatMap((run, index) => (isRecord(run) ? [...(index > 0 ? [""] : []), ...linesOf(run)] : []))
      : ["no automation has run"],
};

/** One that is there, else one that is not there any more and has runs. */
async function hookMeant(meant: { id: string; project: string | undefined }, asked: Asked): Promise<HookId> {
  const known = await knownAnywhere(asked);
  const found =
    (await chooseNamed(known, meant, asked)) ?? (await chooseNamed(await ranAs(meant, asked), meant, asked));
  if (found) return hookOf(found);
  throw notFound(
    meant.id,
    known.map((one) => one.id),
  );
}

async function ranAs({ id }: { id: string }, { store }: Asked): Promise<{ project: string; id: string }[]> {
  const among = { prefix: "automation:", suffix: `/${id.slice(id.indexOf("/") + 1)}` };
  const hooks = new Set((await store.runs({ among, limit: largestLimit })).map(({ hook }) => hook));
  return [...hooks].flatMap((hook) => automationOf(hook) ?? []);
}

/** What a person wants to see of a run, as names and texts. */
const shown: readonly [string, string][] = [
  ["trigger", "trigger_reason"],
  ["event", "event_data"],
  ["gathered", "context_results"],
  ["prompt", "prompt_sent"],
  ["response", "llm_response"],
  ["called", "actions_taken"],
  ["skipped", "skipped_reason"],
  ["tokens", "tokens_used"],
];

/** The specification's fields of one run, for people. Long ones are cut: the JSON has all that the store has kept. */
export function automationLines(fields: Record<string, unknown>): [string, string][] {
  return shown.flatMap(([label, key]) => {
    const value = key === "context_results" ? gathered(fields[key]) : printed(fields[key]);
    return value === "" ? [] : [[label, value] as [string, string]];
  });
}

function linesOf(run: Record<string, unknown>): string[] {
  const { id, project_id: project, hook_id: hook, status, started_at: started } = run;
  const when = typeof started === "number" ? new Date(started * 1000).toISOString() : "";
  return [
    `${String(id)}  ${String(project)}/${String(hook)}  ${String(status)}  ${when}`,
    ...automationLines(run).map(([label, value]) => `  ${label.padEnd(9)} ${value.replaceAll("\n", "\n            ")}`),
  ];
}

const longestShown = 2_000;

function printed(value: unknown): string {
  if (value === null || value === undefined || value === 0 || (Array.isArray(value) && value.length === 0)) return "";
  const whole = Array.isArray(value) ? value.join(" → ") : typeof value === "string" ? value : JSON.stringify(value);
  return whole.length > longestShown ? `${whole.slice(0, longestShown)}…` : whole;
}

const longestResult = 300;

function gathered(results: unknown): string {
  if (!Array.isArray(results)) return "";
  return results
    .map((result) => {
      const line = JSON.stringify(result);
      return line.length > longestResult ? `${line.slice(0, longestResult)}…` : line;
    })
    .join("\n");
}
