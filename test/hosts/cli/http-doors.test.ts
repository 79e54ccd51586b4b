/** Where a daemon listens for agents that tell it over HTTP, of which store it is, and what is said of those that it does not hear. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { placeFor } from "../daemon/started.ts";
import { listening, noted, registeredPort, upApart } from "./http-doors.ts";

test("install --http registers no port at which another program listens", async (t) => {
  const place = placeFor(t);
  const { port: taken } = await listening(t);
  place.write("state/hookline/daemon-on-demand", `${taken}\n`);
  place.hookline("install", "claude-code", "--http");
  const port = registeredPort(place);
  assert.notEqual(port, String(taken));
  assert.deepEqual(upApart(t, place), { port: Number(port), stderr: "" });
});

test("up and status report HTTP hooks that go to another port than the daemon's, until they are installed again", async (t) => {
  const place = placeFor(t);
  const taken = await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  assert.equal(registeredPort(place), String(taken));
  await listening(t, taken);
  assert.doesNotMatch(place.hookline("status").stdout, /sends its events/, "none runs yet");
  const { port, stderr } = upApart(t, place);
  assert.notEqual(port, taken);
  const says = new RegExp(
    `claude-code sends its events to a daemon at port ${taken} \\(\\S*settings.json\\), .*: run \`hookline install claude-code --layer user --http\`\n`,
  );
  assert.match(stderr, says);
  assert.match(place.hookline("status").stdout, says);
  assert.equal(JSON.parse(place.hookline("status", "--json").stdout).missing[0].port, taken);
  assert.equal(place.hookline("install", "claude-code", "--layer", "user", "--http").status, 0);
  assert.equal(registeredPort(place), String(port));
  assert.doesNotMatch(place.hookline("status").stdout, /sends its events/);
});

test("install --http says so where HOOKLINE_STORE names another store, and takes the usual one by that name too", (t) => {
  const place = placeFor(t);
  place.environment.HOOKLINE_STORE = join(place.folder, "other.db");
  const refused = place.hookline("install", "claude-code", "--http");
  assert.equal(refused.status, 2);
  assert.match(
    refused.stderr,
    /other\.db \(HOOKLINE_STORE\) is not the store of the daemon .*without --http or without HOOKLINE_STORE/s,
  );
  assert.equal(place.hookline("install", "claude-code").status, 0);
  place.environment.HOOKLINE_STORE = join(place.folder, "state", "hookline", "hookline.db");
  assert.equal(place.hookline("install", "claude-code", "--http").status, 0);
});
