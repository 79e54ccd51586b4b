/** One of several processes that record runs of a script in one store and one status file. */
import { join } from "node:path";
import { createScriptRecords } from "../../../src/actions/script/records.ts";
import type { HookEvent } from "../../../src/engine/event.ts";
import type { Run } from "../../../src/engine/record.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";

const { HOOK = "", STORE = "", HOMEDIR = "", WRITER = "" } = process.env;
const hook = JSON.parse(HOOK);
const set = { id: "set", hooks: [hook] };
const store = openSqliteStore({ path: STORE });
const fail = (): void => {
  process.exitCode = 1;
};
const scripts = createScriptRecords({
  home: HOMEDIR,
  state: join(HOMEDIR, ".local", "state", "hookline"),
  store,
  hooks: () => set,
  now: Date.now,
  tell: fail,
});
for (let index = 0; index < 20; index++) {
  const id = `${WRITER}-${index}`;
  const event: HookEvent = { id, name: "Stop", at: Date.now(), cwd: "/", data: {}, sender: "test", session: "s1" };
  const run: Run = {
    id,
    hook: hook.id,
    hookName: hook.name,
    eventId: id,
    eventName: "Stop",
    session: "s1",
    status: "failed",
    reason: "exit 1",
    cause: "event:Stop",
    startedAt: Date.now(),
    ms: 1,
    steps: [{ uses: "script", ok: false, output: { exitCode: 1 }, ms: 1 }],
    notes: [],
    asked: 1,
  };
  scripts.observe({ is: "event", event });
  await store.saveRun(run);
  scripts.observe({ is: "run", run });
  scripts.observe({ is: "outcome", event, outcome: {}, ms: 0 });
}
store.close();
