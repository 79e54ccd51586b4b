/** Whether a person types a command, as far as that can be told: what loosens a guard is not for an agent's shell. */
import { shellOfAgent } from "../../../agents/index.ts";
import { depthWithin } from "../../../engine/event.ts";
import type { Invocation } from "../command.ts";

/** Why this is no person at a terminal; undefined: nothing says so. What it cannot tell is in docs/guards.md. */
export function whyNoPerson({ environment }: Pick<Invocation, "environment">): string | undefined {
  const variable = shellOfAgent(environment);
  if (variable !== undefined) return `${variable} is set, so this is an agent's shell`;
  if (depthWithin(environment) > 0) return "a hook's program runs it";
  return process.stdin.isTTY === true ? undefined : "standard input is no terminal";
}

/** Says why nothing was done. */
export function refuseWithoutPerson(what: string, invocation: Invocation): boolean {
  const why = whyNoPerson(invocation);
  if (why === undefined) return false;
  invocation.terminal.error(
    `hookline: ${what} — ${why} — only a person at a terminal can do this: type the command in a terminal of your own`,
  );
  return true;
}
