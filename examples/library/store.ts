import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHookline, defineHook } from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-example-"));
const line = await createHookline({
  files: false,
  store: join(folder, "hooks.db"), // SQLite; left out, everything is kept in memory
  observe: (seen) => {
    if (seen.is === "run") console.log(seen.run.hookName, seen.run.status);
  },
});

line.use(
  defineHook({
    on: "deploy.started", // an event of your own holds a dot
    name: "tell the team",
    mode: "async", // emit does not wait for it
    run: (event) => ({ context: `${String(event.data.branch)} is on its way` }),
  }),
);

await line.emit("deploy.started", { branch: "main" }, { session: "chat-42" });
await line.close(); // waits for background hooks: prints queued, then completed
rmSync(folder, { recursive: true });
