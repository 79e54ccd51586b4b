/** Operations that create and edit automations: everything is checked before it is written (R48). */
import type { Fields, Instant, Json } from "../../engine/event.ts";
import { slugOf } from "../../engine/fingerprint.ts";
import type { StoredAutomation } from "../../engine/journal.ts";
import { fieldsIn, flag, isRecord, kindOf, listOf, object, type Schema, say, text } from "../../engine/schema.ts";
import type { CompiledAutomation } from "../../formats/automations/automation.ts";
import {
  type Automation,
  automationFields,
  defaultCooldown,
  isAutomationField,
  isTriggerType,
  type TriggerType,
} from "../../formats/automations/fields.ts";
import { seconds } from "../../formats/reading/fields.ts";
import { momentOf, storedForm, withMoment, writtenFields } from "../../loading/automations.ts";
import type { ProjectRecord } from "../../services/projects/records.ts";
import { type Asked, type Operation, refusal } from "../operation.ts";
import { madeLines, madeNote, projectFor, projectForeseen, projectParam } from "../project-service.ts";
import { viewAfter } from "./actions.ts";
import {
  type AutomationService,
  automationServiceOf,
  faultLines,
  findStored,
  hookOf,
  idOrName,
  type Known,
  keyOf,
  knownAutomations,
  notFound,
  refuseErrors,
  waitsForDaemon,
  warningsOf,
} from "./stored.ts";

// Parameters: the fields of specification 000, and short forms for usual triggers.

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

/** @param isMade the schema states defaults where a field that is left out gets them */
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
  event: text("instead of trigger: on this event, such as task.completed"),
  watch: listOf(text()),
  every: say(seconds, "instead of trigger: every so many seconds, counted from the start of its last run"),
  cron: text("instead of trigger: a cron pattern, such as 0 3 * * 1-5"),
  zone: text("the time zone of cron, such as Europe/Berlin"),
  at: text("instead of trigger: once, at this moment, such as 2030-01-31T08:00:00Z"),
  in: text("instead of trigger: once, after a delay such as 30s, 5m, 2h or 1d"),
  skip_llm: say(flag, "run only the context steps, and ask no model"),
};
const short: { [field: string]: Schema<unknown> } = {
  ...shortTriggers,
  watch: say(shortTriggers.watch, "instead of trigger: when these files change; folders end with a slash"),
};

const createParams: Schema<Fields> = object(
  { name: text("its name, for people") },
  { id: text("its id; default: made from the name"), project: projectParam, ...fieldSchemas(true), ...short },
) as Schema<Fields>; // fields of any kind, each checked by its own schema
const editParams: Schema<Fields> = object(
  { id: idOrName },
  { project: projectParam, name: text("its name, for people"), ...fieldSchemas(false), ...short },
) as Schema<Fields>; // as above

/** The automation's own fields among them, with the trigger that the shorter words mean. @throws Error for two triggers */
function writtenWith(params: Fields): Fields {
  const own = Object.fromEntries(Object.entries(params).filter(([key]) => isAutomationField(key) && key !== "id"));
  const trigger = triggerMeant(params);
  if (trigger === undefined) return own;
  const before = own.trigger;
  if (before === undefined) return { ...own, trigger };
  if (Object.keys(trigger).length > 1 || !isRecord(before))
    throw refusal("the trigger is given twice", "trigger and a short form of it", "use one of them");
  return { ...own, trigger: { ...(before as Fields), ...trigger } };
}

/** @returns skip_llm alone where nothing else is said; undefined: nothing is */
function triggerMeant({ event, watch, every, cron, zone, at, in: delay, skip_llm }: Fields): Fields | undefined {
  const flags: Fields = skip_llm === undefined ? {} : { skip_llm };
  const moment = at !== undefined || delay !== undefined;
  const said = [event ?? watch, every, cron ?? zone, moment || undefined].filter((one) => one !== undefined);
  if (said.length > 1)
    throw refusal(
      "more than one trigger is given",
      "an automation has one trigger",
      "create an automation for each trigger",
    );
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

export const automationCreate: Operation<Fields> = {
  summary: "Creates an automation in the store. In a folder without a project, it also creates the project.",
  params: createParams,
  readOnly: false,
  for: "person",
  words: ["name"],
  example: `hookline automation create "Nightly tests" --cron "0 3 * * *" --context-steps '[{"type":"run_tests","command":"npm test","skip_llm_if_exit_zero":true}]' --prompt-template "Why do these fail? {{step_0.failures}}"`,
  show: (result) => [...madeLines(result), ...warningLines(result), ...shortly(result)],
  needsDaemon: waitsForDaemon,
  async run({ id, project: written, ...params }, asked) {
    const fields = writtenWith(params);
    if (params.trigger === undefined) insistOnTrigger(fields, `the automation "${fields.name}"`);
    const meant = typeof written === "string" ? written : undefined;
    const service = await automationServiceOf(asked);
    const { records } = service;
    const before = asked.key === undefined ? undefined : records.madeFor(asked.key);
    if (before) return madeBefore(before, asked);
    const wanted = typeof id === "string" ? { ...fields, id } : fields;
    const beside = await knownAutomations(asked);
    const madeIn = (project: ProjectRecord): Made => make(wanted, { project, beside, service }, asked);
    const foreseen = await projectForeseen(asked, meant);
    if (foreseen.made) madeIn(foreseen.project); // what is refused leaves no project behind
    const placed = foreseen.made ? await projectFor(asked, meant) : foreseen;
    const { stored, compiled } = records.write(() => {
      const made = madeIn(placed.project);
      records.add(made.stored, asked.key);
      return made;
    });
    return { ...(await viewAfter(stored, asked)), ...madeNote(placed), warnings: warningsOf(compiled) };
  },
};

interface Place {
  project: ProjectRecord;
  /** Ids are taken by those of files, too. */
  beside: readonly Known[];
  service: AutomationService;
}

/** Written nowhere yet. @throws Error where it cannot be kept */
function make(fields: Fields, { project, beside, service }: Place, asked: Asked): Made {
  const { id: project_id, workspace } = project;
  const now = asked.now();
  const known = beside.filter((one) => one.project === project_id);
  const taken = [...known, ...service.records.list(project_id)].map((one) => one.id);
  const id = typeof fields.id === "string" ? fields.id : freeId(slugOf(String(fields.name)), taken);
  const making = { project: project_id, now, ...(workspace === undefined ? {} : { workspace }) };
  const compiled = service.compile({ ...fields, id, project_id }, making);
  refuseErrors(compiled, `the automation ${project_id}/${id}`);
  const automation = checked(compiled, asked, "the new automation"); // its id may be made of the secret
  const stored = storedForm({ ...automation, created_at: now / 1000, updated_at: now / 1000 }, compiled.delay);
  if (!taken.includes(id)) return { stored, compiled };
  throw refusal(`an automation is already called "${id}"`, `the project ${project_id}`, "choose another --id");
}

/** Asked for again after a crash. */
async function madeBefore(known: Parameters<typeof viewAfter>[0], asked: Asked): Promise<Fields> {
  const view = await viewAfter(known, asked);
  return { ...view, warnings: view.findings ?? [] };
}

interface Made {
  stored: StoredAutomation;
  compiled: CompiledAutomation;
}

/** What is said of one in a file is no help on a command line. */
function insistOnTrigger({ trigger }: Fields, where: string): void {
  if (typeof trigger === "string" || (isRecord(trigger) && "type" in trigger)) return;
  const advice = "use one of --event, --cron, --every, --watch, --at or --in";
  throw refusal("it has no trigger", where, advice);
}

/** Of automations of one name, the later ones get a number. */
function freeId(id: string, taken: readonly string[]): string {
  for (let number = 2, own = id; ; number++) {
    if (!taken.includes(own)) return own;
    own = `${id}-${number}`;
  }
}

/** @param where which automation it is. @throws Error where it cannot be kept */
export function checked(compiled: CompiledAutomation, { store }: Asked, where: string): Automation {
  refuseErrors(compiled, where);
  const { automation } = compiled;
  if (!automation) throw new Error("it cannot be read"); // which an error has said
  if (!holdsSecret(automation, store)) return automation;
  const advice = "name the environment variable that holds the secret";
  throw refusal("it holds a secret, which the store may not keep", where, advice);
}

/** Whatever the store would leave out of all that it keeps. */
function holdsSecret(automation: Automation, store: Asked["store"]): boolean {
  if (!("redact" in store) || typeof store.redact !== "function") return false;
  const text = JSON.stringify(automation);
  return store.redact(text) !== text;
}

export const automationEdit: Operation<Fields> = {
  summary: "Changes fields of an automation; the other fields stay as they are.",
  params: editParams,
  readOnly: false,
  for: "person",
  words: ["id"],
  example: "hookline automation edit nightly-tests --cooldown-seconds 0",
  show: (result) => [...warningLines(result), ...shortly(result)],
  needsDaemon: waitsForDaemon,
  async run({ id, project, ...params }, asked) {
    const changes = writtenWith(params);
    const found = await findStored(String(id), typeof project === "string" ? project : undefined, asked);
    if (Object.keys(changes).length === 0)
      throw refusal("No fields to update", hookOf(found), "name a field to change, such as --cooldown-seconds 0");
    const { compile, records } = await automationServiceOf(asked);
    const now = asked.now();
    const workspace = (await (await asked.board?.())?.project(found.project))?.workspace;
    const making = { now, ...(workspace === undefined ? {} : { workspace }) };
    const compiled = records.write(() => {
      const row = records.get(found.project, found.id);
      if (!row) throw notFound(String(id));
      const before = "broken" in row ? { id: row.id, project_id: row.project, name: row.name } : writtenFields(row);
      const where = `the automation ${keyOf(found)}`;
      const trigger = params.trigger ? {} : triggerAfter(before.trigger, changes);
      const after = withoutDefault({ ...before, ...changes, ...trigger }, before, changes);
      if (params.trigger === undefined) insistOnTrigger(after, where);
      const momentBefore = (): Instant | undefined => (changes.enabled === true ? undefined : momentOf(before.trigger));
      const compiled = compile(after, { ...making, momentBefore });
      const stored = storedForm({ ...checked(compiled, asked, where), updated_at: now / 1000 }, compiled.delay);
      const isSameMoment = compiled.delay === undefined && momentOf(stored.fields.trigger) === momentOf(before.trigger);
      records.replace(isSameMoment && !("broken" in row) ? withMoment(stored, row) : stored);
      return compiled;
    });
    return { ...(await viewAfter(found, asked)), warnings: warningsOf(compiled) };
  },
};

/** Shorter words change what they name. Of a trigger of another kind only the flag stays; a moment is no part of another. */
function triggerAfter(before: unknown, { trigger: said }: Fields): Fields {
  if (!isRecord(said) || !isRecord(before)) return {};
  const [old, words] = [before as Fields, said as Fields]; // both are JSON
  const isSame = ["type", "event_type"].every((key) => !(key in words) || words[key] === old[key]);
  const { skip_llm } = old;
  if (!isSame || "at" in words || "in" in words)
    return { trigger: { ...(skip_llm === undefined ? {} : { skip_llm }), ...words } };
  const watch =
    isRecord(old.watch) && isRecord(words.watch) // only the paths were said: the rest of a short word is for a new watch
      ? { watch: { ...old.watch, paths: words.watch.paths } as Fields }
      : {};
  return { trigger: { ...old, ...words, ...watch } };
}

/** A cooldown that its author never wrote is the default of a kind of trigger, and not of another kind. */
function withoutDefault(after: Fields, before: Fields, changes: Fields): Fields {
  const [old, now] = [before.trigger, after.trigger].map((one) => defaultCooldown[kindIn(one) ?? "event"]);
  if ("cooldown_seconds" in changes || old === now || before.cooldown_seconds !== old) return after;
  const { cooldown_seconds: _default, ...rest } = after;
  return rest;
}

function kindIn(trigger: Json | undefined): TriggerType | undefined {
  const { type } = fieldsIn(trigger);
  return typeof type === "string" && isTriggerType(type) ? type : undefined;
}

/** What a person wants to see of one that was just made or changed. */
function shortly(result: unknown): string[] {
  const { id, project_id: project, name, enabled, hook, fault } = fieldsIn(result);
  const stands = enabled === false ? "is stored, but disabled" : typeof fault === "string" ? "is stored" : "is active";
  return [`${project}/${id} "${name}" ${stands} as ${hook}`, ...faultLines(result)];
}

const warningLines = (result: unknown): string[] =>
  isRecord(result) && Array.isArray(result.warnings) ? result.warnings.map(String) : [];
