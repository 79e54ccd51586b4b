/** The same by the other clients that install may register, beside a daemon, and where bash has gone. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findBash } from "../../src/agents/install/client-programs.ts";
import {
  assertBlocked,
  blocksOnceRemoved,
  blocksWithDamage,
  commitIsRefused,
  daemonDecides,
  machine,
  removePackage,
  withBash,
} from "./vanishing.ts";

for (const client of ["shell", "node"] as const)
  test(
    `[R78] once its package has been removed, a guard's event is blocked and others pass, whichever client was registered: ${client}`,
    withBash,
    () => blocksOnceRemoved(client),
  );

test(
  "[R78] a Node that is gone, too old or of a damaged package blocks a guard's event, by shell client",
  withBash,
  () => blocksWithDamage("shell"),
);

for (const client of ["compiled", "shell"] as const)
  test(
    `[R78] a daemon notes guards too, and goes on deciding where the package has gone, by ${client} client`,
    withBash,
    (t) => daemonDecides(t, client),
  );

test("[R78] a commit is refused by a guard in each of these cases, and passes where there is none", () =>
  commitIsRefused({ few: false }));

test("[R78] where bash has gone, the agent's own sh starts Node", withBash, () => {
  const self = machine({ client: "shell" });
  const start = join(self.state, "start.sh");
  writeFileSync(start, readFileSync(start, "utf8").replaceAll(findBash(process.env) ?? "bash", "/nowhere/bash"));
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  rmSync(join(self.state, "client.sh"));
  assert.match(self.call("PreToolUse").stdout, /pushing is for people/);
  removePackage(self);
  assertBlocked(self.call("PreToolUse"));
});
