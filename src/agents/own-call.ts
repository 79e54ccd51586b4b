/** The line that calls Hookline from an agent's settings: how it is recognised, by whatever path. Run as a hook, it would call itself without end. */
import type { Hook } from "../core/hook.ts";

export interface OwnCall {
  agent: string;
  event: string;
  by?: string;
}

const word = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s"';&|<>]+)`;
const call = new RegExp(
  `^(?<program>${word}(?: ${word})?) hook (?<agent>[\\w-]+) --event (?<event>\\w+)(?: --by (?<by>\\w+))?$`,
);

/** Nothing but a call of ours; a longer line that only contains one belongs to its author. */
export function readOwnCall(command: unknown): OwnCall | undefined {
  if (typeof command !== "string") return undefined;
  const { program = "", agent, event, by } = call.exec(command)?.groups ?? {};
  if (agent === undefined || event === undefined || !/hookline/i.test(program)) return undefined;
  return { agent, event, ...(by !== undefined && { by }) };
}

export const isOwnCall = ({ steps: [step] }: Hook): boolean =>
  step.uses === "command" && readOwnCall(step.with.command) !== undefined;
