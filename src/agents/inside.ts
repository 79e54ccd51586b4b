/** What runs inside agents and can come between their calls and Hookline. Apart from the adapters, as no event asks for it. */
import { counted } from "../engine/words.ts";
import { type AgentAdapter, type CodeInside, layersOf, type Places } from "./adapter.ts";
import { claudeCode } from "./claude-code/adapter.ts";
import { insideClaude } from "./claude-code/inside.ts";
import { agents } from "./index.ts";

type Look = (agent: AgentAdapter, places: Places) => readonly CodeInside[];

/** Of an agent that is not here nothing is known of this kind. */
const looks: Readonly<Record<string, Look>> = {
  [claudeCode.name]: ({ files, settings }, places) =>
    insideClaude(
      files,
      places,
      layersOf(claudeCode).map((layer) => settings.file(layer, places)),
    ),
};

export interface Inside extends CodeInside {
  agent: AgentAdapter;
}

/** Never throws. */
export const codeInside = (places: Places): Inside[] =>
  Object.values(agents).flatMap((agent) =>
    (looks[agent.name]?.(agent, places) ?? []).map((one) => ({ ...one, agent })),
  );

/** One as a sentence, without its path. */
export function insideWords({ is, name, from, hooks, since, stands, agent }: Inside): string {
  const day = since === "" ? "" : `, since ${since.slice(0, 10)}`;
  const what =
    is === "mod" ? `answers ${hooks.join(", ")}` : `makes ${agent.title} run ${counted(hooks.length, "shell line")}`;
  return `the ${is} ${name} (${from}${day}) ${what}; it stands ${stands}`;
}
