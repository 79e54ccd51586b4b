/** One tool call, and the commands that report it: its hook says that it began, and waits to be let go. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { bin, codeCache } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { until } from "../daemon/started.ts";

export const waits = "echo run >> count; while [ ! -e go ]; do sleep 0.02; done; echo 'not that' >&2; exit 2";

export interface Reports {
  report(by: string): { child: ChildProcess; said: Promise<string> };
  count(): string[];
  go(): void;
  /** Resolves when so many events are written down. */
  events(count: number): Promise<unknown>;
}

export function place(t: TestContext): Reports {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "workspace");
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  };
  mkdirSync(join(folder, "home"));
  write(
    ".hookline/hooks.json",
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: waits }] }] } }),
  );
  const store = join(folder, "own.db");
  const env = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_DAEMON: "off",
  };
  const payload = JSON.stringify({
    ...{ hook_event_name: "PreToolUse", session_id: "s", cwd: workspace },
    ...{ tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" },
  });
  return {
    report(by) {
      const words = ["hook", "claude-code", "--by", by, "--store", store];
      const child = spawn(process.execPath, [bin, ...words], {
        cwd: workspace,
        env,
        stdio: ["pipe", "pipe", "ignore"],
      });
      t.after(() => child.kill("SIGKILL"));
      let text = "";
      child.stdout.on("data", (bytes: Buffer) => {
        text += bytes;
      });
      child.stdin.end(payload);
      return { child, said: once(child, "close").then(() => text) };
    },
    count: () =>
      existsSync(join(workspace, "count")) ? readFileSync(join(workspace, "count"), "utf8").trim().split("\n") : [],
    go: () => write("go", ""),
    events: (wanted) =>
      until(() => {
        const database = new DatabaseSync(store, { readOnly: true });
        const { count } = database.prepare("select count(*) as count from event").get() ?? {};
        database.close();
        return count === wanted;
      }, "the events"),
  };
}
