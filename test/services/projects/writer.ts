/** A process of its own that works on a board: node writer.ts STORE FOLDER. It waits for a byte, writes, and prints how it ended. */

import { emptyConfig } from "../../../src/formats/config/config.ts";
import { openProjectService } from "../../../src/hosts/compose/projects.ts";
import { createOperations } from "../../../src/operations/index.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";

const [path = "", folder = ""] = process.argv.slice(2);
const never = new AbortController().signal;
const engine = { emit: () => ({}), committed: async () => {}, explain: () => [] };
const store = openSqliteStore({ path });
const board = await openProjectService({
  ...{ store, engine, now: Date.now, id: () => crypto.randomUUID(), home: "/nobody" },
  environment: { PATH: process.env.PATH ?? "" },
  redact: (text) => text,
  settingsIn: () => ({ config: emptyConfig, userConfig: emptyConfig }),
  complain: () => {},
});
const hooks = { id: "none", hooks: [] };
const operations = createOperations({
  store,
  engine,
  active: () => ({ set: hooks }),
  cwd: folder,
  home: "/home",
  board: async () => board,
});
const ask = async (name: string, input: object, key?: string): Promise<unknown> =>
  (await operations.call(`hookline.${name}`, { ...input }, never, undefined, key)).output;

process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
for (let number = 0; number < 20; number++) {
  await ask("task_create", { title: `task ${number}` }, `key-${number}`);
  await ask("note_write", { name: "shared", content: `${process.pid} ${number}\n`.repeat(500) });
}
process.stdout.write("done\n");
process.stdin.pause();
store.close();
