/** Agents that have a file of our own, through the command. */
import { equal, match, ok } from "node:assert/strict";
import type { TestContext } from "node:test";
import type { AgentAdapter } from "../../src/agents/adapter.ts";
import { type Place, placeFor } from "../hosts/daemon/started.ts";

export const commandsFor = (t: TestContext, files: Record<string, string> = {}): Place => {
  const place = placeFor(t, files);
  place.environment.HOOKLINE_DAEMON = "off";
  return place;
};

/** Doctor's event goes through each line of their files and arrives. */
export function arrives(t: TestContext, agents: readonly AgentAdapter[]): void {
  const place = commandsFor(t);
  for (const agent of agents) equal(place.hookline("install", agent.name).status, 0);
  const { stdout } = place.hookline("doctor", "--fire");
  for (const agent of agents)
    match(stdout, new RegExp(`${agent.title}[^\n]* calls Hookline on ${agent.settings.events.length} events`));
  ok(!/did not arrive|not arrived/.test(stdout), stdout);
}
