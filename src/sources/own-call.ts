/** Recognises Hookline's own registration in an agent's settings: run as a hook, it would call itself without end. */
import type { Hook } from "../core/hook.ts";

const word = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s"';&|<>]+)`;
const call = new RegExp(`^(?<program>${word}(?: ${word})?) hook [\\w-]+ --event \\w+(?: --by \\w+)?$`);

/** A longer line that only contains such a call belongs to its author. */
export function isOwnCall({ steps: [step] }: Hook): boolean {
  const command = step.uses === "command" ? step.with.command : undefined;
  const program = typeof command === "string" ? call.exec(command)?.groups?.program : undefined;
  return program !== undefined && /hookline/i.test(program);
}
