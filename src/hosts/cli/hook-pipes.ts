/** Standard input, output and error of the hook command, without the stream machinery: that takes longer to load than all else. */
import { readSync, writeSync } from "node:fs";
import { payloadAtMost } from "../../agents/telling.ts";
import { HooklineError, messageOf } from "../../engine/error.ts";

/** All of standard input. Throws HooklineError input_invalid. */
export function readInput(): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const size = readChunk(chunk);
    if (size === 0) return Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, size));
    total += size;
    if (total > payloadAtMost)
      throw new HooklineError("input_invalid", { reason: "it is larger than 64 MiB", where: "standard input" });
  }
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN")
        throw new HooklineError(
          "input_invalid",
          { reason: messageOf(error), where: "standard input" },
          { cause: error },
        );
      pause(); // a pipe that is not ready yet
    }
  }
}

export function writeAll(descriptor: 1 | 2, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return; // nobody reads any more
      pause();
    }
  }
}

const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
