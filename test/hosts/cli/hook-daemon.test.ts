/** Real agents' tellings to a real daemon: every way says the same, and a daemon that stops or dies costs no verdict and runs nothing twice. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isGone } from "../../runtime/processes/gone.ts";
import { until } from "../daemon/started.ts";
import type { Said } from "./client.ts";
import { clients, endDaemon, eventsOf, installed, options, sayTheSame, tool } from "./hook-daemon-place.ts";

test(
  "[R60] every client, the command with and without the daemon, and HTTP say the same of an event, byte by byte",
  options,
  (t) => sayTheSame(t, ["a deny"]),
);

test("[F27, R60] a daemon that is stopped holds no agent up, and takes nothing up later", options, async (t) => {
  const { place, lines, told } = installed(t);
  const daemon = await place.up();
  daemon.child.kill("SIGSTOP");
  const payload = tool("Once");
  const said = await Promise.all(clients.map((client) => told(lines[client]("PreToolUse"), payload)));
  daemon.child.kill("SIGCONT");
  for (const { code, stderr } of said) assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const other = { session_id: "one", cwd: place.workspace, ...tool("Other") };
  await daemon.call("/hook/claude-code?event=PreToolUse&by=user", { body: other }); // what waited before it has been read by now
  assert.equal(readFileSync(join(place.workspace, "once.txt"), "utf8"), "run\n".repeat(clients.length));
  assert.equal(await eventsOf(daemon), 1);
});

test(
  "[F1, R60] a daemon that dies after it has taken an event: guards block, others let pass, and no hook runs again",
  options,
  async (t) => {
    const { place, lines, told } = installed(t);
    const daemon = await place.up();
    const slow = { tool_name: "Slow", tool_input: {} };
    const log = join(place.workspace, "slow.txt");
    const runs = (): number => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0);
    const waiting: Promise<Said>[] = [];
    for (const client of clients) {
      for (const event of ["PreToolUse", "PostToolUse"]) {
        await told(lines.compiled(event), { hook_event_name: event, tool_name: "Other", tool_input: {} }); // it knows the hooks then
        waiting.push(told(lines[client](event), { hook_event_name: event, ...slow }));
        await until(() => runs() === waiting.length || undefined, "a hook that runs");
      }
    }
    daemon.child.kill("SIGKILL");
    const said = await Promise.all(waiting);
    const [guard, other] = said;
    for (const pid of readFileSync(log, "utf8").split("\n").map(Number))
      if (pid > 0 && !isGone(pid)) process.kill(pid, "SIGKILL"); // where nothing has ended them with their daemon
    assert.match(guard?.stderr ?? "", /stopped before it answered.*a guard is active/);
    assert.match(other?.stderr ?? "", /stopped before it answered/);
    for (const [index, one] of said.entries())
      assert.deepEqual(one, {
        code: index % 2 === 0 ? 2 : 0,
        stdout: "",
        stderr: (index % 2 === 0 ? guard : other)?.stderr,
      });
    assert.equal(runs(), 2 * clients.length);
    assert.equal((await told(lines.compiled("PreToolUse"), tool("Deny"))).code, 0, "the next is judged without it");
  },
);

test(
  "[R60] where install has allowed it, the first event without a daemon starts one for the next, which it finds",
  options,
  async (t) => {
    let state = "";
    t.after(() => endDaemon(state)); // before its folder goes
    const { place, lines, told } = installed(t);
    state = join(place.environment.XDG_STATE_HOME ?? "", "hookline");
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
