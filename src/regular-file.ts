/** Reading a file that somebody else named: only a regular one, and never more than a limit. Apart, as handlers and language servers both do. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";

export type FileText = { text: string } | { refused: string; because: "irregular" | "large" };

/** A pipe without a writer would be waited for in `open`, for ever; a terminal would become ours. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const irregular: FileText = { refused: "it is no regular file", because: "irregular" };

/** A sentence where it is a folder, a pipe, a socket or a device, or larger than the limit. Rejects where it cannot be read. */
export async function readRegularFile(path: string, limitInBytes: number): Promise<FileText> {
  const file = await open(path, flags).catch(unlessSocket);
  if (file === undefined) return irregular;
  try {
    const found = await file.stat();
    if (!found.isFile()) return irregular;
    if (found.size > limitInBytes) return tooLarge(limitInBytes);
    const room = Buffer.allocUnsafe(limitInBytes + 1);
    let filled = 0;
    for (let read = 1; read > 0 && filled < room.length; filled += read)
      ({ bytesRead: read } = await file.read(room, filled, room.length - filled));
    return textOf(room.subarray(0, filled), limitInBytes);
  } finally {
    await file.close();
  }
}

/** The same, at once; throws where it cannot be read. */
export function readRegularFileSync(path: string, limitInBytes: number): FileText {
  const file = openSync(path, flags);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return irregular;
    if (found.size > limitInBytes) return tooLarge(limitInBytes);
    const room = Buffer.allocUnsafe(limitInBytes + 1);
    let filled = 0;
    for (let read = 1; read > 0 && filled < room.length; filled += read)
      read = readSync(file, room, filled, room.length - filled, null);
    return textOf(room.subarray(0, filled), limitInBytes);
  } finally {
    closeSync(file);
  }
}

/** One byte more than the limit was asked for: files grow, and some of the system's own claim to be empty. */
const textOf = (bytes: Buffer, limitInBytes: number): FileText =>
  bytes.length > limitInBytes ? tooLarge(limitInBytes) : { text: bytes.toString("utf8") };

const tooLarge = (limitInBytes: number): FileText => ({
  refused: `larger than ${limitInBytes >> 20} MiB`,
  because: "large",
});

function unlessSocket(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENXIO") return undefined;
  throw error;
}
