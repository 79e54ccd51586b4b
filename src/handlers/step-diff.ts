/** What git says that differs, as the two diff steps of automations give it. Nothing of the repository's own is run. */
import type { Fields } from "../core/event.ts";
import type { StepContext, StepResult } from "../core/ports.ts";
import type { GitReply } from "../core/reach.ts";
import { failedStep, isOverLimit } from "./context-step.ts";
import { firstCharacters } from "./first-characters.ts";

export const diffLimit = 30;
const mostCharacters = 50_000;

/** Drivers and text converters are programs that a repository may name; colours are for terminals. */
const plainly = ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"];

/** @param what which states are compared, and of what */
export async function askForDiff(folder: string, what: readonly string[], context: StepContext): Promise<GitReply> {
  const { ports, signal } = context;
  if (!ports.git) throw new Error("nothing here can ask git");
  const words = ["--literal-pathspecs", "diff", ...plainly, ...what];
  // The step's own limit comes first; git's is for whoever stops listening.
  return ports.git({ folder, words, limit: diffLimit + 1, keptInBytes: 4 * mostCharacters }, signal);
}

/** @param others fields of the result beside those of every diff */
export function diffResult(reply: GitReply, { signal, timeout }: StepContext, others: Fields = {}): StepResult {
  if (reply.ok) {
    const { text: diff, notes } = firstCharacters(reply.stdout, mostCharacters, "diff");
    const told = reply.cut && notes.length === 0 ? ["diff was cut"] : notes;
    return { ok: true, output: { diff, ...others, exit_code: 0 }, ...(told.length > 0 ? { notes: told } : {}) };
  }
  const isLate = isOverLimit(signal);
  const error = isLate ? `git diff timed out after ${timeout}s` : reply.reason;
  return failedStep({ diff: "", ...others, exit_code: reply.code ?? -1, error }, error, isLate ? "timeout" : "exit");
}
