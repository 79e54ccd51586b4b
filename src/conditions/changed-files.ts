/** changed_files: files that an event names, or that have changed in the workspace, against patterns (R12, R19). */
import { HooklineError } from "../core/error.ts";
import type { Changes, Fields, HookEvent, Json } from "../core/event.ts";
import { rowOf } from "../core/events.ts";
import { resolvePath } from "../core/file-pattern.ts";
import type { ConditionKind, Patterns, Scope } from "../core/ports.ts";
import { flag, listOf, object, oneOf, type Schema, say, text } from "../core/schema.ts";
import { classOf, toolRow } from "../core/tools.ts";

type Params = { patterns: string[]; root?: string; since?: "session"; optional?: boolean };

const names: Schema<string[]> = listOf(text());
const globs: Schema<string[]> = {
  json: {
    ...names.json,
    minItems: 1,
    description:
      "globs of file names: without a slash the name in any folder, with one the path; names that begin with a dot only where a pattern says so",
  },
  check: (value, path = []) =>
    Array.isArray(value) && value.length === 0
      ? [{ path, expected: "at least one glob", found: "an empty list" }]
      : names.check(value, path),
};

/** What one looks at: files relative to `base`, or absolute. */
interface Seen {
  base: string;
  files: readonly string[];
}

/** Lists in a payload, by the names that senders use (specification 001). */
const listFields = ["changed_files", "files_touched"] as const;

const namesIn = (value: Json | undefined): string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;

/** The files that an event names itself, so that nobody has to look for changes; undefined: none. */
export function filesNamedBy({ name, data, cwd }: HookEvent): Seen | undefined {
  for (const field of listFields) {
    const files = namesIn(data[field]);
    if (files) return { base: cwd, files };
  }
  const file = rowOf(name).matchTool ? writtenBy(data) : undefined;
  return file === undefined ? undefined : { base: cwd, files: [file] };
}

/** The file that a writing tool is about. */
function writtenBy({ tool_name: tool, tool_input: input }: Fields): string | undefined {
  if (typeof tool !== "string" || classOf(tool) !== "write") return undefined;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const found = toolRow(tool)
    ?.fields.map((field) => input[field])
    .find((one) => typeof one === "string");
  return typeof found === "string" ? found : undefined;
}

type Finding = Seen | { unknown: string };

function seenIn({ since }: Params, event: HookEvent): Finding {
  const named = filesNamedBy(event);
  if (named) return named;
  const { changes } = event;
  if (!changes) return { unknown: "nothing has looked for changes" };
  return "unknown" in changes ? changes : { base: changes.base, files: filesOf(changes, since) };
}

const filesOf = ({ files, earlier }: Changes, since: Params["since"]): readonly string[] =>
  since === "session" ? [...files, ...earlier].sort() : files;

/** Relative to the root, with forward slashes; what lies elsewhere is not meant. */
function belowRoot({ base, files }: Seen, root: string): string[] {
  const start = root === "/" ? "/" : `${resolvePath(root, "/")}/`;
  const isPlain = resolvePath(base, "/") === resolvePath(root, "/");
  return files.flatMap((file) => {
    if (isPlain && !/^(\/|[A-Za-z]:|\.\.?\/)|\\|\/\.\.?\//.test(file)) return [file];
    const path = resolvePath(file, base);
    return path.startsWith(start) ? [path.slice(start.length)] : [];
  });
}

/** A glob without a slash means the base name, in any folder (R12). */
function compilePattern(source: string, glob: Patterns["glob"]): (path: string) => boolean {
  const pattern = source.trim().replace(/^(\.?\/)+/, "");
  if (pattern === "") {
    const reason = "it names no file";
    throw new HooklineError("pattern_invalid", { pattern: source, reason, where: "the condition changed_files" });
  }
  const holds = glob(pattern);
  return pattern.includes("/") ? holds : (path) => holds(path.slice(path.lastIndexOf("/") + 1));
}

const compile = ({ patterns }: Params, { glob }: Patterns): ((path: string) => boolean) => {
  const tests = patterns.map((one) => compilePattern(one, glob));
  return (path) => tests.some((holds) => holds(path));
};

const written = ({ patterns }: Params): string => patterns.join(" or ");
const when = ({ since }: Params): string => (since === "session" ? "since the session began" : "since the last look");

const shownAtMost = 5;
function listed(files: readonly string[]): string {
  const shown = files.slice(0, shownAtMost).map((file) => (/[\s"']/.test(file) ? JSON.stringify(file) : file));
  const more = files.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

/** A hook of one work tree may serve another, linked one: there the event's own is meant. */
function filesFor({ root }: Params, seen: Seen, cwd: string): string[] {
  const isHere = root !== undefined && `${resolvePath(cwd, "/")}/`.startsWith(`${resolvePath(root, "/")}/`);
  return belowRoot(seen, isHere ? root : seen.base);
}

function explain(params: Params, { event }: Scope, patterns: Patterns): { holds: string; fails: string } {
  if (params.optional) return { holds: "it holds with and without changed files", fails: "" };
  const seen = seenIn(params, event);
  if ("unknown" in seen) {
    const unknown = `which files have changed is not known: ${seen.unknown}`;
    return { holds: unknown, fails: unknown };
  }
  const files = filesFor(params, seen, event.cwd);
  const named = filesNamedBy(event) ? "the event names" : `changed ${when(params)}:`;
  const none = filesNamedBy(event) ? "the event names no file here" : `no file has changed ${when(params)}`;
  return {
    holds: `${named} ${listed(files.filter(compile(params, patterns)))}, which fits ${written(params)}`,
    fails: files.length === 0 ? none : `${named} ${listed(files)}, and the pattern is ${written(params)}`,
  };
}

export const changedFiles: ConditionKind<Params> = {
  summary: "files that have changed fit one of these patterns",
  params: object(
    { patterns: globs },
    {
      root: text("the folder that patterns and names start from; left out: the repository's, or the project's"),
      since: say(oneOf("session"), "`session`: changes since the session began; left out: since hooks last looked"),
      optional: say(flag, "whether it holds without such files, too, and only has them looked for", false),
    },
  ),
  needs: "changes",
  compile(params, given) {
    const holds = compile(params, given);
    return ({ event, faults }) => {
      if (params.optional) return true;
      const seen = seenIn(params, event);
      if ("unknown" in seen) {
        faults?.push(`which files have changed is not known: ${seen.unknown}`);
        return false;
      }
      const files = filesFor(params, seen, event.cwd).filter(holds);
      return files.length > 0 && { files };
    };
  },
  describe: (params) => (params.optional ? "always" : `files like ${written(params)} have changed`),
  explain,
};
