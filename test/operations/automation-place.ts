/** A folder with a project, a home and a real store, in which the tests of automations call operations as commands do. */
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { EventName, Fields, Json } from "../../src/engine/event.ts";
import type { Run } from "../../src/engine/record.ts";
import { type Line, openLine } from "../../src/hosts/cli/line.ts";
import { operations } from "../../src/operations/index.ts";
import type { OperationContext } from "../../src/operations/operation.ts";
import { serveOperations } from "../../src/operations/serve.ts";
import { createRedaction } from "../../src/storage/redaction/redaction.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { world } from "../world.ts";

/** What operations work on where somebody asks from this folder. */
export const contextOf = (
  { engine, loaded, ports, board, automations }: Line,
  place: Pick<OperationContext, "cwd" | "home" | "environment">,
): OperationContext => ({
  ...{ engine, store: ports.store, active: () => loaded, board, automations, now: ports.now, id: ports.id },
  ...place,
});

export interface AutomationPlace {
  /** The project's folder, called shop. */
  shop: string;
  line: Line;
  write(path: string, text: string): string;
  /** What the operation gives; rejects with what it says. */
  call(name: string, input?: Fields): Promise<Json>;
  /** The same, of one that gives an object. */
  fields(name: string, input?: Fields): Promise<Fields>;
  /** Sends an event and waits for what it set off. */
  emit(name: EventName, data?: Fields, cwd?: string): Promise<Run[]>;
  runsOf(hook: string): Promise<Run[]>;
  /** Resolves when a run is told of, whatever of it. */
  next(): Promise<void>;
}

export async function automationPlace(
  context: TestContext,
  files: Record<string, string> = {},
): Promise<AutomationPlace> {
  const own = Object.entries({ ".hookline/none": "", ...files }).map(([path, text]) => [`home/shop/${path}`, text]);
  const here = world(context, Object.fromEntries(own), { workspace: "home/shop" });
  const { folder, workspace: shop, home, environment, atEnd } = here;
  const write = (path: string, text: string): string => {
    here.write(`home/shop/${path}`, text);
    return join(shop, path);
  };
  const place = { cwd: shop, home, environment };
  let told = Promise.withResolvers<void>();
  const line = await openLine({
    place,
    store: openSqliteStore({ path: join(folder, "store.db"), redact: createRedaction({ environment }) }),
    observe({ is }) {
      if (is !== "run") return;
      told.resolve();
      told = Promise.withResolvers();
    },
  });
  atEnd(line.close);
  const { store, id, now } = line.ports;
  const served = serveOperations(operations, contextOf(line, place));
  const settled = async (): Promise<void> => {
    for (;;) {
      const next = told.promise;
      const runs = await store.runs({});
      if (!runs.some(({ status }) => status === "queued" || status === "running")) return;
      await next;
    }
  };
  const call = async (name: string, input: Fields = {}): Promise<Json> => {
    const answer = await served.call(name, input, { signal: new AbortController().signal });
    if (answer.is !== "done") throw new Error(answer.message);
    return answer.result;
  };
  return {
    shop,
    line,
    write,
    call,
    async fields(name, input) {
      const result = await call(name, input);
      if (typeof result !== "object" || result === null || Array.isArray(result)) throw new Error("it gave no object");
      return result;
    },
    async emit(name, data = {}, cwd = shop) {
      const event = { id: id(), name, at: now(), cwd, data, sender: "test" };
      await line.engine.emit(event, { environment });
      await settled();
      return store.runs({ eventId: event.id });
    },
    next: () => told.promise,
    async runsOf(hook) {
      await settled();
      return store.runs({ hook });
    },
  };
}
