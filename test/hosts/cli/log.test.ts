import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "../../../src/hosts/cli/log.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test("[SD12] log lines and messages of hooks hold no secret", (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "state", "hookline.log");
  const log = createLog({ file, now: () => 0, environment: { MY_API_TOKEN: "supersecretvalue123" } });
  log({ is: "log", level: "info", message: 'seen "supersecretvalue123"', hook: "h", run: "r" });
  log({ is: "notice", notice: { message: "sent supersecretvalue123", level: "info" }, hook: "h", run: "r" });
  const [first, second] = readFileSync(file, "utf8").trim().split("\n");
  assert.equal(JSON.parse(first ?? "").message, 'seen "[redacted]"');
  assert.equal(JSON.parse(second ?? "").message, "sent [redacted]");
});
