/** A project whose hooks' programs call hookline, each in a process of its own. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { bin, codeCache, runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Place {
  /** That of the next command. */
  environment: Record<string, string>;
  hookline(...words: string[]): { status: number | null; stdout: string; stderr: string };
  /** With --json; it has to exit 0. */
  json(...words: string[]): ReturnType<typeof JSON.parse>;
}

export function place(t: TestContext): Place {
  const folder = temporaryFolder(t);
  const [cwd, home] = [join(folder, "shop"), join(folder, "home")];
  for (const path of [cwd, home]) mkdirSync(path);
  const environment: Record<string, string> = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_STATE_HOME: join(folder, "state"),
  };
  const hookline: Place["hookline"] = (...words) => runCommand(words, { cwd, environment });
  return {
    environment,
    hookline,
    json(...words) {
      const { status, stdout, stderr } = hookline(...words, "--json");
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout);
    },
  };
}

const deepest = 6;

/**
 * An automation sets itself off by the program that it runs, until it is told that hooks answer each other.
 *
 * @param times so many programs are started: the caller stands as deep as leaves that many
 */
export function comesToAnEnd(t: TestContext, times: number): void {
  const { json, hookline, environment } = place(t);
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
