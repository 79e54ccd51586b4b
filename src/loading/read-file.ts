/** Reads small files, heads and folders without a surprise: no pipe, no device, nothing above the limit, and absent is an answer. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { messageOf } from "../engine/error.ts";
import { largestFileInBytes } from "../formats/reading/json-tree.ts";

interface Unreadable {
  is: "unreadable";
  reason: string;
}
type FileText = { is: "absent" } | { is: "read"; text: string } | Unreadable;

const irregular: Unreadable = { is: "unreadable", reason: "it is no regular file" };

/** Never throws. Asking first is cheaper than an exception for each of the many files that do not exist. */
export function readSmallFile(path: string, limitInBytes: number = largestFileInBytes): FileText {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return { is: "absent" };
    if (!found.isFile()) return irregular;
    if (found.size > limitInBytes) return { is: "unreadable", reason: `it is larger than ${limitInBytes / 1024} kB` };
    return { is: "read", text: readFileSync(path, "utf8") };
  } catch (error) {
    return codeOf(error) === "ENAMETOOLONG" ? { is: "absent" } : { is: "unreadable", reason: messageOf(error) }; // no file has such a name
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/** Never throws: what may not be looked at counts as absent. */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // its folder may not be searched
  }
}

type FileHead =
  | { is: "absent" }
  | { is: "folder" }
  | { is: "read"; text: string; mode: number; isCut: boolean }
  | Unreadable;

/** A pipe without a writer would be waited for in `open`, for ever; a terminal would become ours. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The beginning of a file, whatever its size. Never throws. */
export function readFileHead(path: string, limitInBytes: number): FileHead {
  let file: number | undefined;
  try {
    file = openSync(path, flags);
    const found = fstatSync(file);
    if (found.isDirectory()) return { is: "folder" };
    if (!found.isFile()) return irregular;
    const room = Buffer.allocUnsafe(limitInBytes);
    let filled = 0;
    for (let read = 1; read > 0 && filled < limitInBytes; filled += read)
      read = readSync(file, room, filled, limitInBytes - filled, null);
    const text = room.subarray(0, filled).toString("utf8");
    return { is: "read", text, mode: found.mode, isCut: filled === limitInBytes && found.size > filled };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENAMETOOLONG") return { is: "absent" };
    return code === "ENXIO" ? irregular : { is: "unreadable", reason: messageOf(error) }; // ENXIO: a socket
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

type FolderNames =
  | { is: "absent" }
  | { is: "no folder" }
  /** In their order; `identity` is one for all ways to the same folder. */
  | { is: "listed"; names: string[]; identity: string }
  | Unreadable;

/** Never throws. */
export function listFolder(path: string): FolderNames {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return { is: "absent" };
    if (!found.isDirectory()) return { is: "no folder" };
    return {
      is: "listed",
      names: readdirSync(path).sort(),
      identity: found.ino === 0 ? path : `${found.dev}:${found.ino}`,
    };
  } catch (error) {
    return codeOf(error) === "ENAMETOOLONG" ? { is: "absent" } : { is: "unreadable", reason: messageOf(error) };
  }
}
