/** The line or the address that calls Hookline from an agent's settings: how it is recognised, by whatever path. Run as a hook, it would call itself without end. */
import type { Hook } from "../core/hook.ts";

export interface OwnCall {
  agent: string;
  event: string;
  by?: string;
}

const word = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s"';&|<>]+)`;
/** A client, or Node or bash with what it runs; a shell may become it. */
const call = new RegExp(
  `^(?:exec )?(?<program>${word}(?: -p)?(?: ${word})?) hook (?<agent>[\\w-]+) --event (?<event>\\w+)(?: --by (?<by>\\w+))?$`,
);

/** Nothing but a call of ours; a longer line that only contains one belongs to its author. */
export function readOwnCall(command: unknown): OwnCall | undefined {
  if (typeof command !== "string") return undefined;
  const { program = "", agent, event, by } = call.exec(command)?.groups ?? {};
  if (agent === undefined || event === undefined || !/hookline/i.test(program)) return undefined;
  return { agent, event, ...(by !== undefined && { by }) };
}

const address = /^http:\/\/127\.0\.0\.1:\d+\/hook\/(?<agent>[\w-]+)\?event=(?<event>\w+)&by=(?<by>\w+)$/;

/** In a text of JSON, where a slash may be written as two characters. */
const addressWithin =
  /"http:(?:\\?\/){2}127\.0\.0\.1:(?<port>\d+)\\?\/hook\\?\/(?<agent>[\w-]+)\?event=\w+&by=(?<by>\w+)"/;

/** Whom an agent tells over HTTP. */
export interface OwnDoor {
  port: number;
  agent: string;
  by: string;
}

/** The first address of ours in an agent's settings, as install writes it or as an editor would write it anew. */
export function ownDoorIn(text: string): OwnDoor | undefined {
  const { port, agent, by } = addressWithin.exec(text)?.groups ?? {};
  return port === undefined || agent === undefined || by === undefined ? undefined : { port: Number(port), agent, by };
}

/** Where an agent's own HTTP hook tells the daemon of an event. */
export const ownAddress = (port: number, { agent, event, by }: Required<OwnCall>): string =>
  `http://127.0.0.1:${port}/hook/${agent}?event=${event}&by=${by}`;

export function readOwnAddress(url: unknown): OwnCall | undefined {
  const { agent, event, by } = (typeof url === "string" && address.exec(url)?.groups) || {};
  return agent === undefined || event === undefined || by === undefined ? undefined : { agent, event, by };
}

export const isOwnCall = ({ steps: [step] }: Hook): boolean =>
  (step.uses === "command" && readOwnCall(step.with.command) !== undefined) ||
  (step.uses === "http" && readOwnAddress(step.with.url) !== undefined);
