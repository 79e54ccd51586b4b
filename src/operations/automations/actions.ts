/** Operations on existing automations: list, show, delete, enable, disable, pause, resume, fire. */
import { statSync } from "node:fs";
import { messageOf } from "../../engine/error.ts";
import type { Fields, HookEvent, Json } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import type { RunStatus } from "../../engine/record.ts";
import { flag, isRecord, object, say, text } from "../../engine/schema.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import type { CompiledAutomation } from "../../formats/automations/automation.ts";
import type { AutomationFinding } from "../../formats/automations/findings.ts";
import { foreignProject } from "../../loading/automations.ts";
import { send } from "../event.ts";
import { type Asked, folderOf, type Operation, plain, refusal } from "../operation.ts";
import { projectServiceOf } from "../project-service.ts";
import {
  automationRow,
  automationServiceOf,
  automationStatusOf,
  automationView,
  faultLines,
  faultOf,
  findAutomation,
  findInStore,
  findStored,
  hookOf,
  type Known,
  keyOf,
  knownAutomations,
  oneParams,
  refuseErrors,
  waitsForDaemon,
} from "./stored.ts";

interface One {
  id: string;
  project?: string;
}

export const automationList: Operation<{ project?: string; enabled?: boolean }> = {
  summary: "Lists the automations of all projects: what triggers each, whether it is enabled, and when it last ran.",
  params: object(
    {},
    {
      project: text("only automations of the project with this id; default: all projects"),
      enabled: say(flag, "only enabled automations, or only disabled ones"),
    },
  ),
  readOnly: true,
  example: "hookline automation list --enabled",
  async run({ project, enabled }, asked) {
    const [all, status] = await Promise.all([knownAutomations(asked), automationStatusOf(asked)]);
    const meant = all.filter((one) => project === undefined || one.project === project);
    if (project !== undefined && meant.length === 0) await (await projectServiceOf(asked)).projects.known(project); // others lie in files
    const rows = meant.map((one) => automationRow(one, status));
    return rows.filter((row) => enabled === undefined || row.enabled === enabled);
  },
};

export const automationShow: Operation<One> = {
  summary: "Shows one automation in full, and what is wrong with it.",
  params: oneParams,
  readOnly: true,
  words: ["id"],
  example: "hookline automation show nightly-report",
  run: async ({ id, project }, asked) => viewOf(await findAutomation(id, project, asked), asked),
};

const viewOf = async (known: Known, asked: Asked): Promise<Fields> =>
  automationView(known, await writtenOf(known, asked), await automationStatusOf(asked));

/** As it stands after it was changed. */
export async function viewAfter({ project, id }: Pick<Known, "project" | "id">, asked: Asked): Promise<Fields> {
  return viewOf(await findAutomation(hookOf({ project, id }), undefined, asked), asked);
}

export const automationDelete: Operation<One> = {
  summary:
    "Deletes an automation from the store, and its runs. One of the same id in a file stays, and so do its runs.",
  params: oneParams,
  readOnly: false,
  for: "person",
  words: ["id"],
  example: "hookline automation delete nightly-report",
  show: (result) =>
    sentence(result, isRecord(result) && "file" in result ? keptIn(result) : "is deleted, and so are its runs"),
  async run({ id, project }, asked) {
    const { file, ...found } = await findInStore(id, project, asked);
    const { records } = await automationServiceOf(asked);
    if (file === undefined) records.remove(found.project, found.id);
    else records.removeRow(found.project, found.id); // what is kept of it is the file's
    return named(found, { deleted: true, ...(file === undefined ? {} : { file }) });
  },
};

const keptIn = ({ file }: { file?: unknown }): string =>
  `is deleted from the store; the one in ${file} and its runs stay`;

const named = ({ project, id }: Pick<Known, "project" | "id">, more: Fields): Fields => ({
  id,
  project_id: project,
  ...more,
});

function sentence(result: Json, what: string): string[] {
  const { id, project_id: project } = isRecord(result) ? result : {};
  return [`${project}/${id} ${what}`];
}

const switched = (enabled: boolean): Operation<One> => ({
  summary: enabled ? "Enables an automation." : "Disables an automation: it then runs only by hand.",
  params: oneParams,
  readOnly: false,
  for: "person",
  words: ["id"],
  example: `hookline automation ${enabled ? "enable" : "disable"} nightly-report`,
  show: (result) => [...sentence(result, enabled ? "is enabled" : "is disabled"), ...faultLines(result)],
  needsDaemon: waitsForDaemon,
  async run({ id, project }, asked) {
    const found = await findStored(id, project, asked);
    const { records, compile } = await automationServiceOf(asked);
    const { automation } = found.stored;
    const isOneShot = automation?.trigger.type === "at";
    if (enabled && isOneShot)
      refuseErrors(compile(plain({ ...automation, enabled }), { now: asked.now() }), `the automation ${keyOf(found)}`);
    const changed = records.enable(found.project, found.id, enabled, asked.now() / 1000);
    const fault = enabled ? faultOf(found) : null;
    const waits = waitsForDaemon({ ...automation, enabled }) ? { needs_daemon: true } : {};
    return named(found, { enabled, changed, ...waits, ...(fault === null ? {} : { fault }) });
  },
});
export const automationEnable: Operation<One> = switched(true);
export const automationDisable: Operation<One> = switched(false);

const held = (isPause: boolean): Operation<One> => ({
  summary: isPause ? "Pauses an automation until it is resumed." : "Resumes an automation that was paused.",
  params: oneParams,
  readOnly: false,
  for: "person",
  words: ["id"],
  example: `hookline automation ${isPause ? "pause" : "resume"} nightly-report`,
  show: (result) => sentence(result, isPause ? "is paused" : "is resumed"),
  async run({ id, project }, asked) {
    const found = await findAutomation(id, project, asked);
    const hook = hookOf(found);
    const changed = await (isPause ? asked.store.pause(hook, asked.now()) : asked.store.resume(hook));
    return named(found, { paused: isPause, changed });
  },
});
export const automationPause: Operation<One> = held(true);
export const automationResume: Operation<One> = held(false);

export const automationFire: Operation<One> = {
  summary: "Runs an automation now, whatever its cooldown, schedule and cap, and even if it is disabled.",
  params: oneParams,
  readOnly: false,
  for: "person",
  words: ["id"],
  example: "hookline automation fire nightly-report",
  show: (result) => (isRecord(result) ? [`${result.hook_id} started run ${result.run_id}`] : []),
  lacks: (result, runs) =>
    runs
      .filter(({ id, status }) => isRecord(result) && id === result.run_id && unsuccessful.has(status))
      .map(({ hookName, status, reason = status }) => `the automation ${hookName} ended as ${status}: ${reason}`),
  async run({ id, project }, asked) {
    const found = await findAutomation(id, project, asked);
    const hook = hookOf(found);
    const [running] = await asked.store.runs({ hook, status: "running", limit: 1 });
    if (running)
      throw refusal(`Hook '${id}' is already running`, `run ${running.id}`, "fire it again when that run has ended");
    const { signal: _ofTheCall, ...sender } = asked; // what is begun goes on when the caller has gone
    const { event } = await send("automation.fired", {}, sender, firedAs(found, asked));
    const [run] = await asked.store.runs({ hook, eventId: event.id, limit: 1 });
    if (!run)
      throw refusal(`Hook '${id}' could not be run: ${await whyNot(event, hook, asked)}`, hook, seeWhole(found));
    if (run.asked === 0 && run.status === "skipped")
      throw refusal(`Hook '${id}' was not run: ${run.reason}`, `run ${run.id}`, seeWhole(found));
    return { hook_id: found.id, run_id: run.id, project_id: found.project };
  },
};

const unsuccessful: ReadonlySet<RunStatus> = new Set<RunStatus>(["failed", "timeout", "cancelled", "interrupted"]);

/** It happens where its project lies. */
const firedAs = ({ hook, ...known }: Known, asked: Asked): Pick<HookEvent, "cwd" | "sender" | "to"> => ({
  cwd: hook?.origin.root ?? folderOf(asked),
  sender: "fire",
  to: { hook: hookOf(known), force: true, because: "manual" },
});

const seeWhole = (known: Known): string => `\`hookline automation show ${keyOf(known)}\` shows it in full`;

async function whyNot(event: HookEvent, hook: string, asked: Asked): Promise<string> {
  const own = (await asked.engine.explain(event)).find((one) => one.hook === hook);
  return own?.because ?? "it is not active";
}

// The fields of an automation as its author wrote them. Those in a file are read again, since a hook holds only what
// runs.

/** More than any person writes; the YAML library would take long. */
export const largestFileInBytes: number = 4 * 1024 * 1024;

type Written = Pick<CompiledAutomation, "automation" | "findings">;

/** Never rejects for what is in the file, or where it has gone: that is a finding. */
async function writtenOf(known: Known, asked: Asked): Promise<Written> {
  if ("stored" in known) return known.stored;
  const { hook } = known;
  try {
    const read = await readRegularFile(hook.origin.file ?? "", largestFileInBytes);
    return "text" in read ? dated(await compiledIn(read.text, known, asked), hook) : unreadable(read.refused);
  } catch (error) {
    return unreadable(messageOf(error));
  }
}

/** A file that does not say when it was made was made with its file, and changed with it. */
function dated({ automation, findings }: Written, { origin }: Hook): Written {
  if (!automation) return { findings };
  const { birthtimeMs, mtimeMs } = statSync(origin.file ?? "");
  const born = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs; // not every file system knows
  const { created_at: created, updated_at: updated } = automation;
  return {
    automation: { ...automation, created_at: created || born / 1000, updated_at: updated || mtimeMs / 1000 },
    findings,
  };
}

async function compiledIn(text: string, { hook, id, project }: Known & { hook: Hook }, asked: Asked): Promise<Written> {
  const service = await automationServiceOf(asked);
  const { line, column, root, layer, ...origin } = hook.origin;
  const isOfFolder = layer === "project" && root !== undefined;
  const place = isOfFolder ? { project, workspace: root } : {};
  const { automations } = await service.compileFile(text, { ...origin, layer, ...(isOfFolder ? { root } : {}) }, place);
  const own = automations.filter((one) => one.hook?.id.endsWith(`/${id}`));
  const found = own.find((one) => one.place.line === line && one.place.column === column) ?? own[0];
  if (!found) return unreadable("it no longer holds this automation");
  const foreign = found.hook && foreignProject(found.hook, service.stored().workspaces);
  const { automation } = found;
  return {
    ...(automation ? { automation: { ...automation, project_id: project } } : {}),
    findings: foreign ? [...found.findings, { ...foreign, path: ["project_id"] }] : found.findings,
  };
}

const unreadable = (reason: string): Written => {
  const finding: AutomationFinding = {
    severity: "error",
    code: "unreadable",
    path: [],
    message: `the file cannot be read: ${reason}`,
  };
  return { findings: [finding] };
};
