/** POST /events: one event as a JSON object, or many as a list or as lines. */
import { textOf } from "../../files/lines.ts";
import { type Call, type CallAnswer, createBearer, createBodyReader, type Listener, reply } from "./call.ts";
import { type Answer, answerToMany, answerToOne, type Ingest, jsonIn, largestInBytes, lineOf } from "./ingest.ts";
import { takeLines } from "./ingest-lines.ts";
import type { IngestQueue } from "./ingest-queue.ts";
import { type RefusalCode, refusalAnswer, refused, tooLarge } from "./refusals.ts";

/** Of many events at once, as lines. A list is read as a whole, which takes its time: it is no larger than one event. */
const largestOfManyInBytes = 8 * largestInBytes;

/** Of all that is being read. It is no part of the queue: a slow sender takes no room in that from others. */
const togetherAtMostInBytes = 4 * largestOfManyInBytes;

interface Intake {
  ingest: Ingest;
  queue: IngestQueue;
}
interface IngestListenerOptions extends Intake {
  token: string;
  /** The daemon is being stopped, and takes nothing new. */
  isClosing(): boolean;
}

interface Answering extends Intake {
  /** Called once. */
  send(answer: CallAnswer): void;
}
interface Way {
  take(body: Buffer, answering: Answering): void;
  atMost: number;
}

/** By the media type of what is sent. */
const ways: ReadonlyMap<string, Way> = new Map<string, Way>([
  ["application/json", { take: takeJson, atMost: largestInBytes }],
  ["application/x-ndjson", { take: takeMany, atMost: largestOfManyInBytes }],
]);

/** Takes what is sent to /events, and leaves everything else. */
export function createIngestListener({ token, isClosing, ingest, queue }: IngestListenerOptions): Listener {
  const holdsToken = createBearer(token);
  const readBody = createBodyReader(togetherAtMostInBytes);

  function refusalOf({ request: { headers }, isPrivate }: Call): RefusalCode | undefined {
    if (!isPrivate && !holdsToken(headers.authorization)) return "unauthorized";
    return isClosing() ? "closing" : undefined;
  }

  /** Reads the call, and answers it when all that it brings is on disk: until then it is held. Never throws. */
  function serve(call: Call): void {
    const way = ways.get(mediaTypeOf(call));
    if (!way) return void refuse(call, "unsupported_type");
    if (queue.isFull()) return void refuse(call, "intake_full");
    queue.hold(1, 0);
    readBody(call, way.atMost, (body) => {
      if (typeof body !== "string") return takeBody(body, call, way);
      queue.release(1, 0);
      if (body === "body_too_large") reply(call, refusalAnswer(tooLarge(way.atMost)));
      else if (body !== "gone") refuse(call, body);
    });
  }

  function takeBody(body: Buffer, call: Call, { take }: Way): void {
    const size = body.length;
    queue.hold(0, size);
    const send = (answer: CallAnswer): void => {
      queue.release(1, size);
      reply(call, answer);
    };
    take(body, { ingest, queue, send });
  }

  return (call) => {
    const { method, url = "" } = call.request;
    if (method !== "POST" || (url !== "/events" && !url.startsWith("/events?"))) return false;
    const refusal = refusalOf(call);
    if (refusal) refuse(call, refusal);
    else serve(call);
    return true;
  };
}

const refuse = (call: Call, code: RefusalCode): void => reply(call, refusalAnswer(refused(code)));

function mediaTypeOf({ request: { headers } }: Call): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  return type.trim().toLowerCase();
}

function takeJson(body: Buffer, { ingest, queue, send }: Answering): void {
  let isTaken = false;
  queue.wake({
    next() {
      if (isTaken) return false;
      isTaken = true;
      const text = textOf(body);
      const sent = text === undefined ? undefined : text === "" ? {} : jsonIn(text);
      if (Array.isArray(sent) && sent.length > 0) takeList(sent, { ingest, queue, send });
      else if (sent === undefined || Array.isArray(sent)) send(answerToOne({ refused: "input_invalid" }));
      else return ingest.takeValue(sent, (answer) => send(answerToOne(answer))) ?? false;
      return false;
    },
  });
}

/** The answers stand in the order of the events, whichever is decided first. */
function takeList(sent: readonly unknown[], { ingest, queue, send }: Answering): void {
  const answers: string[] = [];
  let count = 0;
  let next = 0;
  const answered = (index: number, answer: Answer): void => {
    answers[index] = lineOf(answer);
    count += 1;
    queue.release(1, 0);
    if (count === sent.length) send(answerToMany(`[${answers.join()}]`, "list"));
  };
  queue.hold(sent.length, 0);
  queue.wake({
    next() {
      const index = next;
      if (index === sent.length) return false;
      next += 1;
      return ingest.takeValue(sent[index], (answer) => answered(index, answer)) ?? true;
    },
  });
}

function takeMany(body: Buffer, { ingest, queue, send }: Answering): void {
  let all = "";
  const taking = takeLines({
    ingest,
    queue,
    answers(lines) {
      all += lines;
    },
    done: () => send(answerToMany(all, "lines")),
  });
  taking.add(body);
  taking.end();
}
