/** Programs of hooks that call hookline in a loop: who counts how deep they are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../world.ts";
import { always, calls, comesToAnEnd } from "./inside-hooks.ts";

test("[A43] emit counts on from the event whose hook's program calls it, and says no five events deep", (t) => {
  const { json, hookline } = world(t);
  json("automation", "create", "ping", "--event", "loop.ping", ...always, calls("emit loop.ping"));
  const sent = json("emit", "loop.ping", "--data", JSON.stringify({ hookline_depth: 4 }));
  assert.deepEqual(
    sent.runs.map(({ status }: { status: string }) => status),
    ["completed"],
  );
  assert.equal(sent.event.data.hookline_depth, undefined, "only hooks count how deep they are");
  assert.equal(hookline("up", "--once").status, 0);
  const runs: { context_results: { exit_code: number; stderr: string }[] }[] = json("automation", "runs", "ping");
  assert.deepEqual(
    runs.map(({ context_results: [step] }) => step?.exit_code),
    [1, 0, 0, 0, 0, 0],
  );
  assert.match(
    runs[0]?.context_results[0]?.stderr ?? "",
    /5 events deep, hooks answer each other: "loop.ping" was not sent/,
  );
});

test("[A43] automations whose programs set off each other do not wait for themselves, and come to an end, from the first event on", (t) =>
  comesToAnEnd(t, 6));
