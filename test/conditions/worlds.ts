/** A few moments of a session in which expressions and conditions are asked, and the names as an expression sees them there. */
import { type Fields, firstTurn, type HookEvent, type Json, type Turn } from "../../src/engine/event.ts";
import { matchNames } from "../../src/engine/plan.ts";
import type { Scope } from "../../src/engine/ports.ts";

export function scopeWith(
  name: HookEvent["name"],
  data: Fields,
  turn: Partial<Turn> = {},
  more: Partial<HookEvent> = {},
): Scope {
  const event: HookEvent = { id: "e", name, at: 0, cwd: "/srv/app", data, sender: "test", ...more };
  return { event, turn: { ...firstTurn, ...turn }, names: matchNames(event), results: [], faults: [] };
}

export const scopes: readonly Scope[] = [
  scopeWith("Stop", {}),
  scopeWith(
    "PreToolUse",
    { tool_name: "Bash", tool_input: { command: "git push", count: 3, list: ["a", "ab", 2, null, 2.5], path: "a b" } },
    { number: 5, toolCalls: 2, tokens: 600, window: 600, messages: 9, prompt: "Ab", openTasks: 0 },
  ),
  scopeWith(
    "PostToolUse",
    {
      tool_name: "mcp__files__read",
      tool_input: JSON.parse(
        '{"path": "x.y", "list": [[1, 2], [], "😀b"], "__proto__": {"name": 7}, "constructor": "own"}',
      ),
      tool_response: { success: false, name: "it's" },
      error: "boom",
    },
    { number: 2, toolCalls: 12, tokens: 100, window: 1000, toolFailed: true, openTasks: 4, agent: { id: "reviewer" } },
  ),
];

export const toolClass: Readonly<Record<string, string>> = {
  Bash: "shell",
  Write: "write",
  Edit: "write",
  Read: "read",
  mcp__files__read: "mcp",
};

export type World = { readonly [name: string]: Json };

/** What the names mean, said once more and plainly. */
export const worldOf = ({ event: { name, data, session, agent }, turn }: Scope): World => ({
  turn: turn.number,
  turn_count: turn.number,
  turns: turn.number,
  tools: turn.toolCalls,
  tool_calls: turn.toolCalls,
  messages: turn.messages,
  message_count: turn.messages,
  pressure: turn.tokens !== undefined && turn.window ? turn.tokens / turn.window : null,
  tokens: turn.tokens ?? null,
  tokens_used: turn.tokens ?? null,
  max_tokens: turn.window ?? null,
  max_turns: turn.maxTurns ?? null,
  open_tasks: turn.openTasks ?? null,
  tool_failed: turn.toolFailed,
  tool:
    typeof data.tool_name === "string"
      ? {
          name: data.tool_name,
          class: toolClass[data.tool_name] ?? null,
          params: data.tool_input ?? null,
          result: data.tool_response ?? null,
          error: data.error ?? null,
        }
      : null,
  event: { ...data, name },
  session: session ?? null,
  agent: { id: (agent ?? turn.agent)?.id ?? null, type: (agent ?? turn.agent)?.type ?? null },
  prompt: data.prompt ?? turn.prompt,
  answer: data.last_assistant_message ?? turn.answer,
  error: data.error || turn.error || null,
});

export const worlds: readonly World[] = scopes.map(worldOf);
