/** What the guard pack says of a shell line, by the conditions and gates of its rules as the engine compiles them. */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { compileCondition } from "../../src/engine/condition.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import { scopeOf } from "../../src/engine/plan.ts";
import { compileRules } from "../../src/formats/rules/rules.ts";

export const packFile: string = join(import.meta.dirname, "..", "..", "packs", "guard.yaml");
export const levels = ["quiet", "standard", "strict"] as const;
export type Level = (typeof levels)[number];

export interface Judged {
  decision: "deny" | "ask" | "pass";
  /** The ids of the rules that hold, the deciding ones first. */
  by: string[];
  /** Why nobody can tell, where that decided. */
  unknown?: string;
}

/** Of this folder's tests: where the real one lies below /tmp, all that is outside the workspace would be temporary. */
process.env.HOME = "/home/ada";
/** In the home folder, as most are. */
export const workspace: string = join(homedir(), "work", "shop");

/** Of a shell line, or of a call of any tool. */
export interface JudgeOfLines {
  (command: string): Judged;
  call(data: Fields): Judged;
}

/** Compiled once for all that ask. */
export function judgeOf(level: Level): Promise<JudgeOfLines> {
  const judge = judges.get(level) ?? compiled(level);
  judges.set(level, judge);
  return judge;
}
const judges = new Map<Level, Promise<JudgeOfLines>>();

async function compiled(level: Level): Promise<JudgeOfLines> {
  const patterns = { ...(await loadPatterns()), workspace };
  const registry = { handlers: createHandlers(new Map()), conditions };
  const { hooks, problems } = compileRules(
    readFileSync(packFile, "utf8"),
    { dialect: "rules", layer: "user", file: packFile },
    { label: "guard.yaml", registry, patterns, kind: "rules" },
  );
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ line, message }) => `${line}: ${message}`).join("\n"));
  const wanted = new Set<string>(levels.slice(0, levels.indexOf(level) + 1));
  const rules = hooks
    .filter(({ tags: [own = ""] }) => wanted.has(own))
    .map(({ name, when, steps: [{ with: params }] }) => {
      if (!when) throw new Error(`${name} has no condition`);
      const decision = (params as { decision?: "deny" | "ask" }).decision ?? "deny";
      return { name, decision, test: compileCondition(when, registry, patterns).test };
    });
  const call = (data: Fields): Judged => {
    const event: HookEvent = { id: "1", name: "PreToolUse", at: 0, cwd: workspace, data, sender: "emit" };
    const scope = scopeOf(event);
    const holding = rules.flatMap((rule) => {
      scope.faults?.splice(0);
      const found = rule.test(scope);
      // What a guard cannot test its policy answers.
      if (found === false && (scope.faults?.length ?? 0) > 0)
        return [{ ...rule, decision: "deny" as const, unknown: undefined }];
      return found === false ? [] : [{ ...rule, unknown: typeof found === "object" ? found.unknown : undefined }];
    });
    const decision = holding.some((one) => one.decision === "deny") ? "deny" : holding.length > 0 ? "ask" : "pass";
    const deciding = holding.filter((one) => one.decision === decision);
    const unknown = deciding.every((one) => one.unknown !== undefined) ? deciding[0]?.unknown : undefined;
    return {
      decision,
      by: [...new Set([...deciding, ...holding].map(({ name }) => name))],
      ...(typeof unknown === "string" ? { unknown } : {}),
    };
  };
  return Object.assign((command: string) => call({ tool_name: "Bash", tool_input: { command } }), { call });
}

export interface Labelled {
  class: string;
  command: string;
  ask?: true;
}

export const corpus = (name: string): Labelled[] =>
  readFileSync(join(import.meta.dirname, "..", "corpus", `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
