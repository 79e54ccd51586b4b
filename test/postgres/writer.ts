/** A worker of the tests: writes events and runs to the Postgres of its first word until it is killed, and prints the id of each that was acknowledged. */
import { advance } from "../../src/engine/events.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openPostgresStore } from "../../src/storage/postgres/postgres.ts";
import { anEvent, aRun, noHooks } from "../storage/contract.ts";

const store = await openPostgresStore({ url: process.argv[2] ?? "", patience: 20_000, connectTimeout: 2_000 });
const { id } = systemPorts();
for (;;) {
  const event = anEvent({ id: id(), at: Date.now(), session: `s${process.pid}` });
  try {
    await store.record(event, noHooks, advance);
    await store.answered(event.id, { context: ["c"] });
    const runs = Array.from({ length: 5 }, () => aRun({ id: id(), eventId: event.id, startedAt: Date.now() }));
    for (const run of runs) await store.saveRun(run);
    await store.committed();
    process.stdout.write(`${[event.id, ...runs.map((run) => run.id)].join("\n")}\n`);
  } catch {
    // it was not acknowledged
  }
}
