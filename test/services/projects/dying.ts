/** A process of its own that dies in the middle of an operation: node dying.ts STORE OPERATION INPUT KEY. It is killed where the event would leave. */

import { emptyConfig } from "../../../src/formats/config/config.ts";
import { openProjectService } from "../../../src/hosts/compose/projects.ts";
import { createOperations } from "../../../src/operations/index.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";

const [path = "", operation = "", input = "{}", key] = process.argv.slice(2);
const engine = {
  async emit(): Promise<never> {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  },
  committed: async () => {},
  explain: () => [],
};
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
  cwd: process.cwd(),
  home: "/home",
  board: async () => board,
});
await operations.call(`hookline.${operation}`, JSON.parse(input), new AbortController().signal, undefined, key);
