/** Follow-ups: what hooks have asked for afterwards, and what is done for each kind of it. One row each. */
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { lineOf } from "../../../actions/command/environment.ts";
import { isReallyInside } from "../../../actions/repository.ts";
import type { Fields, Json } from "../../../engine/event.ts";
import { fieldsIn } from "../../../engine/schema.ts";
import { pathInside } from "../../../files/paths.ts";
import { type KeptFollowUp, subjectOf } from "../../../operations/runs/follow-ups.ts";
import { createSpawner } from "../../../runtime/processes/spawner.ts";
import { runInTerminal } from "../../../runtime/processes/start.ts";
import type { Invocation } from "../command.ts";
import { oneLine, safeText, shortPath } from "../terminal.ts";

export interface FollowUpPlace {
  invocation: Invocation;
  /** The repository's folder. */
  root: string;
  /** The hook's file and line. */
  file?: string;
  /** Whether a person has trusted the hook, in words. */
  trust: string;
  say(line: string): void;
  /** To be asked for just before it is done; false: another process was first. */
  claim(): Promise<boolean>;
}
/** refused: nothing was done, and it stays open. */
type End = { refused: string } | { ok: boolean; facts?: Fields };
type Kind = (one: KeptFollowUp, place: FollowUpPlace) => Promise<End>;

export const kinds: { readonly [kind: string]: Kind } = {
  open_file: openFile,
  run_command: runCommand,
  create_task: createTask,
};

const takenBefore: End = { refused: "this follow-up is already done" };

async function openFile({ payload: { path, line } }: KeptFollowUp, place: FollowUpPlace): Promise<End> {
  const { root, invocation, say, claim } = place;
  if (typeof path !== "string" || path === "") return { refused: "it names no file; it stays open" };
  const file = resolve(root, path);
  if (pathInside(root, file) === undefined || (existsSync(file) && !isReallyInside(root, file)))
    return { refused: `${oneLine(file)} is outside the repository ${oneLine(root)}; it stays open` };
  if (!existsSync(file)) return { refused: `${oneLine(file)} no longer exists; it stays open` };
  const { VISUAL, EDITOR } = invocation.environment;
  const editor = VISUAL || EDITOR;
  if (!(await claim())) return takenBefore;
  const at = typeof line === "number" && Number.isSafeInteger(line) && line > 0 ? line : undefined;
  if (!editor || !isOnTerminal(invocation)) {
    say(`${safeText(file)}${at === undefined ? "" : `:${at}`}`);
    return { ok: true, facts: { path: file, line: at ?? null } };
  }
  const words = wordsFor(editor, file, at);
  const code = await runInTerminal("sh", ["-c", `${editor} "$@"`, editor, ...words], { ...invocation, cwd: root });
  return { ok: code === 0, facts: { path: file, line: at ?? null } };
}

/** How editors take a line; one that is not here gets the file alone. */
const lineWords: readonly (readonly [editors: RegExp, words: (file: string, line: number) => string[]])[] = [
  [/^(n?vim?|nano|pico|emacs(client)?|micro|joe|mg|kak)$/, (file, line) => [`+${line}`, file]],
  [/^(code|code-insiders|codium|cursor|windsurf)$/, (file, line) => ["--goto", `${file}:${line}`]],
  [/^(subl|hx|helix|zed)$/, (file, line) => [`${file}:${line}`]],
];

function wordsFor(editor: string, file: string, line: number | undefined): string[] {
  const name = /^(?:\S*\/)?([^\s/]+)/.exec(editor.trim())?.[1] ?? "";
  const row = line === undefined ? undefined : lineWords.find(([editors]) => editors.test(name));
  return row && line !== undefined ? row[1](file, line) : [file];
}

/** By the words for them in specification 000 and those of `task create`: the parameter that each becomes. */
const taskFields: { readonly [field: string]: string } = {
  description: "description",
  project: "project",
  project_id: "project",
  parent: "parent",
  parent_task_id: "parent",
  branch: "branch",
  branch_name: "branch",
  profile: "profile",
  profile_id: "profile",
  workspace: "workspace",
  preferred_workspace_id: "workspace",
};

/** The task is made before the claim: two processes that ask with one key get one task, and a refusal leaves it open. */
async function createTask(one: KeptFollowUp, { root, invocation, say, claim }: FollowUpPlace): Promise<End> {
  const input = taskOf(one.payload);
  if (input === undefined) return { refused: "it has no title for the task; it stays open" };
  const { callOperation } = await import("../operations/run.ts");
  const answer = await callOperation(
    { name: "task_create", input, folder: root, key: `follow-up:${one.id}` },
    invocation,
  );
  if (answer.is !== "done") return { refused: `no task was created: ${oneLine(answer.message)}; it stays open` };
  if (!(await claim())) return takenBefore;
  const made: Fields = fieldsIn(answer.result);
  say(`task      ${oneLine(`${made.id}  ${made.title}`)}`);
  for (const reason of Array.isArray(made.not_told) ? made.not_told : [])
    invocation.terminal.error(`hookline: ${oneLine(String(reason))}`);
  return { ok: true, facts: { task: made.id ?? null, title: made.title ?? null } };
}

/** What no field of a task takes stays with it as a text. */
function taskOf({ title, name, priority, ...payload }: Fields): Fields | undefined {
  const { description } = payload;
  const named = [title, name, typeof description === "string" ? description.trim().split("\n", 1)[0] : undefined].find(
    (text): text is string => typeof text === "string" && text.trim() !== "",
  );
  if (named === undefined) return undefined;
  const input: Fields = { title: named };
  const beside: [string, Json][] = named === title && name !== undefined ? [["name", name]] : [];
  if (typeof priority === "number" && Number.isSafeInteger(priority)) input.priority = priority;
  else if (priority !== undefined) beside.push(["priority", priority]);
  for (const [field, value] of Object.entries(payload)) {
    const param = Object.hasOwn(taskFields, field) ? taskFields[field] : undefined;
    if (param !== undefined && typeof value === "string") input[param] = value;
    else beside.push([field, value]);
  }
  if (beside.length > 0)
    input.context = beside.map(([label, value]) => ({ type: "text", label, content: textOf(value) }));
  return input;
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

const isOnTerminal = ({ json }: Invocation): boolean =>
  !json && process.stdin.isTTY === true && process.stdout.isTTY === true;

const longest = 600;
/** What the store puts in the place of secrets, and behind texts that it cut. */
const altered = /\[redacted\]|…\[cut \d+ bytes\]/;

async function runCommand(one: KeptFollowUp, place: FollowUpPlace): Promise<End> {
  const { invocation, root, claim } = place;
  const { command, args, cwd = "." } = one.payload;
  const isList = args === undefined || (Array.isArray(args) && args.every((word) => typeof word === "string"));
  if (typeof command !== "string" || command.trim() === "" || !isList || typeof cwd !== "string")
    return { refused: "it names no command; it stays open" };
  if (altered.test(JSON.stringify(one.payload)))
    return {
      refused:
        "the store holds only a part of the command (a secret was redacted, or the text was cut): run it yourself",
    };
  const folder = resolve(root, cwd);
  if (pathInside(root, folder) === undefined || !isReallyInside(root, folder))
    return { refused: `${oneLine(folder)} is not a folder of the repository ${oneLine(root)}; it stays open` };
  describe(one, folder, place);
  const refusal = await consent(invocation);
  if (refusal !== undefined) return { refused: refusal };
  const words = { command, ...(Array.isArray(args) ? { args: args.map(String) } : {}) };
  const line = lineOf(words, invocation.environment, root);
  if (typeof line === "string") return { refused: line };
  if (!(await claim())) return takenBefore;
  return start(line, realpathSync(folder), place);
}

/** Everything that will be run, uncut. */
function describe(
  one: KeptFollowUp,
  folder: string,
  { say, file, trust, invocation: { cwd, home } }: FollowUpPlace,
): void {
  const from = file === undefined ? "" : ` (${shortPath(file, cwd, home)})`;
  say(`command   ${safeText(subjectOf(one)).replaceAll("\n", "\n          ")}`);
  say(`in        ${safeText(folder)}`);
  say(`asked by  the hook ${oneLine(one.run.hookName)}${from}`);
  say(`trust     ${trust}`);
}

/** Why not, if so. */
async function consent(invocation: Invocation): Promise<string | undefined> {
  if (invocation.flags.yes === true) return undefined;
  if (!isOnTerminal(invocation)) return "nothing ran: use --yes where there is no terminal to ask; it stays open";
  const { createInterface } = await import("node:readline/promises");
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await asking.question("Run it? [y/N] ", { signal: invocation.signal });
    return /^y(es)?$/i.test(answer.trim()) ? undefined : "nothing ran; it stays open";
  } catch {
    return "nothing ran; it stays open"; // Ctrl-C, or the terminal is gone
  } finally {
    asking.close();
  }
}

async function start(
  { program, args }: { program: string; args: string[] },
  folder: string,
  { invocation, say }: FollowUpPlace,
): Promise<End> {
  const { environment, terminal, json } = invocation;
  const late = AbortSignal.timeout(longest * 1000);
  const signal = AbortSignal.any([invocation.signal, late]);
  const spawner = createSpawner();
  const ended = await spawner.spawn({ program, args, cwd: folder, environment, input: "" }, { signal });
  await spawner.close();
  const { stdout, stderr, code, how, reason } = ended;
  if (!json && stdout !== "") terminal.print(safeText(stdout.replace(/\n$/, "")));
  if (stderr !== "") terminal.error(safeText(stderr.replace(/\n$/, "")));
  const ok = how === "exit" && code === 0;
  const because = late.aborted
    ? `it timed out after ${longest} s`
    : (reason ?? (code === undefined ? how : `exit ${code}`));
  if (!ok) say(`it failed: ${oneLine(because)}`);
  return {
    ok,
    facts: { exitCode: code ?? null, ...(ok ? {} : { reason: because }), ...(json ? { stdout, stderr } : {}) },
  };
}
