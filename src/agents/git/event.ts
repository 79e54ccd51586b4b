/** git as a sender: what a commit tells hooks, and what git is told in return. Installing is in hooks.ts. */
import { HooklineError } from "../../engine/error.ts";
import type { EventName, HookEvent, Instant, SessionId } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Run } from "../../engine/record.ts";

/** The word after `hookline git run`, and the name of git's own hook. */
export const hookName = "pre-commit";
export const preCommit: EventName = "git.pre-commit";

export type GitAnswer = { ok: true; text: string } | { ok: false; reason: string; code?: number };
/** Asks git itself, in a folder, as the person's own settings have it. Never throws. */
export type AskGit = (words: readonly string[], folder: string) => GitAnswer;

/** Variables that name the session in which somebody commits; the first that is there counts. */
const sessionVariables = ["HOOKLINE_SESSION_ID", "DISCOBOT_SESSION_ID", "CLAUDE_CODE_SESSION_ID"];

function sessionIn(environment: Readonly<Record<string, string>>): SessionId | undefined {
  const given = sessionVariables.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  return given === undefined || given.length > 4_096 ? undefined : given;
}

interface Committing {
  ask: AskGit;
  /** The top of the worktree. */
  top: string;
  environment: Readonly<Record<string, string>>;
  id: string;
  at: Instant;
}

/** What is about to be committed. @throws HooklineError repository_unusable */
export function preCommitEvent({ ask, top, environment, id, at }: Committing): HookEvent {
  const session = sessionIn(environment);
  return {
    id,
    name: preCommit,
    at,
    cwd: top,
    data: staged(ask, top),
    sender: "git",
    accepts: ["verdict", "stop", "context", "messages"],
    ...(session === undefined ? {} : { session }),
  };
}

/** Names below the top. */
type Staged = {
  /** All that the commit changes. A renamed file stands here under both names. */
  changed_files: string[];
  /** Of these, what it removes. */
  removed_files: string[];
};

function staged(ask: AskGit, top: string): Staged {
  const words = ["diff", "--cached", "--name-status", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
  const answer = ask(words, top);
  if (!answer.ok) {
    throw new HooklineError("repository_unusable", {
      reason: `what is staged cannot be told: ${answer.reason}`,
      where: top,
      advice: "try git diff --cached --name-status there",
    });
  }
  const parts = answer.text.split("\0");
  const names: Staged = { changed_files: [], removed_files: [] };
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const name = parts[at + 1] ?? "";
    names.changed_files.push(name);
    if (parts[at] === "D") names.removed_files.push(name);
  }
  return names;
}

/** What git is told: it looks at the exit code, and shows the rest to whoever commits. */
export interface GitReply {
  exitCode: number;
  stderr: string;
}

/**
 * A commit is refused by a deny, by a stop, and where a hook wants to ask: nobody can be asked here. The exit code is the
 * script's own; that of other hooks is 1, as theirs has another meaning.
 */
export function gitReply(outcome: Outcome, runs: readonly Run[]): GitReply {
  const { verdict, stop } = outcome;
  const told = [...(outcome.messages ?? []).map(({ text }) => text), ...(outcome.context ?? [])];
  const refuses = verdict?.is === "deny" || verdict?.is === "ask" || stop !== undefined;
  if (!refuses) return { exitCode: 0, stderr: linesOf(told) };
  const run = runs.find(({ hook }) => hook === verdict?.by);
  const who = run?.hookName ?? verdict?.by ?? "a hook";
  const last = run?.steps.at(-1);
  const log = last?.output.log;
  const code = last?.uses === "script" ? last.evidence?.exitCode : undefined;
  const why = [
    verdict?.is === "ask" ? "it would ask, and nobody can be asked here" : "",
    code === undefined ? "" : `exit code ${code}`,
    typeof log === "string" ? `log: ${log}` : "",
  ].filter((one) => one !== "");
  const refusal = `hookline: ${JSON.stringify(who)} refused the commit${why.length > 0 ? ` — ${why.join(" — ")}` : ""}`;
  const reason = verdict?.reason ?? stop?.reason ?? "";
  return { exitCode: isCode(code) ? code : 1, stderr: linesOf([...told, reason, refusal]) };
}

const isCode = (code: number | undefined): code is number => code !== undefined && code > 0 && code < 256;

const linesOf = (texts: readonly string[]): string => {
  const said = texts.map((text) => text.trimEnd()).filter((text) => text !== "");
  return said.join("\n");
};
