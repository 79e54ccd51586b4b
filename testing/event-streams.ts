/** A finished answer as server-sent events, as each provider streams it. Apart, because it adds nothing to what the answer says. */
import type { Fields, Json } from "../src/engine/event.ts";

/** Two pieces, so that a client that reads only the first one fails. By code points: half a character is not text. */
function halves(whole: string): string[] {
  const letters = [...whole];
  const middle = Math.ceil(letters.length / 2);
  return [letters.slice(0, middle).join(""), letters.slice(middle).join("")].filter((piece) => piece !== "");
}

const named = (data: Fields): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const unnamed = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;

// Anthropic Messages.

/** Its content holds text and calls, in the order in which they are streamed. */
export interface FinishedMessage {
  [field: string]: Json;
  content: Fields[];
  stop_reason: string;
  usage: Fields;
}

export function messageStream(message: FinishedMessage): string {
  const { content, stop_reason, usage } = message;
  return [
    named({ type: "message_start", message: { ...message, content: [], stop_reason: null } }),
    named({ type: "ping" }),
    ...content.map(blockEvents),
    named({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage }),
    named({ type: "message_stop" }),
  ].join("");
}

function blockEvents(block: Fields, index: number): string {
  const called = block.type === "tool_use";
  const started = called ? { ...block, input: {} } : { type: "text", text: "" };
  const pieces = halves(called ? JSON.stringify(block.input) : String(block.text));
  const delta = (piece: string) =>
    called ? { type: "input_json_delta", partial_json: piece } : { type: "text_delta", text: piece };
  return [
    named({ type: "content_block_start", index, content_block: started }),
    ...pieces.map((piece) => named({ type: "content_block_delta", index, delta: delta(piece) })),
    named({ type: "content_block_stop", index }),
  ].join("");
}

// OpenAI's Responses.

export interface FinishedResponse {
  [field: string]: Json;
  status: string;
  output: Fields[];
}

export function responseStream(response: FinishedResponse): string {
  const started = { ...response, status: "in_progress", output: [] };
  return [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...response.output.flatMap(itemEvents),
    { type: `response.${response.status}`, response },
  ]
    .map((event, index) => named({ ...event, sequence_number: index }))
    .join("");
}

/** What is still empty when an item is added, and the name of the pieces that fill it. */
const growing: { [type: string]: { field: string; event: string } } = {
  function_call: { field: "arguments", event: "response.function_call_arguments" },
  custom_tool_call: { field: "input", event: "response.custom_tool_call_input" },
};

function itemEvents(item: Fields, output_index: number): (Fields & { type: string })[] {
  const place = { output_index, item_id: item.id ?? null };
  const grows = growing[String(item.type)];
  const added = { ...item, status: "in_progress", ...(grows ? { [grows.field]: "" } : { content: [] }) };
  const filled = grows
    ? pieceEvents(grows.event, grows.field, String(item[grows.field]), place)
    : partEvents(Array.isArray(item.content) ? item.content : [], place);
  return [
    { type: "response.output_item.added", output_index, item: added },
    ...filled,
    { type: "response.output_item.done", output_index, item },
  ];
}

/** The parts of a message: what it says, or why it refuses. */
function partEvents(parts: readonly Json[], place: Fields): (Fields & { type: string })[] {
  return parts.flatMap((part, content_index) => {
    if (part === null || typeof part !== "object" || Array.isArray(part)) return [];
    const here = { ...place, content_index };
    const field = part.type === "refusal" ? "refusal" : "text";
    return [
      { type: "response.content_part.added", ...here, part: { ...part, [field]: "" } },
      ...pieceEvents(`response.${part.type}`, field, String(part[field]), here),
      { type: "response.content_part.done", ...here, part },
    ];
  });
}

const pieceEvents = (name: string, field: string, text: string, place: Fields): (Fields & { type: string })[] => [
  ...halves(text).map((delta) => ({ type: `${name}.delta`, ...place, delta })),
  { type: `${name}.done`, ...place, [field]: text },
];

// OpenAI's Chat Completions.

export interface FinishedChat {
  [field: string]: Json;
  choices: { index: number; message: Fields; finish_reason: string }[];
}

/** What it cost comes in a chunk of its own, after all others and without a choice. */
export function chatStream({ choices, usage, ...rest }: FinishedChat): string {
  const head = { ...rest, object: "chat.completion.chunk" };
  const chunks = choices.flatMap(({ index, message, finish_reason }) => [
    ...deltasOf(message).map((delta) => ({ ...head, choices: [{ index, delta, finish_reason: null }] })),
    { ...head, choices: [{ index, delta: {}, finish_reason }] },
  ]);
  const cost = usage === undefined ? [] : [{ ...head, choices: [], usage }];
  return `${[...chunks, ...cost].map(unnamed).join("")}data: [DONE]\n\n`;
}

function deltasOf({ role = null, content, refusal, tool_calls }: Fields): Fields[] {
  const said = typeof content === "string" ? halves(content).map((piece) => ({ content: piece })) : [];
  const refused = typeof refusal === "string" ? halves(refusal).map((piece) => ({ refusal: piece })) : [];
  const called = (Array.isArray(tool_calls) ? tool_calls : []).flatMap(callDeltas);
  return [{ role, content: "" }, ...said, ...refused, ...called];
}

/** The first says which call it is; those that follow have only the place in the list, and a piece of the arguments. */
function callDeltas(call: Json, index: number): Fields[] {
  if (call === null || typeof call !== "object" || Array.isArray(call)) return [];
  const { function: called } = call;
  if (called === null || typeof called !== "object" || Array.isArray(called)) return [];
  const pieces = halves(String(called.arguments));
  return [
    { tool_calls: [{ index, ...call, function: { ...called, arguments: "" } }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

// Google's streamGenerateContent.

export interface FinishedContent {
  [field: string]: Json;
  candidates: { index: number; content: { role: string; parts: Fields[] }; finishReason: string }[];
}

/** Each chunk is an answer of its own with a part of the text, or a whole call; the last one says why it ended and what it cost. */
export function contentStream({ candidates, usageMetadata, ...head }: FinishedContent): string {
  const chunks = candidates.flatMap(({ index, content: { role, parts }, finishReason }) => {
    const pieces = parts.flatMap((part) =>
      typeof part.text === "string" ? halves(part.text).map((text) => ({ text })) : [part],
    );
    const content = pieces.map((piece) => ({ index, content: { role, parts: [piece] } }));
    return [...content, { index, content: { role, parts: [{ text: "" }] }, finishReason }];
  });
  return chunks
    .map((candidate, place) => ({
      candidates: [candidate],
      ...head,
      ...(place === chunks.length - 1 && usageMetadata !== undefined && { usageMetadata }),
    }))
    .map(unnamed)
    .join("");
}
