/** A project with guards, and a person at a terminal. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { accessSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { bin, codeCache, runCommand } from "../../program.ts";

interface Said {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface Decided {
  verdict?: { is: string; reason?: string };
  messages?: { to: string; text: string }[];
}

interface World {
  workspace: string;
  environment: Record<string, string>;
  hookline(...words: string[]): Said;
  /** As a person types it, in a terminal with further variables. */
  typed(words: readonly string[], more?: Record<string, string>): Said;
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
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-guards-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
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
  return {
    workspace,
    environment,
    hookline: (...words) => run(words),
    typed(words, more = {}) {
      const line = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(" ");
      const env = { ...environment, TERM: "xterm", SHELL: "/bin/sh", ...more };
      return spawnSync(terminalMaker ?? "", ["-qec", line, "/dev/null"], { cwd: workspace, env, encoding: "utf8" });
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

export const codeFor = ({ messages = [] }: Decided): string => {
  const [, code = ""] =
    /^to allow this call once: hookline allow-once ([0-9a-z]{8})$/m.exec(messages[0]?.text ?? "") ?? [];
  assert.notEqual(code, "", "the person is told no code");
  return code;
};

export const push = { command: "git push", description: "Push it" };

export function allowsNothing(t: TestContext, variables: readonly string[]): void {
  const world = worldWith(t);
  const code = codeFor(world.call(push));
  const commands = [
    ["allow-once", code],
    ["guard", "off", "no_push", "--for", "1h"],
  ];
  for (const words of commands) {
    const said = world.hookline(...words);
    assert.deepEqual([said.status, said.stdout], [1, ""]);
    assert.match(said.stderr, /nothing was allowed|no guard was switched off/);
    assert.match(said.stderr, /standard input is no terminal — only a person at a terminal can do this/);
    for (const variable of variables) {
      const inShell = world.typed(words, { [variable]: "1" });
      assert.equal(inShell.status, 1, variable);
      assert.match(inShell.stdout, /an agent's shell|a hook's program/);
    }
  }
  assert.equal(world.call(push).verdict?.is, "deny");
}
