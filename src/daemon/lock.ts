/** One daemon for each store of a user: a lock that the system itself lets go when its process ends, however it ends (SAFETY D15). */

import { inOurWords, isBusy, loadSqlite } from "../stores/sqlite-library.ts";
import { preparePrivateFile } from "../stores/store-file.ts";

export interface Lock {
  /** Safe to call twice. */
  release(): void;
}

/**
 * An SQLite database that is held for writing and never written: a file with a process id in it can outlive the process.
 * Undefined: another process holds it.
 *
 * @throws HooklineError store_unusable
 */
export function takeLock(path: string): Lock | undefined {
  const sqlite = loadSqlite(path);
  preparePrivateFile(path);
  const connection = new sqlite.DatabaseSync(path, { timeout: 0 });
  try {
    connection.exec("begin exclusive");
  } catch (error) {
    connection.close();
    if (isBusy(error)) return undefined;
    throw inOurWords(error, path);
  }
  let isHeld = true;
  return {
    release() {
      if (isHeld) connection.close();
      isHeld = false;
    },
  };
}
