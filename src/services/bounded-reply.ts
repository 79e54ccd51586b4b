/** The body of a reply, up to a limit: no server fills our memory. */
import { messageOf } from "../engine/error.ts";

/** @param onBroken is called where it breaks off, or is too long: then reading it fails */
export function bounded(
  body: ReadableStream<Uint8Array>,
  limitInBytes: number,
  onBroken: (reason: string) => void = () => {},
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let total = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        total += value.length;
        if (total > limitInBytes) throw new Error(`its reply is larger than ${limitInBytes} bytes`);
        controller.enqueue(value);
      } catch (error) {
        void reader.cancel().catch(() => {}); // broken already
        onBroken(`the connection broke: ${messageOf(error)}`);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
