/** Runs a workspace script (specification 004): before a session, after a turn for the files that changed, before a commit. */

import { homedir } from "node:os";
import { messageOf } from "../../engine/error.ts";
import type { Fields, Seconds } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { notLookedAt } from "../../engine/file-pattern.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { elapsed, type Handler, type StepContext, type StepResult } from "../../engine/ports.ts";
import { flag, number, object, oneOf, say, text } from "../../engine/schema.ts";
import { readableName } from "../../files/names.ts";
import { pathInside } from "../../files/paths.ts";
import { handler, onOneLine, plainText, shorten } from "../step.ts";
import { namesKept, noFileLeft, type ScriptFiles, scriptFiles, workspaceOf } from "./places.ts";
import { notRun, runScript, type ScriptEnd, scriptEnvironment } from "./program.ts";
import { scriptUser } from "./user.ts";

interface ScriptParams {
  file: string;
  type: "session" | "file" | "pre-commit";
  slug: string;
  family: "hookline" | "discobot";
  pattern?: string;
  notify?: boolean;
  run_as?: "root" | "user";
  limit?: Seconds;
}

/** R14, R40. */
const usualLimit: Seconds = 300;

export const script: Handler = handler({
  params: object(
    {
      file: text("the script, as an absolute path"),
      type: oneOf("session", "file", "pre-commit"),
      slug: text("the name of its log and of its entry in status.json"),
      family: oneOf("hookline", "discobot"),
    },
    {
      pattern: text("of the files that it is for"),
      notify: say(flag, "whether the model reads of its failure", true),
      run_as: oneOf("root", "user"),
      limit: say(number("seconds", 0.1), "seconds until it is ended, with all that it started", usualLimit),
    },
  ),
  needs: ["spawn"],
  namesItself: true,
  async run(params, context) {
    const files = params.type === "session" ? undefined : scriptFiles(context);
    if (params.type === "file" && files && files.there.length + files.gone.length === 0)
      return { ok: true, output: {}, notes: [noFileLeft] };
    const started = elapsed(context.ports);
    const { end, notes } = await perform(params, files, context).catch(asNotRun);
    const ms = elapsed(context.ports) - started;
    return conclude({ params, context, files, end, notes, ms });
  },
});

interface Performed {
  end: ScriptEnd;
  notes: string[];
}

async function perform(params: ScriptParams, files: ScriptFiles | undefined, context: StepContext): Promise<Performed> {
  const { file, type, limit = usualLimit, run_as = "user" } = params;
  const folder = files?.folder ?? workspaceOf(context);
  const environment = scriptEnvironment(type, folder, type === "session" ? undefined : (files?.there ?? []), context);
  try {
    // The other types run as the user who changes files and commits, as whom Hookline runs.
    const as =
      type === "session"
        ? scriptUser(run_as, folder, environment.variables, context.caller.environment ?? process.env)
        : { environment: environment.variables };
    if ("refusal" in as) return { end: notRun(as.refusal), notes: [] };
    const { note, ...run } = as;
    const end = await runScript({ file, folder, ...run, limit, endsWithTurn: type === "file" }, context);
    const cut = `${environment.leftOut} names did not fit into CHANGED_FILES: CHANGED_FILES_0 names a file with all of them`;
    return { end, notes: [...(note ? [note] : []), ...(environment.leftOut > 0 ? [cut] : [])] };
  } finally {
    environment.end();
  }
}

/** What is needed for a script and cannot be had is a script that was not run, so it has not passed either. */
const asNotRun = (error: unknown): Performed => ({
  end: notRun(`it could not be run: ${messageOf(error)}`),
  notes: [],
});

interface Ending {
  params: ScriptParams;
  context: StepContext;
  files: ScriptFiles | undefined;
  end: ScriptEnd;
  notes: string[];
  ms: number;
}

function conclude(ending: Ending): StepResult {
  const { params, context, files, end, ms } = ending;
  const { exitCode, printed, failed, containment } = end;
  const isCancelled = failed?.failure === "cancelled";
  const kept: Kept = isCancelled ? {} : keep(printed, context);
  const output: Fields = {
    exitCode,
    ms,
    ...(files ? { files: files.there.slice(0, namesKept) } : {}),
    ...(files && files.gone.length > 0 ? { removed: files.gone.slice(0, namesKept) } : {}),
    ...(kept.log === undefined ? {} : { log: kept.log }),
  };
  const notes = [...ending.notes, ...end.notes, ...unseen(context), ...(kept.note === undefined ? [] : [kept.note])];
  const common = {
    output,
    ...(notes.length > 0 ? { notes } : {}),
    evidence: { exitCode, stdout: shorten(printed), ...(containment === undefined ? {} : { containment }) },
  };
  if (!failed) return { ok: true, ...common, ...passMessage(ending) };
  if (isCancelled) return { ok: false, ...common, ...failed };
  const reason = failed.failure === "launch" ? `${shownFile(params, context)}: ${failed.reason}` : failed.reason;
  const outcome = answers[params.type](ending, kept.log, reason);
  return { ok: false, ...common, failure: failed.failure, reason, ...(outcome ? { outcome } : {}) };
}

/** As shells say it: bash, dash and zsh. */
const notFound = /^.*?(?:: |^)([^\s:]{1,100}): (?:command )?not found$|^.*: command not found: (\S{1,100})$/m;

/**
 * A person who commits sees what a check that passed has printed, such as warnings. Of other scripts the person reads that a
 * program was missing: the script may have looked at nothing.
 */
function passMessage({ params, context, end }: Ending): { outcome?: Outcome } {
  const said = plainText(end.printed);
  const printed = params.type === "pre-commit" ? shorten(said.trim()) : "";
  const [, first, second] = notFound.exec(said) ?? [];
  const program = first ?? second;
  if (printed === "" && program === undefined) return {};
  const text =
    printed === ""
      ? `${shownFile(params, context)} passed, although its output says that "${program}" was not found: install it, or write set -e in the script`
      : `hookline: ${JSON.stringify(context.hook.name)} passed and printed:\n${printed}`;
  return { outcome: { messages: [{ to: "person", text }] } };
}

function unseen({ event: { changes } }: StepContext): string[] {
  return changes && "base" in changes && changes.truncated ? [notLookedAt(changes.truncated)] : [];
}

interface Kept {
  log?: string;
  note?: string;
}

function keep(printed: string, { ports, hook, event }: StepContext): Kept {
  if (!ports.keepOutput) return {};
  try {
    return { log: ports.keepOutput(hook, event, printed) };
  } catch (error) {
    return { note: `its output could not be kept in a file: ${messageOf(error)}` };
  }
}

/** What a failure says to whom. */
const answers: {
  [T in ScriptParams["type"]]: (ending: Ending, log: string | undefined, reason: string) => Outcome | undefined;
} = {
  session({ context: { hook, run, ports } }, _log, reason) {
    ports.observe?.({ is: "log", level: "error", message: `${hook.name} failed: ${reason}`, hook: hook.id, run });
    return undefined;
  },
  file({ params, context, files, end }, log) {
    if (params.notify === false) return undefined;
    const { event, hook } = context;
    const { family, pattern = "*" } = params;
    return denied(
      failureMessage({
        family,
        name: hook.name,
        pattern,
        there: files?.there ?? [],
        gone: files?.gone ?? [],
        exitCode: end.exitCode,
        printed: end.printed,
        ...(log === undefined ? {} : { log: belowHome(log, context) }),
        attempt: (event.turn?.spent.reprompts ?? 0) + 1,
        attempts: rowOf(event.name).costs?.max ?? usualAttempts,
      }),
      context,
    );
  },
  "pre-commit"({ context, end }, _log, reason) {
    const said = shorten(plainText(end.printed).trim());
    return denied(said === "" ? `${context.hook.name} failed: ${reason}` : said, context);
  },
};
const usualAttempts = 3;

const denied = (reason: string, { hook }: StepContext): Outcome => ({ verdict: { is: "deny", reason, by: hook.id } });

/** As the workspace's files are named. */
const shownFile = ({ file }: ScriptParams, context: StepContext): string =>
  pathInside(workspaceOf(context), file) ?? belowHome(file, context);

function belowHome(path: string, { caller }: StepContext): string {
  const home = caller.environment?.HOME || homedir();
  return home !== "/" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

interface ScriptFailure {
  family: "hookline" | "discobot";
  name: string;
  pattern: string;
  /** Those that were handed over, and those that could not be opened. */
  there: readonly string[];
  gone: readonly string[];
  exitCode: number;
  printed: string;
  /** Where all of the output lies, as a person writes it; absent: it could not be kept. */
  log?: string;
  attempt: number;
  attempts: number;
}

/** Failures of another product's scripts stand under that product's name (R42). */
const titles = { hookline: "Hookline", discobot: "Discobot" } as const;

const namesAtMost = 20;
const small = { lines: 200, bytes: 5_120 } as const;

function failureMessage(failure: ScriptFailure): string {
  const { family, name, pattern, exitCode, attempt, attempts } = failure;
  const parts = [
    `[${titles[family]} Hook Failed] "${onOneLine(name)}" (pattern: ${onOneLine(pattern)})`,
    `Files: ${filesOf(failure)}\nExit code: ${exitCode}`,
    ...outputOf(failure),
  ];
  const count = `(Attempt ${attempt}/${attempts})`;
  const ask = isSmall(textOf(failure))
    ? "Please fix the issues and ensure the hook passes."
    : failure.log === undefined
      ? "Please address the issues and ensure the hook passes."
      : "Please read the file to see the full output and address the issues.";
  return [...parts, ...(attempt > attempts ? [] : [`${ask} ${count}`])].join("\n\n");
}

function filesOf({ there, gone }: ScriptFailure): string {
  const shown = (name: string): string => onOneLine(readableName(name));
  const names = [...there.map(shown), ...gone.map((name) => `${shown(name)} (deleted)`)];
  const more = names.length - namesAtMost;
  return names.slice(0, namesAtMost).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

const textOf = ({ printed }: ScriptFailure): string => plainText(printed).trim();
const linesOf = (text: string): number => text.split("\n").length;
const isSmall = (text: string): boolean => linesOf(text) <= small.lines && Buffer.byteLength(text) <= small.bytes;

function outputOf(failure: ScriptFailure): string[] {
  const text = textOf(failure);
  if (isSmall(text)) return [`Output:\n${text === "" ? "(none)" : text}`];
  const large = `Output is large (${linesOf(text)} lines).`;
  if (failure.log !== undefined) return [`${large} Full output saved to:\n  ${failure.log}`];
  const half = small.bytes / 4; // in characters, of which one may take two bytes without this growing out of hand
  return [
    `${large} It could not be saved; its beginning and its end:\n${text.slice(0, half)}\n[…]\n${text.slice(-half)}`,
  ];
}
