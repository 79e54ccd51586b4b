/**
 * The one reader of files: only regular files, and never more than a limit. A repository may hold links to
 * devices that never end, and pipes that nobody writes to; `npm run check` finds who reads past this.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

type Refusal = { refused: string; because: "irregular" | "large" };
export type FileText = { text: string } | Refusal;
export type FileHead = { bytes: Buffer; isWhole: boolean } | Refusal;

/**
 * What is no regular file is not even opened: some devices act on that. Should it become one meanwhile, a pipe without a writer
 * would be waited for in `open`, for ever, and a terminal would become ours.
 */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const irregular: Refusal = { refused: "it is no regular file", because: "irregular" };

/** Of a file whose text is only looked at. */
const largestTextInBytes = 8 * 1024 * 1024;
/** Of a program that a hook runs. */
export const largestProgramInBytes: number = 256 * 1024 * 1024;

/** A sentence where it is a folder, a pipe, a socket or a device, or larger than the limit. Rejects where it cannot be read. */
export async function readRegularFile(path: string, limitInBytes: number): Promise<FileText> {
  const head = await readFileHead(path, limitInBytes);
  if ("refused" in head) return head;
  return head.isWhole ? { text: head.bytes.toString("utf8") } : tooLarge(limitInBytes);
}

/** The beginning of a file, however large it is. Rejects where it cannot be read. */
export async function readFileHead(path: string, keptInBytes: number): Promise<FileHead> {
  if (!(await stat(path)).isFile()) return irregular;
  const file = await open(path, flags).catch(unlessSocket);
  if (file === undefined) return irregular;
  try {
    const found = await file.stat();
    if (!found.isFile()) return irregular;
    const bytes = await headOf(file, Math.min(found.size, keptInBytes), keptInBytes + 1);
    return { bytes: bytes.subarray(0, keptInBytes), isWhole: bytes.length <= keptInBytes };
  } finally {
    await file.close();
  }
}

/** As `readRegularFile`, at once; throws where it cannot be read. */
export function readRegularFileSync(path: string, limitInBytes: number): FileText {
  const head = readFileHeadSync(path, limitInBytes);
  if ("refused" in head) return { refused: head.refused, because: head.because };
  return head.isWhole ? { text: head.bytes.toString("utf8") } : tooLarge(limitInBytes);
}

/** As `readFileHead`, at once, with what the system says of it; throws where it cannot be read. */
export function readFileHeadSync(
  path: string,
  keptInBytes: number,
): { bytes: Buffer; isWhole: boolean; found: Stats } | (Refusal & { found?: Stats }) {
  let file: number | undefined;
  try {
    const before = statSync(path);
    if (!before.isFile()) return { ...irregular, found: before };
    file = openSync(path, flags);
    const found = fstatSync(file);
    if (!found.isFile()) return { ...irregular, found };
    const bytes = headOfSync(file, Math.min(found.size, keptInBytes), keptInBytes + 1);
    return { bytes: bytes.subarray(0, keptInBytes), isWhole: bytes.length <= keptInBytes, found };
  } catch (error) {
    return unlessSocket(error) ?? irregular;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** @param expected what it claims to have: files grow, and some of the system's own claim to be empty and never end */
async function headOf(file: FileHandle, expected: number, atMost: number): Promise<Buffer> {
  let room: Buffer = Buffer.allocUnsafe(expected + 1);
  for (let filled = 0; ; ) {
    const { bytesRead } = await file.read(room, filled, room.length - filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === atMost) return room.subarray(0, filled);
    if (filled === room.length) room = larger(room, atMost);
  }
}

function headOfSync(file: number, expected: number, atMost: number): Buffer {
  let room: Buffer = Buffer.allocUnsafe(expected + 1);
  for (let filled = 0; ; ) {
    const bytesRead = readSync(file, room, filled, room.length - filled, null);
    filled += bytesRead;
    if (bytesRead === 0 || filled === atMost) return room.subarray(0, filled);
    if (filled === room.length) room = larger(room, atMost);
  }
}

const larger = (room: Buffer, atMost: number): Buffer =>
  Buffer.concat([room], Math.min(atMost, Math.max(2 * room.length, smallestInBytes)));
const smallestInBytes = 4_096;

/** All of a regular file, at once. Throws where it is none or larger, and where it cannot be read. */
export function readRegularBytesSync(path: string, limitInBytes: number = largestProgramInBytes): Buffer {
  const head = readFileHeadSync(path, limitInBytes);
  if ("refused" in head) throw new Error(head.refused);
  if (!head.isWhole) throw new RangeError(tooLarge(limitInBytes).refused);
  return head.bytes;
}

/** The same, as text. Hookline's own files are read so, too: a person or a program may have put something else in their place. */
export const readRegularTextSync = (path: string, limitInBytes: number = largestTextInBytes): string =>
  readRegularBytesSync(path, limitInBytes).toString("utf8");

/** The text of a file that may be there. Undefined: it is no regular file, is larger, or is not for us to read. Never throws. */
export function textAt(path: string, limitInBytes: number = largestTextInBytes): string | undefined {
  try {
    const read = readRegularFileSync(path, limitInBytes);
    return "text" in read ? read.text : undefined;
  } catch {
    return undefined;
  }
}

const tooLarge = (limitInBytes: number): Refusal => ({
  refused: `larger than ${limitInBytes >> 20} MiB`,
  because: "large",
});

function unlessSocket(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENXIO") return undefined;
  throw error;
}
