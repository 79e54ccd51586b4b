/**
 * How deep an event is: how many lie between it and the first that no hook sent. By it hooks that answer each other come to
 * an end. It goes with the payload, and to a hook's programs by their environment, so that it outlives every process.
 */
import type { Fields, HookEvent } from "./event.ts";

export const depthField = "hookline_depth";
/** How deep is what a program sends that finds it; where it is set, a hook's program runs. */
export const depthVariable = "HOOKLINE_DEPTH";
/** Hooks that send what other hooks answer by sending end here. */
export const deepest = 5;

type Environment = Readonly<Record<string, string | undefined>>;

/** How deep is what is sent in this environment by nobody's hook; above 0: by a program of a hook. */
export function depthWithin({ [depthVariable]: written }: Environment): number {
  const depth = Number(written);
  return Number.isInteger(depth) && depth > 0 ? depth : 0;
}

/** How deep is what is sent for a hook that was told of this event. */
export function depthBelow({ data }: HookEvent, environment: Environment): number {
  const depth = data[depthField];
  const own = typeof depth === "number" && depth > 0 ? depth : 0;
  return Math.max(own, depthWithin(environment)) + 1; // an agent that a hook began counts none
}

/** The payload of an event so deep. Throws an Error where that is too deep. */
export function payloadAt(depth: number, data: Fields, name: string): Fields {
  if (depth > deepest) throw new Error(`${deepest} events deep, hooks answer each other: "${name}" was not sent`);
  const { [depthField]: _given, ...payload } = data;
  return depth === 0 ? payload : { ...payload, [depthField]: depth };
}

/** For a process that is nobody's program, whoever started it. */
export function withoutDepth(given: Readonly<Record<string, string>>): Record<string, string> {
  const { [depthVariable]: _depth, ...environment } = given;
  return environment;
}
