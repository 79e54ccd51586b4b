/** What automations are made and changed with: the fields of specification 000, and shorter words for usual triggers. */
import type { Fields, Json } from "../engine/event.ts";
import { flag, isRecord, kindOf, listOf, object, type Schema, say, text } from "../engine/schema.ts";
import { automationFields, isAutomationField } from "../formats/automations/schema.ts";
import { seconds } from "../formats/rules/fields.ts";
import { refusal } from "./refusal.ts";

/** Each field is checked by the dialect, which also says where; here only its kind counts. */
const orText = (type: "object" | "array", description: unknown): Schema<Json> => ({
  json: { type, ...(type === "array" ? { items: { type: "object" } } : {}), description: String(description) },
  check: (value, path = []) =>
    typeof value === "string" || (type === "array" ? Array.isArray(value) : isRecord(value)) || value === null
      ? []
      : [{ path, expected: type === "array" ? "a list" : "an object", found: kindOf(value) }],
});

const whole: { readonly [field: string]: "object" | "array" } = {
  trigger: "object",
  context_steps: "array",
  llm_config: "object",
};
/** What may stand in both: not what names it, nor what Hookline writes itself. */
const named = new Set(["id", "project_id", "name", "created_at", "updated_at"]);

/** @param isMade defaults are told where a field that is left out gets them */
const fieldSchemas = (isMade: boolean): { [field: string]: Schema<unknown> } =>
  Object.fromEntries(
    Object.entries(automationFields).flatMap(([name, { schema }]) => {
      if (named.has(name)) return [];
      const kind = whole[name];
      if (kind) return [[name, orText(kind, schema.json.description)]];
      const { default: _otherwise, ...json } = schema.json;
      return [[name, isMade ? schema : { ...schema, json }]];
    }),
  );

const shortTriggers = {
  event: text("instead of trigger: when this event happens, such as task.completed"),
  watch: listOf(text()),
  every: say(seconds, "instead of trigger: again and again, so many seconds after its last run began"),
  cron: text("instead of trigger: a cron pattern, such as 0 3 * * 1-5"),
  zone: text("the time zone of cron, such as Europe/Berlin"),
  at: text("instead of trigger: once, at this moment, such as 2030-01-31T08:00:00Z"),
  in: text("instead of trigger: once, after such as 30s, 5m, 2h or 1d"),
  skip_llm: say(flag, "only the context steps run, and no model is asked"),
};
const short: { [field: string]: Schema<unknown> } = {
  ...shortTriggers,
  watch: say(shortTriggers.watch, "instead of trigger: when these files change; folders end with a slash"),
};

const project: Schema<string> = text("the project's id; that of the folder unless said");
const idOrName = text("the automation's id, or PROJECT/ID");

export const createParams: Schema<Fields> = object(
  { name: text("what a person calls it") },
  { id: text("its id, made of the name unless said"), project, ...fieldSchemas(true), ...short },
) as Schema<Fields>; // fields of any kind, each checked by its own schema
export const editParams: Schema<Fields> = object(
  { id: idOrName },
  { project, name: text("what a person calls it"), ...fieldSchemas(false), ...short },
) as Schema<Fields>; // as above
export const oneParams: Schema<{ id: string; project?: string }> = object({ id: idOrName }, { project });
export { project as projectParam };

/** The automation's own fields among them, with the trigger that the shorter words mean. @throws Error for two triggers */
export function writtenWith(params: Fields): Fields {
  const own = Object.fromEntries(Object.entries(params).filter(([key]) => isAutomationField(key) && key !== "id"));
  const trigger = triggerMeant(params);
  if (trigger === undefined) return own;
  const before = own.trigger;
  if (before === undefined) return { ...own, trigger };
  if (Object.keys(trigger).length > 1 || !isRecord(before))
    throw refusal("a trigger is said twice", "trigger and another word for it", "say one of them");
  return { ...own, trigger: { ...(before as Fields), ...trigger } };
}

/** @returns skip_llm alone where nothing else is said; undefined: nothing is */
function triggerMeant({ event, watch, every, cron, zone, at, in: delay, skip_llm }: Fields): Fields | undefined {
  const flags: Fields = skip_llm === undefined ? {} : { skip_llm };
  const moment = at !== undefined || delay !== undefined;
  const said = [event ?? watch, every, cron ?? zone, moment || undefined].filter((one) => one !== undefined);
  if (said.length > 1)
    throw refusal("more than one trigger is said", "an automation has one", "make an automation for each");
  if (event !== undefined || watch !== undefined) return { ...eventTrigger(event, watch), ...flags };
  if (every !== undefined) return { type: "periodic", interval_seconds: every, ...flags };
  if (cron !== undefined || zone !== undefined) return { type: "cron", ...defined({ cron, zone }), ...flags };
  if (moment) return { type: "at", ...defined({ at, in: delay }), ...flags };
  return skip_llm === undefined ? undefined : flags;
}

const defined = (fields: { [key: string]: Json | undefined }): Fields =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

function eventTrigger(event: Json | undefined, watch: Json | undefined): Fields {
  if (!Array.isArray(watch)) return { type: "event", event_type: event ?? "" };
  const isFolder = watch.some((path) => typeof path === "string" && path.endsWith("/"));
  const what = isFolder ? { paths: watch, recursive: true } : { paths: watch };
  return { type: "event", event_type: event ?? (isFolder ? "folder.changed" : "file.changed"), watch: what };
}
