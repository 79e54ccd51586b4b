/** A project with two guards, its commands, and a person at a terminal of their own. */
import assert from "node:assert/strict";
import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync } from "node:fs";
import type { TestContext } from "node:test";
import { allowedOnce, refusedFor, refusedIn } from "../../../src/engine/admit.ts";
import { decidingEvents } from "../../../src/engine/events.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { bin, runCommand } from "../../program.ts";
import type { CommandAnswer as Said } from "../../standing-command.ts";
import { type World, world } from "../../world.ts";

export interface Decided {
  verdict?: { is: string; reason?: string };
  messages?: { to: string; text: string }[];
}

export interface Guarded extends World {
  /** As a person types it, in a terminal with further variables. */
  typed(words: readonly string[], more?: Record<string, string>): Said;
  /** A person asks what can be allowed, and presses this key once the question stands there. */
  allowed(key?: string): Promise<Said>;
  /** What the newest refusal was for is allowed as that person would have it, without a terminal: for tests of what comes after. */
  allowedBefore(): Promise<void>;
  call(input: object, given?: { tool?: string; session?: string; more?: Record<string, string> }): Decided;
}

export const rules = `hooks:
  - id: no_push
    on: tool_start
    condition: { type: tool_name, match: Bash }
    action: { type: gate, reason: "people push" }
  - id: may_write
    on: tool_start
    condition: { type: tool_name, match: Write }
    action: { type: gate, ask: true, reason: "may I write?" }
`;

/** @param files by path in the workspace, or in "home/" */
export function worldWith(
  t: TestContext,
  files: Readonly<Record<string, string>> = { ".hookline/rules/g.yaml": rules },
): Guarded {
  const own = Object.entries(files).map(([path, text]) => [
    path.startsWith("home/") ? path : `workspace/${path}`,
    text,
  ]);
  const here = world(t, Object.fromEntries(own), {
    variables: { HOOKLINE_DAEMON: "off", COLUMNS: "400" },
  });
  const { workspace, environment, store: path } = here;
  const run = (words: readonly string[], more: object): Said =>
    runCommand(words, { cwd: workspace, environment: { ...environment, ...more } });
  const inTerminal = (words: readonly string[], more: Record<string, string>): [string[], SpawnOptions] => [
    ["-qec", [process.execPath, bin, ...words].map((word) => `'${word}'`).join(" "), "/dev/null"],
    { cwd: workspace, env: { ...environment, TERM: "xterm", SHELL: "/bin/sh", ...more } },
  ];
  return {
    ...here,
    typed(words, more = {}) {
      const [line, place] = inTerminal(words, more);
      return spawnSync(terminalMaker ?? "", line, { ...place, encoding: "utf8" });
    },
    async allowed(key = "1") {
      const [line, place] = inTerminal(["allow-once"], {});
      const child = spawn(terminalMaker ?? "", line, { ...place, stdio: "pipe" });
      let stdout = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const isAsked = /leaves\] /.test(stdout);
        stdout += text;
        if (!isAsked && /leaves\] /.test(stdout)) child.stdin.write(key);
      });
      const [status] = await once(child, "close");
      return { status, stdout, stderr: "" };
    },
    async allowedBefore() {
      const store = openSqliteStore({ path });
      try {
        const now = Date.now();
        const [refused] = refusedIn(workspace, await store.paused(), now);
        assert.ok(refused, "nothing was refused");
        for (const event of decidingEvents)
          await store.pause(allowedOnce(refused.call, event), now, now + refusedFor * 1000);
      } finally {
        store.close();
      }
    },
    call(input, { tool = "Bash", session = "s", more = {} } = {}) {
      const data = JSON.stringify({ tool_name: tool, tool_input: input });
      const { stdout, stderr } = run(["emit", "PreToolUse", "--data", data, "--session", session, "--json"], more);
      assert.notEqual(stdout, "", stderr);
      return JSON.parse(stdout).outcome;
    },
  };
}

export const terminalMaker: string | undefined = ["/usr/bin/script", "/bin/script"].find((path) => {
  try {
    accessSync(path);
    return process.platform === "linux";
  } catch {
    return false; // not here
  }
});

export const onTerminal: { skip: string | false } = { skip: terminalMaker ? false : "nothing here makes a terminal" };

export const push: { command: string; description: string } = { command: "git push", description: "Push it" };

/** @param allow how a person allows the call that was refused */
export async function countsWhatIsAllowed(
  world: Guarded,
  allow: (world: Guarded, command: string) => Promise<unknown>,
): Promise<void> {
  for (const command of ["git push origin a", "git push origin b", "git push"]) {
    world.call({ command });
    await allow(world, command);
    assert.deepEqual(world.call({ command }), {});
  }
  world.call({ file_path: "a", content: "x" }, { tool: "Write" });
  interface Row {
    [name: string]: unknown;
  }
  const { guards, candidates }: { guards: Row[]; candidates: Row[] } = world.json("guard", "stats", "--days", "2");
  const rowOf = (name: string): unknown[] => {
    const row = guards.find((one) => one.name === name) ?? {};
    return [row.fired, row.denied, row.asked, row.overridden, row.would_have];
  };
  assert.deepEqual(rowOf("no_push"), [6, 3, 0, 3, 0]);
  assert.deepEqual(rowOf("may_write"), [1, 0, 1, 0, 0]);
  assert.deepEqual(
    candidates.map(({ pattern, times }) => [pattern, times]),
    [["Bash(git push *)", 3]],
  );
  const shown = world.hookline("guard", "stats").stdout;
  assert.match(shown, /candidates for exceptions\n .*no_push\S*: Bash\(git push \*\) was allowed 3 times/);
  assert.equal(world.hookline("guard", "stats", "--days", "0").status, 2);
}
