/** A hook of a project with one step and no must-pass check, for tests that say only what is different about theirs. */
import type { Hook } from "../../src/engine/hook.ts";

export const aHook = (id: string, uses: string, given: Partial<Hook> = {}): Hook => ({
  id,
  name: id,
  on: { event: ["PreToolUse"] },
  steps: [{ uses, with: {}, timeout: 5, onError: "stop" }],
  limits: { overlap: "queue" },
  mode: "sync",
  role: "observe",
  onFailure: "continue",
  priority: 100,
  enabled: true,
  tags: [],
  origin: { dialect: "script", layer: "project", root: "/project" },
  ...given,
});

/** An automation of the project "p". */
export const anAutomation = (id: string, given: Partial<Hook> = {}): Hook =>
  aHook(`automation:p/${id}`, "ask_model", {
    name: id,
    mode: "async",
    durable: true,
    project: "p",
    origin: { dialect: "automation", layer: "user" },
    ...given,
  });
