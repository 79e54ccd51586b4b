/** Many hook files that are followed at once. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hosted } from "./hosted.ts";
import { automation, placeFor } from "./started.ts";

test("a folder of a hundred hook files is followed: a change of any one of them holds at the next event", async (t) => {
  const name = (index: number): string => `workspace/.hookline/automations/a${index}.yaml`;
  const place = placeFor(
    t,
    Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [name(index), automation(`A${index}`, quiet, "true")]),
    ),
  );
  const daemon = await hosted(place);
  const ran = async (): Promise<unknown[]> => (await daemon.emit("build.finished")).body.runs;
  assert.equal(daemon.said.automations.active, 100);
  assert.equal((await ran()).length, 0);
  place.write(name(77), automation("A77", "type: event, event_type: build.finished", "true"));
  assert.equal((await ran()).length, 1);
  rmSync(join(place.folder, name(77)));
  assert.equal((await ran()).length, 0);
});

const quiet = "type: event, event_type: never.sent";
