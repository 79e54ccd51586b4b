/** A project whose hooks' programs call hookline, each in a process of its own. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { bin } from "../../program.ts";
import { world } from "../../world.ts";

const deepest = 6;

/**
 * An automation sets itself off by the program that it runs, until it is told that hooks answer each other.
 *
 * @param times so many programs are started: the caller stands as deep as leaves that many
 */
export function comesToAnEnd(t: TestContext, times: number): void {
  const { json, hookline, environment } = world(t, {}, { workspace: "shop" });
  json("automation", "create", "again", "--event", "task.created", ...always, calls("task create again"));
  environment.HOOKLINE_DEPTH = `${deepest - times}`;
  json("task", "create", "first"); // it does not end where it waits for what waits for it
  delete environment.HOOKLINE_DEPTH;
  const runs = (): { status: string; exit: number }[] =>
    json("automation", "runs", "again").map(
      ({ status, context_results: [step] }: { status: string; context_results: { exit_code: number }[] }) => ({
        status,
        exit: step?.exit_code,
      }),
    );
  const queued = { status: "queued", exit: undefined };
  const completed = { status: "completed", exit: 0 };
  assert.deepEqual(runs(), times < deepest ? [queued] : [queued, completed], "inside of a hook's program it is queued");
  assert.equal(hookline("up", "--once").status, 0);
  assert.deepEqual(runs(), Array(times).fill(completed));
  assert.equal(json("task", "list").length, times + 1, "the last task is made, and nobody is told of it");
}

export const calls = (words: string): string =>
  JSON.stringify([{ type: "shell", command: `'${process.execPath}' '${bin}' ${words}` }]);

export const always: readonly string[] = [
  "--overlap",
  "queue",
  "--cooldown-seconds",
  "0",
  "--skip-llm",
  "--context-steps",
];
