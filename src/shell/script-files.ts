/** Files and streams that a shell is told to read its commands from. */
import { isUnknown, mayVanish } from "./expand.ts";
import { madeAt } from "./made.ts";
import { type Call, cannotTell, type Given, noteRuns, readLine, shortened } from "./shell.ts";

/** What the file holds, where the line tells; a file that the line did not make is none of its texts. */
export function textOfFile(path: string, call: Call): { text: string } | "elsewhere" | "unknown" {
  if (/^\/(dev\/(stdin|fd\/0)|proc\/self\/fd\/0)$/.test(path)) {
    if (typeof call.input === "object") return call.input;
    return call.input === "fed" ? "unknown" : "elsewhere";
  }
  if (path === "/dev/null") return "elsewhere";
  if (/^\/(dev|proc)\//.test(path) || mayVanish(path)) return "unknown";
  const holds = madeAt(call.reading, path, call)?.holds;
  if (holds === undefined) return "elsewhere";
  if (holds.is === "copy") return isUnknown(holds.from) ? "unknown" : "elsewhere";
  return holds.is === "text" ? { text: holds.text } : "unknown";
}

/** A script that a shell of its own runs. */
export function readGivenFile(path: string, call: Call, given: Given = {}): void {
  const text = textOfFile(path, call);
  if (text === "unknown") noteRuns(call.reading, cannotTell(shortened(path)));
  else if (text !== "elsewhere") readLine(text.text, call, given);
}
