/** hookline install and uninstall: edits the agent's own settings, keeps everything else in them, and is undone exactly. */
import { realpathSync } from "node:fs";
import { type AgentAdapter, type InstallLayer, installLayers } from "../agents/adapter.ts";
import { agents } from "../agents/index.ts";
import { type InstallResult, installAgent, uninstallAgent } from "../agents/install.ts";
import { HooklineError } from "../core/error.ts";
import { nearest } from "../core/nearest.ts";
import { loadAll } from "../loading.ts";
import { findProject } from "../sources/project.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "./command.ts";
import { shortPath } from "./list.ts";
import { loadingFor } from "./loaded.ts";
import { stateFolder } from "./place.ts";
import { safeText } from "./terminal.ts";

export async function install(invocation: Invocation): Promise<ExitCode> {
  const { agent, layer } = target(invocation, "install");
  if (invocation.flags.http === true) {
    throw usageError(
      "--http registers the daemon's URL, and this version has no daemon yet",
      "install AGENT without --http registers the command",
    );
  }
  const { set, root } = await loadAll(invocation, loadingFor(invocation));
  const places = { home: invocation.home, root, environment: invocation.environment };
  const ours = set.hooks.filter(({ origin }) => !origin.file || !agent.readsItself(origin.file, places));
  const wanted = [...new Set(ours.flatMap(({ on }) => ("event" in on ? on.event : [])))];
  const result = installAgent({
    agent,
    layer,
    places,
    stateFolder: stateFolder(invocation),
    command: [realpathSync(invocation.self[0]), invocation.self[1]],
    wanted,
    takeOver: invocation.flags["take-over"] === true,
    dryRun: invocation.flags["dry-run"] === true,
  });
  report(invocation, result, {
    done: `${agent.title} now calls Hookline: ${place(invocation, result.file)}`,
    same: `nothing to do: ${agent.title} calls Hookline already (${place(invocation, result.file)})`,
    next: `Try it: ${set.hooks.length === 0 ? "no hook is in force here yet; put some into .hookline/hooks.json" : `${set.hooks.length === 1 ? "1 hook is" : `${set.hooks.length} hooks are`} in force here, see hookline list`}. Take it out again: hookline uninstall ${agent.name} --layer ${layer}`,
  });
  return 0;
}

export function uninstall(invocation: Invocation): ExitCode {
  const { agent, layer } = target(invocation, "uninstall");
  const { root } = findProject(invocation.cwd, invocation.home);
  const result = uninstallAgent({
    agent,
    layer,
    places: { home: invocation.home, root, environment: invocation.environment },
    stateFolder: stateFolder(invocation),
    dryRun: invocation.flags["dry-run"] === true,
  });
  report(invocation, result, {
    done: `${agent.title} no longer calls Hookline: ${place(invocation, result.file)}`,
    same: `nothing to do: ${agent.title} does not call Hookline from ${place(invocation, result.file)}`,
    next: "",
  });
  return 0;
}

const place = ({ cwd, home }: Invocation, file: string): string => shortPath(file, cwd, home);

function target(
  { words, flags, usage }: Invocation,
  command: "install" | "uninstall",
): { agent: AgentAdapter; layer: InstallLayer } {
  const [name] = words;
  if (name === undefined)
    throw usageError(`the agent's name is missing (known: ${Object.keys(agents).join(", ")})`, usage);
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (!agent) {
    throw new HooklineError("agent_unknown", {
      name,
      where: `hookline ${command}`,
      near: nearest(name, Object.keys(agents)),
      known: Object.keys(agents).join(", "),
    });
  }
  const given = textFlag(flags, "layer") ?? "user";
  const layer = installLayers.find((one) => one === given);
  if (!layer) throw usageError(`no layer is called "${given}"`, usage);
  return { agent, layer };
}

function report(
  invocation: Invocation,
  result: InstallResult,
  words: { done: string; same: string; next: string },
): void {
  const { terminal, json, flags } = invocation;
  const dry = flags["dry-run"] === true;
  if (json) {
    terminal.print(JSON.stringify({ ...result, dryRun: dry }));
    return;
  }
  if (dry && result.changed) {
    terminal.print(terminal.paint("bold", `${place(invocation, result.file)} would become:`));
    terminal.print(safeText(result.after ?? "(the file would be removed)"));
  } else terminal.print(result.changed ? words.done : words.same);
  for (const note of result.notes) terminal.print(`  note: ${safeText(note)}`);
  if (!dry && result.changed && words.next) terminal.print(words.next);
}
