/** What is here already, for `init`: agents, hooks, languages and tools. Files are read as data; nothing of the project runs. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { type AgentAdapter, type InstallLayer, layersOf, type Places } from "../../../agents/adapter.ts";
import { agents } from "../../../agents/index.ts";
import { registeredLayer } from "../../../agents/install/install.ts";
import { findAgent } from "../../../agents/install/version.ts";
import { loadPatterns } from "../../../conditions/patterns.ts";
import type { LoadedFile } from "../../../loading/load.ts";
import { type Loaded, loadAll } from "../../../loading/loading.ts";
import { untrustedWords } from "../../../operations/hooks/hook-counts.ts";
import { trusting } from "../../compose/trust.ts";
import type { Invocation } from "../command.ts";
import { loadingFor } from "../loaded.ts";
import { languagesIn, readRecipe } from "../packs/recipe.ts";
import { safeText, shortPath } from "../terminal.ts";
import { wrapped } from "../width.ts";

export interface HereAgent {
  agent: AgentAdapter;
  version?: string;
  /** Where it calls Hookline, or would. */
  layer: InstallLayer;
  isRegistered: boolean;
}

export interface Here {
  loaded: Loaded;
  root: string;
  agents: readonly HereAgent[];
  languages: readonly string[];
  /** As a person types them. */
  tests: readonly string[];
  formatters: readonly string[];
  /** The hooks that stand in each file, and the agent that reads the file itself. */
  hooks: readonly { file: string; count: number; agent?: string }[];
  /** What is said of trust; undefined: nothing waits for it. */
  asking: string | undefined;
}

export async function lookAround(invocation: Invocation): Promise<Here> {
  const patterns = await loadPatterns();
  const request = { ...invocation, ...trusting(invocation), withoutModules: true as const, patterns };
  const loaded = await loadAll(request, loadingFor(invocation));
  const { root } = loaded;
  const places = { home: invocation.home, root, environment: invocation.environment };
  const runs = (name: "tests" | "format"): string[] =>
    readRecipe(name, root, invocation.self[1]).parts.flatMap((part) => part.runs ?? []);
  return {
    ...{ loaded, root },
    agents: Object.values(agents).flatMap((agent) => agentHere(agent, places) ?? []),
    languages: languagesIn(root),
    tests: runs("tests"),
    formatters: runs("format"),
    hooks: loaded.files
      .filter(({ hooks }) => hooks > 0)
      .map((file) => ({ file: file.path, count: file.hooks, ...readerOf(file, places) })),
    asking: untrustedWords(loaded),
  };
}

/** On the PATH, or with a folder at home. */
function agentHere(agent: AgentAdapter, places: Places): HereAgent | undefined {
  const found = findAgent(agent, places.environment ?? {});
  const layers = layersOf(agent);
  const registered = registeredLayer(agent, places);
  const layer = registered ?? layers[0];
  if (layer === undefined || (!found && registered === undefined && !hasHome(agent, places))) return undefined;
  return {
    ...{ agent, layer, isRegistered: registered !== undefined },
    ...(found?.version !== undefined && { version: found.version }),
  };
}

/** `~/.codex`, or `~/.config/opencode`: its own folder of those that its settings lie in. */
function hasHome(agent: AgentAdapter, places: Places): boolean {
  if (!layersOf(agent).includes("user")) return false;
  const file = agent.settings.file("user", places);
  const inside = relative(places.home, file);
  if (inside.startsWith("..") || isAbsolute(inside)) return existsSync(dirname(file)); // a variable has moved it
  const [first = "", second = ""] = inside.split(sep);
  return existsSync(join(places.home, first === ".config" ? join(first, second) : first));
}

/** Its agent runs them itself. */
function readerOf({ path, layer }: LoadedFile, places: Places): { agent?: string } {
  const agent = Object.values(agents).find((one) => one.readsItself(path, places, layer));
  return agent ? { agent: agent.title } : {};
}

/** For a person, a line for each subject. */
export function printHere(here: Here, { terminal, cwd, home }: Invocation): void {
  const some = (words: readonly string[], none: string): string => (words.length > 0 ? words.join(", ") : none);
  const row = (subject: string, text: string): void => {
    for (const line of wrapped(`  ${subject.padEnd(10)} ${text}`, terminal.width, { hang: 13 })) terminal.print(line);
  };
  terminal.print(
    terminal.paint(
      "bold",
      `What is here: ${here.root.startsWith(`${home}/`) ? `~${safeText(here.root.slice(home.length))}` : safeText(here.root)}`,
    ),
  );
  row(
    "agents",
    some(
      here.agents.map(({ agent: { title }, version, isRegistered: is }) =>
        [title, ...(version === undefined ? [] : [version]), ...(is ? ["(calls Hookline)"] : [])].join(" "),
      ),
      `none of ${Object.values(agents)
        .map(({ title }) => title)
        .join(", ")}`,
    ),
  );
  row("languages", some(here.languages, "none that Hookline knows"));
  row("tests", some(here.tests, "none that Hookline knows"));
  row("formatters", some(here.formatters, "none that Hookline knows"));
  row("hooks", here.hooks.length === 0 ? "none" : "");
  for (const { file, count, agent } of here.hooks)
    terminal.print(
      `    ${count} in ${shortPath(file, cwd, home)}${agent === undefined ? "" : `, which ${agent} runs itself`}`,
    );
  if (here.asking !== undefined) terminal.print(`    ${here.asking}`);
}
