/** A machine of the tests: a home, a project with a guard, and the real program, with a Postgres as its store or without. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { bin, codeCache } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface Machine {
  folder: string;
  workspace: string;
  environment: Record<string, string>;
  /** Runs a command to its end. */
  run(...words: string[]): { status: number | null; stdout: string; stderr: string };
  /** What an agent calls before a tool. */
  hook(command: string): { status: number | null; stdout: string; ms: number };
  /** `hookline up` with these words; resolves once it listens. Killed at the end of the test. */
  up(...words: string[]): Promise<Up>;
}
export interface Up {
  process: ChildProcess;
  port: number;
  stderr(): string;
  /** Asks it to end, and waits for that. */
  end(): Promise<void>;
}

export function makeMachine(context: TestContext): Machine {
  const folder = temporaryFolder(context);
  const workspace = join(folder, "workspace");
  for (const name of ["home", "workspace/.hookline/rules"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(workspace, ".hookline", "rules", "guard.yaml"),
    'hooks:\n  - id: no_rm\n    on: tool_start\n    condition: { type: shell, runs: ["rm *"] }\n    action: { type: gate, reason: nothing is removed here }\n',
  );
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    COLUMNS: "400",
  };
  const spawned = { cwd: workspace, env: environment, encoding: "utf8" as const };
  return {
    ...{ folder, workspace, environment },
    run: (...words) => spawnSync(process.execPath, [bin, ...words], spawned),
    hook(command) {
      const payload = {
        hook_event_name: "PreToolUse",
        session_id: "s",
        cwd: workspace,
        tool_name: "Bash",
        tool_input: { command },
      };
      const began = performance.now();
      const words = [bin, "hook", "claude-code", "--event", "PreToolUse"];
      const { status, stdout } = spawnSync(process.execPath, words, { ...spawned, input: JSON.stringify(payload) });
      return { status, stdout, ms: performance.now() - began };
    },
    up(...words) {
      const child = spawn(process.execPath, [bin, "up", "--json", "--port", "0", ...words], {
        cwd: workspace,
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      });
      context.after(() => void child.kill("SIGKILL"));
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      return new Promise((resolve, reject) => {
        child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${said}`)));
        child.stdout.setEncoding("utf8").once("data", (text: string) =>
          resolve({
            process: child,
            port: JSON.parse(text.split("\n")[0] ?? "").port,
            stderr: () => said,
            end: () =>
              new Promise((ended) => {
                child.once("exit", () => ended());
                child.kill("SIGTERM");
              }),
          }),
        );
      });
    },
  };
}
