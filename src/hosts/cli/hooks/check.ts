/** hookline check: every mistake in hook files, as file:line:column severity code message (suggestion). */

import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { agentVariables } from "../../../agents/index.ts";
import { loadPatterns } from "../../../conditions/patterns.ts";
import { HooklineError } from "../../../engine/error.ts";
import { type Hook, isBuiltIn, type Problem } from "../../../engine/hook.ts";
import type { Registry } from "../../../engine/ports.ts";
import { counted } from "../../../engine/words.ts";
import { findOnPath, isProgram } from "../../../files/paths.ts";
import { inspectHooks } from "../../../formats/inspect.ts";
import { surelyMilliseconds } from "../../../formats/reading/durations.ts";
import { lateHooks } from "../../../loading/budgets.ts";
import { clearedFiles } from "../../../loading/cleared-files.ts";
import { checkOne, type Loaded, type Loading, loadAll, type Request } from "../../../loading/loading.ts";
import { isHookTest } from "../../../loading/places.ts";
import { countHooks, hooksHere, untrustedWords } from "../../../operations/hooks/hook-counts.ts";
import { isOfProject, projectFolders } from "../../../operations/project-folders.ts";
import { trusting } from "../../compose/trust.ts";
import { type ExitCode, type Invocation, textFlag, textOfFile } from "../command.ts";
import { findingsBelow } from "../git/worktrees.ts";
import { loadingFor, storedAutomations } from "../loaded.ts";
import { type Place, stateFolder, storePath } from "../place.ts";
import { openStoreToRead } from "../store.ts";
import { safeText, shortPath, type Terminal } from "../terminal.ts";
import { offerTrust } from "../trust/trust.ts";
import { otherTools } from "./other-tools.ts";

export async function check(invocation: Invocation): Promise<ExitCode> {
  await offerTrust(invocation);
  const { problems, files, hooks, asking } = await find(invocation);
  const all = findingsOf({ problems, hooks }, invocation);
  const errors = all.filter(({ severity }) => severity === "error").length;
  if (invocation.json) invocation.terminal.print(JSON.stringify(all));
  else {
    print(invocation, all, files, hooksHere(countHooks(hooks)), errors);
    for (const line of asking) invocation.terminal.print(line);
  }
  return errors > 0 ? 1 : 0;
}

/** All that is said of these hooks, in the order of their places: what `status` counts as well. */
export const findingsOf = ({ problems, hooks }: Pick<Found, "problems" | "hooks">, place: Place): Problem[] =>
  eachOnce([
    ...problems,
    ...inspect(hooks, place),
    ...lateHooks(hooks.filter((hook) => !isInMilliseconds(hook))),
    ...findingsBelow(hooks),
  ]).sort(byPlace);

/** A time limit that is reported as one is not reported as too long as well. */
const isInMilliseconds = ({ origin, steps }: Hook): boolean =>
  origin.dialect === "settings" && steps.some(({ timeout }) => timeout >= surelyMilliseconds);

/** Looks at what the hooks run. */
export const inspect = (hooks: readonly Hook[], place: Place): Problem[] =>
  inspectHooks(hooks, { ...place, variables: agentVariables, hasProgram: programsOf(place) });

/** Which programs the environment leads to, each looked for once. */
export function programsOf({ environment: { PATH = "" } }: Pick<Invocation, "environment">): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const found = known.get(name) ?? (isAbsolute(name) ? isProgram(name) : findOnPath(name, PATH) !== undefined);
    known.set(name, found);
    return found;
  };
}

interface Found {
  problems: readonly Problem[];
  files: number;
  hooks: readonly Hook[];
  /** What is said of trust, for each folder; nothing is said of a file that is checked by itself. */
  asking: readonly string[];
}

async function find(invocation: Invocation): Promise<Found> {
  const request = { ...invocation, ...trusting(invocation), patterns: await loadPatterns() };
  if (invocation.words.length === 0) {
    const loading = loadingFor(request);
    const loaded = await loadAll(request, loading);
    const { hooks: all, problems } = await withStored(invocation, loaded, loading);
    const hooks = all.filter((hook) => !isBuiltIn(hook));
    const unreadable = unreadableIn(invocation, loaded, await loading.wholeRegistry());
    return {
      ...{ hooks, files: loaded.files.length, asking: askingOf(loaded) },
      problems: [...loaded.problems, ...problems, ...unreadable, ...otherTools(loaded.root, invocation)],
    };
  }
  const found: Found[] = [];
  for (const word of invocation.words) found.push(await findAt(word, request));
  return {
    problems: found.flatMap((one) => one.problems),
    hooks: found.flatMap((one) => one.hooks),
    files: found.reduce((sum, one) => sum + one.files, 0),
    asking: [...new Set(found.flatMap((one) => one.asking))],
  };
}

const askingOf = (loaded: Loaded): string[] => [untrustedWords(loaded)].filter((line) => line !== undefined);

/** What each file that cannot be read means for guards; where its text holds none, it blocks nothing from here on (R76). */
function unreadableIn(invocation: Invocation, { files }: Loaded, registry: Registry): Problem[] {
  const cleared = clearedFiles(stateFolder(invocation));
  return files.flatMap(({ path, broken }): Problem[] => {
    if (!broken || broken.isUntrusted) return [];
    const common = { code: "unreadable", file: path, line: 1, column: 1 } as const;
    if (cleared.look(path, registry) === "holds none")
      return [
        { ...common, severity: "note", message: "this text holds no guard, so it blocks nothing until it changes" },
      ];
    const message =
      "this text may hold guards: the last good ones stay active; where none are known, Hookline blocks what guards can block";
    return [{ ...common, severity: "warning", message, suggestion: "correct the file" }];
  });
}

/** The automations of the store are looked at with the files, where there is a store. */
async function withStored(
  invocation: Invocation,
  loaded: Loaded,
  loading: Loading,
): Promise<Pick<Found, "hooks" | "problems">> {
  const { set } = loaded;
  if (!existsSync(storePath(invocation, textFlag(invocation.flags, "store"))))
    return { hooks: set.hooks, problems: [] };
  const store = openStoreToRead(invocation);
  const complain = (reason: string): void => invocation.terminal.error(`hookline: ${reason}`);
  const stored = storedAutomations({ place: invocation, store, loading, loaded, complain });
  try {
    const folders = projectFolders(invocation);
    const all = (await stored.combine(set)).hooks;
    const hooks = all.filter((hook) => invocation.flags.all === true || isOfProject(hook, folders));
    return { hooks, problems: stored.problems() };
  } finally {
    store.close();
  }
}

async function findAt(word: string, request: Request & Place): Promise<Found> {
  const path = resolve(request.cwd, word);
  if (!existsSync(path))
    throw new HooklineError("usage", {
      what: `no file or folder is called "${word}"`,
      where: path,
      advice: "name a hook file or a folder that exists",
    });
  const isFile = !statSync(path).isDirectory();
  if (isFile && isHookTest(path) && /\.ya?ml$/i.test(path)) {
    const { readTestsText } = await import("../../../formats/hook-tests/file.ts");
    const { problems } = readTestsText(textOfFile(path, request.cwd), path);
    return { problems, hooks: [], files: 1, asking: [] };
  }
  if (isFile) return { ...(await checkOne(path, request, loadingFor(request))), files: 1, asking: [] };
  const loaded = await loadAll({ ...request, cwd: path }, loadingFor(request));
  const inside = (file: string | undefined): boolean => file?.startsWith(join(path, "/")) ?? false;
  return {
    hooks: loaded.set.hooks.filter(({ origin }) => inside(origin.file)),
    problems: loaded.problems.filter(({ file }) => inside(file)),
    files: loaded.files.filter(({ path: file }) => inside(file)).length,
    asking: askingOf(loaded),
  };
}

/** One entry may be several hooks, and one file may be named twice. */
const eachOnce = (problems: readonly Problem[]): Problem[] => [
  ...new Map(
    problems.map((problem) => [JSON.stringify([problem.file, problem.line, problem.column, problem.message]), problem]),
  ).values(),
];

const byPlace = (left: Problem, right: Problem): number =>
  left.file.localeCompare(right.file) || left.line - right.line || left.column - right.column;

const styles = { error: "red", warning: "yellow", note: "dim" } as const;

/** @param file as a person would say it */
export function findingLine(problem: Problem, terminal: Terminal, file: string): string {
  const { line, column, severity, code, message, suggestion } = problem;
  const advice = suggestion ? ` (${safeText(suggestion)})` : "";
  return `${file}:${line}:${column} ${terminal.paint(styles[severity], severity)} ${code} ${safeText(message)}${advice}`;
}

function print(
  { terminal, cwd, home }: Invocation,
  problems: readonly Problem[],
  files: number,
  hooks: number,
  errors: number,
): void {
  for (const problem of problems) terminal.print(findingLine(problem, terminal, shortPath(problem.file, cwd, home)));
  const found = `${counted(hooks, "hook")} in ${counted(files, "file")}`;
  const warnings = problems.filter(({ severity }) => severity === "warning").length;
  terminal.print(terminal.paint("dim", `${found}: ${counted(errors, "error")}, ${counted(warnings, "warning")}`));
}
