/** POST /events: one event as a JSON object, or many as a list or as lines. Plain node:http, as many come. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createBearer, createStrangeness, ofPage } from "./admission.ts";
import type { Answer, Ingest } from "./ingest.ts";
import { type Told, toldLine, toldOne, toldRefused } from "./ingest-answers.ts";
import { takeLines } from "./ingest-lines.ts";
import type { Lane } from "./lane.ts";
import { type RefusalCode, refused, tooLarge } from "./refusals.ts";
import { jsonIn, largestInBytes, textOf } from "./sent-event.ts";
import type { Door } from "./server.ts";

/** Of many events at once, as lines. A list is read as a whole, which takes its time: it is no larger than one event. */
const largestOfManyInBytes = 8 * largestInBytes;

/** Of all that is being read. It is no part of the lane: whoever sends slowly keeps nobody else out of that. */
const togetherAtMostInBytes = 4 * largestOfManyInBytes;

interface Intake {
  ingest: Ingest;
  lane: Lane;
}
/** How much of what is sent is read and not whole yet. */
interface Reading {
  bytes: number;
}
export interface IngestDoorOptions extends Intake {
  token: string;
  /** The daemon is being stopped, and takes nothing new. */
  isClosing(): boolean;
}

type Way = (body: Buffer, request: Answering) => void;
interface Answering extends Intake {
  send(told: Told): void;
}

/** By the media type of what is sent. */
const ways: Readonly<Record<string, { take: Way; atMost: number }>> = {
  "application/json": { take: takeJson, atMost: largestInBytes },
  "application/x-ndjson": { take: takeMany, atMost: largestOfManyInBytes },
};

/** Takes what is sent to /events, and leaves everything else. */
export function createIngestDoor({ token, isClosing, ...intake }: IngestDoorOptions): Door {
  const strangenessOf = createStrangeness();
  const holdsToken = createBearer(token);
  const reading: Reading = { bytes: 0 };

  function refusalOf({ headers }: IncomingMessage, isPrivate: boolean): RefusalCode | undefined {
    const strange = isPrivate ? ofPage(headers) : strangenessOf(headers);
    if (strange) return strange;
    if (!isPrivate && !holdsToken(headers.authorization)) return "unauthorized";
    return isClosing() ? "closing" : undefined;
  }

  return (request, response, isPrivate) => {
    const { method, url = "" } = request;
    if (method !== "POST" || (url !== "/events" && !url.startsWith("/events?"))) return false;
    const refusal = refusalOf(request, isPrivate);
    if (refusal) reply(response, toldRefused(refused(refusal)));
    else serveIngest(request, response, { ...intake, reading });
    return true;
  };
}

/** Reads the request, and answers it when all that it brings is on disk. Never throws. */
function serveIngest(
  request: IncomingMessage,
  response: ServerResponse,
  { ingest, lane, reading }: Intake & { reading: Reading },
): void {
  const send = (told: Told): void => reply(response, told);
  const refuse = (code: RefusalCode): void => send(toldRefused(refused(code)));
  const written = request.headers["content-type"] ?? "";
  const end = written.indexOf(";");
  const way = ways[(end === -1 ? written : written.slice(0, end)).trim().toLowerCase()];
  if (!way) return void refuse("unsupported_type");
  const said = Number(request.headers["content-length"] ?? 0);
  if (said > way.atMost) return void send(toldRefused(tooLarge(way.atMost)));
  if (lane.isFull() || reading.bytes + said > togetherAtMostInBytes) return void refuse("intake_full");
  const chunks: Buffer[] = [];
  let size = 0;
  let isRead = false;
  let isOver = false;
  const endReading = (): void => {
    if (!isRead) reading.bytes -= size;
    isRead = true;
  };
  lane.hold(1, 0);
  const release = (): void => {
    if (isOver) return;
    lane.release(1, isRead ? size : 0);
    endReading();
    isOver = true;
    chunks.length = 0;
  };
  response.once("close", release); // answered, or its sender is gone
  request.on("data", (chunk: Buffer) => {
    if (isOver) return;
    size += chunk.length;
    reading.bytes += chunk.length;
    chunks.push(chunk);
    const isTooLarge = size > way.atMost;
    if (!isTooLarge && reading.bytes <= togetherAtMostInBytes) return;
    release();
    send(toldRefused(isTooLarge ? tooLarge(way.atMost) : refused("intake_full")));
  });
  request.on("end", () => {
    if (isOver) return;
    endReading();
    lane.hold(0, size);
    const [only] = chunks;
    way.take(chunks.length === 1 && only ? only : Buffer.concat(chunks), { ingest, lane, send });
  });
  request.on("error", () => {}); // it ended in the middle: `close` comes behind it
}

/** What is sent is held by its request until that is answered. */
function takeJson(body: Buffer, { ingest, lane, send }: Answering): void {
  let isTaken = false;
  lane.wake({
    next() {
      if (isTaken) return false;
      isTaken = true;
      const text = textOf(body);
      const sent = text === undefined ? undefined : text === "" ? {} : jsonIn(text);
      if (Array.isArray(sent) && sent.length > 0) takeList(sent, { ingest, lane, send });
      else if (sent === undefined || Array.isArray(sent)) send(toldOne({ refused: "input_invalid" }));
      else return ingest.takeValue(sent, (answer) => send(toldOne(answer))) ?? false;
      return false;
    },
  });
}

/** The answers stand in the order of the events, whichever is decided first. */
function takeList(sent: readonly unknown[], { ingest, lane, send }: Answering): void {
  const answers: string[] = [];
  let count = 0;
  let next = 0;
  const answered = (index: number, answer: Answer): void => {
    answers[index] = toldLine(answer);
    count += 1;
    lane.release(1, 0);
    if (count === sent.length) send(many(`[${answers.join()}]`));
  };
  lane.hold(sent.length, 0);
  lane.wake({
    next() {
      const index = next;
      if (index === sent.length) return false;
      next += 1;
      return ingest.takeValue(sent[index], (answer) => answered(index, answer)) ?? true;
    },
  });
}

function takeMany(body: Buffer, { ingest, lane, send }: Answering): void {
  let all = "";
  const taking = takeLines({
    ingest,
    lane,
    answers(lines) {
      all += lines;
    },
    done: () => send(many(all, "application/x-ndjson")),
  });
  taking.add(body);
  taking.end();
}

/** What each came to stands in its own line: that one was refused is no failure of the others. */
const many = (body: string, type = "application/json"): Told => ({
  status: 200,
  headers: { "content-type": type },
  body,
});

function reply(response: ServerResponse, { status, headers, body }: Told): void {
  if (response.headersSent || response.destroyed) return; // its sender is gone
  const length = Buffer.byteLength(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers });
  response.end(body);
}
