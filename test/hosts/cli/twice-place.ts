/** One tool call, and the commands that report it: its hook says that it began, and waits to be let go. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { bin } from "../../program.ts";
import { world } from "../../world.ts";
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
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: waits }] }] };
  const here = world(
    t,
    { "workspace/.hookline/hooks.json": JSON.stringify({ hooks }) },
    { variables: { HOOKLINE_DAEMON: "off" } },
  );
  const { folder, workspace, environment: env } = here;
  const store = join(folder, "own.db");
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
    count: () => (here.has("workspace/count") ? here.read("workspace/count").trim().split("\n") : []),
    go: () => here.write("workspace/go", ""),
    events: (wanted) =>
      until(() => {
        const database = new DatabaseSync(store, { readOnly: true });
        const { count } = database.prepare("select count(*) as count from event").get() ?? {};
        database.close();
        return count === wanted;
      }, "the events"),
  };
}
