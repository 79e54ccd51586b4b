/** One reading of one tool call into its effects: what every rule about this call shares. */

import { baseName, type Spelling } from "../../engine/command-pattern.ts";
import type { CallEffects, CallToRead, Effect, ShellPlace, ShellReading, SimpleCommand } from "../../engine/effects.ts";
import { lineOfCall } from "../../engine/tool-input.ts";
import { classOf } from "../../engine/tools.ts";
import { effectsOf } from "./command.ts";
import { withGiven } from "./fed.ts";
import { flowsIn } from "./flows.ts";
import { isAt, type Where } from "./places.ts";
import { effectsOfTool } from "./tools.ts";

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
