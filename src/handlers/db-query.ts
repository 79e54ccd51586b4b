/** A context step that asks the store one of a few questions by name (specification 000, section 4.4). */
import type { Fields } from "../core/event.ts";
import {
  isQueryName,
  namedQueries,
  type QueryName,
  queryNames,
  unknownQuery,
  wrongParams,
} from "../core/named-queries.ts";
import { didYouMean } from "../core/nearest.ts";
import type { Handler, StepContext } from "../core/ports.ts";
import type { Projects } from "../core/reach.ts";
import { anything, isRecord, type Mismatch, mapOf, object, say, text } from "../core/schema.ts";
import { contextStep } from "./context-step.ts";

export interface DbQueryParams {
  query: string;
  params?: Fields;
}

/** What it is given is bound, never text of the question (A28). */
export const dbQuery: Handler<DbQueryParams> = contextStep(
  {
    type: "db_query",
    summary: "Asks the store about tasks, events or runs, by the name of a question.",
    limit: 30,
    gives: { rows: "the rows that were found, each an object", count: "how many there are" },
  },
  {
    params: object(
      { query: text(`the question: ${queryNames.join(", ")}`) },
      { params: say(mapOf(anything), "what the question needs, by name; each may hold placeholders", {}) },
    ),
    inspect: ({ query, params }) => mismatchesOf(String(query), isRecord(params) ? Object.keys(params) : []),
    async run({ query, params = {} }, context) {
      if (!isQueryName(query)) throw new Error(unknownQuery(query));
      const projects = await projectsOf(context);
      const rows = await projects.query(query, params);
      return { ok: true, output: { rows, count: rows.length } };
    },
  },
);

/** @throws where this line reaches no projects */
export async function projectsOf({ ports }: Pick<StepContext, "ports">): Promise<Projects> {
  const projects = await ports.projects?.();
  if (!projects) throw new Error("projects and tasks cannot be reached here: they need the SQLite store");
  return projects;
}

/** Found when the automation is made. A question whose name is a placeholder is known when it is asked. */
function mismatchesOf(query: string, given: readonly string[]): Mismatch[] {
  if (query.includes("{{")) return [];
  if (isQueryName(query)) return wrongParams(query, given) === undefined ? [] : paramMismatches(query, given);
  const advice = didYouMean(query, queryNames) ?? `known: ${queryNames.join(", ")}`;
  return [{ path: ["query"], expected: `${unknownQuery(query)} (${advice})`, found: query }];
}

function paramMismatches(query: QueryName, given: readonly string[]): Mismatch[] {
  const { params } = namedQueries[query];
  const takes = params.length === 0 ? "none" : params.join(" and ");
  return [
    ...params
      .filter((one) => !given.includes(one))
      .map((one) => ({ path: ["params", one], expected: "a value", found: "nothing" })),
    ...given
      .filter((one) => !params.includes(one))
      .map((one) => ({
        path: ["params", one],
        expected: `Unknown parameter "${one}": the query ${query} takes ${takes}`,
        found: one,
      })),
  ];
}
