/** One build: its command, said by the hook's file or found, run within its limit, and what came of it. */

import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../../../engine/error.ts";
import type { Seconds } from "../../../engine/event.ts";
import type { Patterns, TemplateFault } from "../../../engine/handler.ts";
import type { StepContext } from "../../../engine/ports.ts";
import type { Ended } from "../../../engine/program.ts";
import { isRecord, type Mismatch } from "../../../engine/schema.ts";
import { pathInside } from "../../../files/paths.ts";
import { readRegularFileSync } from "../../../files/regular-file.ts";
import { createLineReader, type ReadLine } from "../../../shell/values.ts";
import { environmentOf, lineOf, umaskOf } from "../../command/environment.ts";
import { firstLine } from "../../command/protocols/endings.ts";
import { isReallyInside } from "../../repository.ts";
import { plainText, withinLimit } from "../../step.ts";

export interface Service {
  /** The last name of its folder. */
  name: string;
  /** From the root, with forward slashes; "" is the root itself. */
  path: string;
  files: string[];
}
export interface BuildLine {
  program: string;
  args: string[];
  /** Where it runs. */
  folder: string;
}

/** Each package manager leaves a file of its own. */
const lockFiles: readonly (readonly [file: string, manager: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
];

/** Programs that build what such a manifest describes. */
const builders: readonly (readonly [file: string, program: string, args: readonly string[]])[] = [
  ["go.mod", "go", ["build", "./..."]],
  ["Cargo.toml", "cargo", ["check"]],
];

/** undefined: nothing says how. */
function usualCommand({ name, path }: Service, root: string): BuildLine | undefined {
  const folder = join(root, path);
  const ofRoot = `build:${name}`;
  if (scriptsOf(root).has(ofRoot)) return script(ofRoot, root, root);
  if (scriptsOf(folder).has("build")) return script("build", folder, root);
  const builder = builders.find(([file]) => lies(join(folder, file), "file"));
  return builder && { program: builder[1], args: [...builder[2]], folder };
}

const script = (name: string, folder: string, root: string): BuildLine => ({
  program: managerOf(folder) ?? managerOf(root) ?? "npm",
  args: ["run", name],
  folder,
});

const managerOf = (folder: string): string | undefined =>
  lockFiles.find(([file]) => lies(join(folder, file), "file"))?.[1];

const largestManifestInBytes = 1 << 20;

/** Names of the scripts of a folder's package.json. One that cannot be read has none. */
function scriptsOf(folder: string): ReadonlySet<string> {
  try {
    const read = readRegularFileSync(join(folder, "package.json"), largestManifestInBytes);
    const manifest: unknown = "text" in read ? JSON.parse(read.text) : undefined;
    return new Set(isRecord(manifest) && isRecord(manifest.scripts) ? Object.keys(manifest.scripts) : []);
  } catch {
    return new Set(); // not there, or no JSON: the package manager says more than we could
  }
}

export function lies(path: string, what: "file" | "folder"): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return what === "file" ? found?.isFile() === true : found?.isDirectory() === true;
  } catch {
    return false; // not for us to see
  }
}

interface Job {
  service: Service;
  root: string;
  /** As people read it. */
  shown: string;
  line: BuildLine | string;
}
/** What became of a job: `path` of the error only where such a file lies in the repository. */
export type Built = {
  service: string;
  path: string;
  command: string;
  ok: boolean;
  reason?: string;
  error?: { kind: string; file: string; line: number; message?: string; path?: string };
  printed: string;
};

export function inspectCommand(command: string, patterns: Patterns | undefined): Mismatch[] {
  const template = patterns?.shellTemplate?.(withPlaceholders(command));
  return Array.isArray(template) ? template.map(mismatchOf) : [];
}

export function jobsFor(
  services: readonly Service[],
  command: string | undefined,
  root: string,
): { jobs: Job[]; notes: string[] } {
  const all = services.map((service) => jobFor(service, command, root));
  const jobs = new Map(all.flatMap((job) => (job ? [[keyOf(job), job]] : [])));
  const notes = services
    .filter((_service, index) => all[index] === undefined)
    .map(({ path }) => `nothing says how ${path || "the repository"} is built`);
  return { jobs: [...jobs.values()], notes };
}

/** undefined: it was stopped before it began. Never rejects. */
export async function runJob(job: Job, limit: Seconds, context: StepContext): Promise<Built | undefined> {
  if (context.signal.aborted) return undefined;
  try {
    return await build(job, limit, context);
  } catch (error) {
    return builtOf(job, { reason: messageOf(error), printed: "" });
  }
}

/** Services may share a script of the root, which is run once; a line for all of them is run for each. */
const keyOf = ({ line, service }: Job): string => JSON.stringify(typeof line === "string" ? service.path : line);

/** `${service}` is a variable of the shell, and {{service}} a placeholder of another kind. */
const placeholder = /(?<![{$])\{(service|path)\}(?!\})/g;

const withPlaceholders = (command: string): string => command.replaceAll(placeholder, "{{match.$1}}");

const mismatchOf = ({ placeholder: written, where }: TemplateFault): Mismatch => ({
  path: ["command"],
  expected: "each value to stay one argument",
  found: `${written} ${where}`.replaceAll(/\{\{match\.(\w+)\}\}/g, "{$1}"),
});

function jobFor(service: Service, command: string | undefined, root: string): Job | undefined {
  if (command !== undefined) {
    const shown = command.replaceAll(placeholder, (_all, name) =>
      name === "path" ? service.path || "." : service.name,
    );
    return { service, root, shown, line: command };
  }
  const line = usualCommand(service, root);
  return line && { service, root, shown: [line.program, ...line.args].join(" "), line };
}

const read = createLineReader();

async function build(job: Job, limit: Seconds, context: StepContext): Promise<Built> {
  const { ports } = context;
  const { service, root, line: wanted } = job;
  const facts = { HOOKLINE_SERVICE: service.name, HOOKLINE_SERVICE_PATH: service.path || "." };
  const filled =
    typeof wanted === "string" ? fill(wanted, await read(withPlaceholders(wanted)), job, context) : undefined;
  const environment = { ...environmentOf({}, context), ...filled?.values, ...facts };
  const line = filled ? lineOf({ command: filled.line }, environment, root) : wanted;
  if (typeof line === "string" || !ports.spawn) return builtOf(job, { reason: String(line), printed: "" });
  const limited = withinLimit(context, limit);
  const folder = typeof wanted === "string" ? root : wanted.folder;
  try {
    const ended = await ports.spawn(
      { program: line.program, args: line.args, cwd: folder, environment, input: "", ...umaskOf(context.caller) },
      { signal: limited.signal },
    );
    const printed = `${ended.stdout}${ended.stderr}`;
    if (ended.how === "exit" && ended.code === 0) return builtOf(job, { printed });
    const error = ended.how === "exit" ? located(firstError(printed), folder, job) : undefined;
    return builtOf(job, { reason: reasonOf(ended, limit), printed, ...(error ? { error } : {}) });
  } finally {
    limited.end();
  }
}

/** The command with variables in the place of its placeholders. Throws where a value may not be given to a program. */
function fill(command: string, template: ReadLine, { service }: Job, { scope }: StepContext) {
  if (Array.isArray(template)) throw new Error(template.map(mismatchOf)[0]?.found);
  const match = { service: service.name, path: service.path || "." };
  return template
    ? { line: template.line, values: template.values({ ...scope, match }) }
    : { line: command, values: {} };
}

const builtOf = (
  { service, shown }: Job,
  came: { printed: string; reason?: string; error?: NonNullable<Built["error"]> },
): Built => ({ service: service.name, path: service.path, command: shown, ok: came.reason === undefined, ...came });

function reasonOf({ how, code, signal, reason, stderr, stdout }: Ended, limit: Seconds): string {
  if (how === "aborted") return `it did not end within ${limit} s`;
  if (how !== "exit") return reason ?? how;
  if (code === undefined) return `it was ended by ${signal ?? "a signal"}`;
  const line = firstLine(stderr) || firstLine(stdout);
  return line === "" ? `exit ${code}` : `exit ${code}: ${line.slice(0, 200)}`;
}

/** Compilers name files from where they run, and tools that call them from wherever they like. */
function located(error: BuildError | undefined, folder: string, { root, service }: Job): Built["error"] {
  if (!error) return undefined;
  const places = [folder, join(root, service.path), root].map((base) => resolve(base, error.file));
  const file = places.find((place) => existsSync(place) && isReallyInside(root, place));
  const path = file === undefined ? undefined : pathInside(root, file);
  return { ...error, ...(path ? { path } : {}) };
}

export interface BuildError {
  /** Who says so, such as TypeScript; "" where the form is one that many use. */
  kind: string;
  /** As it was printed. */
  file: string;
  line: number;
  message?: string;
}

interface Format {
  kind: string;
  /** Groups file, line and, where it stands on the same line, message. */
  at: RegExp;
  /** The line before has to be such a one; its group is the message. */
  after?: RegExp;
}

/** A path without blanks at its ends; what follows it is never part of it. */
const pathTo = (end: string): string => String.raw`(?<file>(?:[A-Za-z]:)?[^\s:()'"][^:()'"]*?${end})`;
const path = pathTo("");
const place = String.raw`(?<line>\d{1,7})`;
const format = (kind: string, source: string, after?: RegExp): Format => ({
  kind,
  at: new RegExp(source, "u"),
  ...(after ? { after } : {}),
});

/** One line of output at a time, so that each is tried in linear time. The first that fits is it. */
const formats: readonly Format[] = [
  format("TypeScript", String.raw`^${path}\(${place},\d+\): error (?<message>TS\d+: .*)$`),
  format("TypeScript", String.raw`^${path}:${place}:\d+ - error (?<message>TS\d+: .*)$`),
  format("Rust", String.raw`^\s*--> ${path}:${place}:\d+$`, /^error(?:\[\w+\])?: (?<message>.*)$/u),
  format("pytest", String.raw`^${path}:${place}: (?<message>\w*(?:Error|Exception|Failed)\b.*)$`),
  format("Go", String.raw`^(?:vet: )?${pathTo(String.raw`\.go`)}:${place}:\d+: (?<message>.*)$`),
  format("esbuild", String.raw`^\s+${path}:${place}:\d+:$`, /^(?:✘ |X )?\[ERROR\] (?<message>.*)$/u),
  format("", String.raw`^${path}:${place}:\d+: (?:fatal )?error: (?<message>.*)$`),
  format("Python", String.raw`^\s*File "(?<file>[^"]+)", line ${place}(?:,.*)?$`),
];

/** ESLint's usual form: a file, and below it its places. */
const eslintFile = /^(?<file>(?:\/|[A-Za-z]:\\|\.{0,2}\/?)\S.*\.\w{1,5})$/u;
const eslintPlace = /^\s+(?<line>\d{1,7}):\d+\s+error\s+(?<message>.*)$/u;

const longestLine = 1000;
const mostLines = 20_000;

/** undefined: nothing in it has a form that is known. */
export function firstError(printed: string): BuildError | undefined {
  const lines = plainText(printed).split("\n", mostLines);
  let before: string[] = [];
  let file: string | undefined;
  for (const line of lines.map((one) => one.slice(0, longestLine))) {
    const found = inFormat(line, before);
    if (found) return found;
    const below = file === undefined ? undefined : eslintPlace.exec(line)?.groups;
    if (below) return { kind: "ESLint", file: file ?? "", line: Number(below.line), ...messageIn(below.message) };
    file = line.trim() === "" ? undefined : (eslintFile.exec(line)?.groups?.file ?? file);
    before = [...before, line].slice(-lookBack);
  }
  return undefined;
}

/** An error's place stands within so many lines below its message. */
const lookBack = 3;

function inFormat(line: string, before: readonly string[]): BuildError | undefined {
  for (const { kind, at, after } of formats) {
    const groups = at.exec(line)?.groups;
    if (!groups) continue;
    const above = after && before.map((one) => after.exec(one)).findLast((one) => one !== null);
    if (after && !above) continue;
    const message = groups.message ?? above?.groups?.message;
    return { kind, file: groups.file ?? "", line: Number(groups.line), ...messageIn(message) };
  }
  return undefined;
}

const messageIn = (text: string | undefined): { message?: string } =>
  text === undefined || text.trim() === "" ? {} : { message: text.trim().replaceAll(/\s+/g, " ").slice(0, 200) };
