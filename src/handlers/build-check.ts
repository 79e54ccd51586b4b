/** Builds the services that changed files belong to, and tells how it went (specification 001, 3.3 and 5.3). */
import type { Fields, Seconds } from "../core/event.ts";
import type { FollowUp, Outcome } from "../core/outcome.ts";
import type { Handler, Patterns, StepContext, StepResult } from "../core/ports.ts";
import { flag, integer, listOf, type Mismatch, number, object, say, text } from "../core/schema.ts";
import { type Built, createBuilder } from "./build-one.ts";
import { type Grouped, groupByService, usualServices } from "./build-services.ts";
import { matchedPaths } from "./changed-paths.ts";
import { notStarted } from "./command.ts";
import { shorten } from "./evidence.ts";
import { repositoryOf } from "./repository-place.ts";

export interface BuildCheckParams {
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
const mostServices = 20;

export const buildCheck: Handler<BuildCheckParams> = createBuildCheck();

function createBuildCheck(): Handler<BuildCheckParams> {
  const builder = createBuilder();
  return {
    params: object(
      {},
      {
        services: say(
          listOf(text()),
          "globs of folders that are services; a file outside of them belongs to the nearest manifest above it",
          [...usualServices],
        ),
        command: text(
          "a line for bash, or sh, that builds one service, run in the repository's root; {service} and {path} in it become variables. Unless said, what the manifests say",
        ),
        timeout: say(number(undefined, 0.1), "seconds for one service", usualLimit),
        parallel: say(integer(undefined, 1), "how many are built at the same time", 1),
        block: say(flag, "a build that fails blocks the stop", false),
        folder: say(text(), "the repository's root; the one of the hook's file unless said"),
      },
    ),
    needs: ["spawn"],
    builtin: {
      summary: "Builds the services whose files have changed, and tells what is broken.",
      role: ({ block }) => (block === true ? "guard" : "observe"),
      limit: () => wholeLimit,
      needsOf: () => ["changes"],
      events: ["SessionStop"],
    },
    inspect: ({ command, services }: Fields, patterns) => [
      ...(typeof command === "string" ? builder.inspect(command) : []),
      ...(Array.isArray(services) && patterns ? inspectGlobs(services.map(String), patterns) : []),
    ],
    async run(params, context) {
      if (!context.ports.spawn) return notStarted("nothing here can start programs");
      const root = repositoryOf(context, params.folder);
      const changed = matchedPaths(context, root);
      const grouped = groupByService(changed.paths, root, serviceGlobs(params, context.ports.patterns));
      const notes = [...(changed.unknown === undefined ? [] : [changed.unknown]), ...notesOn(grouped)];
      const jobs = builder.jobsFor(grouped.services.slice(0, mostServices), params.command, root);
      notes.push(...jobs.notes);
      const limit = params.timeout ?? usualLimit;
      const built = await inTurns(jobs.jobs, params.parallel ?? 1, (job) => builder.run(job, limit, context));
      if (context.signal.aborted)
        return { ok: false, failure: "timeout", reason: "it was stopped before all was built", output: {}, notes };
      return resultOf(built, params, context, notes);
    },
  };
}

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
  const all = services.map((one) => glob(one.replace(/^\.\/|\/+$/g, "")));
  return (folder: string): boolean => all.some((holds) => holds(folder));
}

const notesOn = ({ services, others }: Grouped): string[] => [
  ...(others.length > 0 ? [`changed files that belong to no service: ${others.length}, such as ${others[0]}`] : []),
  ...(services.length > mostServices
    ? [`services that changed too and were not built: ${services.length - mostServices}`]
    : []),
];

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
  const noted = notes.length > 0 ? { notes } : {};
  if (built.length === 0) return { ok: true, output, ...noted };
  const sentences = built.map((one) => sentenceOf(one, built));
  const messages = [`Ran ${listOfCommands(built)}.`, ...sentences];
  const failed = sentences.filter((_one, index) => built[index]?.ok === false);
  const followUps = built.flatMap(({ error }): FollowUp[] =>
    error?.path === undefined ? [] : [{ kind: "open_file", payload: { path: error.path, line: error.line } }],
  );
  const outcome: Outcome = {
    messages: messages.map((one) => ({ to: "person", text: one })),
    ...(followUps.length > 0 ? { followUps } : {}),
    ...(block && failed.length > 0 ? { verdict: { is: "deny", reason: failed.join("\n"), by: hook.id } } : {}),
  };
  const stdout = shorten(built.map(({ command, printed }) => `$ ${command}\n${printed}`).join("\n"));
  return { ok: true, output: { ...output, messages_to_user: messages }, outcome, evidence: { stdout }, ...noted };
}

function listOfCommands(built: readonly Built[]): string {
  const commands = [...new Set(built.map(({ command }) => `\`${command}\``))];
  const last = commands.pop() ?? "";
  const all = commands.length === 0 ? last : `${commands.join(", ")} and ${last}`;
  const [first] = built;
  if (built.length > 1) return `${all} for modified services`;
  return first?.path === "" ? all : `${all} for the modified ${first?.service} service`;
}

function sentenceOf(one: Built, all: readonly Built[]): string {
  const label = labelOf(one, all);
  if (one.ok) return `${label}: success.`;
  const { error, reason } = one;
  if (!error) return `${label}: failed: ${reason}.`;
  const kind = error.kind === "" ? "an error" : `${error.kind} error`;
  const told = error.message === undefined ? "" : ` ${error.message}`;
  return `${label}: failed with ${kind} in ${error.path ?? error.file}:${error.line}.${told}`;
}

/** Two services may have one name. */
function labelOf({ service, path }: Built, all: readonly Built[]): string {
  if (path === "") return "Build";
  const isAlone = all.filter((one) => one.service === service).length === 1;
  const name = isAlone ? service : path;
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)} build`;
}
