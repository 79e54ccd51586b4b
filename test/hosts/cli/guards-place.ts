/** A project with two guards, its commands, and a person at a terminal of their own. */
import assert from "node:assert/strict";
import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { allowedOnce, refusedIn } from "../../../src/engine/admit.ts";
import { refusedFor } from "../../../src/engine/counting.ts";
import { decidingEvents } from "../../../src/engine/events.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { bin, codeCache, runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export interface Said {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Decided {
  verdict?: { is: string; reason?: string };
  messages?: { to: string; text: string }[];
}

export interface World {
  workspace: string;
  environment: Record<string, string>;
  hookline(...words: string[]): Said;
  /** As a person types it, in a terminal with further variables. */
  typed(words: readonly string[], more?: Record<string, string>): Said;
  /** A person asks what can be allowed, and presses this key once the question stands there. */
  allowed(key?: string): Promise<Said>;
  /** What the newest refusal was for is allowed as that person would have it, without a terminal: for tests of what comes after. */
  allowedBefore(): Promise<void>;
  call(input: object, given?: { tool?: string; session?: string; more?: Record<string, string> }): Decided;
  json(...words: string[]): unknown;
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

export function worldWith(
  t: TestContext,
  files: Readonly<Record<string, string>> = { ".hookline/rules/g.yaml": rules },
): World {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "workspace");
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_DAEMON: "off",
    COLUMNS: "400",
  };
  for (const [name, text] of Object.entries({ ...files, "home/kept": "" })) {
    const path = name.startsWith("home/") ? join(folder, name) : join(workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const run = (words: readonly string[], more = {}): Said =>
    runCommand(words, { cwd: workspace, environment: { ...environment, ...more } });
  const inTerminal = (words: readonly string[], more: Record<string, string>): [string[], SpawnOptions] => [
    ["-qec", [process.execPath, bin, ...words].map((word) => `'${word}'`).join(" "), "/dev/null"],
    { cwd: workspace, env: { ...environment, TERM: "xterm", SHELL: "/bin/sh", ...more } },
  ];
  return {
    workspace,
    environment,
    hookline: (...words) => run(words),
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
      const store = openSqliteStore({ path: join(folder, "state", "hookline", "hookline.db") });
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
    json(...words) {
      const { stdout, stderr } = run([...words, "--json"]);
      assert.notEqual(stdout, "", stderr);
      return JSON.parse(stdout);
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
