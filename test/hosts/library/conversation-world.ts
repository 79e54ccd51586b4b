/** A conversation in a workspace with scripts. */
import { execFileSync } from "node:child_process";
import type { TestContext } from "node:test";
import {
  type CompletionCall,
  type Conversation,
  createHookline,
  type Evaluation,
  type Hookline,
} from "../../../src/index.ts";
import { type World as Place, world } from "../../world.ts";

export interface Workspace extends Pick<Place, "folder" | "home" | "environment" | "write"> {
  read(name: string): string;
}

/** A repository with one commit and these scripts; `log` is where scripts say that they ran. */
export function workspaceOf(t: TestContext, scripts: Readonly<Record<string, string>>): Workspace {
  const own = Object.entries(scripts).map(([name, body]) => [`workspace/.hookline/hooks/${name}`, body]);
  const here = world(t, { ...Object.fromEntries(own), "workspace/.gitignore": "log\n" });
  const { workspace, environment } = here;
  const git = (...words: string[]): Buffer =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: workspace, env: environment });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "begin");
  return {
    ...{ folder: workspace, home: here.home, environment },
    write: (name, text) => here.write(`workspace/${name}`, text),
    read: (name) => (here.has(`workspace/${name}`) ? here.read(`workspace/${name}`) : ""),
  };
}

export const fileScript = (name: string, body: string, more = ""): string =>
  `#!/bin/sh\n#---\n# name: ${name}\n# type: file\n# pattern: "*.txt"\n${more}#---\n${body}\n`;

export type Answer = (prompt: string, call: CompletionCall) => void | Promise<void>;
export interface World extends Workspace {
  line: Hookline;
  conversation: Conversation;
  evaluations: Evaluation[];
  prompts: string[];
  runs(): Promise<string[]>;
}

export async function worldOf(
  t: TestContext,
  scripts: Readonly<Record<string, string>>,
  answer: Answer,
): Promise<World> {
  const workspace = workspaceOf(t, scripts);
  const { folder: cwd, home, environment } = workspace;
  const line = await createHookline({ cwd, environment, home });
  t.after(() => line.close());
  const evaluations: Evaluation[] = [];
  const prompts: string[] = [];
  await line.emit("SessionStart", { source: "startup" }, { session: "s" });
  const conversation = line.conversation("s", {
    grace: 0,
    onEvaluation: (evaluation) => void evaluations.push(evaluation),
    async complete(prompt, call) {
      prompts.push(prompt);
      await answer(prompt, call);
    },
  });
  const runs = async (): Promise<string[]> =>
    [...(await line.runs({ event: "Stop" }))].reverse().map(({ hookName, status }) => `${hookName} ${status}`);
  return { ...workspace, line, conversation, evaluations, prompts, runs };
}
