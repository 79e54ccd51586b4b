/** A daemon that does not serve a folder sets off no clock of it: every screen that shows the clock says so. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bin, runCommand } from "../../program.ts";
import { automation, placeFor } from "../daemon/started.ts";

test("where the daemon does not serve a folder, status, list, doctor and explain say that its clocks never fire, and explain shows no automation of another project", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/m.yaml": automation("Minutely", 'type: cron, cron: "* * * * *"', "true"),
  });
  const other = join(place.folder, "other");
  mkdirSync(other);
  await place.up("--workspace", other);
  const says = /the daemon does not serve this folder, so 1 hook of it never fires: Minutely/;
  for (const words of ["status", "list", "doctor"]) {
    const { stdout, stderr } = place.hookline(words);
    assert.match(stdout.replaceAll(/\s+/g, " "), says, `${words}: ${stdout}${stderr}`);
  }
  const [one] = JSON.parse(place.hookline("explain", "schedule.due", "--json").stdout);
  assert.match(one.because, /^the daemon does not serve its folder, so it never fires: /);
  const elsewhere = runCommand(["explain", "schedule.due", "--json"], {
    cwd: other,
    environment: place.environment,
    bin,
  });
  assert.doesNotMatch(elsewhere.stdout, /Minutely/);
});
