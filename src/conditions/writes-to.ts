/** writes_to: whether a call writes one of these files, by a tool for files or by a shell line as far as its words tell (D17). */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CallToRead, Unpacked, Written } from "../engine/effects.ts";
import type { Fields, HookEvent } from "../engine/event.ts";
import { textField } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import type { ConditionKind, Patterns } from "../engine/ports.ts";
import type { Found } from "../engine/record.ts";
import { flag, listOf, object, say, text } from "../engine/schema.ts";
import { filesOfPatch, inputOfCall, isUntoldWrite, lineOfCall, pathsOfInput } from "../engine/tool-input.ts";
import { classOf, fileUseOf, toolRow } from "../engine/tools.ts";
import { listed } from "../engine/words.ts";
import { archiveMembers } from "../files/archive-members.ts";
import { isInside } from "../files/paths.ts";
import { textAt } from "../files/regular-file.ts";
import { treesOf } from "../shell/git/trees.ts";
import { couldMean, speaksOf } from "./could-mean.ts";
import { type ForeignLine, foreignLineOf, gitWordsIn, namesProfile, pathsNamed } from "./foreign-lines.ts";
import { isNamedHook } from "./found-by-pattern.ts";
import { hookFilesByGit } from "./git/hooks.ts";
import { treesOfTool } from "./git/other-names.ts";
import { type Guarded, type GuardedFiles, guardedFiles } from "./guarded-files.ts";

const mostShown = 3;

interface Params extends Guarded {
  /** What a program that is not known names counts, and a patch that nobody can read. */
  cautious?: boolean;
}

export const writtenByTool = (input: Fields): string[] => [...pathsOfInput(input), ...filesOfPatch(input).files];

/** Whether this event takes the reader of shell lines. */
export function needsShell(params: Params): (event: HookEvent) => boolean {
  const isMeant = couldMean(namedIn(params));
  return (event) => {
    const line = lineOf(event);
    return line !== undefined && isMeant(line, event.cwd);
  };
}

/** Of a shell, and of a tool that nobody here knows and that is given one (R102). */
export function lineOf({ data: { tool_name: tool, tool_input: input } }: HookEvent): string | undefined {
  const fields = typeof tool === "string" ? inputOfCall(tool, input) : undefined;
  return typeof tool === "string" && fields ? lineOfCall(tool, fields)?.line : undefined;
}

/** Whether it may write the files that it names: a tool whose name says nothing may write. */
export const writes = (tool: string): boolean => !["reads", "searches", "looks"].includes(fileUseOf(tool) ?? "");

/** `skills` alone would be in many a line. */
const namedIn = ({ files, folders = [], mods = [] }: Params): string[] => [
  ...files,
  ...folders,
  ...mods.map((folder) => `//**/${folder.split("/").slice(-2).join("/")}`),
];

/** What the paths of a patch begin with. */
const mostStripped = 3;
const inPatches = /^(?:\*\*\* |--- |\+\+\+ |(?:rename|copy) (?:to|from) |Index: )(\S[^\t\n]*?)(?:\t.*)?\s*$/gm;

function pathsOfPatch(text: string): string[] {
  return [...text.matchAll(inPatches)].flatMap(([, named = ""]) => {
    const parts = named.replace(/^"(.*)"$/, "$1").split("/");
    return Array.from({ length: Math.min(parts.length, mostStripped) }, (_, strip) => parts.slice(strip).join("/"));
  });
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function compile(params: Params, patterns: Patterns): (event: HookEvent) => Found | boolean {
  const { files, folders = [], cautious = false } = params;
  const guarded = guardedFiles(params, patterns);
  const isMeant = couldMean(namedIn(params));
  const { home } = guarded;
  return (event) => {
    const { name, data, cwd } = event;
    const tool = textField(data, "tool_name") ?? "";
    if (!rowOf(name).matchTool) return false;
    const input = inputOfCall(tool, data.tool_input);
    if (input === undefined) return { does: doesUnread };
    if (cautious && isUntold(tool, input)) return { does: classOf(tool) === "shell" ? runsUntold : writesUntold };
    const call: Call = { guarded, cwd, isAny: (paths) => guarded.isAny(paths, cwd) };
    if (writes(tool) && isAnyOrHolds(writtenByTool(input), call)) return { does };
    const foreign = cautious ? foreignLineOf(event) : undefined;
    const byForeign = foreign && doneByForeign(foreign, files, call);
    if (byForeign !== undefined) return { does: byForeign };
    const ofTool = cautious && toolRow(tool) === undefined ? treesOfTool(tool, input, cwd) : undefined;
    const lost = ofTool && byGit([ofTool], call);
    if (lost !== undefined) return { does: lost };
    const line = lineOf(event);
    if (line === undefined || !isMeant(line, cwd)) return false;
    if (!patterns.writes) return { does }; // another hook has made this line: the event's own needed no reader
    const reading = patterns.commands(line, { cwd, home });
    if (reading.unknown.length > 0 && speaksOf(line, [...files, ...folders]).length > 0) return { does };
    const written = patterns.writes(reading, cautious);
    const members = written.flatMap(({ path, unpacked }) => (unpacked ? hooksUnpacked(path, unpacked, call) : []));
    if (members.length > 0) return { does: `${unpacks} (${shown(members)})` };
    if (written.some((one) => isAnyOf(one, call))) return { does };
    if (call.isAny(changed(patterns, { tool, input, cwd, home }, guarded.isFolder))) return { does };
    const found = cautious ? byGit(written, call) : undefined;
    if (found !== undefined) return { does: found };
    const isUnread = cautious && written.some(({ patch }) => patch && textOfPatch(patch) === undefined);
    return isUnread && { does: appliesUnread };
  };
}

/** One call, as the guard looks at it. */
interface Call {
  guarded: GuardedFiles;
  cwd: string;
  isAny(paths: readonly string[]): boolean;
}

const isAnyOrHolds = (paths: readonly string[], call: Call): boolean =>
  call.isAny(paths) || paths.some((path) => isAnyOf({ path, whole: true }, call));

/** Of a line that no reader of ours reads. */
function doneByForeign(foreign: ForeignLine, files: readonly string[], call: Call): string | undefined {
  const isNamed = speaksOf(foreign.text, files).length > 0;
  if (isNamed || namesProfile(foreign) || isAnyOrHolds(pathsNamed(foreign), call)) return does;
  const trees = gitWordsIn(foreign).flatMap((words) => treesOf(words) ?? []);
  return byGit(
    trees.map((one) => ({ path: call.cwd, trees: one })),
    call,
  );
}

function byGit(written: readonly Written[], { guarded, cwd }: Call): string | undefined {
  const found = hookFilesByGit(written, cwd, guarded.inProject);
  if (found === "untold") return bringsUntold;
  return found.length > 0 ? `${bringsHooks} (${shown(found)})` : undefined;
}

function isAnyOf(one: Written, { guarded, cwd, isAny }: Call): boolean {
  const { path, whole, from, isName, patch, unpacked } = one;
  if (isName) return guarded.isName(path) || isNamedHook(one, guarded.inProject);
  if (patch) return isAny(pathsOfPatch(textOfPatch(patch) ?? "").map((named) => join(path, named)));
  if (unpacked) return unpacked.isRenamed === true; // its members were looked at before
  if (isAny([path])) return true;
  if (!whole) return false;
  if (guarded.isFolderInForce(path, cwd)) return from === undefined || from.length === 0 || !from.every(isFile);
  // A tree that brings them along, to where the line runs.
  const isBrought = (tree: string): boolean => guarded.inProjects.some((file) => existsSync(join(tree, file)));
  return isInside(path, cwd) && (from ?? []).some(isBrought);
}

/** Of an archive that cannot be read here only renamed members are a reason to ask: most archives hold a release. */
function hooksUnpacked(folder: string, { file, only, strip = 0, isFlat, isRenamed }: Unpacked, call: Call): string[] {
  const members = (file === undefined || isRenamed ? undefined : archiveMembers(file)) ?? [];
  return members.filter((member) => {
    const names = isFlat ? member.split("/").slice(-1) : member.split("/").slice(strip);
    if (!call.guarded.isMember(names)) return false;
    if (only && !only.some((one) => isInside(join("/", one), join("/", member)) || one.includes("*"))) return false;
    return isAnyOf({ path: join(folder, ...names), whole: true }, { ...call, cwd: folder });
  });
}

const isUntold = (tool: string, input: Fields): boolean =>
  isUntoldWrite(tool, input) || (tool === "Bash" && lineOfCall(tool, input) === undefined);
const doesUnread = "be called with an input that Hookline cannot read, and so may do anything";
const runsUntold = "run a line that the call does not tell";
const writesUntold = "write a file that the call does not name";
const appliesUnread =
  "apply a patch that cannot be read beforehand, and so may change hooks or what loads code into an agent";

const unpacks = "unpack hook files, or what loads code into an agent";
const bringsHooks = "bring in other hook files by git, or take some away";
const bringsUntold =
  "bring in files by git that Hookline cannot look at beforehand, and may replace the hooks that are here";
const shown = (paths: readonly string[]): string => listed(paths, mostShown);

const textOfPatch = ({ text, file }: NonNullable<Written["patch"]>): string | undefined =>
  text ?? (file === undefined ? undefined : textAt(file));

/** Programs whose words alone do not tell it: archives, code, editors. */
const changed = ({ effects }: Patterns, call: CallToRead, isFolder: (path: string) => boolean): string[] => {
  const all = effects?.(call, { workspace: call.cwd, home: call.home }).effects ?? [];
  return all.flatMap(({ is, path, inCode }) => {
    if (path === undefined || (is !== "writes" && is !== "deletes")) return [];
    return inCode && isFolder(path) ? `${path}/hooks/hooks.json` : path;
  });
};

/** As what follows "this would", for the built-in guard's reason. */
const does = "change hooks, their settings, what loads code into an agent, or a file that a shell runs when it starts";

export const writesTo: ConditionKind<Params> = {
  summary: "the call writes, removes or replaces one of these files",
  params: object(
    {
      files: say(listOf(text()), "patterns of files, as in `Edit(…)`"),
    },
    {
      folders: say(
        listOf(text()),
        "patterns of folders that count where they are replaced, removed or filled as a whole",
      ),
      cautious: say(
        flag,
        "true: every path that a program names which Hookline does not know counts, and so does a patch that cannot be read",
        false,
      ),
      mods: say(
        listOf(text()),
        "absolute folders: a folder in them that holds `hooks` is meant with all that is in it",
      ),
    },
  ),
  ofCalls: true,
  compile(params, patterns) {
    const holds = compile(params, patterns);
    return ({ event }) => holds(event);
  },
  describe({ files }) {
    const more = files.length - mostShown;
    return `the call writes ${files.slice(0, mostShown).join(" or ")}${more > 0 ? ` or one of ${more} more` : ""}`;
  },
};
