/** Programs that hooks start and that call hookline themselves: nothing waits for itself, and hooks that set off each other come to an end. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bin, codeCache } from "../../program.ts";

interface Place {
  hookline(...words: string[]): { status: number | null; stdout: string; stderr: string };
  /** With --json; it has to exit 0. */
  json(...words: string[]): ReturnType<typeof JSON.parse>;
}

function place(t: TestContext): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-inside-")));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [cwd, home] = [join(folder, "shop"), join(folder, "home")];
  for (const path of [cwd, home]) mkdirSync(path);
  const env = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_STATE_HOME: join(folder, "state"),
  };
  const hookline: Place["hookline"] = (...words) =>
    spawnSync(process.execPath, [bin, ...words], {
      cwd,
      env,
      encoding: "utf8",
      timeout: 100_000,
      killSignal: "SIGKILL",
    });
  return {
    hookline,
    json(...words) {
      const { status, stdout, stderr } = hookline(...words, "--json");
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout);
    },
  };
}

const calls = (words: string): string =>
  JSON.stringify([{ type: "shell", command: `'${process.execPath}' '${bin}' ${words}` }]);
const always = ["--overlap", "queue", "--cooldown-seconds", "0", "--skip-llm", "--context-steps"];

test("[A43] automations whose programs set off each other do not wait for themselves, and come to an end", (t) => {
  const { json, hookline } = place(t);
  json("automation", "create", "again", "--event", "task.created", ...always, calls("task create again"));
  const begun = Date.now();
  json("task", "create", "first");
  assert.ok(Date.now() - begun < 30_000, "it waited for what waits for it");
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

test("[A43] emit counts on from the event whose hook's program calls it, and says no five events deep", (t) => {
  const { json, hookline } = place(t);
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
    [3, 0, 0, 0, 0, 0],
  );
  assert.match(
    runs[0]?.context_results[0]?.stderr ?? "",
    /5 events deep, hooks answer each other: "loop.ping" was not sent/,
  );
});
