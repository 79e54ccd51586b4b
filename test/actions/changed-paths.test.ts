import assert from "node:assert/strict";
import { test } from "node:test";
import { changedPaths } from "../../src/actions/repository.ts";
import type { HookEvent } from "../../src/engine/event.ts";
import { filesNamedBy } from "../../src/engine/file-pattern.ts";

const eventWith = (given: Partial<HookEvent>): HookEvent => ({
  id: "e",
  name: "SessionStop",
  at: 0,
  cwd: "/srv/app",
  data: {},
  sender: "test",
  ...given,
});

test("a list of files in an event means the same to a hook's condition and to its handler, also from a subfolder", () => {
  const event = eventWith({ cwd: "/srv/app/api", data: { changed_files: ["a.ts", "/srv/app/b.ts", "../../c.ts", 4] } });
  assert.deepEqual(filesNamedBy(event), { base: "/srv/app/api", files: ["a.ts", "/srv/app/b.ts", "../../c.ts"] });
  assert.deepEqual(changedPaths(event, "/srv/app"), { paths: ["api/a.ts", "b.ts"] });
  const touched = eventWith({ data: { files_touched: ["a.ts"], changed_files: "none" } });
  assert.deepEqual(changedPaths(touched, "/srv/app"), { paths: ["a.ts"] });
});
