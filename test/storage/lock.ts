/** Another connection that has the store's write lock: to SQLite it is all one whose process that is. */
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";

/** It holds the lock; what it gives gives that back. */
export function locked(context: TestContext, path: string): () => void {
  const connection = new DatabaseSync(path, { timeout: 600_000 });
  connection.exec("begin immediate");
  let isHeld = true;
  const release = (): void => {
    if (isHeld) connection.close(); // what it began is undone
    isHeld = false;
  };
  context.after(release);
  return release;
}
