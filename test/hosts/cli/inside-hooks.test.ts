/** Programs that hooks start and that call hookline themselves: nothing waits for itself, and hooks that set off each other come to an end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { always, calls, place } from "./inside-hooks.ts";

test("[A43] automations whose programs set off each other do not wait for themselves, and come to an end", (t) => {
  const { json, hookline } = place(t);
  json("automation", "create", "again", "--event", "task.created", ...always, calls("task create again"));
  json("task", "create", "first"); // it does not end where it waits for what waits for it
  const runs = (): { status: string; exit: number }[] =>
    json("automation", "runs", "again").map(
      ({ status, context_results: [step] }: { status: string; context_results: { exit_code: number }[] }) => ({
        status,
        exit: step?.exit_code,
      }),
    );
  assert.deepEqual(runs(), [
    { status: "queued", exit: undefined },
    { status: "completed", exit: 0 },
  ]);
  assert.equal(hookline("up", "--once").status, 0);
  assert.deepEqual(runs(), Array(6).fill({ status: "completed", exit: 0 }));
  assert.equal(json("task", "list").length, 7, "the last task is made, and nobody is told of it");
});
