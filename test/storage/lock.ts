/** Starts locker.ts: another program that has the store's write lock. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const locker = fileURLToPath(new URL("./locker.ts", import.meta.url));

/** Resolves once it holds the lock; what it gives resolves once that is given back. */
export async function locked(context: TestContext, path: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [locker, path], { stdio: ["pipe", "pipe", "inherit"] });
  context.after(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return async () => {
    child.stdin.end();
    await once(child, "close");
  };
}
