/** What an automation is as its author wrote it, also where that is a file: read again when somebody asks, since hooks hold only what runs. */
import { statSync } from "node:fs";
import { messageOf } from "../engine/error.ts";
import type { Hook } from "../engine/hook.ts";
import { readRegularFile } from "../files/regular-file.ts";
import type { CompiledAutomation } from "../formats/automations/automation.ts";
import type { AutomationFinding } from "../formats/automations/findings.ts";
import { foreignProject } from "../loading/automations.ts";
import { deskOf, type Known } from "./automation-desk.ts";
import type { Asked } from "./operation.ts";

/** More than any person writes; the YAML library would take long. */
export const largestFileInBytes: number = 4 * 1024 * 1024;

type Written = Pick<CompiledAutomation, "automation" | "findings">;

/** Never rejects for what is in the file, or where it has gone: that is a finding. */
export async function writtenOf(known: Known, asked: Asked): Promise<Written> {
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
  const desk = await deskOf(asked);
  const { line, column, root, layer, ...origin } = hook.origin;
  const isOfFolder = layer === "project" && root !== undefined;
  const place = isOfFolder ? { project, workspace: root } : {};
  const { automations } = await desk.compileFile(text, { ...origin, layer, ...(isOfFolder ? { root } : {}) }, place);
  const own = automations.filter((one) => one.hook?.id.endsWith(`/${id}`));
  const found = own.find((one) => one.place.line === line && one.place.column === column) ?? own[0];
  if (!found) return unreadable("the automation is no longer in it");
  const foreign = found.hook && foreignProject(found.hook, desk.stored().workspaces);
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
    message: `its file cannot be read: ${reason}`,
  };
  return { findings: [finding] };
};
