/** A project with hook tests, and what the command says of them. */
import type { TestContext } from "node:test";
import { type World, world } from "../../world.ts";

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

interface Project extends World {
  json(...words: string[]): Answered;
}

/** @param files by path in the workspace, as what `write` takes */
export function projectWith(t: TestContext, files: Readonly<Record<string, string>>): Project {
  const here = world(t);
  const write = (name: string, text: string): void => here.write(`workspace/${name}`, text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const json = (...words: string[]): Answered =>
    JSON.parse(here.hookline("test", ...words, "--json").stdout) as Answered; // its own JSON
  return { ...here, write, json };
}

/** A rule that refuses, and one that only says something. */
export const rules: string = `hooks:
  - id: no-push
    on: tool_start
    condition: { type: shell, runs: "git push *" }
    action: { type: gate, reason: a person pushes }
  - id: writes-are-fine
    on: tool_start
    condition: { type: tool_name, match: Write }
    action: { type: inject_message, role: system, content: thank you }
`;
