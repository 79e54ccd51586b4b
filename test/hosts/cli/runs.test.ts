/** What hookline runs says of runs, by the real command. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { codeCache, runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test("[B38] a build that failed is seen in lists of runs, and whole where one run is shown", (t) => {
  const folder = temporaryFolder(t);
  const files = {
    "workspace/.system/hooks/build.yaml":
      'id: build\nevent_type: SessionStop\nhandler:\n  kind: builtin\n  name: build_check\n  with: { command: "test {service} = api" }\n',
    "workspace/services/api/a.ts": "",
    "workspace/services/web/a.ts": "",
    "home/none": "",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
  };
  const hookline = (...words: string[]): string =>
    runCommand(words, { cwd: join(folder, "workspace"), environment }).stdout;
  const data = JSON.stringify({ changed_files: ["services/api/a.ts", "services/web/a.ts"] });
  const [run] = JSON.parse(hookline("emit", "SessionStop", "--data", data, "--json")).runs;
  assert.match(hookline("runs"), / said: Web build: failed: exit 1\. ⏎ Api build: success\. ⏎ Ran /);
  const shown = hookline("runs", "show", run.id);
  assert.match(
    shown,
    /^answer +said: Web build: failed: exit 1\.\n +Api build: success\.\n +Ran `test api = api` and /m,
  );
});
