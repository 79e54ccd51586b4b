/** A repository whose hook has asked for follow-ups. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { codeCache, runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export interface Said {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface Listed {
  id: string;
  run: string;
  number: number;
  kind: string;
  payload: Record<string, unknown>;
  hookName: string;
  done: boolean;
}

interface Scratch {
  workspace: string;
  environment: Record<string, string>;
  hookline(...words: string[]): Said;
  list(...words: string[]): Listed[];
  /** The id of the only run. */
  run: string;
}

/** A repository whose hook has asked for these. */
export function scratchWith(t: TestContext, actions: readonly object[], more: Record<string, string> = {}): Scratch {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "workspace");
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    ...more,
  };
  mkdirSync(join(workspace, ".system", "hooks"), { recursive: true });
  mkdirSync(join(workspace, "src"));
  mkdirSync(environment.HOME);
  writeFileSync(join(workspace, "src", "a b.ts"), "");
  writeFileSync(join(workspace, "answer.json"), JSON.stringify({ follow_up_actions: actions }));
  writeFileSync(
    join(workspace, ".system", "hooks", "wishes.yaml"),
    "id: wishes\nevent_type: SessionStop\nhandler: { kind: script, command: cat answer.json }\n",
  );
  const hookline = (...words: string[]): Said => runCommand(words, { cwd: workspace, environment });
  const emitted = hookline("emit", "SessionStop", "--json");
  assert.equal(emitted.status, 0, emitted.stderr);
  const run: string = JSON.parse(emitted.stdout).runs[0].id;
  return {
    workspace,
    environment,
    hookline,
    run,
    list: (...words) => JSON.parse(hookline("follow-ups", "list", "--json", ...words).stdout),
  };
}

export const command = (text: string, more: object = {}): object => ({
  kind: "run_command",
  payload: { command: text, ...more },
});
