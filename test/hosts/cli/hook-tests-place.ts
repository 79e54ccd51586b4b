/** A project with hook tests, and what the command says of them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { codeCache, runCommand } from "../../program.ts";
import type { CommandAnswer } from "../../standing-command.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export interface Answered {
  passed: number;
  failed: number;
  files: {
    file: string;
    problems: { line: number; column: number; message: string }[];
    tests: {
      name: string;
      line: number;
      passed: boolean;
      failures: { field: string; line: number; column: number; expected: string; actual: string }[];
      events: { ran: string[]; others: string[] }[];
    }[];
  }[];
}

interface Project {
  folder: string;
  workspace: string;
  environment: Record<string, string>;
  write(name: string, text: string): void;
  hookline(...words: string[]): CommandAnswer;
  json(...words: string[]): Answered;
}

export function projectWith(t: TestContext, files: Readonly<Record<string, string>>): Project {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "workspace");
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
  };
  mkdirSync(environment.HOME);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const place = { cwd: workspace, environment };
  const hookline = (...words: string[]) => runCommand(words, place);
  const json = (...words: string[]): Answered => JSON.parse(hookline("test", ...words, "--json").stdout) as Answered; // its own JSON
  return { folder, workspace, environment, write, hookline, json };
}
