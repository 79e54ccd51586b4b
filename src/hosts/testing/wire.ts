/** What the wire forms of all providers have in common: how an answer is written, how a request is read, and how an error looks. */
import type { Fields, Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import type { ScriptedAnswer } from "./scripted-model.ts";

/** What an answer claims that it cost. */
export interface ScriptedUsage {
  /** Cached ones included. */
  input: number;
  output: number;
  cached?: number;
}
export interface Conversation {
  /** The assistant turns that it holds already. */
  turn: number;
  /** Its first user message. */
  opening: string;
  /** It offers no tools. */
  side: boolean;
}
export interface Wire {
  read(body: Fields): Conversation;
  /** The whole answer. Without a usage it says nothing of what it cost. */
  write(answer: ScriptedAnswer, model: string, usage: ScriptedUsage | undefined, body: Fields): Json;
  /** The same as a stream of server-sent events; absent: not spoken. */
  stream?(answer: ScriptedAnswer, model: string, usage: ScriptedUsage | undefined): string;
  error(status: number, message: string): Fields;
}

export const records = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isFields) : []);
const isFields = (value: unknown): value is Fields => isRecord(value); // bodies come out of JSON.parse

export const hasTools = ({ tools }: Fields): boolean => Array.isArray(tools) && tools.length > 0;

/** The text of a message that is text, or a list of parts of which some hold text. */
export const textIn = (content: unknown): string =>
  typeof content === "string"
    ? content
    : records(content)
        .map(({ text }) => (typeof text === "string" ? text : ""))
        .join("\n");

/** How many times the model spoke: its messages, where those that stand together are one turn. */
export const turnsOf = (speakers: readonly boolean[]): number =>
  speakers.filter((isModel, index) => isModel && !speakers[index - 1]).length;

export const newId = (kind: string): string => `${kind}_${globalThis.crypto.randomUUID().replaceAll("-", "")}`;
