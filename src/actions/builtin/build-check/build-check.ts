/** Builds the services that changed files belong to, and reports how it went (specification 001, 3.3 and 5.3). */

import { basename, join } from "node:path";
import type { Fields, Seconds } from "../../../engine/event.ts";
import { asksFor } from "../../../engine/nearest.ts";
import { oneLine } from "../../../engine/one-line.ts";
import type { FollowUp, Message, Outcome } from "../../../engine/outcome.ts";
import type { Handler, Patterns, StepContext, StepResult } from "../../../engine/ports.ts";
import { flag, integer, listOf, type Mismatch, number, object, say, text } from "../../../engine/schema.ts";
import { joined } from "../../../engine/words.ts";
import { folderParameter, inspectFolder, isReallyInside, matchedPaths, repositoryOf } from "../../repository.ts";
import { failed, handler, noted, shorten } from "../../step.ts";
import { type Built, inspectCommand, jobsFor, lies, runJob, type Service } from "./build.ts";

const usualServices: readonly string[] = ["services/*", "apps/*", "packages/*"];

interface BuildCheckParams {
  services?: string[];
  command?: string;
  timeout?: Seconds;
  parallel?: number;
  block?: boolean;
  folder?: string;
}

const usualLimit: Seconds = 300;
/** Of all builds together, where the hook's file says no other. */
const wholeLimit: Seconds = 600;

const parameters = {
  services: say(
    listOf(text()),
    "globs of folders that are services; a file outside of them belongs to the nearest manifest above it",
    [...usualServices],
  ),
  command: text(
    "a line for bash, or sh, that builds one service, run in the repository's root; {service} and {path} in it become variables. Default: what the manifests say",
  ),
  timeout: say(number(undefined, 0.1), "seconds for one service", usualLimit),
  parallel: say(integer(undefined, 1), "how many are built at the same time", 1),
  block: say(flag, "a build that fails blocks the stop", false),
  folder: folderParameter,
};

export const buildCheck: Handler = handler({
  params: object({}, parameters),
  needs: ["spawn"],
  builtin: {
    summary: "Builds the services whose files have changed, and reports what is broken.",
    role: (given) => (asksFor("block", Object.entries(given), Object.keys(parameters)) ? "guard" : "observe"),
    limit: () => wholeLimit,
    needsOf: () => ["changes"],
    events: ["SessionStop"],
  },
  inspect: ({ command, services, folder }: Fields, patterns, origin) => [
    ...(typeof command === "string" ? inspectCommand(command, patterns) : []),
    ...(Array.isArray(services) && patterns ? inspectGlobs(services.map(String), patterns) : []),
    ...inspectFolder(folder, origin),
  ],
  async run(params, context) {
    if (!context.ports.spawn) return failed("launch", "nothing here can start programs");
    const root = repositoryOf(context, params.folder);
    const changed = matchedPaths(context, root);
    if (changed.unknown !== undefined)
      return failed("error", `which files have changed is not known: ${changed.unknown}`);
    const { services, others } = groupByService(changed.paths, root, serviceGlobs(params, context.ports.patterns));
    const { jobs, notes } = jobsFor(services, params.command, root);
    if (others.length > 0)
      notes.unshift(`changed files that belong to no service: ${others.length}, such as ${others[0]}`);
    const limit = params.timeout ?? usualLimit;
    const built = await inTurns(jobs, params.parallel ?? 1, (job) => runJob(job, limit, context));
    if (context.signal.aborted) return { ...failed("timeout", "it was stopped before all was built"), notes };
    return resultOf(built, params, context, notes);
  },
});

function inspectGlobs(globs: readonly string[], patterns: Patterns): Mismatch[] {
  return globs.flatMap((glob, index) => {
    try {
      patterns.glob(glob);
      return [];
    } catch (error) {
      return [{ path: ["services", index], expected: "a glob", found: String(error) }];
    }
  });
}

function serviceGlobs({ services = [...usualServices] }: BuildCheckParams, { glob }: Patterns) {
  const all = services.map((one) => glob(one.trim().replace(/^(\.?\/)+|\/+$/g, "")));
  return (folder: string): boolean => all.some((holds) => holds(folder));
}

/** So many at once, the results in the order of the jobs. */
async function inTurns<T, R>(
  jobs: readonly T[],
  atOnce: number,
  run: (job: T) => Promise<R | undefined>,
): Promise<R[]> {
  const results: (R | undefined)[] = [];
  const waiting = [...jobs.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, work));
  return results.filter((one) => one !== undefined);
}

function resultOf(
  built: readonly Built[],
  { block = false }: BuildCheckParams,
  { hook }: StepContext,
  notes: string[],
): StepResult {
  const output: Fields = { built: built.map(({ printed: _kept, ...one }) => ({ ...one })) };
  if (built.length === 0) return { ok: true, output, ...noted(notes) };
  const ended = built.map((one) => ({ sentence: sentenceOf(one, built), ok: one.ok }));
  const messages = ended.map(
    ({ sentence, ok }): Message => ({ to: "person", text: sentence, level: ok ? "info" : "error" }),
  );
  messages.unshift({ to: "person", text: `Ran ${listOfCommands(built)}.` });
  const failed = ended.filter(({ ok }) => !ok).map(({ sentence }) => sentence);
  const followUps = built.flatMap(({ error }): FollowUp[] =>
    error?.path === undefined ? [] : [{ kind: "open_file", payload: { path: error.path, line: error.line } }],
  );
  const outcome: Outcome = {
    messages,
    ...(followUps.length > 0 ? { followUps } : {}),
    ...(block && failed.length > 0 ? { verdict: { is: "deny", reason: failed.join("\n"), by: hook.id } } : {}),
  };
  const stdout = shorten(built.map(({ command, printed }) => `$ ${command}\n${printed}`).join("\n"));
  return {
    ok: true,
    output: { ...output, messages_to_user: messages.map(({ text }) => text) },
    outcome,
    evidence: { stdout },
    ...noted(notes),
  };
}

function listOfCommands(built: readonly Built[]): string {
  const all = joined([...new Set(built.map(({ command }) => `\`${oneLine(command)}\``))]);
  const [first] = built;
  if (built.length > 1) return `${all} for modified services`;
  return first?.path === "" ? all : `${all} for the modified ${oneLine(first?.service ?? "")} service`;
}

function sentenceOf(one: Built, all: readonly Built[]): string {
  const label = labelOf(one, all);
  if (one.ok) return `${label}: success.`;
  const { error, reason } = one;
  if (!error) return `${label}: failed: ${oneLine(reason ?? "")}.`;
  const kind = error.kind === "" ? "an error" : `${error.kind} error`;
  const message = error.message === undefined ? "" : ` ${oneLine(error.message)}`;
  return `${label}: failed with ${kind} in ${oneLine(error.path ?? error.file)}:${error.line}.${message}`;
}

/** Two services may have one name. */
function labelOf({ service, path }: Built, all: readonly Built[]): string {
  if (path === "") return "Build";
  const isAlone = all.filter((one) => one.service === service).length === 1;
  const name = oneLine(isAlone ? service : path);
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)} build`;
}

// Which services of a repository changed files belong to.

interface Grouped {
  services: Service[];
  /** Files that no service has. */
  others: string[];
}

const manifests = ["package.json", "go.mod", "Cargo.toml", "pyproject.toml"] as const;

/** Not the repository's own sources. */
const foreign: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * A file belongs to the outermost folder above it that is a service, else to the nearest with a manifest. Folders that are
 * gone, or lie elsewhere by a link, are none.
 */
function groupByService(files: readonly string[], root: string, isService: (folder: string) => boolean): Grouped {
  const services = new Map<string, Service>();
  const others: string[] = [];
  const known = new Map<string, boolean>();
  const isFolder = (path: string): boolean => {
    const found = known.get(path) ?? (isReallyInside(root, join(root, path)) && lies(join(root, path), "folder"));
    known.set(path, found);
    return found;
  };
  for (const file of files) {
    const folders = foldersAbove(file);
    if (folders.some((folder) => foreign.has(basename(folder)))) continue;
    const path =
      folders.find((folder) => folder !== "" && isService(folder) && isFolder(folder)) ??
      folders.findLast((folder) => isFolder(folder) && hasManifest(join(root, folder)));
    if (path === undefined) others.push(file);
    else serviceAt(path, root, services).files.push(file);
  }
  return { services: [...services.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1)), others };
}

/** "services/billing/src/a.ts" → "", "services", "services/billing", "services/billing/src". */
function foldersAbove(file: string): string[] {
  const names = file.split("/").slice(0, -1);
  return ["", ...names.map((_name, index) => names.slice(0, index + 1).join("/"))];
}

function serviceAt(path: string, root: string, services: Map<string, Service>): Service {
  const service = services.get(path) ?? { name: basename(path === "" ? root : path), path, files: [] };
  services.set(path, service);
  return service;
}

const hasManifest = (folder: string): boolean => manifests.some((name) => lies(join(folder, name), "file"));
