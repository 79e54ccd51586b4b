/** What a call brings, read whole: a body that is too large is not read to its end, and all that are being read together hold only so much. */
import type { Call } from "./call.ts";

export type Unread = "body_too_large" | "intake_full";

/** Calls back once with the bytes, or with why they were not read: also that the sender has gone before they had come. */
export type ReadBody = (call: Call, atMost: number, done: TakeBody) => void;
export type TakeBody = (read: Buffer | Unread | "gone", call: Call) => void;

/** @param togetherAtMost bytes of all that is being read */
export function createBodyReader(togetherAtMost: number): ReadBody {
  let together = 0;

  function receive(call: Call, atMost: number, done: TakeBody): void {
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const end = (read: Buffer | Unread | "gone"): void => {
      if (isOver) return;
      isOver = true;
      together -= size;
      chunks.length = 0;
      done(read, call);
    };
    call.whenGone(() => end("gone"));
    call.receive(
      (chunk) => {
        if (isOver) return;
        size += chunk.length;
        together += chunk.length;
        chunks.push(chunk);
        if (size > atMost) end("body_too_large");
        else if (together > togetherAtMost) end("intake_full");
      },
      () => {
        const [only] = chunks;
        end(chunks.length === 1 && only ? only : Buffer.concat(chunks, size));
      },
    );
  }

  return (call, atMost, done) => {
    const { body } = call;
    const said = body ? body.length : Number(call.headers["content-length"] ?? 0);
    if (said > atMost) done("body_too_large", call);
    else if (together + said > togetherAtMost) done("intake_full", call);
    else if (body) done(body, call);
    else receive(call, atMost, done);
  };
}
