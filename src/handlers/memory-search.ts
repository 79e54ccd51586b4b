/** A context step that looks in what a project remembers (specification 000, section 4.7). */
import type { Handler } from "../core/ports.ts";
import type { MemoryHit } from "../core/reach.ts";
import { integer, object, say, text } from "../core/schema.ts";
import { contextStep } from "./context-step.ts";
import { ownProject } from "./own-project.ts";

export interface MemorySearchParams {
  project_id?: string;
  query?: string;
  top_k?: number;
}

const longestContent = 50_000;
const usualCount = 3;

/** Nothing remembered, and nothing that could remember, are both nothing found (A34). */
export const memorySearch: Handler<MemorySearchParams> = contextStep(
  {
    type: "memory_search",
    summary: "Looks for what the project remembers: notes, results of tasks, and what was added.",
    limit: 30,
    gives: {
      content: "what was found, each with its source, heading, content and similarity (50,000 characters)",
      count: "how many were found",
    },
  },
  {
    params: object(
      {},
      {
        project_id: say(text(), "the project; the automation's own unless said", ""),
        query: say(text(), "what to look for, in any words", ""),
        top_k: say(integer(undefined, 1), "at most so many", usualCount),
      },
    ),
    async run({ project_id = "", query = "", top_k: limit = usualCount }, context) {
      const { ports, signal } = context;
      const projects = await ports.projects?.();
      const project = project_id || ownProject(context);
      const notes: string[] = [];
      const hits = projects
        ? await projects.searchMemory(
            { ...(project === undefined ? {} : { project }), query, limit, note: (note) => void notes.push(note) },
            signal,
          )
        : [];
      const output = { content: hits.map(inWords).join("\n\n").slice(0, longestContent), count: hits.length };
      return { ok: true, output, ...(notes.length > 0 ? { notes } : {}) };
    },
  },
);

const inWords = ({ source, heading, content, similarity }: MemoryHit, index: number): string =>
  `[${index + 1}] ${source}${heading === "" ? "" : ` — ${heading}`} (similarity ${similarity.toFixed(2)})\n${content}`;
