/** The events that an entry of a file names: which they are, which names mean none, and which no agent here sends. */
import type { EventName } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { nearestFew } from "../../engine/nearest.ts";
import type { Node, Report } from "./tree.ts";

export interface Events {
  /** As their author wrote them. */
  written: string[];
  events: EventName[];
  /** What names that mean nothing were most likely meant to be. */
  meant: EventName[];
}
interface Format {
  /** The names that its specification has, for suggestions. */
  names: readonly string[];
  unknown(written: string): string;
}

const mostSuggested = 3;

/** @param node a name or a list of names; anything else is reported by its schema */
export function readEvents(node: Node | undefined, { names, unknown }: Format, report: Report): Events {
  const found: Events = { written: [], events: [], meant: [] };
  for (const { value, offset } of node?.type === "array" ? (node.children ?? []) : node ? [node] : []) {
    if (typeof value !== "string" || value.trim() === "") continue;
    const written = value.trim();
    found.written.push(written);
    const events = resolveEvent(written);
    if (events) {
      found.events.push(...events.filter((event) => !found.events.includes(event)));
      continue;
    }
    const near = nearestFew(written, [...names, ...eventNames], mostSuggested);
    found.meant.push(...near.slice(0, 1).flatMap((name) => resolveEvent(name) ?? []));
    const question = near.length > 0 ? `did you mean ${near.map((name) => `"${name}"`).join(" or ")}? ` : "";
    const suggestion = `${question}known: ${names.join(", ")}, the names of docs/events.md, and names with a dot`;
    report(offset, { severity: "error", code: "unknown-event", message: unknown(written), suggestion });
  }
  return found;
}

interface Sent {
  /** Events that an agent here can send; absent: not checked. */
  sendable: ReadonlySet<string> | undefined;
  part: "rule" | "hook";
  at: number;
}

/** Application events come from anywhere; an agent's own events come only from an agent that sends them. */
export function warnOfNeverSent({ written }: Events, { sendable, part, at }: Sent, report: Report): void {
  if (!sendable) return;
  const never = written.filter((name) =>
    resolveEvent(name)?.every((event) => !event.includes(".") && !sendable.has(event)),
  );
  if (never.length === 0) return;
  const effect = never.length === written.length ? `this ${part} runs only by hookline emit` : "that part never comes";
  report(at, {
    severity: "warning",
    code: "event-never-sent",
    message: `no agent here can send ${never.join(", ")}, so ${effect}`,
    suggestion: "docs/events.md says who sends what",
  });
}
