/** The mark that everything a program starts carries in its environment, wherever it goes (R14). */
import type { Command } from "../core/program.ts";

const cookieName = "HOOKLINE_RUN_COOKIE";

/** Unique is enough: whoever copies it gets himself ended. */
export const createCookie = (): string =>
  `${process.pid}-${process.hrtime.bigint().toString(36)}-${Math.random().toString(36).slice(2)}`;

let ofProcess: string | undefined;

/** From now on everything that this process starts carries this mark, so that it is found when this process was killed. */
export function markAll(mark: string): void {
  ofProcess = mark;
}

/**
 * A run inside a run carries both cookies, so that ending the outer one finds the inner one's strays.
 *
 * @param outlives what it leaves behind may go on without this process
 */
export const withCookie = (
  { environment, mark }: Pick<Command, "environment" | "mark">,
  cookie: string,
  outlives = false,
): Record<string, string> => ({
  ...environment,
  [cookieName]: [environment[cookieName], outlives ? undefined : ofProcess, mark, cookie].filter(Boolean).join(":"),
});

/** Whether this process is itself of the tree with this mark. */
export const carries = (mark: string): boolean => process.env[cookieName]?.includes(mark) ?? false;
