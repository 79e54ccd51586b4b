/** Text that a person hands over by a file or by standard input, for flags that take either. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { readRegularFileSync } from "../../files/regular-file.ts";

const largestInBytes = 64 * 1024 * 1024;

/** @throws HooklineError file_unreadable; also for a pipe, which would be waited for, deaf to every signal */
export function textOfFile(written: string, cwd: string): string {
  const found = reading(written, () => readRegularFileSync(resolve(cwd, written), largestInBytes));
  if ("text" in found) return found.text;
  const { refused, because } = found;
  const reason = because === "irregular" ? `${refused}; standard input is read with -` : `it is ${refused}`;
  throw new HooklineError("file_unreadable", { reason, where: written });
}

/** @throws HooklineError file_unreadable */
export const textOfInput = (): string => reading("standard input", () => readFileSync(0, "utf8"));

function reading<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new HooklineError("file_unreadable", { reason: messageOf(error), where }, { cause: error });
  }
}
