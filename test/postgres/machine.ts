/** A machine of the tests: a home, a project with a guard, and the real program, with a Postgres as its store or without. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { bin, codeCache, runCommand } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface Machine {
  folder: string;
  workspace: string;
  environment: Record<string, string>;
  /** Runs a command to its end. */
  run(...words: string[]): Ran;
  /** What an agent calls before a tool. */
  hook(command: string): Ran;
  /** Writes an automation of the event deploy.done, which runs this line of shell. Gives its file. */
  automate(line: string, more?: string, name?: string): string;
  /** `hookline up` with these words; resolves once it listens. Killed at the end of the test. */
  up(...words: string[]): Promise<Up>;
}
interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}
export interface Up {
  process: ChildProcess;
  port: number;
  stderr(): string;
  /** As a program sends an event; what it sets off is not waited for. Gives the answer's status. */
  send(event: string): Promise<number>;
  /** Asks it to end, and waits for that. */
  end(): Promise<void>;
}

/** @param through what starts its programs elsewhere, such as in a network of their own */
export function makeMachine(context: TestContext, through: readonly string[] = []): Machine {
  const [program = "", ...before] = [...through, process.execPath];
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
  const perform = (words: string[], input = ""): Ran => {
    if (through.length === 0) return runCommand(words, { cwd: workspace, environment, input });
    const { status, stdout, stderr } = spawnSync(program, [...before, bin, ...words], {
      cwd: workspace,
      env: environment,
      encoding: "utf8",
      input,
    });
    return { status, stdout, stderr };
  };
  return {
    ...{ folder, workspace, environment },
    run: (...words) => perform(words),
    hook(command) {
      const payload = {
        hook_event_name: "PreToolUse",
        session_id: "s",
        cwd: workspace,
        tool_name: "Bash",
        tool_input: { command },
      };
      return perform(["hook", "claude-code", "--event", "PreToolUse"], JSON.stringify(payload));
    },
    automate(line, more = "overlap: queue", name = "Remember") {
      const file = join(workspace, ".hookline", "automations", `${name.toLowerCase()}.yaml`);
      mkdirSync(dirname(file), { recursive: true });
      const step = `context_steps:\n  - { type: shell, command: ${JSON.stringify(line)} }\n`;
      writeFileSync(
        file,
        `name: ${name}\ntrigger: { type: event, event_type: deploy.done }\ncooldown_seconds: 0\n${more}\n${step}`,
      );
      return file;
    },
    up(...words) {
      const child = spawn(program, [...before, bin, "up", "--json", "--port", "0", ...words], {
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
            async send(event) {
              const { port, token } = JSON.parse(
                readFileSync(join(folder, "state", "hookline", "daemon.json"), "utf8"),
              );
              const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
              const sent = { method: "POST", headers, body: JSON.stringify({ event, data: {} }) };
              return (await fetch(`http://127.0.0.1:${port}/events`, sent)).status;
            },
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
