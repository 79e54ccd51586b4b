/**
 * The two doors for events of programs: POST /events takes one event as a JSON object, or many as a list or as lines; the unix
 * socket takes lines without end. Many are taken in slices, so that an agent that waits for a guard is never behind a backlog, and
 * within bounds: who sends more is refused, or is not read (SAFETY F14).
 */
import type { Socket } from "node:net";
import { createLines, type Line, textOf } from "../../files/lines.ts";
import { type Call, createBearer, createBodyReader, type Listener, reply } from "./call.ts";
import { answerToMany, answerToOne, type Ingest, jsonIn, largestInBytes, lineOf } from "./ingest.ts";
import { type RefusalCode, refusalAnswer, refused, tooLarge } from "./refusals.ts";

interface IntakeOptions {
  ingest: Ingest;
  token: string;
  /** The daemon is being stopped, and takes nothing new. */
  isClosing(): boolean;
  bounds?: Bounds;
  /** Milliseconds without a byte, in the middle of a line or of answers that are not read; default: 30 seconds. */
  stalledAtMost?: number;
}

interface Bounds {
  /** Milliseconds of one sender's events in a turn of the event loop; one event more may be begun in it. */
  slice: number;
  /** Events that were read and have no answer yet. */
  events: number;
  bytes: number;
  /** Events whose hooks are being waited for. */
  undecided: number;
}
export const usualBounds: Bounds = { slice: 1, events: 20_000, bytes: 32 * 1024 * 1024, undecided: 64 };

/** Of many events at once, as lines. A list is read as a whole, which takes its time: it is no larger than one event. */
const largestOfManyInBytes = 8 * largestInBytes;
/** Of all bodies that are still on their way. */
const togetherAtMostInBytes = 4 * largestOfManyInBytes;
const sendersAtMost = 100;
const usualStall = 30_000;
const answersWithin = 2_000;

export interface Intake {
  /** Takes what is sent to /events, and leaves everything else. */
  listener: Listener;
  /** Takes the lines of this sender, for as long as it is there. The socket has to stay open for answers when its sender ends. */
  lines(socket: Socket): void;
  /** What was read and has no answer yet. */
  held(): { events: number; bytes: number; undecided: number };
  /** Takes nothing new of senders of lines, and gives what was taken a moment for its answers. Safe to call twice. */
  close(): void;
}

type Sent = Parameters<Ingest["take"]>[0];

export function createIntake({
  ingest,
  token,
  isClosing,
  bounds = usualBounds,
  stalledAtMost = usualStall,
}: IntakeOptions): Intake {
  let bytes = 0;
  let requests = 0; // whose bodies are on their way
  let before: Promise<void> = Promise.resolve();

  const isCrowded = (): boolean => ingest.held().undecided >= bounds.undecided;

  /** One sender's slice in each turn of the event loop, in the order in which they ask, while there is room for its hooks. */
  function turn(): Promise<void> {
    before = before.then(async () => {
      await new Promise(setImmediate);
      while (isCrowded()) await ingest.decision();
    });
    return before;
  }

  /** The answers, in the order of what was sent, whichever is decided first. */
  async function takeEach(all: Iterable<Sent>): Promise<string[]> {
    const answers: Promise<string>[] = [];
    let until = Number.NEGATIVE_INFINITY;
    for (const sent of all) {
      if (performance.now() >= until || isCrowded()) {
        await turn();
        until = performance.now() + bounds.slice;
      }
      answers.push(ingest.take(sent).then(lineOf));
    }
    return Promise.all(answers);
  }

  /** What is read counts until it is answered. */
  async function holding<T>(size: number, work: () => Promise<T>): Promise<T> {
    bytes += size;
    try {
      return await work();
    } finally {
      bytes -= size;
    }
  }

  const takesHttp = createHttpDoor({
    token,
    isClosing,
    takeEach,
    holding,
    async takeOne(value) {
      if (isCrowded()) await turn();
      return ingest.take({ value });
    },
    isFull: () => ingest.held().events + requests >= bounds.events || bytes >= bounds.bytes,
    reads: (count) => {
      requests += count;
    },
  });
  const socketDoor = createSocketDoor({ takeEach, holding, stalledAtMost });
  return {
    listener: takesHttp,
    ...socketDoor,
    held() {
      const { events, undecided } = ingest.held();
      return { events: events + requests, bytes, undecided };
    },
  };
}

interface Door {
  takeEach(all: Iterable<Sent>): Promise<string[]>;
  holding<T>(size: number, work: () => Promise<T>): Promise<T>;
}

interface HttpDoorOptions extends Door, Pick<IntakeOptions, "token" | "isClosing"> {
  takeOne(value: unknown): ReturnType<Ingest["take"]>;
  isFull(): boolean;
  /** Told how many bodies more, or less, are on their way. */
  reads(count: 1 | -1): void;
}

function createHttpDoor({ token, isClosing, takeOne, takeEach, holding, isFull, reads }: HttpDoorOptions): Listener {
  const holdsToken = createBearer(token);
  const readBody = createBodyReader(togetherAtMostInBytes);

  async function answerToJson(body: Buffer): ReturnType<Way["answer"]> {
    const text = textOf(body);
    const value = text === undefined ? undefined : text === "" ? {} : jsonIn(text);
    if (!Array.isArray(value)) return answerToOne(await takeOne(value));
    if (value.length === 0) return answerToOne({ refused: "input_invalid" });
    const answers = await takeEach(value.map((one) => ({ value: one })));
    return answerToMany(`[${answers.join()}]`, "list");
  }

  async function answerToLines(body: Buffer): ReturnType<Way["answer"]> {
    return answerToMany(together(await takeEach(linesIn(body))), "lines");
  }

  /** By the media type of what is sent. */
  const ways: ReadonlyMap<string, Way> = new Map<string, Way>([
    ["application/json", { answer: answerToJson, atMost: largestInBytes }],
    ["application/x-ndjson", { answer: answerToLines, atMost: largestOfManyInBytes }],
  ]);

  function refusalOf({ request: { headers }, isPrivate }: Call): RefusalCode | undefined {
    if (!isPrivate && !holdsToken(headers.authorization)) return "unauthorized";
    return isClosing() ? "closing" : undefined;
  }

  /** Reads the call, and answers it when all that it brings is on disk. Never throws. */
  function serve(call: Call): void {
    const way = ways.get(mediaTypeOf(call));
    if (!way) return void refuse(call, "unsupported_type");
    if (isFull()) return void refuse(call, "intake_full");
    reads(1);
    readBody(call, way.atMost, (body) => {
      reads(-1);
      if (body === "body_too_large") reply(call, refusalAnswer(tooLarge(way.atMost)));
      else if (typeof body !== "string")
        void holding(body.length, () => way.answer(body)).then((answer) => reply(call, answer));
      else if (body !== "gone") refuse(call, body);
    });
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

interface Way {
  /** Never rejects. */
  answer(body: Buffer): Promise<Parameters<typeof reply>[1]>;
  atMost: number;
}

const refuse = (call: Call, code: RefusalCode): void => reply(call, refusalAnswer(refused(code)));

function mediaTypeOf({ request: { headers } }: Call): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  return type.trim().toLowerCase();
}

function* linesIn(body: Buffer): Iterable<Line> {
  const lines = createLines(largestInBytes);
  yield* lines.add(body);
  yield* lines.end();
}

const together = (answers: readonly string[]): string => answers.map((answer) => `${answer}\n`).join("");

/** A sender's next piece is read when the last one is answered, and its answers are read. */
function createSocketDoor({
  takeEach,
  holding,
  stalledAtMost,
}: Door & { stalledAtMost: number }): Pick<Intake, "lines" | "close"> {
  /** Whether the sender is being answered. */
  const senders = new Map<Socket, boolean>();
  let isClosing = false;

  /** A sender that does not take its last answers is cut off. */
  function endSoon(socket: Socket, last?: string): void {
    if (last !== undefined) socket.end(last);
    const end = setTimeout(() => socket.destroy(), answersWithin);
    socket.once("close", () => clearTimeout(end));
  }

  function serve(socket: Socket): void {
    const lines = createLines(largestInBytes);
    let isUnread = false;

    async function answer(found: Iterable<Line>, size: number): Promise<void> {
      senders.set(socket, true);
      const text = together(await holding(size, () => takeEach(found)));
      if (text !== "" && socket.writable && !socket.write(text)) {
        isUnread = true;
        await new Promise<void>((resolve) => socket.once("drain", resolve).once("close", resolve));
        isUnread = false;
      }
      if (senders.has(socket)) senders.set(socket, false);
    }

    async function piece(chunk: Buffer): Promise<void> {
      await answer(lines.add(chunk), chunk.length);
      if (isClosing || !socket.writable) endSoon(socket, "");
      else socket.resume();
    }

    async function end(): Promise<void> {
      await answer(lines.end(), 0);
      socket.end();
    }

    let answering: Promise<void> = Promise.resolve(); // its end may come while a piece is being answered
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      answering = answering.then(() => piece(chunk));
    });
    socket.on("end", () => {
      answering = answering.then(end);
    });
    socket.setTimeout(stalledAtMost, () => {
      if (isUnread)
        endSoon(socket, `${lineOf({ refused: "answers_unread" })}\n`); // behind the answers
      else if (lines.isBegun() && !senders.get(socket)) socket.destroy();
    });
    socket.on("error", () => {}); // its sender is gone: `close` comes behind it
    socket.once("close", () => senders.delete(socket));
  }

  return {
    lines(socket) {
      if (isClosing || senders.size >= sendersAtMost) return void socket.destroy();
      senders.set(socket, false);
      serve(socket);
    },
    close() {
      if (isClosing) return;
      isClosing = true;
      for (const [socket, isAnswered] of senders) endSoon(socket, isAnswered ? undefined : "");
    },
  };
}
