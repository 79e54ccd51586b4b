/** One reading of one tool call into its effects: what every rule about this call shares. */

import { baseName, type Spelling } from "../../engine/command-pattern.ts";
import type { CallEffects, CallToRead, Effect, ShellPlace, ShellReading, SimpleCommand } from "../../engine/effects.ts";
import { type Fields, textField } from "../../engine/event.ts";
import { filesOfPatch, globsOfInput, lineOfCall, pathsOfInput } from "../../engine/tool-input.ts";
import { classOf, fileUseOf } from "../../engine/tools.ts";
import { absolutePath, effectsOf } from "./command.ts";
import { withGiven } from "./fed.ts";
import { flowsIn } from "./flows.ts";
import { isAt, type Where } from "./places.ts";

export { isAt };

interface Readers {
  readShell(line: string, place: ShellPlace): ShellReading;
  spell(words: readonly string[]): Spelling;
}

/** Never throws. */
export function readEffects(call: CallToRead, where: Where, { readShell, spell }: Readers): CallEffects {
  const found = lineOfCall(call.tool, call.input);
  const isKnownShell = classOf(call.tool) === "shell";
  if (found === undefined) {
    const effects = isKnownShell ? [] : effectsOfTool(call);
    const why = isKnownShell
      ? `cannot read the line of ${call.tool}`
      : classOf(call.tool) === "write" && effects.length === 0
        ? `cannot tell what ${call.tool} writes`
        : undefined;
    return { commands: [], effects, unknown: why === undefined ? [] : [{ what: "runs", why }] };
  }
  const reading = readShell(found.line, call);
  return {
    commands: reading.commands,
    unknown: found.isShell ? reading.unknown : [],
    effects: [...(isKnownShell ? [] : effectsOfTool(call)), ...effectsOfReading(reading, where, spell)],
  };
}

export function effectsOfReading(reading: ShellReading, where: Where, spell: Readers["spell"]): Effect[] {
  const commands = withGiven(reading.commands, where, spell);
  const each = commands.map((command, index) => {
    const own = effectsOf(command, index, { home: where.home, links: reading.links, spell });
    return isInContainer(command, commands) ? { ...own, effects: own.effects.filter(countsInContainer) } : own;
  });
  const effects: Effect[] = [];
  for (const own of each) for (const effect of own.effects) effects.push(effect);
  for (const flow of flowsIn(commands, each, where)) effects.push(flow);
  if (reading.forks) effects.push({ is: "forks" });
  return effects;
}

const containers = /^(?:docker|podman|nerdctl|docker-compose|kubectl|oc|lxc|multipass)$/;

function isInContainer({ by }: SimpleCommand, commands: readonly SimpleCommand[]): boolean {
  for (let at = by, depth = 0; at !== undefined && depth < 20; at = commands[at]?.by, depth++)
    if (containers.test(baseName(commands[at]?.words[0] ?? ""))) return true;
  return false;
}

/** Its files are its own: what is written and deleted there is nobody's home and no system but the container's. */
const countsInContainer = ({ is, path }: Effect): boolean =>
  !["writes", "deletes", "permits"].includes(is) || path === "/";

/** All files of the folder, or those that fit a glob: `**\/.env` may be the `.env` of any folder in it. */
function searchesOf(input: Fields, named: readonly string[], absolute: (path: string) => string): Effect[] {
  const globs = globsOfInput(input);
  if (globs.length === 0)
    return named.length > 0
      ? named.map((folder) => ({ is: "reads", path: absolute(folder), below: true }))
      : [{ is: "reads", path: absolute(".") }];
  return (named.length > 0 ? named : ["."]).flatMap((folder) =>
    globs.flatMap((glob) => searchesLike(glob, folder, absolute)),
  );
}

/** Without a slash, files of that name at any depth; a star at the beginning of a name may be nothing, and hidden files count. */
function searchesLike(glob: string, folder: string, absolute: (path: string) => string): Effect[] {
  const at = (one: string): string => absolute(/^[/~]/.test(one) ? one : `${folder}/${one}`);
  const [, whole] = /^((?:.*\/)?)\*\*?(?:\/\*)?$/.exec(glob) ?? [];
  if (whole !== undefined && !/[*?[]/.test(whole)) return [{ is: "reads", path: at(whole || "."), below: true }];
  const deep = glob.includes("/") ? glob : `**/${glob}`;
  const hidden = deep.replace(/(^|\/)\*(?=\.[^/]*$)/, "$1");
  return [...new Set([glob, deep, hidden])].map((one) => ({ is: "reads", path: at(one) }));
}

function effectsOfTool({ tool, input, cwd, home }: CallToRead): Effect[] {
  const absolute = (path: string): string => absolutePath(path, cwd, home);
  const named = pathsOfInput(input);
  const all = (is: Effect["is"], paths: readonly string[]): Effect[] =>
    paths.map((path) => ({ is, path: absolute(path) }));
  const use = fileUseOf(tool);
  if (use === "writes") {
    const { files, gone } = filesOfPatch(input);
    return [...all("writes", [...named, ...files]), ...all("deletes", gone)];
  }
  if (use === "deletes") return all("deletes", named).map((one) => ({ ...one, below: true }));
  if (use === "searches") return searchesOf(input, named, absolute);
  if (use === "reads") {
    const byPattern = globsOfInput(input).flatMap((glob) => searchesLike(glob, ".", absolute));
    if (named.length + byPattern.length > 0) return [...all("reads", named), ...byPattern];
  }
  const url = textField(input, "url");
  if (url !== undefined && URL.canParse(url)) {
    const { protocol, hostname, pathname } = new URL(url);
    return protocol === "file:"
      ? all("reads", [pathname])
      : [{ is: "network", host: hostname.toLowerCase().replace(/\.$/, "") }];
  }
  return [];
}
