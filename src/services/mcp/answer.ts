/** What a tool has answered, as hooks get it: structure where there is some, else text. */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { Json } from "../../engine/event.ts";
import type { ToolAnswer } from "../../engine/reach.ts";

export const limitInBytes: number = 1 << 20;

/**
 * Its structured content, else its text parts; text that is one JSON object or list is read, so that templates can walk
 * into it. Text beyond 1 MiB is cut, and says so.
 *
 * @throws Error for structure beyond 1 MiB, which cannot be cut
 */
export function readResult({ structuredContent, content, isError }: CallToolResult): ToolAnswer {
  const text = content.map(textOf).join("\n");
  const output = (structuredContent as Json | undefined) ?? wholeJson(text); // it came as JSON
  const ok = isError !== true;
  if (output === undefined) return { ok, output: cut(text) };
  const size = Buffer.byteLength(JSON.stringify(output));
  if (size > limitInBytes) throw new Error(`its answer has ${size} bytes, and more than ${limitInBytes} are not kept`);
  return { ok, output, ...(text === "" ? {} : { text: cut(text) }) };
}

function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource") return "text" in block.resource ? block.resource.text : `[${block.resource.uri}]`;
  if (block.type === "resource_link") return `[${block.uri}]`;
  return `[${block.mimeType}]`; // a picture or a sound, which no hook can use
}

function wholeJson(text: string): Json | undefined {
  if (text.length > limitInBytes || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // text that begins like JSON
  }
}

function cut(text: string): string {
  if (text.length * 3 <= limitInBytes) return text; // no character takes more than 3 bytes a unit
  const bytes = Buffer.from(text);
  if (bytes.length <= limitInBytes) return text;
  const kept = bytes
    .subarray(0, limitInBytes)
    .toString()
    .replace(/\uFFFD+$/, "");
  return `${kept}\n[… ${bytes.length - limitInBytes} more bytes were not kept]`;
}
