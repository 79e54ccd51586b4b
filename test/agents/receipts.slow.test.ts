/** The same as receipts.test.ts, in a store on disk and with many more calls: 200 that were disobeyed, and 2,000 ordinary ones. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { agentNames, type Told, tellMany } from "./receipt-stories.ts";

const sum = (all: readonly Told[], is: (kind: string) => boolean): number =>
  all.flatMap(({ counts }) => [...counts]).reduce((total, [kind, count]) => (is(kind) ? total + count : total), 0);

for (const groups of [true, false])
  test(`[X11] in SQLite${groups ? " of a process that stays" : ""}, 200 disobeyed calls have no receipt that says obeyed, and 2,000 ordinary ones none that says disobeyed`, async (t) => {
    const disobeying: Told[] = [];
    const obeying: Told[] = [];
    for (const agent of agentNames) {
      const store = openSqliteStore({ path: join(temporaryFolder(t), "store.db"), groups });
      disobeying.push(await tellMany(store, agent, { sessions: 60, obeys: false }));
      obeying.push(await tellMany(store, agent, { sessions: 50, obeys: true }));
      store.close();
    }
    const isDisobeyed = (kind: string): boolean => kind.startsWith("disobeyed");
    const seen = sum(disobeying, (kind) => kind === "disobeyed disobeyed");
    const all = sum(disobeying, isDisobeyed);
    const ordinary = obeying.reduce((total, { calls }) => total + calls, 0);
    t.diagnostic(`${all} disobeyed calls, ${seen} of them said so; ${ordinary} ordinary calls`);
    assert.ok(all >= 200 && ordinary >= 2_000, `${all} and ${ordinary}`);
    assert.ok(seen > all / 2, "most of what is disobeyed is seen");
  });
