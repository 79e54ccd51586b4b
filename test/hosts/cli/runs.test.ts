/** What hookline runs says of runs, by the real command. */
import assert from "node:assert/strict";
import test from "node:test";
import { world } from "../../world.ts";

test("[B38] a build that failed is seen in lists of runs, and whole where one run is shown", (t) => {
  const { hookline, json } = world(t, {
    "workspace/.system/hooks/build.yaml":
      'id: build\nevent_type: SessionStop\nhandler:\n  kind: builtin\n  name: build_check\n  with: { command: "test {service} = api" }\n',
    "workspace/services/api/a.ts": "",
    "workspace/services/web/a.ts": "",
  });
  const data = JSON.stringify({ changed_files: ["services/api/a.ts", "services/web/a.ts"] });
  const [run] = json("emit", "SessionStop", "--data", data).runs;
  assert.match(hookline("runs").stdout, / said: Web build: failed: exit 1\. ⏎ Api build: success\. ⏎ Ran /);
  const shown = hookline("runs", "show", run.id).stdout;
  assert.match(
    shown,
    /^answer +said: Web build: failed: exit 1\.\n +Api build: success\.\n +Ran `test api = api` and /m,
  );
});

test("purge refuses what is no date, and a moment to come, and deletes nothing then", (t) => {
  const place = world(t);
  assert.equal(place.hookline("emit", "Stop").status, 0);
  for (const [before, says] of [
    ["keep 2027", /"keep 2027" is not a date such as 2026-01-31/],
    ["2026-02-30", /is not a date/],
    ["2999-01-01", /lies in the future, so all would be deleted/],
  ] as const) {
    const { status, stderr } = place.hookline("purge", "--before", before);
    assert.equal(status, 2, stderr);
    assert.match(stderr, says);
  }
  assert.equal(place.hookline("why", "last").status, 0, "the event is still there");
});
