/** Real agents' tellings to a real daemon: every way says the same, and a daemon that stops costs no verdict and runs nothing twice. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../daemon/started.ts";
import {
  daemonIsStopped,
  endDaemon,
  installed,
  options,
  type Served,
  sayTheSame,
  served,
  tool,
} from "./hook-daemon-place.ts";

describe("a daemon as long as it lives", options, () => {
  const ends: (() => unknown)[] = [];
  let here: Served;
  before(async () => {
    here = await served({ after: (work: () => unknown) => void ends.push(work) });
  });
  after(async () => {
    for (const end of ends) await end();
  });

  test("[R60] every client, the command with and without the daemon, and HTTP say the same of an event, byte by byte", () =>
    sayTheSame(here, ["a deny"]));

  test("[F27, R60] a daemon that is stopped holds no agent up, and takes nothing up later", () =>
    daemonIsStopped(here, ["compiled"]));
});

test(
  "[R60] where install has allowed it, the first event without a daemon starts one for the next, which it finds",
  options,
  async (t) => {
    let state = "";
    t.after(() => endDaemon(state)); // before its folder goes
    const { place, lines, told } = installed(t);
    state = place.state;
    assert.match(place.hookline("install", "claude-code").stdout, /nothing to do/);
    const first = await told(lines.compiled("PreToolUse"), tool("Deny"));
    assert.match(first.stdout, /not that/);
    const address = join(state, "daemon.address");
    await until(() => existsSync(address) || undefined, "a daemon");
    const [port, token] = readFileSync(address, "utf8").split(" ");
    const statusOf = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`http://127.0.0.1:${port}/status`, { headers });
      return ((await response.json()) as { activity: { events: number } }).activity.events; // the status has it
    };
    await until(async () => {
      assert.deepEqual(await told(lines.compiled("PreToolUse"), tool("Deny")), first);
      return (await statusOf()) > 0 || undefined; // on a busy machine it may not be taken in time
    }, "an event that the daemon takes");
  },
);
