/** hookline emit by the real command, where the store does not take its event. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test("an event that cannot be written down makes emit exit 3 with the reason", (t) => {
  const folder = temporaryFolder(t);
  const store = join(folder, "store.db");
  const environment = { PATH: process.env.PATH ?? "", HOME: folder };
  const emit = () => runCommand(["emit", "a.b", "--store", store], { cwd: folder, environment });
  assert.equal(emit().status, 0);
  const database = new DatabaseSync(store);
  database.exec("create trigger broken before insert on event begin select raise(abort, 'no space is left'); end");
  database.close();
  const { status, stdout, stderr } = emit();
  assert.deepEqual([status, stdout], [3, ""]);
  assert.match(stderr, /^hookline: the store cannot be used: no space is left/);
});
