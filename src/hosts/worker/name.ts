/** The name of a worker: kept in the state folder, so that a worker that starts again takes up its own runs at once. */
import { join } from "node:path";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularFileSync } from "../../files/regular-file.ts";
import { makePrivateFolder, writePrivate } from "../../files/write.ts";
import { isAlive, ownerOf } from "../../runtime/system.ts";

const workersAtMost = 1_000;
const largestInBytes = 10_000;

/**
 * The first that no living process of this machine has. Two that start at the same moment may both find it free: the database then
 * refuses one.
 *
 * @throws HooklineError file_unreadable
 */
export function takeName(stateFolder: string): string {
  const folder = join(stateFolder, "workers");
  try {
    makePrivateFolder(folder);
    for (let number = 1; number <= workersAtMost; number++) {
      const file = join(folder, `${number}.json`);
      const known = nameIn(file);
      if (known && isAlive(known.owner)) continue;
      const name = known?.name ?? crypto.randomUUID();
      writePrivate(file, `${JSON.stringify({ name, owner: ownerOf(process.pid) })}\n`);
      return name;
    }
  } catch (error) {
    throw new HooklineError("file_unreadable", { reason: messageOf(error), where: folder }, { cause: error });
  }
  throw new HooklineError("file_unreadable", { reason: `${workersAtMost} workers run`, where: folder });
}

/** A file that was damaged holds no name: a new one is as good. */
function nameIn(file: string): { name: string; owner: string } | undefined {
  try {
    const found = readRegularFileSync(file, largestInBytes);
    const held: unknown = "text" in found ? JSON.parse(found.text) : undefined;
    if (!isRecord(held) || typeof held.name !== "string" || typeof held.owner !== "string") return undefined;
    return { name: held.name, owner: held.owner };
  } catch {
    return undefined;
  }
}
