/** Whether a person types a command, as far as that can be told: what loosens a guard is not for an agent's shell. */
import { shellOfAgent } from "../../../agents/index.ts";
import { depthWithin } from "../../../engine/event.ts";
import type { Invocation } from "../command.ts";

/** Why this is no person at a terminal; undefined: nothing says so. What it cannot tell is in docs/guards.md. */
export const whyNoPerson = ({ environment }: Pick<Invocation, "environment">): string | undefined =>
  whyAgent(environment) ?? (process.stdin.isTTY === true ? undefined : "standard input is no terminal");

/** Why it is an agent or a hook that runs this; undefined: nothing says so. */
export function whyAgent(environment: Invocation["environment"]): string | undefined {
  const variable = shellOfAgent(environment);
  if (variable !== undefined) return `${variable} is set, so this is an agent's shell`;
  return depthWithin(environment) > 0 ? "a hook's program runs it" : undefined;
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
