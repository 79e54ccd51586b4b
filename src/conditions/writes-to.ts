/** writes_to: whether a call writes one of these files, by a tool for files or by a shell line as far as its words tell (D17). */

import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { CallEffects, CallToRead, Unpacked, Written } from "../engine/effects.ts";
import type { Fields, HookEvent } from "../engine/event.ts";
import { textField } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import { compileFilePattern, type FilePattern } from "../engine/file-pattern.ts";
import { baseName, unknownText } from "../engine/pattern.ts";
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
import { couldMean, namesOf, speaksOf } from "./could-mean.ts";
import { foreignLineOf, gitWordsIn, namesProfile, pathsNamed } from "./foreign-lines.ts";
import { isNamedHook } from "./found-by-pattern.ts";
import { hookFilesByGit } from "./git/hooks.ts";
import { treesOfTool } from "./git/other-names.ts";

const mostShown = 3;

interface Params {
  files: string[];
  /** Of agents: whoever replaces, removes or fills such a folder changes the hooks in it. */
  folders?: string[];
  /** What a program that is not known names counts, and a patch that nobody can read. */
  cautious?: boolean;
  /** In these folders, a folder that holds hooks is meant with all that is in it. */
  mods?: string[];
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

/** Paths as the line has them; of a variable that is not known, as if it were the home or the folder. */
function placesOf(path: string, { home, cwd, like }: At): string[] {
  if (path.startsWith("~/")) return [`${home}${path.slice(1)}`];
  if (path.startsWith(unknownText)) return [home, cwd].map((folder) => `${folder}${path.slice(unknownText.length)}`);
  const named = resolve(cwd, path);
  const open = named.indexOf(`/${unknownText}`);
  // Of `rm "$f"` nothing is known; `.claude/$f` is a file in that folder.
  const isTold = open < 0 || !isInside(named.slice(0, open), cwd);
  return [path, ...((isTold && like?.(named.replaceAll(wholeUnknown, "/*"))) || [])];
}
const wholeUnknown = new RegExp(`/${unknownText}+(?=/|$)`, "g");

interface At {
  home: string;
  cwd: string;
  like: Patterns["like"] | undefined;
}

/** Whether it may write the files that it names: a tool whose name says nothing may write. */
export const writes = (tool: string): boolean => !["reads", "searches", "looks"].includes(fileUseOf(tool) ?? "");

/** `skills` alone would be in many a line. */
const namedIn = ({ files, folders = [], mods = [] }: Params): string[] => [
  ...files,
  ...folders,
  ...mods.map((folder) => `//**/${folder.split("/").slice(-2).join("/")}`),
];

/** What makes a folder of such a place one that holds hooks, by the path that is written or by what lies there. */
const hookParts = /^(?:hooks|modules|\.claude-plugin)(?:\/|$)/;

function isInMod(path: string, mods: readonly string[]): boolean {
  const folder = mods.find((one) => isInside(one, path));
  if (folder === undefined) return false;
  const [name = "", ...below] = path.slice(folder.length).split("/").filter(Boolean);
  const rest = below.join("/");
  if (name.includes(unknownText) || rest.includes(unknownText) || hookParts.test(rest)) return true;
  return rest !== "" && existsSync(join(folder, name, "hooks"));
}

const anywhereSign = "//**/";

/**
 * As a pattern of files says, but for what begins with `//**` and a slash: the folders above it may be called by a dot, as those of
 * worktrees are.
 */
function compileOne(file: string, patterns: Patterns): FilePattern {
  const isAnywhere = file.startsWith(anywhereSign);
  const [, folder] = /^\/\/(?:\*\*\/)?([^*?[\]{}!]+)\/\*\*$/.exec(file) ?? [];
  if (!isAnywhere && folder === undefined) return compileFilePattern(file, patterns);
  // All that lies in a folder, whatever it is called.
  const fits: FilePattern =
    folder === undefined
      ? compileFilePattern(`//${file.slice(anywhereSign.length)}`, { glob: patterns.glob })
      : (path) => isInside(`/${folder}`, path);
  const endFits = (path: string, at: Parameters<FilePattern>[1]): boolean => {
    for (let start = 0; start >= 0; start = path.indexOf("/", start + 1)) if (fits(path.slice(start), at)) return true;
    return false;
  };
  return (path, at) => {
    const named = resolve(at.cwd, path);
    return endFits(named, at) || (patterns.real !== undefined && endFits(patterns.real(named), at));
  };
}

/** A pattern is compiled when a path first holds all of its names: of some hundred most never are. */
function fittingOne(
  files: readonly string[],
  patterns: Patterns,
): (path: string, at: { cwd: string; home: string }) => boolean {
  const all = files.map((file) => ({ file, names: namesOf(file) }));
  const compiled = new Map<string, FilePattern>();
  // What is wrong with one is said when its file is read.
  if (patterns.wereChecked !== true) for (const file of files) compiled.set(file, compileOne(file, patterns));
  return (path, at) => {
    const named = resolve(at.cwd, path);
    const places = `${named}/\n${patterns.real?.(named) ?? ""}/`.toLowerCase();
    return all.some(({ file, names }) => {
      if (!names.every(({ part }) => places.includes(part))) return false;
      const known = compiled.get(file) ?? compileOne(file, patterns);
      compiled.set(file, known);
      return known(path, at);
    });
  };
}

/** The folder itself, and not what lies in it. */
function folderTest(folders: readonly string[], { real }: Patterns): (path: string) => boolean {
  const named = new Set(folders.map((folder) => folder.replace(/^\/(?:\/\*\*)?/, "").toLowerCase()));
  const isOne = (path: string): boolean => {
    const parts = path.toLowerCase().split("/");
    return named.has(parts.join("/")) || [1, 2].some((count) => named.has(`/${parts.slice(-count).join("/")}`));
  };
  return (path) => isOne(path) || (real !== undefined && isOne(real(path)));
}

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
  const { files, folders = [], mods = [], cautious = false } = params;
  const fits = fittingOne(files, patterns);
  const isFolder = folderTest(folders, patterns);
  const isMeant = couldMean(namedIn(params));
  const home = homedir();
  const lastNames = new Set(files.flatMap((file) => namesOf(file).at(-1)?.part ?? []));
  const ofMembers = new Set([...lastNames, ...folders.map((folder) => baseName(folder.toLowerCase()))]);
  const inProjects = files.flatMap((file) => (/^\/\/\*\*\/[^*]+$/.test(file) ? file.slice("//**/".length) : []));
  const speaking = [...files, ...folders];
  const inProject = [...new Set(files.flatMap((file) => belowProject.exec(file)?.[1] ?? []))];
  return (event) => {
    const { name, data, cwd } = event;
    const tool = textField(data, "tool_name") ?? "";
    if (!rowOf(name).matchTool) return false;
    const fields = inputOfCall(tool, data.tool_input);
    if (fields === undefined) return { does: doesUnread };
    if (cautious && isUntold(tool, fields)) return { does: classOf(tool) === "shell" ? runsUntold : writesUntold };
    const at: At = { home, cwd, like: patterns.like };
    const isAny = (paths: readonly string[]): boolean =>
      paths
        .flatMap((path) => placesOf(path, at))
        .some((path) => fits(path, { cwd, home }) || isInMod(resolve(cwd, path), mods));
    if (writes(tool)) {
      const named = writtenByTool(fields);
      if (isAny(named) || named.some((path) => isAnyOf({ path, whole: true }, cwd, isAny))) return { does };
    }
    const foreign = cautious ? foreignLineOf(event) : undefined;
    if (foreign) {
      const paths = pathsNamed(foreign);
      const isNamed = speaksOf(foreign.text, files).length > 0 || isAny(paths);
      if (isNamed || namesProfile(foreign) || paths.some((path) => isAnyOf({ path, whole: true }, cwd, isAny)))
        return { does };
      const trees = gitWordsIn(foreign).flatMap((words) => treesOf(words) ?? []);
      const found = byGit(
        trees.map((one) => ({ path: cwd, trees: one })),
        cwd,
      );
      if (found !== undefined) return { does: found };
    }
    const ofTool = cautious && toolRow(tool) === undefined ? treesOfTool(tool, fields, cwd) : undefined;
    const lost = ofTool && byGit([ofTool], cwd);
    if (lost !== undefined) return { does: lost };
    const line = lineOf(event);
    if (line === undefined || !isMeant(line, cwd)) return false;
    if (!patterns.writes) return { does }; // another hook has made this line: the event's own needed no reader
    const reading = patterns.commands(line, { cwd, home });
    if (reading.unknown.length > 0 && speaksOf(line, speaking).length > 0) return { does };
    const written = patterns.writes(reading, cautious);
    const members = written.flatMap(({ path, unpacked }) => (unpacked ? hooksUnpacked(path, unpacked, isAny) : []));
    if (members.length > 0) return { does: `${unpacks} (${shown(members)})` };
    if (written.some((one) => isAnyOf(one, cwd, isAny))) return { does };
    if (isAny(changed(patterns, { tool, input: fields, cwd, home }, isFolder))) return { does };
    const found = cautious ? byGit(written, cwd) : undefined;
    if (found !== undefined) return { does: found };
    const isUnread = cautious && written.some(({ patch }) => patch && textOfPatch(patch) === undefined);
    return isUnread && { does: appliesUnread };
  };

  function byGit(written: readonly Written[], cwd: string): string | undefined {
    const found = hookFilesByGit(written, cwd, inProject);
    if (found === "untold") return bringsUntold;
    return found.length > 0 ? `${bringsHooks} (${shown(found)})` : undefined;
  }

  function isAnyOf(one: Written, cwd: string, isAny: (paths: readonly string[]) => boolean): boolean {
    const { path, whole, from, isName, patch, unpacked } = one;
    if (isName) return isNamed(path) || isNamedHook(one, inProject);
    if (patch) return isAny(pathsOfPatch(textOfPatch(patch) ?? "").map((named) => join(path, named)));
    if (unpacked) return unpacked.isRenamed === true; // its members were looked at before
    if (isAny([path])) return true;
    if (!whole) return false;
    if (
      placesOf(path, { home, cwd, like: patterns.like }).some(
        (place) => isFolder(resolve(cwd, place)) && isInForce(resolve(cwd, place), cwd),
      )
    )
      return from === undefined || from.length === 0 || !from.every(isFile);
    // A tree that brings them along, to where the line runs.
    return isInside(path, cwd) && (from ?? []).some((tree) => inProjects.some((file) => existsSync(join(tree, file))));
  }

  /** Of an archive that cannot be read here only renamed members are a reason to ask: most archives hold a release. */
  function hooksUnpacked(
    folder: string,
    { file, only, strip = 0, isFlat, isRenamed }: Unpacked,
    isAny: (paths: readonly string[]) => boolean,
  ): string[] {
    const members = (file === undefined || isRenamed ? undefined : archiveMembers(file)) ?? [];
    return members.filter((member) => {
      const names = isFlat ? member.split("/").slice(-1) : member.split("/").slice(strip);
      if (!names.some((name) => ofMembers.has(name.toLowerCase()) || hookParts.test(name))) return false;
      if (only && !only.some((one) => isInside(join("/", one), join("/", member)) || one.includes("*"))) return false;
      const path = join(folder, ...names);
      return isAnyOf({ path, whole: true }, folder, isAny);
    });
  }

  /** A copy elsewhere is read by no agent that works here. */
  function isInForce(path: string, cwd: string): boolean {
    return isInside(cwd, path) || isInside(dirname(path), cwd) || isInside(home, path);
  }

  function isNamed(written: string): boolean {
    const plain = written.toLowerCase();
    const word = plain.replaceAll(/[*?/]/g, "");
    return lastNames.has(plain) || (word.length >= shortest && folders.some((one) => one.toLowerCase().includes(word)));
  }
}
const shortest = 4;
const isUntold = (tool: string, input: Fields): boolean =>
  isUntoldWrite(tool, input) || (tool === "Bash" && lineOfCall(tool, input) === undefined);
const doesUnread = "be called with an input that Hookline cannot read, and so may do anything";
const runsUntold = "run a line that the call does not tell";
const writesUntold = "write a file that the call does not name";
const appliesUnread =
  "apply a patch that cannot be read beforehand, and so may change hooks or what loads code into an agent";

const belowProject = /^(?:\/\/\*\*\/)?(?!\.git\/)([^/*~][^*]*?)(?:\/\*\*)?$/;
const unpacks = "unpack hook files, or what loads code into an agent";
const bringsHooks = "bring in other hook files by git, or take some away";
const bringsUntold =
  "bring in files by git that Hookline cannot look at beforehand, and may replace the hooks that are here";
const shown = (paths: readonly string[]): string => listed(paths, mostShown);

const textOfPatch = ({ text, file }: NonNullable<Written["patch"]>): string | undefined =>
  text ?? (file === undefined ? undefined : textAt(file));

/** Programs whose words alone do not tell it: archives, code, editors. */
const changed = ({ effects }: Patterns, call: CallToRead, isFolder: (path: string) => boolean): string[] => {
  const { effects: all, commands } = effects?.(call, { workspace: call.cwd, home: call.home }) ?? nothing;
  return all.flatMap(({ is, path, command = -1 }) => {
    if (path === undefined || (is !== "writes" && is !== "deletes")) return [];
    // Code of another language that names the folder itself.
    const isCode = code.test(baseName(commands[command]?.words[0] ?? "")) && isFolder(path);
    return isCode ? `${path}/hooks/hooks.json` : path;
  });
};
const nothing: CallEffects = { effects: [], commands: [], unknown: [] };
const code = /^(?:python[\d.]*|pypy3?|node|nodejs|bun|deno|ruby|perl|php|lua|osascript)$/;

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
