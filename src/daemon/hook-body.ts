/** What an agent or a client of ours sends with an event, read whole: one that is too large is not read to its end, and all together hold only so much. */
import type { IncomingMessage } from "node:http";
import { payloadAtMost } from "../agents/telling.ts";

/** The environment goes with the payload. */
const largestInBytes = payloadAtMost + 4 * 1024 * 1024;
/** Of all that is being read. */
const togetherAtMost = 256 * 1024 * 1024;

export type Refusing = "body_too_large" | "intake_full";

/** Calls back once with the bytes, or with why they were not read; never, if the sender goes away first. */
export type ReadHookBody = (request: IncomingMessage, done: (read: Buffer | Refusing) => void) => void;

export function createHookBodyReader(): ReadHookBody {
  let together = 0;

  return (request, done) => {
    const said = Number(request.headers["content-length"] ?? 0);
    if (said > largestInBytes) return done("body_too_large");
    if (together + said > togetherAtMost) return done("intake_full");
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      together -= size;
    };
    const stop = (why: Refusing): void => {
      end();
      chunks.length = 0;
      done(why);
    };
    request.on("data", (chunk: Buffer) => {
      if (isOver) return;
      size += chunk.length;
      together += chunk.length;
      chunks.push(chunk);
      if (size > largestInBytes) stop("body_too_large");
      else if (together > togetherAtMost) stop("intake_full");
    });
    request.on("end", () => {
      if (isOver) return;
      end();
      const [first] = chunks;
      done(chunks.length === 1 && first ? first : Buffer.concat(chunks, size));
    });
    request.on("close", () => {
      if (!isOver) end();
    });
  };
}
