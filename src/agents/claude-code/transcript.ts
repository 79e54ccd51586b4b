/** What a transcript of Claude Code says of its conversation: context used, prompts, messages. Apart, because only conditions that ask for it pay for it. */
import { isAbsolute, join } from "node:path";
import { type Figures, type HookEvent, textField } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { linesFromEnd, linesFromStart, type OpenFile, withFile } from "../../files/lines-of-file.ts";

/** The last answer lies near the end; what a tool gave back after it may be large. */
const tailAtMost = 4 * 1024 * 1024;
const countedAtMost = 64 * 1024 * 1024;

interface Transcript {
  path: string;
  /** Whose entries are meant: a subagent's are marked, in its own file. */
  side: boolean;
}

/**
 * Figures of the session that the event names, from its transcript.
 *
 * @param needs "tokens" (with the window), "turns", "messages"; nothing else is read
 * @param windows context sizes from the settings
 * @returns undefined where there is nothing to be found: no such file, no entry of Claude Code's. Never throws
 */
export function transcriptFigures(
  event: HookEvent,
  needs: ReadonlySet<string>,
  windows: Readonly<Record<string, number>>,
): Figures | undefined {
  const transcript = transcriptOf(event);
  if (!transcript) return undefined;
  const figures = withFile(transcript.path, (file) => ({
    ...(needs.has("tokens") && readContext(file, transcript.side, event, windows)),
    ...((needs.has("turns") || needs.has("messages")) && readCounts(file, transcript.side, event, needs)),
  }));
  return figures && Object.keys(figures).length > 0 ? figures : undefined;
}

/** A subagent has a transcript of its own beside the session's, which its events do not name until it stops. */
function transcriptOf({ data }: HookEvent): Transcript | undefined {
  const main = textField(data, "transcript_path");
  const own = textField(data, "agent_transcript_path");
  const agent = textField(data, "agent_id");
  if (own !== undefined) return isAbsolute(own) ? { path: own, side: true } : undefined;
  if (main === undefined || !isAbsolute(main) || !main.endsWith(ending)) return undefined;
  if (agent === undefined) return { path: main, side: false };
  if (!/^[\w-]+$/.test(agent)) return undefined;
  return { path: join(main.slice(0, -ending.length), "subagents", `agent-${agent}${ending}`), side: true };
}
const ending = ".jsonl";

const answerMark = Buffer.from('"type":"assistant"');
const userMark = Buffer.from('"type":"user"');
const resultMark = Buffer.from('"type":"tool_result"');
const sideMark = Buffer.from('"isSidechain":true');
const compactedMark = Buffer.from('"compact_boundary"');

type Entry = { [key: string]: unknown };

/** An entry of the conversation that is meant, or undefined: a half line, another agent's file, another chain. */
function entryOf(line: Buffer, side: boolean): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(line.toString("utf8"));
    if (!isRecord(entry) || typeof entry.uuid !== "string") return undefined;
    return (entry.isSidechain === true) === side ? entry : undefined;
  } catch {
    return undefined; // still being written, or not a transcript
  }
}

/** Tokens of the last answer; after a compaction without one, what Claude Code says is left. */
function readContext(
  file: OpenFile,
  side: boolean,
  event: HookEvent,
  windows: Readonly<Record<string, number>>,
): Figures {
  let left = isCompacted(event) ? 0 : undefined;
  for (const line of linesFromEnd(file, tailAtMost)) {
    if (!left && line.includes(compactedMark)) left = tokensAfterCompaction(entryOf(line, side)) ?? left;
    if (!line.includes(answerMark)) continue;
    const entry = entryOf(line, side);
    const answer = entry?.type === "assistant" && isRecord(entry.message) ? entry.message : undefined;
    const used = tokensOf(answer?.usage);
    if (!entry || !answer || used === 0) continue; // an error that Claude Code tells in the model's place has used none
    const model = typeof entry.requestedModel === "string" ? entry.requestedModel : answer.model;
    const window = typeof model === "string" ? contextWindow(model, windows) : undefined;
    return { tokens: left ?? used, ...(window !== undefined && { window }) };
  }
  return left ? { tokens: left } : {};
}

/** These are sent before the compaction is written: what is left is not known yet, only that it is little. */
const isCompacted = ({ name, data }: HookEvent): boolean =>
  name === "PostCompact" || (name === "SessionStart" && data.source === "compact");

const usageParts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];

const tokensOf = (usage: unknown): number =>
  isRecord(usage) ? usageParts.reduce((sum, part) => sum + count(usage[part]), 0) : 0;

const count = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);

function tokensAfterCompaction(entry: Entry | undefined): number | undefined {
  if (entry?.subtype !== "compact_boundary" || !isRecord(entry.compactMetadata)) return undefined;
  const { postTokens } = entry.compactMetadata;
  return typeof postTokens === "number" ? postTokens : undefined;
}

/** Prompts of the whole session, and messages since the last compaction: those before it are in the context no more. */
function readCounts(file: OpenFile, side: boolean, event: HookEvent, needs: ReadonlySet<string>): Figures {
  const seen = { entries: 0, prompts: 0, messages: 0, answer: "", prompt: "" };
  for (const line of linesFromStart(file, countedAtMost)) {
    if (line.includes(userMark) && line.includes(resultMark) && line.includes(sideMark) === side) {
      seen.messages += 1; // not parsed: what tools gave back is most of the file
      seen.entries += 1;
    } else if (line.includes(userMark) || line.includes(answerMark) || line.includes(compactedMark)) {
      addEntry(seen, entryOf(line, side));
    }
  }
  if (seen.entries === 0) return {};
  const coming = isNewPrompt(event, seen.prompt) ? 1 : 0;
  return {
    ...(needs.has("turns") && !side && { number: seen.prompts + coming }),
    ...(needs.has("messages") && { messages: seen.messages + coming }),
  };
}

/** At its own event a prompt is not written yet. */
const isNewPrompt = ({ name, data }: HookEvent, last: string): boolean =>
  name === "UserPromptSubmit" && data.prompt_id !== last;

interface Seen {
  entries: number;
  prompts: number;
  messages: number;
  /** The last answer's id: one answer is several entries, one for each of its parts. */
  answer: string;
  /** The last prompt's id. */
  prompt: string;
}

function addEntry(seen: Seen, entry: Entry | undefined): void {
  if (entry?.type === "system" && entry.subtype === "compact_boundary") seen.messages = 0;
  if ((entry?.type !== "user" && entry?.type !== "assistant") || !isRecord(entry.message)) return;
  seen.entries += 1;
  if (entry.type === "assistant") {
    const id = typeof entry.message.id === "string" ? entry.message.id : "";
    if (id === "" || id !== seen.answer) seen.messages += 1;
    seen.answer = id;
    return;
  }
  seen.messages += 1;
  if (!isPrompt(entry, entry.message.content)) return;
  seen.prompts += 1;
  seen.prompt = typeof entry.promptId === "string" ? entry.promptId : "";
}

/** What Claude Code writes into the conversation in a person's name. */
const notTyped =
  /^\s*(?:<(?:local-command-\w+|command-name|bash-\w+|task-notification)>|\[Request interrupted by user)/;
/** Turns that no person asked for, by Claude Code's own words. */
const ownTurns: ReadonlySet<unknown> = new Set(["scheduled", "task_notification", "auto_continuation", "system"]);

function isPrompt(entry: Entry, content: unknown): boolean {
  if (entry.isMeta === true || entry.isCompactSummary === true || ownTurns.has(entry.turnOrigin)) return false;
  if (entry.turnOrigin !== undefined || entry.promptSource !== undefined) return true;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  if (parts.some(({ type }) => type === "tool_result")) return false;
  const text = typeof content === "string" ? content : parts.map((part) => part.text).find((one) => one !== undefined);
  return typeof text !== "string" || !notTyped.test(text);
}

const million = 1_000_000;

/** By the beginning of the name, the longest that fits. */
const windowOf: Readonly<Record<string, number>> = {
  "claude-": 200_000, // what Claude Code takes for a name that it does not know
  "claude-opus-4-7": million,
  "claude-opus-4-8": million,
  "claude-opus-5": million,
  "claude-sonnet-5": million,
  "claude-haiku-5": million,
  "claude-fable-5": million,
  "claude-mythos-5": million,
};

/**
 * The context window of a model, in tokens; undefined for an unknown model.
 *
 * @param model as a transcript names it; `[1m]` at its end asks for the large window
 * @param told sizes by the beginning of a name, from the settings `models.windows`; they win over the table
 */
export function contextWindow(model: string, told: Readonly<Record<string, number>>): number | undefined {
  const own = model.slice(Math.max(0, model.indexOf("claude-"))); // cloud providers write their own words before it
  const size = longestStart(told, model) ?? longestStart(told, own);
  if (size !== undefined) return size;
  return /\[1m\]$/i.test(own) ? million : longestStart(windowOf, own);
}

function longestStart(sizes: Readonly<Record<string, number>>, model: string): number | undefined {
  const starts = Object.keys(sizes).filter((start) => model.startsWith(start));
  const longest = starts.reduce((one, other) => (other.length > one.length ? other : one), "");
  return starts.length === 0 ? undefined : sizes[longest];
}
