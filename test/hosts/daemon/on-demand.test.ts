/** Daemons that clients start, that people start in the background, and what becomes of one when another is wanted. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runningDaemon } from "../../../src/hosts/daemon/state-file.ts";
import { bin } from "../../program.ts";
import { goes } from "../../runtime/processes/gone.ts";
import { ended, filesOf, isUp, oneIsTheDaemon, placeOf, start } from "./client-started.ts";
import { placeFor } from "./started.ts";

test("[X8] of two that clients start at once one is the daemon, and the other ends without a word", (t) =>
  oneIsTheDaemon(t, 2));

test("up --background answers once the daemon is up, in a session of its own and without the agent's secrets", async (t) => {
  const place = placeOf(t);
  Object.assign(place.environment, {
    HOOKLINE_DEPTH: "3",
    CLAUDE_CODE_SESSION_ACCESS_TOKEN: "secret",
    CLAUDE_PROJECT_DIR: "/elsewhere",
    KEPT: "kept",
  });
  const said = place.hookline("up", "--background", "--port", "0", "--json");
  assert.equal(said.status, 0, said.stderr);
  const daemon = JSON.parse(said.stdout);
  assert.equal(isUp(place)?.pid, daemon.pid);
  assert.equal(isUp(place)?.onDemand, undefined);
  if (process.platform === "linux") {
    const environment = readFileSync(`/proc/${daemon.pid}/environ`, "utf8").split("\0");
    assert.ok(environment.includes("KEPT=kept"));
    assert.deepEqual(
      environment.filter((one) => /DEPTH|TOKEN|PROJECT_DIR/.test(one)),
      [],
    );
    const session = readFileSync(`/proc/${daemon.pid}/stat`, "utf8").split(" ")[5];
    assert.equal(session, String(daemon.pid));
  }
  // A person's terminal holds none of an agent's variables: from below an agent nobody ends the daemon.
  for (const name of ["HOOKLINE_DEPTH", "CLAUDE_CODE_SESSION_ACCESS_TOKEN", "CLAUDE_PROJECT_DIR"])
    delete place.environment[name];
  assert.equal(place.hookline("down").status, 0);
  assert.ok(await goes(daemon.pid));
});

test("a daemon without events ends by itself", async (t) => {
  const place = placeOf(t);
  assert.match(await ended(start(place, "--idle-exit", "0.001")), /^0/);
  assert.equal(runningDaemon(filesOf(place)), undefined);
});

test("what up --service systemd prints is what systemd takes", (t) => {
  const place = placeFor(t);
  const unit = place.hookline("up", "--service", "systemd", "--workspace", place.workspace);
  assert.equal(unit.status, 0, unit.stderr);
  assert.ok(unit.stdout.includes(`"${bin}" up`) || unit.stdout.includes(`${bin} up`), unit.stdout);
  const file = join(place.folder, "hookline.service");
  writeFileSync(file, unit.stdout);
  const checked = spawnSync("systemd-analyze", ["--user", "verify", file], {
    encoding: "utf8",
    env: { ...process.env },
  });
  if (checked.error === undefined) assert.doesNotMatch(checked.stderr, /hookline\.service/);
});
