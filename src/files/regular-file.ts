/** Reads a file that an event or a setting names: only a regular file, and never more than a limit. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

type Refusal = { refused: string; because: "irregular" | "large" };
export type FileText = { text: string } | Refusal;
export type FileHead = { bytes: Buffer; isWhole: boolean } | Refusal;

/** A pipe without a writer would be waited for in `open`, for ever; a terminal would become ours. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const irregular: Refusal = { refused: "it is no regular file", because: "irregular" };

/** A sentence where it is a folder, a pipe, a socket or a device, or larger than the limit. Rejects where it cannot be read. */
export async function readRegularFile(path: string, limitInBytes: number): Promise<FileText> {
  const head = await readFileHead(path, limitInBytes);
  if ("refused" in head) return head;
  return head.isWhole ? { text: head.bytes.toString("utf8") } : tooLarge(limitInBytes);
}

/** The beginning of a file, however large it is. Rejects where it cannot be read. */
export async function readFileHead(path: string, keptInBytes: number): Promise<FileHead> {
  const file = await open(path, flags).catch(unlessSocket);
  if (file === undefined) return irregular;
  try {
    if (!(await file.stat()).isFile()) return irregular;
    const room = Buffer.allocUnsafe(keptInBytes + 1); // one more: files grow, and some of the system's own claim to be empty
    const filled = await fill(file, room);
    return { bytes: room.subarray(0, Math.min(filled, keptInBytes)), isWhole: filled <= keptInBytes };
  } finally {
    await file.close();
  }
}

/** As `readRegularFile`, at once; throws where it cannot be read. */
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
    return filled > limitInBytes ? tooLarge(limitInBytes) : { text: room.toString("utf8", 0, filled) };
  } finally {
    closeSync(file);
  }
}

/** All of a regular file, however large it is, at once. Throws where it is none, and where it cannot be read. */
export function readRegularBytesSync(path: string): Buffer {
  const file = openSync(path, flags);
  try {
    if (!fstatSync(file).isFile()) throw new Error(irregular.refused);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Until the room or the file ends; gives how far it came. */
async function fill(file: FileHandle, room: Buffer): Promise<number> {
  let filled = 0;
  for (let read = 1; read > 0 && filled < room.length; filled += read)
    ({ bytesRead: read } = await file.read(room, filled, room.length - filled));
  return filled;
}

const tooLarge = (limitInBytes: number): Refusal => ({
  refused: `larger than ${limitInBytes >> 20} MiB`,
  because: "large",
});

function unlessSocket(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENXIO") return undefined;
  throw error;
}
