/** The form of an automation: which fields there are, what the server thinks of a draft, and how it is saved. Nothing is checked twice. */
import type { Fields, Json } from "../../../engine/event.ts";
import { skipFlagNames, skipFlags } from "../../../engine/named.ts";
import { fieldsIn, number, object, say, text } from "../../../engine/schema.ts";
import { type Automation, anyFields, automationFields, triggerKinds } from "../../../formats/automations/fields.ts";
import { contextSteps } from "../../../formats/automations/steps.ts";
import { automationShow } from "../../../operations/automations/actions.ts";
import { automationCreate, automationEdit } from "../../../operations/automations/edit.ts";
import { automationServiceOf } from "../../../operations/automations/stored.ts";
import { type Asked, type Operation, plain } from "../../../operations/operation.ts";
import { projectForeseen } from "../../../operations/project-service.ts";
import { sayMismatch } from "../../../operations/serve.ts";
import type { Daemon } from "../daemon.ts";
import { type Projects, projectParam } from "./events.ts";
import type { AutomationDraft, AutomationForm, DraftFinding } from "./shown.ts";

/** What names it, what Hookline writes itself, and what has a part of the form to itself. */
const notInForm: ReadonlySet<string> = new Set(["id", "project_id", "created_at", "updated_at", "trigger"]);
const apart: ReadonlySet<string> = new Set([...notInForm, "context_steps"]);

interface Draft {
  /** The project's folder, for a new one. */
  project?: string;
  /** PROJECT/ID of the one that is edited. */
  id?: string;
  fields?: Fields;
  yaml?: string;
  updated?: number;
}
const draftOf = { project: projectParam, id: text("PROJECT/ID of the automation that is edited; default: a new one") };

export function automationForm(
  { judging }: Pick<Daemon, "judging">,
  { rootOf }: Projects,
): Readonly<Record<string, Operation<unknown>>> {
  const form: Operation<object> = {
    summary: "Describes the fields of an automation, its triggers and its context steps.",
    params: object({}, {}),
    readOnly: true,
    run() {
      const shown: AutomationForm = {
        fields: propertiesOf(automationFields, apart),
        triggers: Object.entries(triggerKinds).map(([type, { summary, params }]) => ({
          ...{ type, summary, fields: properties(params.json) },
        })),
        steps: [...contextSteps(judging.registry)].map(([type, { handler }]) => ({
          ...{ type, fields: properties(handler.params.json) },
        })),
        flags: Object.fromEntries(
          skipFlagNames.map((name) => [
            skipFlags[name].written,
            { type: "boolean", description: skipFlags[name].summary, default: false },
          ]),
        ),
      };
      return plain(shown);
    },
  };

  const inProject = ({ project }: Draft, asked: Asked): Asked => ({ ...asked, cwd: rootOf(project) });

  const draft: Operation<Draft> = {
    summary:
      "Checks a draft of an automation, of its fields or of its YAML, and shows it as the other. Nothing is written.",
    params: object({}, { ...draftOf, fields: anyFields, yaml: text("instead of fields: the text of a file") }),
    readOnly: true,
    run: async (written, asked) => plain(await checkedDraft(written, inProject(written, asked))),
  };

  const save: Operation<Draft & { fields: Fields }> = {
    summary: "Creates an automation in the store, or gives one that is there all of its fields anew.",
    params: object(
      { fields: say(anyFields, "the automation's fields") },
      { ...draftOf, updated: say(number(), "as the draft said: one that was written since is refused") },
    ),
    readOnly: false,
    async run({ id, fields, updated, ...where }, asked) {
      if (id !== undefined && updated !== undefined && (await shownNow(id, asked)).updated_at !== updated)
        throw new Error("it was changed since you opened it: load the page again, then change it");
      const operation = id === undefined ? automationCreate : automationEdit;
      const given = id === undefined ? fields : { ...emptied, ...fields, id };
      const [mismatch] = operation.params.check(given);
      if (mismatch) throw new Error(sayMismatch(mismatch));
      return operation.run(given, inProject(where, asked));
    },
  };
  return { automation_form: form, automation_draft: draft, automation_save: save };
}

const properties = ({ properties: found }: Fields): Fields => fieldsIn(found);

const propertiesOf = (fields: typeof automationFields, without: ReadonlySet<string>): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !without.has(name))
      .map(([name, { schema }]) => [name, schema.json]),
  );

/** What an edit sets where the form says nothing. */
const emptied: Fields = {
  context_steps: [],
  ...Object.fromEntries(
    Object.entries(automationFields).flatMap(([name, { schema }]) =>
      notInForm.has(name) || schema.json.default === undefined ? [] : [[name, schema.json.default as Json]],
    ),
  ),
};

async function checkedDraft({ id, fields, yaml }: Draft, asked: Asked): Promise<AutomationDraft> {
  const service = await automationServiceOf(asked);
  const { id: project, workspace } = (await projectForeseen(asked, undefined)).project;
  const making = {
    ...{ project, ...(workspace === undefined ? {} : { workspace }) },
    ...(id === undefined ? { now: asked.now() } : {}),
  };
  if (yaml !== undefined) {
    const origin = { dialect: "automation", layer: "project", file: "draft.yaml" } as const;
    const { automations, problems } = await service.compileFile(yaml, origin, making);
    const [first, second] = automations;
    const findings = problems.map(
      ({ severity, line, message, suggestion = null }): DraftFinding => ({
        ...{ severity, path: [], line, message, suggestion },
      }),
    );
    if (second) findings.push({ ...onlyOne, line: second.place.line });
    return { yaml, fields: first?.automation ? fieldsOf(first.automation) : null, findings, updated: null };
  }
  const before = fields === undefined ? await shownNow(id ?? "", asked) : {};
  const written = fields ?? fieldsOf(before);
  const { automation, findings } = service.compile({ ...written, project_id: project }, making);
  return {
    yaml: automation ? await service.textOf([automation]) : null,
    fields: written,
    findings: findings.map(({ severity, path, message, suggestion }) => ({
      ...{ severity, path: path.map(String), line: null, message, suggestion: suggestion ?? null },
    })),
    updated: typeof before.updated_at === "number" ? before.updated_at : null,
  };
}

const onlyOne: DraftFinding = {
  ...{ severity: "error", path: [], line: null, message: "here one automation is edited at a time" },
  suggestion: "take the others out; `hookline automation apply FILE` takes a file with several",
};

const shownNow = async (id: string, asked: Asked): Promise<Fields> => {
  const shown = await automationShow.run({ id }, asked);
  return fieldsIn(shown);
};

/** Those of the form that say something. */
const fieldsOf = (automation: Automation | Fields): Fields =>
  Object.fromEntries(
    Object.entries(plain(automation) as Fields).filter(
      // an object stays one
      ([name, value]) =>
        (name === "trigger" || (Object.hasOwn(automationFields, name) && !notInForm.has(name))) &&
        JSON.stringify(value) !== JSON.stringify(emptied[name]),
    ),
  );
