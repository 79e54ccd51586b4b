/** Operations that make automations and change them: everything is checked before it is written (R48). */
import type { StoredAutomation } from "../core/automation-records.ts";
import type { Fields } from "../core/event.ts";
import { isRecord } from "../core/schema.ts";
import { slugOf } from "../core/slug.ts";
import type { CompiledAutomation } from "../dialects/automation.ts";
import type { Automation } from "../dialects/automation-fields.ts";
import { storedForm, writtenFields } from "../sources/automations.ts";
import { deskOf, findStored, knownAutomations, refuseErrors, warningsOf } from "./automation-desk.ts";
import { createParams, editParams, writtenWith } from "./automation-params.ts";
import { viewAfter } from "./automations.ts";
import { madeNote, projectFor } from "./board.ts";
import type { Asked, Operation } from "./operation.ts";
import { madeLines } from "./views.ts";

export const automationCreate: Operation<Fields> = {
  summary: "Makes an automation and keeps it in the store. In a folder without a project, the project is made as well.",
  params: createParams,
  readOnly: false,
  words: ["name"],
  example: `hookline automation create "Nightly tests" --cron "0 3 * * *" --context-steps '[{"type":"run_tests","command":"npm test","skip_llm_if_exit_zero":true}]' --prompt-template "Why do these fail? {{step_0.failures}}"`,
  show: (result) => [...madeLines(result), ...warningLines(result), ...shortly(result)],
  async run({ id, project: written, ...params }, asked) {
    const fields = writtenWith(params);
    const placed = await projectFor(asked, typeof written === "string" ? written : undefined);
    const { id: project, workspace } = placed.project;
    const now = asked.now();
    const taken = (await knownAutomations(asked)).filter((one) => one.project === project).map((one) => one.id);
    const own = typeof id === "string" ? id : freeId(slugOf(String(fields.name)), taken);
    const { compile, records } = await deskOf(asked);
    const making = { project, now, ...(workspace === undefined ? {} : { workspace }) };
    const compiled = compile({ ...fields, id: own, project_id: project }, making);
    const stored = checked(compiled, asked, { created_at: now / 1000, updated_at: now / 1000 });
    if (taken.includes(own) || !records.add(stored))
      throw new Error(`an automation is called "${own}" already in the project ${project}; choose another id`);
    return { ...(await viewAfter({ project, id: own }, asked)), ...madeNote(placed), warnings: warningsOf(compiled) };
  },
};

/** Of automations of one name, the later ones get a number. */
function freeId(id: string, taken: readonly string[]): string {
  for (let number = 2, own = id; ; number++) {
    if (!taken.includes(own)) return own;
    own = `${id}-${number}`;
  }
}

/** @throws Error where it cannot be kept */
export function checked(compiled: CompiledAutomation, asked: Asked, times: Partial<Automation>): StoredAutomation {
  refuseErrors(compiled);
  if (!compiled.automation) throw new Error("it cannot be read");
  const stored = storedForm({ ...compiled.automation, ...times });
  if (holdsSecret(stored, asked))
    throw new Error(
      "it holds a secret, which may not be written to the store: name the environment variable that holds it",
    );
  return stored;
}

/** Whatever the store would leave out of all that it keeps. */
function holdsSecret(stored: StoredAutomation, { store }: Asked): boolean {
  if (!("redact" in store) || typeof store.redact !== "function") return false;
  const text = JSON.stringify(stored);
  return store.redact(text) !== text;
}

export const automationEdit: Operation<Fields> = {
  summary: "Changes fields of an automation; those that are not named stay.",
  params: editParams,
  readOnly: false,
  words: ["id"],
  example: "hookline automation edit nightly-tests --cooldown-seconds 0",
  show: (result) => [...warningLines(result), ...shortly(result)],
  async run({ id, project, ...params }, asked) {
    const changes = writtenWith(params);
    const found = await findStored(String(id), typeof project === "string" ? project : undefined, asked);
    if (Object.keys(changes).length === 0) throw new Error("No fields to update");
    const { compile, records } = await deskOf(asked);
    const { row } = found.stored;
    const before = "broken" in row ? { id: row.id, project_id: row.project, name: row.name } : writtenFields(row);
    const after = { ...before, ...changes, ...triggerAfter(before.trigger, changes) };
    const now = asked.now();
    const workspace = (await asked.board?.())?.project(found.project);
    const folder = (await workspace)?.workspace;
    const compiled = compile(after, {
      ...(folder === undefined ? {} : { workspace: folder }),
      ...("trigger" in changes ? { now } : {}),
    });
    const stored = checked(compiled, asked, { updated_at: now / 1000 });
    if (!records.replace(stored)) throw new Error(`Hook '${String(id)}' not found`);
    return { ...(await viewAfter(found, asked)), warnings: warningsOf(compiled) };
  },
};

/** A flag of the trigger alone leaves the rest of it as it is. */
function triggerAfter(before: unknown, { trigger }: Fields): Fields {
  const isFlag = isRecord(trigger) && !("type" in trigger) && isRecord(before);
  return isFlag ? { trigger: { ...(before as Fields), ...(trigger as Fields) } } : {}; // both are JSON
}

/** What a person wants to see of one that was just made or changed. */
function shortly(result: unknown): string[] {
  const { id, project_id: project, name, enabled, hook } = isRecord(result) ? (result as Fields) : {}; // it is JSON
  return [`${project}/${id} "${name}" ${enabled === false ? "is kept, and disabled" : "is in force"} as ${hook}`];
}

const warningLines = (result: unknown): string[] =>
  isRecord(result) && Array.isArray(result.warnings) ? result.warnings.map(String) : [];
