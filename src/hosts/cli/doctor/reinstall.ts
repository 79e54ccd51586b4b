/** Registers Hookline with an agent again, as `install` does it for a person: the command, and what --fix does. */
import { modWords } from "../../../agents/install/own-call.ts";
import { install, planInstall } from "../agents/install.ts";
import type { Here, Registered } from "./here.ts";

type Where = Pick<Registered, "agent" | "layer" | "entries">;

const isOverHttp = ({ entries }: Where): boolean => entries.some(({ overHttp }) => overHttp);

export const installAgain = (one: Where): string =>
  [
    `hookline install ${one.agent.name}`,
    ...(one.layer === "user" ? [] : [`--layer ${one.layer}`]),
    ...(isOverHttp(one) ? ["--http"] : []),
    ...modWords(one.entries),
  ].join(" ");

const flagsFor = (one: Registered): Record<string, string | boolean> => ({
  layer: one.layer,
  http: isOverHttp(one),
  ...Object.fromEntries(modWords(one.entries).map((flag) => [flag.replace("--", ""), true])),
});

/** Whether an install would change the registration. */
export async function isChanged(one: Registered, here: Here): Promise<boolean> {
  const invocation = { ...here.invocation, flags: { ...flagsFor(one), "dry-run": true } };
  const hooks = await here.hooks();
  const { agent, layer } = one;
  return (await planInstall(invocation, { agent, layer, hooks, root: here.places.root })).plan.changed;
}

/** Shows what changes in the agent's settings, line by line, before it writes (R84). */
export async function reinstall(one: Registered, { invocation, show }: Here): Promise<string> {
  const flags = flagsFor(one);
  const asked = { ...invocation, words: [one.agent.name], json: false };
  const quiet = { ...invocation.terminal, print() {} };
  const terminal = invocation.json ? quiet : invocation.terminal;
  await install({ ...asked, flags: { ...flags, "dry-run": true }, terminal });
  await install({ ...asked, flags, terminal: quiet });
  return `registered ${one.agent.title} again (${show(one.file)})`;
}
