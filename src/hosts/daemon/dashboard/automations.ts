/** The page of automations: what each does, what it did last, and when it runs next. */
import { textField } from "../../../engine/event.ts";
import { fieldsIn, object } from "../../../engine/schema.ts";
import { automationOf, hookIdOf } from "../../../formats/automations/fields.ts";
import { automationList } from "../../../operations/automations/actions.ts";
import { automationExport } from "../../../operations/automations/files.ts";
import { type Asked, type Operation, plain } from "../../../operations/operation.ts";
import { rowsOf } from "../../../operations/project-service.ts";
import { resultOf } from "../../../operations/runs/run-words.ts";
import { tokensByDay } from "../../../storage/sqlite/statistics.ts";
import type { Daemon } from "../daemon.ts";
import type { AutomationShown, Automations } from "./shown.ts";

export const automationsPage = (daemon: Pick<Daemon, "status" | "store">): Operation<object> => ({
  summary: "Lists the automations of all projects, with what they did last and when they run next; and what waits.",
  params: object({}, {}),
  readOnly: true,
  async run(_params, asked) {
    const { store } = daemon;
    const { due = [] } = daemon.status();
    const rows = rowsOf(await automationList.run({}, asked));
    const shown = rows.map(async (row): Promise<AutomationShown> => {
      const named = { id: String(row.id), project: String(row.project_id) };
      const hook = hookIdOf({ project_id: named.project, id: named.id });
      const runs = await store.runs({ hook, limit: automationRuns });
      const next = rowsOf(due).find((one) => one.hook === hook)?.at;
      return {
        ...{ ...named, hook, name: String(row.name), isEnabled: row.enabled === true, isPaused: row.paused === true },
        on: textField(row, "on") ?? null,
        place: String(row.in),
        isStored: row.in === "store",
        fault: textField(row, "fault") ?? null,
        due: typeof next === "string" ? next : null,
        yaml: await yamlOf(named, asked),
        runs: runs.map((run) => ({
          ...{ id: run.id, status: run.status, at: run.startedAt, tokens: run.tokens ?? 0 },
          result: resultOf(run).slice(0, longestResult),
        })),
        tokens: tokensByDay(store.database, hook, { days: tokenDays, until: asked.now() }),
      };
    });
    const waiting = await Promise.all(openStatuses.map((status) => store.runs({ status, limit: queueAtMost })));
    const queue = waiting
      .flat()
      .filter(({ hook }) => automationOf(hook) !== undefined)
      .map(({ id, hookName, status, startedAt, cause }) => ({
        ...{ run: id, name: hookName, status, at: startedAt, cause },
      }))
      .toSorted((one, other) => one.at - other.at);
    const page: Automations = { automations: await Promise.all(shown), queue };
    return plain(page);
  },
});

const openStatuses = ["running", "queued"] as const;
const queueAtMost = 50;
const tokenDays = 14;
const automationRuns = 8;
const longestResult = 300;

/** Empty: it cannot be read any more, and its fault says so. */
async function yamlOf(named: { id: string; project: string }, asked: Asked): Promise<string> {
  try {
    const exported = await automationExport.run(named, asked);
    return textField(fieldsIn(exported), "yaml") ?? "";
  } catch {
    return "";
  }
}
