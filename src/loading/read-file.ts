/** Reads small files, heads and folders without a surprise: no pipe, no device, nothing above the limit, and absent is an answer. */
import { readdirSync, statSync } from "node:fs";
import { messageOf } from "../engine/error.ts";
import { readFileHeadSync, readRegularFileSync } from "../files/regular-file.ts";
import { largestFileInBytes } from "../formats/reading/json-tree.ts";

interface Unreadable {
  is: "unreadable";
  reason: string;
}
type FileText = { is: "absent" } | { is: "read"; text: string } | Unreadable;

/** Never throws. Asking first is cheaper than an exception for each of the many files that do not exist. */
export function readSmallFile(path: string, limitInBytes: number = largestFileInBytes): FileText {
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return { is: "absent" };
    const read = readRegularFileSync(path, limitInBytes);
    if ("text" in read) return noText(read.text) ?? { is: "read", text: read.text };
    return {
      is: "unreadable",
      reason: read.because === "large" ? `it is larger than ${limitInBytes / 1024} kB` : read.refused,
    };
  } catch (error) {
    return failed(error);
  }
}

/** A text in UTF-16, which some editors write, is full of NUL; no format of ours may hold one. */
function noText(text: string): Unreadable | undefined {
  const at = text.indexOf("\0");
  if (at < 0) return undefined;
  const before = text.slice(0, at).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return { is: "unreadable", reason: `it is no UTF-8 text: NUL stands in ${place}; save it as UTF-8` };
}

function failed(error: unknown): { is: "absent" } | Unreadable {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENAMETOOLONG") return { is: "absent" }; // no file has so long a name
  return { is: "unreadable", reason: messageOf(error) };
}

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

/** The beginning of a file, whatever its size. Never throws. */
export function readFileHead(path: string, limitInBytes: number): FileHead {
  try {
    const read = readFileHeadSync(path, limitInBytes);
    if (!("refused" in read))
      return { is: "read", text: read.bytes.toString("utf8"), mode: read.found.mode, isCut: !read.isWhole };
    return read.found?.isDirectory() ? { is: "folder" } : { is: "unreadable", reason: read.refused };
  } catch (error) {
    return failed(error);
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
    return failed(error);
  }
}
