/** What the tests of agents with a file of our own share: outcomes of every kind, and the keys that the file applies, event by event. */
import fc from "fast-check";
import type { AgentAdapter } from "../../src/agents/adapter.ts";
import type { AgentEventName, HookEvent, Json } from "../../src/engine/event.ts";
import type { Outcome } from "../../src/engine/outcome.ts";

const text = fc.string({ minLength: 1, maxLength: 12 });
const fields = fc.dictionary(fc.constantFrom("command", "file_path", "content", "x"), fc.string());
const messages = fc.array(
  fc.record({ to: fc.constantFrom("person" as const, "model" as const), text }, { requiredKeys: ["to", "text"] }),
  { maxLength: 2 },
);
const flag = fc.boolean();

/** Every field that an outcome can have, each there or not. */
export const outcomes: fc.Arbitrary<Outcome> = fc.record(
  {
    verdict: fc.record({
      is: fc.constantFrom("deny" as const, "ask" as const, "allow" as const, "defer" as const),
      reason: text,
      by: fc.constant("h"),
    }),
    stop: fc.record({ reason: text }),
    context: fc.array(text, { maxLength: 2 }),
    messages,
    compact: fc.constant({ strategy: "truncate" as const }),
    updatedInput: fields,
    updatedOutput: fc.oneof(
      text as fc.Arbitrary<Json>,
      fields as fc.Arbitrary<Json>,
      fc.integer() as fc.Arbitrary<Json>,
    ),
    permissions: fc.constant([{ a: 1 }]),
    watchPaths: fc.constant(["/w"]),
    firstMessage: text,
    retry: flag,
    suggestions: fc.constant([{ id: "s" }]),
    documents: fc.constant([{ path: "/d" }]),
    intent: fields,
    followUps: fc.constant([{ kind: "k", payload: {} }]),
    sessionTitle: text,
    suppressPrompt: flag,
    suppressOutput: flag,
    displayContent: text,
    worktreePath: text,
    elicitation: fc.constant({ action: "accept" }),
    reloadSkills: flag,
    interrupt: flag,
    extra: fields,
  },
  { requiredKeys: [] },
);
export const eventOf = (agent: AgentAdapter, name: AgentEventName, data: HookEvent["data"]): HookEvent => ({
  ...{ id: "e", name, at: 0, cwd: "/w", sender: agent.name, data },
  accepts: agent.capabilities[name] ?? [],
});

/** The reply's keys, as the files read them. */
const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  deny: (value) => typeof value === "string" && value !== "",
  context: (value) => typeof value === "string" && value !== "",
  say: (value) => typeof value === "string" && value !== "",
  continue: (value) => typeof value === "string" && value !== "",
  output: (value) => typeof value === "string",
  args: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};
const decided = ["deny", "context", "say"];
export const replyKeys: Readonly<Partial<Record<AgentEventName, readonly string[]>>> = {
  SessionStart: ["context", "say"],
  UserPromptSubmit: decided,
  PreToolUse: ["deny", "args", "say"],
  PostToolUse: ["output", "context", "say"],
  PostToolUseFailure: ["context", "say"],
  Stop: ["continue", "say"],
  Interrupt: ["say"],
  SubagentStart: ["context", "say"],
  SubagentStop: ["say"],
  PreCompact: decided,
  FileChanged: ["say"],
};

/** Keys that the file does not read on this event, or values of another kind. */
export function strangeIn(name: AgentEventName, body: Json | undefined): string[] {
  if (body === undefined) return [];
  if (typeof body !== "object" || body === null || Array.isArray(body)) return ["the reply"];
  return Object.entries(body)
    .filter(([key, value]) => !replyKeys[name]?.includes(key) || !kinds[key]?.(value))
    .map(([key]) => key);
}
