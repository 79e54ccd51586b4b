/** changed_files: files that an event names, or that have changed in the workspace, against patterns (R12, R19). */

import { resolve, sep } from "node:path";
import type { Changes, HookEvent } from "../engine/event.ts";
import { compileChangedPatterns, filesNamedBy, type NamedFiles, notLookedAt, ownRoot } from "../engine/file-pattern.ts";
import type { ConditionKind, Patterns, Scope } from "../engine/ports.ts";
import { flag, listOf, object, oneOf, type Schema, say, text } from "../engine/schema.ts";
import { listed } from "../engine/words.ts";
import { because } from "./constant.ts";

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

/** Beside what was found, how much was not looked at. */
type Finding = (NamedFiles & { leftOut?: number }) | { unknown: string };

function seenIn({ since }: Params, event: HookEvent): Finding {
  const named = filesNamedBy(event);
  if (named) return named;
  const { changes } = event;
  if (!changes) return { unknown: "nothing has looked for changes" };
  if ("unknown" in changes) return changes;
  const { base, truncated } = changes;
  return { base, files: filesOf(changes, since), ...(truncated ? { leftOut: truncated } : {}) };
}

const filesOf = ({ files, earlier }: Changes, since: Params["since"]): readonly string[] =>
  since === "session" ? [...files, ...earlier].sort() : files;

/** What has to be resolved, as people and agents write it; a backslash is a sign like others where it separates nothing. */
const roundabout = sep === "\\" ? /^(\/|[A-Za-z]:)|\\|(^|\/)\.\.?\// : /^\/|(^|\/)\.\.?\//;

/** Relative to the root, with forward slashes; what lies elsewhere is not meant. */
function belowRoot({ base, files }: NamedFiles, root: string): string[] {
  const top = resolve(root);
  const start = top.endsWith(sep) ? top : `${top}${sep}`;
  const isSame = resolve(base) === top;
  return files.flatMap((file) => {
    if (isSame && !roundabout.test(file)) return [file];
    const path = resolve(base, file);
    return path.startsWith(start) ? [path.slice(start.length).replaceAll(sep, "/")] : [];
  });
}

const compile = ({ patterns }: Params, given: Patterns): ((path: string) => boolean) =>
  compileChangedPatterns(patterns, given, "the condition changed_files");

const written = ({ patterns }: Params): string => patterns.join(" or ");
const when = ({ since }: Params): string => (since === "session" ? "since the session began" : "since the last look");

const shownAtMost = 5;
function shown(files: readonly string[]): string {
  return listed(
    files.map((file) => (/[\s"']/.test(file) ? JSON.stringify(file) : file)),
    shownAtMost,
  );
}

const filesFor = ({ root }: Params, seen: NamedFiles, cwd: string): string[] =>
  belowRoot(seen, ownRoot(root, cwd) ?? seen.base);

function explain(params: Params, { event }: Scope, patterns: Patterns): { holds: string; fails: string } {
  if (params.optional) return { holds: "it holds with and without changed files", fails: "" };
  const seen = seenIn(params, event);
  if ("unknown" in seen) {
    return because(`which files have changed is not known: ${seen.unknown}`);
  }
  const files = filesFor(params, seen, event.cwd);
  const more = seen.leftOut ? `; ${notLookedAt(seen.leftOut)}` : "";
  const named = filesNamedBy(event) ? "the event names" : `changed ${when(params)}:`;
  const none = filesNamedBy(event) ? "the event names no file here" : `no file has changed ${when(params)}`;
  return {
    holds: `${named} ${shown(files.filter(compile(params, patterns)))}, which fits ${written(params)}${more}`,
    fails: (files.length === 0 ? none : `${named} ${shown(files)}, and the pattern is ${written(params)}`) + more,
  };
}

export const changedFiles: ConditionKind<Params> = {
  summary: "files that have changed fit one of these patterns",
  params: object(
    { patterns: globs },
    {
      root: text("the folder that patterns and names start from; left out: the repository's, or the project's"),
      since: say(oneOf("session"), "`session`: changes since the session began; left out: since hooks last looked"),
      optional: say(flag, "true: it also holds without such files", false),
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
      if (files.length > 0) return { files };
      if (seen.leftOut) faults?.push(`which files have changed is not known: ${notLookedAt(seen.leftOut)}`);
      return false;
    };
  },
  describe: (params) => (params.optional ? "always" : `files like ${written(params)} have changed`),
  explain,
};
