/** Reads small files without a surprise: no pipe, no device, nothing above the limit, and absent is an answer. */
import { readFileSync, statSync } from "node:fs";
import { messageOf } from "../core/error.ts";
import { largestFileInBytes } from "../dialects/json-tree.ts";

type FileText = { is: "absent" } | { is: "read"; text: string } | { is: "unreadable"; reason: string };

/** Never throws. Asking first is cheaper than an exception for each of the many files that do not exist. */
export function readSmallFile(path: string, limitInBytes: number = largestFileInBytes): FileText {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return { is: "absent" };
    if (!found.isFile()) return { is: "unreadable", reason: "it is no regular file" };
    if (found.size > limitInBytes) return { is: "unreadable", reason: `it is larger than ${limitInBytes / 1024} kB` };
    return { is: "read", text: readFileSync(path, "utf8") };
  } catch (error) {
    return { is: "unreadable", reason: messageOf(error) };
  }
}
