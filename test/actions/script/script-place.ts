/** A workspace with scripts, and the command that agents call in it. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { bin, codeCache, runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export interface Place {
  workspace: string;
  home: string;
  state: string;
  /** What the command says. */
  hook(event: string, data?: object): string;
  /** The same in a process of its own. */
  start(event: string): Promise<string>;
}

export function placeWith(t: TestContext, scripts: Readonly<Record<string, { says: string; does: string }>>): Place {
  const top = temporaryFolder(t);
  const [workspace, home] = [join(top, "workspace"), join(top, "home")];
  mkdirSync(home);
  for (const [name, { says, does }] of Object.entries(scripts)) {
    const file = join(workspace, name);
    mkdirSync(dirname(file), { recursive: true });
    const lines = says.split("; ").map((line) => `# ${line}\n`);
    writeFileSync(file, `#!/bin/sh\n#---\n${lines.join("")}#---\n${does}\n`, { mode: 0o755 });
  }
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: home,
  };
  const payload = (event: string, data: object = {}): string =>
    JSON.stringify({ session_id: "s1", cwd: workspace, hook_event_name: event, ...data });
  return {
    workspace,
    home,
    state: join(home, ".local/state/hookline"),
    hook(event, data) {
      const words = ["hook", "claude-code", "--event", event];
      return runCommand(words, { cwd: workspace, environment, input: payload(event, data) }).stdout;
    },
    start: (event) =>
      new Promise((resolve, reject) => {
        const words = [bin, "hook", "claude-code", "--event", event];
        const child = spawn(process.execPath, words, {
          cwd: workspace,
          env: environment,
          stdio: ["pipe", "pipe", "inherit"],
        });
        let said = "";
        child.stdout.on("data", (chunk) => void (said += chunk));
        child.once("error", reject).once("close", () => resolve(said));
        child.stdin.end(payload(event));
      }),
  };
}

export async function appears(path: string): Promise<string> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (text !== "") return text;
    await pause(25);
  }
}
