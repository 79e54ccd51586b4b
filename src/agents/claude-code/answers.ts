/**
 * Answers of hooks' programs that Claude Code ignores and Hookline reads. Apart from replies.ts, which says what Hookline itself
 * answers: these are other people's words, in files that the agent reads itself.
 */
import type { Fields, HookEvent } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";

/** @returns what it ignores, and what to write; undefined: it takes the answer (2.1.332) */
export function ignoredAnswer(answer: Fields, event: HookEvent["name"]): string | undefined {
  const { hookSpecificOutput: inner, decision } = answer;
  const written = `write {"hookSpecificOutput": {"hookEventName": "${event}", …}}`;
  const flat = flatKeys.find((key) => answer[key] !== undefined);
  if (flat !== undefined) return `it reads no "${flat}" there — ${written}`;
  if (typeof decision === "string" && decision !== "block" && decision !== "approve")
    return `it reads no decision "${decision}" — write "block" or "approve"`;
  if (!isRecord(inner)) return undefined;
  if (inner.hookEventName === undefined) return `hookSpecificOutput has no hookEventName — ${written}`;
  return inner.hookEventName === event ? undefined : `hookEventName names another event — ${written}`;
}

/** Other agents' words for a decision. */
const flatKeys = ["permissionDecision", "permission", "behavior"];
