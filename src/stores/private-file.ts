/** Files that nobody else may read: made before SQLite opens them, which would follow links and use wider rights (D11). */
import { chmodSync, lstatSync } from "node:fs";
import { HooklineError } from "../core/error.ts";
import { preparePrivateFile as prepareFile } from "../files/write.ts";

/** A regular file at the path, made where there is none. Gives its size in bytes. @throws HooklineError store_unusable */
export function preparePrivateFile(path: string): number {
  const found = prepareFile(path);
  if ("size" in found) return found.size;
  const advice = "move it away or choose another file";
  throw new HooklineError("store_unusable", { reason: found.refused, where: path, advice });
}

/** Takes everybody else's rights to a database of ours, and to what SQLite has made beside it with the same ones. May throw. */
export function makePrivate(path: string): void {
  if (process.platform === "win32" || !isWide(path)) return;
  for (const part of ["", "-wal", "-shm"]) if (isWide(path + part)) chmodSync(path + part, 0o600);
}

const isWide = (path: string): boolean => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
