/** Real agents' tellings to a real daemon, with every kind of answer, and a daemon that is stopped for long; hook-daemon.test.ts has the usual ones. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { isGone } from "../../runtime/processes/gone.ts";
import { until } from "../daemon/started.ts";
import {
  cases,
  clients,
  daemonDies,
  daemonIsStopped,
  endDaemon,
  installed,
  options,
  type Served,
  sayTheSame,
  served,
  tool,
} from "./hook-daemon-place.ts";

describe("a daemon as long as it lives, and every client", options, () => {
  const ends: (() => unknown)[] = [];
  let here: Served;
  before(async () => {
    here = await served({ after: (work: () => unknown) => void ends.push(work) });
  });
  after(async () => {
    for (const end of ends) await end();
  });

  test("[R60] every client, the command with and without the daemon, and HTTP say the same of an event, byte by byte, whatever the answer", () =>
    sayTheSame(here, Object.keys(cases)));

  test("[F27, R60] a daemon that is stopped holds no client up, and takes nothing up later", () =>
    daemonIsStopped(here, clients));

  test("[F1, R60] a daemon that dies after it has taken an event, whichever client has told it: guards block, others let pass, and no hook runs again", () =>
    daemonDies(here));
});

test(
  "[F27, R60] a daemon that is stopped for long holds no agent up either: connections to it are a queue that fills",
  options,
  async (t) => {
    const { place, lines, told } = installed(t);
    const daemon = await place.up();
    daemon.child.kill("SIGSTOP");
    const sockets: Socket[] = [];
    t.after(() => sockets.forEach((socket) => void socket.destroy()));
    const connects = async (): Promise<boolean> => {
      const socket = connect(daemon.port, "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      return await Promise.race([once(socket, "connect").then(() => true), wait(1_000, false)]);
    };
    while (await connects()) assert.ok(sockets.length < 10_000, "the queue has an end");
    for (const client of ["compiled", "shell"] as const) {
      const said = await Promise.race([
        told(lines[client]("PreToolUse"), tool("Deny")),
        wait(600_000, undefined, { ref: false }),
      ]);
      assert.match(said?.stdout ?? "nothing was said", /"deny"/, client);
    }
  },
);

test(
  "[R60, F27] a daemon that a client has started and that is stopped is replaced by the next event's client",
  options,
  async (t) => {
    let state = "";
    t.after(() => endDaemon(state)); // before its folder goes
    const { place, lines, told } = installed(t);
    state = place.state;
    place.hookline("install", "claude-code");
    const address = join(state, "daemon.address");
    const pidOf = (): number => Number(existsSync(address) ? readFileSync(address, "utf8").split(" ")[3] : 0);
    await told(lines.shell("PreToolUse"), tool("Deny"));
    const first = await until(() => pidOf() || undefined, "a daemon");
    process.kill(first, "SIGSTOP");
    rmSync(join(state, "daemon-started"), { force: true }); // as if it had been started long ago
    assert.match((await told(lines.shell("PreToolUse"), tool("Deny"))).stdout, /not that/, "judged without it");
    const second = await until(() => (pidOf() !== first && pidOf()) || undefined, "another daemon");
    assert.notEqual(second, first);
    await until(() => isGone(first) || undefined, "the end of the stopped one");
  },
);
