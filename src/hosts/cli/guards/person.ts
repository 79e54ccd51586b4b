/** Whether a person types a command, as far as that can be told: what loosens Hookline is not for an agent's shell (R92). */
import { agentOfProgram, shellOfAgent } from "../../../agents/index.ts";
import { baseName } from "../../../engine/command-pattern.ts";
import { depthWithin } from "../../../engine/event.ts";
import { type Ancestor, ancestors } from "../../../runtime/processes/ancestors.ts";
import { isForTests } from "../../compose/trust.ts";
import type { Invocation } from "../command.ts";

type Place = Pick<Invocation, "environment">;

/** Why this is no person at a terminal; undefined: nothing says so. What it cannot tell is in docs/security.md. */
export const whyNoPerson = (place: Place): string | undefined =>
  whyAgent(place) ?? (process.stdin.isTTY === true ? undefined : "standard input is no terminal");

/** Why it is an agent or a hook that runs this; undefined: nothing says so. Variables of a CI change nothing. */
export const whyAgent = ({ environment }: Place): string | undefined =>
  whyHere(environment) ?? (isForTests ? undefined : whyAbove(ancestors() ?? []));

function whyHere(environment: Invocation["environment"]): string | undefined {
  const variable = shellOfAgent(environment);
  if (variable !== undefined) return `${variable} is set, so this is an agent's shell`;
  return depthWithin(environment) > 0 ? "a hook's program runs it" : undefined;
}

/** Programs that make a terminal for another program. One that nobody's shell stands above was left behind by what started it. */
const makers: ReadonlySet<string> = new Set([
  "script",
  "scriptlive",
  "expect",
  "unbuffer",
  "socat",
  "empty",
  "faketty",
]);

/** What stands above it says the same, though this process's own variables do not. */
export function whyAbove(above: readonly Ancestor[]): string | undefined {
  for (const { pid, words, environment, isTop } of above) {
    const program = baseName(words[0] ?? "");
    const shown = `${program || "a process"} (${pid}), which stands above it,`;
    const agent = agentOfProgram(words);
    if (agent !== undefined) return `${shown} is ${agent}`;
    const variable = shellOfAgent(environment);
    if (variable !== undefined) return `${shown} has ${variable} set, so this is an agent's shell`;
    if (depthWithin(environment) > 0) return `${shown} was started by a hook`;
    if (isTop && makers.has(program)) return `${shown} made this terminal, and no shell of a person started that`;
  }
  return undefined;
}

/** Says why nothing was done, where no person is at a terminal. */
export const refuseWithoutPerson = (what: string, invocation: Invocation): boolean =>
  refused(what, whyNoPerson(invocation), invocation);

/** The same, where a machine without an agent may do it too. */
export const refuseAgent = (what: string, invocation: Invocation): boolean =>
  refused(what, whyAgent(invocation), invocation);

function refused(what: string, why: string | undefined, { terminal }: Invocation): boolean {
  if (why === undefined) return false;
  terminal.error(
    `hookline: ${what} — ${why} — only a person at a terminal can do this: type the command in a terminal of your own`,
  );
  return true;
}
