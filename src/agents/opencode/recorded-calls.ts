/** The calls in the database of OpenCode 1.18.33: each session is a source, read as it was written last. A subagent is a session of its own. */
import { isAbsolute, join } from "node:path";
import type { Fields, Json } from "../../engine/event.ts";
import { fieldsIn } from "../../engine/schema.ts";
import { isInside } from "../../files/paths.ts";
import { canonicalCall } from "../native-tools.ts";
import { textOf } from "../payload.ts";
import {
  type CallEnded,
  type RecordedEntry,
  type RecordedSessions,
  type RecordedSource,
  resultBy,
  sourceAt,
} from "../recorded-calls.ts";
import { tools } from "./calls.ts";

type Home = Parameters<RecordedSessions["sources"]>[0];

/** The variable's specification says that a relative path in it counts as none. */
function databaseOf({ home, environment }: Pick<Home, "home" | "environment">): string {
  const said = environment?.XDG_DATA_HOME;
  return join(said && isAbsolute(said) ? said : join(home, ".local", "share"), "opencode", "opencode.db");
}

const sessionsAtMost = 1_000;

function reading<T>(path: string, read: (all: (sql: string, ...values: (string | number)[]) => unknown[]) => T): T {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true, timeout: 200 });
  try {
    return read((sql, ...values) => database.prepare(sql).all(...values));
  } finally {
    database.close();
  }
}

const sources: RecordedSessions["sources"] = ({ folder, since, ...home }) => {
  const path = databaseOf(home);
  if (sourceAt(path, 0).length === 0) return [];
  try {
    const sql =
      "select id, parent_id, directory, agent, time_updated from session where time_updated >= ? order by time_updated desc limit ?";
    return reading(path, (all) => all(sql, Math.floor(since), sessionsAtMost)).flatMap((row): RecordedSource[] => {
      const { id, parent_id: parent, directory, agent, time_updated: modified } = fieldsIn(row);
      if (typeof id !== "string" || typeof modified !== "number" || typeof directory !== "string") return [];
      if (folder !== undefined && !isInside(folder, directory)) return [];
      const type = textOf(agent);
      return [
        {
          path: `${path}${mark}${id}`,
          session: textOf(parent) ?? id,
          cwd: directory,
          ...(textOf(parent) !== undefined && { subagent: { id, ...(type !== undefined && { type }) } }),
          end: modified,
          modified,
        },
      ];
    });
  } catch {
    return []; // it is of another form, or being changed to one
  }
};
const mark = "#";

/** What was written at that moment or later: a part is written again when its call has ended. */
function* open({ path }: RecordedSource, from: number): Generator<{ written: Fields; end: number }> {
  const at = path.lastIndexOf(mark);
  const sql = `select time_updated, data from part where session_id = ? and time_updated >= ?
    and json_extract(data, '$.type') = 'tool' order by time_updated limit ?`;
  const rows = reading(path.slice(0, at), (all) => all(sql, path.slice(at + 1), from, partsAtMost));
  for (const row of rows) {
    const { data, time_updated: end } = fieldsIn(row);
    if (typeof data === "string" && typeof end === "number") yield { written: fieldsIn(JSON.parse(data)), end };
  }
}
const partsAtMost = 10_000;

function entry({ tool, callID, state }: Fields): RecordedEntry | undefined {
  const { input, status, error, metadata, time } = fieldsIn(state);
  const { start, end } = fieldsIn(time);
  if (typeof callID !== "string" || typeof tool !== "string") return undefined;
  const at = end ?? start;
  return {
    ...(typeof at === "number" && { at }),
    begun: [{ id: callID, tool, input: input ?? {} }],
    ended: status === "completed" || status === "error" ? [{ id: callID, ...resultIn({ tool, error, metadata }) }] : [],
  };
}

function resultIn({
  tool,
  error,
  metadata,
}: {
  tool: string;
  error: Json | undefined;
  metadata: Json | undefined;
}): Omit<CallEnded, "id"> {
  if (tool === "invalid") return { result: "refused", reason: "the model called no tool that there is" };
  if (error !== undefined) return resultBy(textOf(error) ?? "", [], "unknown");
  const { exit } = fieldsIn(metadata);
  return { result: exit === undefined || exit === 0 ? "ran" : "failed" };
}

export const recorded: RecordedSessions = {
  sources,
  marks: [],
  open,
  entry,
  canonical: ({ tool, input }) => canonicalCall(tools, tool, input),
};
