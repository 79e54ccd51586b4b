/**
 * Where the reason of a refused stop comes back as a prompt: its last line says that no person wrote it, so that it renews nothing
 * that a person's prompt renews (R8). It names the session, so that no text from elsewhere can pass for one.
 */
import type { SessionId } from "../engine/event.ts";

const lineFor = (session: SessionId | undefined): string => {
  const hash = process.getBuiltinModule("node:crypto").hash("sha256", session ?? "");
  return `(hookline ${hash.slice(0, 8)}: a hook asks you to go on)`;
};

export const asContinuation = (reason: string, session: SessionId | undefined): string =>
  `${reason}\n${lineFor(session)}`;

/** Other hooks' reasons may stand below it. */
export const isContinuation = (prompt: unknown, session: SessionId | undefined): boolean =>
  typeof prompt === "string" && prompt.includes("(hookline ") && prompt.split("\n").includes(lineFor(session));

/** What a call is known by where the agent gives it no id: when the agent sent it, to whichever registration, and what it is. */
export const momentOf = (at: number, ...what: readonly unknown[]): string | undefined =>
  Number.isNaN(at) ? undefined : `${at} ${momentHash(...what)}`;

export const momentHash = (...what: readonly unknown[]): string =>
  process.getBuiltinModule("node:crypto").hash("sha256", JSON.stringify(what)).slice(0, 16);
