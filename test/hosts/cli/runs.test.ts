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
