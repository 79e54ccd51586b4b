/**
 * Our own files in agents with plugins: how each is written, the agent's own part with runner.js, which runs the registered lines, in
 * place of its import; and the answers that they apply, one form for all of them. By event, and never more than the agent takes there.
 */
import type { Fields, HookEvent, Json, Seconds } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { isRecord } from "../../engine/schema.ts";
import { filled, ownText } from "../../files/own-files.ts";
import { contextOf, createReplies, type Replies, type ReplyRow, type ReplyRows, reasonOf, texts } from "../replies.ts";

/**
 * deny: what is refused, and why · args: the input that the call is to have, whole · output: what the model is to see of the result ·
 * context: for the model · say: for the person · continue: what the model is to go on with
 */
export type PluginReply = Partial<Record<"deny" | "context" | "say" | "continue", string>> & {
  args?: Fields;
  output?: Json;
};

/** How a refusal is said. added: the reason is for the model, beside the result; continue: the model goes on with it. */
type Refusal = "deny" | "added" | "continue";

type PluginRow = ReplyRow<Refusal>;
type PluginRows = ReplyRows<PluginRow>;

/** The last line of what a stop is answered with: the prompt that it comes back as is no person's. */
export const continuationMark = "(Hookline: a hook does not let this turn end yet.)";
export const isContinuation = (prompt: string): boolean => prompt.trimEnd().endsWith(continuationMark);

export interface Native {
  /** A canonical input as the agent's own tool takes it. */
  input(input: Fields): Fields;
  output(output: Json): Json;
}

/** @param native how a rewrite of this event reaches the agent's own tool */
export const createPluginReplies = (
  rows: PluginRows,
  native: (event: HookEvent, wire: unknown) => Native,
): Replies<PluginRow> =>
  createReplies(rows, {
    accepts: ({ accepts }, row) => (accepts ? row.accepts.filter((field) => accepts.includes(field)) : row.accepts),
    top: (row, outcome, { event, wire }) => ({ ...replyOf(row, outcome, native(event, wire)) }),
  });

function replyOf({ refuses, accepts }: PluginRow, outcome: Outcome, { input, output }: Native): PluginReply {
  const { verdict, updatedInput, updatedOutput } = outcome;
  const reason = verdict?.is === "deny" ? reasonOf(outcome) : "";
  const context = accepts.includes("context") ? contextOf(outcome) : "";
  const said = texts(outcome.messages, "person").join("\n");
  const say = said ? { say: said } : {};
  if (refuses === "deny" && reason) return { deny: context ? `${reason}\n${context}` : reason, ...say };
  const told = [reason, context].filter((text) => text !== "").join("\n");
  if (refuses === "continue") return { ...(told && { continue: `${told}\n\n${continuationMark}` }), ...say };
  return {
    ...(updatedInput && { args: input(updatedInput) }),
    ...(updatedOutput !== undefined && { output: output(updatedOutput) }),
    ...(told && { context: told }),
    ...say,
  };
}

/** A rewritten result as text, where one of these fields of it is what the model reads. */
export function textOfResult(result: Json, fields: readonly string[]): string {
  if (typeof result === "string") return result;
  const known = isRecord(result)
    ? fields.map((field) => result[field]).find((value) => typeof value === "string")
    : undefined;
  return typeof known === "string" ? known : JSON.stringify(result);
}

interface Printed {
  mark: string;
  calls: readonly { event: string; command: string }[];
}

/** Lines stand in it as JSON writes texts, so that install finds them again. One export only: OpenCode takes each for a plugin. */
export function printOwnFile(part: string, { mark, calls }: Printed, timeout: Seconds): string {
  const runner = ownText(import.meta.url, "./runner.js").replace(/^export \{[^}]*\};\n/m, "");
  const entries = calls.map(
    ({ event, command }) => `  ${event}: { line: ${JSON.stringify(command)}, guarded: ${isGuarded(command)} },\n`,
  );
  const text = filled(
    part.replace(/^import \{[^}]*\} from "[./\w-]+\/runner\.js";\n/m, () => runner),
    {
      LINES: `{\n${entries.join("")}}`,
      LIMIT: String(timeout * 1000),
      CONTINUATION_MARK: JSON.stringify(continuationMark),
    },
  );
  return `// ${mark}\n// Written by "hookline install"; "hookline uninstall" takes it away. Changes are lost.\n${text}`;
}

const isGuarded = (command: string): boolean => / --guarded;/.test(command);
