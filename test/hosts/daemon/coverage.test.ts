/** A daemon looks at an agent's own record of a session when its turn has ended: nobody has to ask. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createCoverageWatch } from "../../../src/hosts/daemon/coverage.ts";
import { dashboardOperations } from "../../../src/hosts/daemon/dashboard/operations.ts";
import type { Now } from "../../../src/hosts/daemon/dashboard/shown.ts";
import type { Asked } from "../../../src/operations/operation.ts";
import { anEvent } from "../../storage/contract.ts";
import { hosted } from "./hosted.ts";
import { placeFor, until } from "./started.ts";

test("[X13] a moment after a Stop the daemon knows which calls of the session did not reach it, and the dashboard shows them", async (t) => {
  const place = placeFor(t, { "home/.claude/settings.json": "{}\n", "workspace/.hookline/hooks.json": "{}" });
  assert.equal(place.hookline("install", "claude-code").status, 0);
  const daemon = await hosted(place);
  const folder = place.workspace.replaceAll(/[^a-zA-Z0-9]/g, "-");
  const file = join(place.home, ".claude/projects", folder, "s1.jsonl");
  mkdirSync(dirname(file), { recursive: true });
  const common = { sessionId: "s1", cwd: place.workspace, timestamp: new Date().toISOString() };
  const lines = [
    { type: "assistant", part: { type: "tool_use", id: "t1", name: "Bash", input: { command: "rm -rf build" } } },
    { type: "user", part: { type: "tool_result", tool_use_id: "t1", content: "" } },
  ].map(({ type, part }) => JSON.stringify({ type, ...common, message: { content: [part] } }));
  writeFileSync(file, `${lines.join("\n")}\n`);
  const { store } = daemon.daemon;
  await daemon.daemon.emit(
    anEvent({ name: "Stop", data: {}, cwd: place.workspace, session: "s1", sender: "claude-code" }),
  );
  const [row] = await until(async () => {
    const rows = await store.transcripts();
    return rows[0]?.calls === 1 ? rows : undefined;
  }, "the look after the turn");
  assert.deepEqual([row?.session, row?.reached, row?.missed[0]?.subject], ["s1", 0, "rm -rf build"]);
  const now = await dashboardOperations(daemon.daemon, new Map())
    .get("now")
    ?.run({}, daemon.daemon.context as Asked); // it asks for none of the rest
  const { missing, registrations, sessions } = now as Now; // as the page gets it
  assert.deepEqual(
    missing.map(({ session, missed }) => [session, missed[0]?.tool]),
    [["s1", "Bash"]],
  );
  assert.match(sessions[0]?.coverage?.says ?? "", /^the only call of this session did not reach Hookline$/);
  assert.deepEqual(
    registrations.map(({ agent, layer, last }) => [agent, layer, last]),
    [["Claude Code", "user", null]],
  );
  assert.deepEqual(daemon.complaints, []);
});

test("several ends of one moment in a folder are one look, and a daemon that closes ends the one that goes on", async () => {
  const due: (() => void)[] = [];
  const looks: string[] = [];
  const watch = createCoverageWatch({
    after(_milliseconds, work) {
      due.push(work);
      return () => void due.splice(due.indexOf(work), 1);
    },
    look: (folder, _sender, signal) =>
      new Promise((resolve) => {
        looks.push(folder);
        signal.addEventListener("abort", () => resolve());
      }),
  });
  for (const [name, cwd] of [
    ["Stop", "/a"],
    ["SessionEnd", "/a"],
    ["PreToolUse", "/a"],
    ["Stop", "/b"],
  ] as const)
    watch.observe({ is: "event", event: anEvent({ name, cwd }) });
  assert.equal(due.length, 2);
  for (const work of [...due]) work();
  await Promise.resolve();
  assert.deepEqual(looks, ["/a"], "one after the other");
  await watch.close();
  assert.deepEqual(looks, ["/a"]);
});
