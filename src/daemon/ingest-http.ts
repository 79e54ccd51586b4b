/** POST /events: one event as a JSON object, or many as a list or as lines. */
import { textOf } from "../files/lines.ts";
import { createBearer, createStrangeness, ofPage } from "./admission.ts";
import type { Call, CallAnswer, Door } from "./call.ts";
import { createBodyReader, type TakeBody } from "./call-body.ts";
import type { Answer, Ingest } from "./ingest.ts";
import { toldLine, toldMany, toldOne, toldRefused } from "./ingest-answers.ts";
import { takeLines } from "./ingest-lines.ts";
import type { Lane } from "./lane.ts";
import { type RefusalCode, refused, tooLarge } from "./refusals.ts";
import { jsonIn, largestInBytes } from "./sent-event.ts";

/** Of many events at once, as lines. A list is read as a whole, which takes its time: it is no larger than one event. */
const largestOfManyInBytes = 8 * largestInBytes;

/** Of all that is being read. It is no part of the lane: whoever sends slowly keeps nobody else out of that. */
const togetherAtMostInBytes = 4 * largestOfManyInBytes;

interface Intake {
  ingest: Ingest;
  lane: Lane;
}
export interface IngestDoorOptions extends Intake {
  token: string;
  /** The daemon is being stopped, and takes nothing new. */
  isClosing(): boolean;
}

interface Answering extends Intake {
  /** Called once. */
  send(told: CallAnswer): void;
}
interface Way {
  take(body: Buffer, answering: Answering): void;
  atMost: number;
}

/** By the media type of what is sent. */
const ways = {
  "application/json": { take: takeJson, atMost: largestInBytes },
  "application/x-ndjson": { take: takeMany, atMost: largestOfManyInBytes },
} as const satisfies Record<string, Way>;

/** Takes what is sent to /events, and leaves everything else. */
export function createIngestDoor({ token, isClosing, ingest, lane }: IngestDoorOptions): Door {
  const strangenessOf = createStrangeness();
  const holdsToken = createBearer(token);
  const readBody = createBodyReader(togetherAtMostInBytes);

  function refusalOf({ headers, isPrivate }: Call): RefusalCode | undefined {
    const strange = isPrivate ? ofPage(headers) : strangenessOf(headers);
    if (strange) return strange;
    if (!isPrivate && !holdsToken(headers.authorization)) return "unauthorized";
    return isClosing() ? "closing" : undefined;
  }

  /** Reads the call, and answers it when all that it brings is on disk: until then it is held. Never throws. */
  function serve(call: Call): void {
    const type = typeOf(call);
    if (!type) return void refuse(call, "unsupported_type");
    if (lane.isFull()) return void refuse(call, "intake_full");
    lane.hold(1, 0);
    readBody(call, ways[type].atMost, takers[type]);
  }

  const takers = {
    "application/json": takerOf("application/json"),
    "application/x-ndjson": takerOf("application/x-ndjson"),
  };

  function takerOf(type: keyof typeof ways): TakeBody {
    const { take, atMost } = ways[type];
    return (body, call) => {
      if (typeof body !== "string") return takeBody(body, call, take);
      lane.release(1, 0);
      if (body === "body_too_large") call.reply(toldRefused(tooLarge(atMost)));
      else if (body !== "gone") refuse(call, body);
    };
  }

  function takeBody(body: Buffer, call: Call, take: Way["take"]): void {
    const size = body.length;
    lane.hold(0, size);
    const send = (told: CallAnswer): void => {
      lane.release(1, size);
      call.reply(told);
    };
    take(body, { ingest, lane, send });
  }

  return (call) => {
    const { method, url } = call;
    if (method !== "POST" || (url !== "/events" && !url.startsWith("/events?"))) return false;
    const refusal = refusalOf(call);
    if (refusal) refuse(call, refusal);
    else serve(call);
    return true;
  };
}

const refuse = (call: Call, code: RefusalCode): void => call.reply(toldRefused(refused(code)));

function typeOf({ headers }: Call): keyof typeof ways | undefined {
  const type = headers["content-type"];
  if (typeof type !== "string") return undefined;
  const end = type.indexOf(";");
  const name = (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
  return name === "application/json" || name === "application/x-ndjson" ? name : undefined;
}

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
    if (count === sent.length) send(toldMany(`[${answers.join()}]`, "list"));
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
    done: () => send(toldMany(all, "lines")),
  });
  taking.add(body);
  taking.end();
}
