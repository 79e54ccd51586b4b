/** loosens: whether a call would loosen Hookline, by its own commands or by its own files (R92). What a line means is read behind Patterns; this looks first whether it could. */
import type { Fields, HookEvent } from "../engine/event.ts";
import { textField } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import { isForPerson, loosensBy, type OwnPlaces } from "../engine/loosening.ts";
import { baseName } from "../engine/pattern.ts";
import type { ConditionKind, Patterns } from "../engine/ports.ts";
import type { Found } from "../engine/record.ts";
import { flag, listOf, mapOf, object, say, text } from "../engine/schema.ts";
import { globsOfInput, inputOfCall, pathsOfInput } from "../engine/tool-input.ts";
import { classOf, fileUseOf } from "../engine/tools.ts";
import { isInside } from "../files/paths.ts";
import { mayUseAlias } from "../shell/git/names.ts";
import { buildsWords } from "./could-mean.ts";
import { foreignLineOf, loosensByName } from "./foreign-lines.ts";
import { createOwnPlaces, type OwnFolders } from "./own-places.ts";
import { lineOf, writes, writtenByTool } from "./writes-to.ts";

const program = object(
  { names: listOf(text()) },
  {
    commands: mapOf(listOf(text())),
    flags: listOf(text()),
    says: listOf(text()),
    variables: listOf(text()),
    looks: listOf(text()),
    always: flag,
    whenRun: flag,
  },
);
const params = object(
  { state: say(text(), "the folder where Hookline keeps what it remembers") },
  {
    package: say(text(), "the folder of Hookline's program; absent: it is a part of another program"),
    programs: say(listOf(program), "programs of agents, with what brings code into them"),
  },
);

/** Commands that loosen, as one word. Others have `hookline` before them, or a file that is Hookline's. */
const acts =
  /\b(?:allow-once|guard|pause|trust|untrust|uninstall|purge|down|open|add|doctor|supervise|automation|project|store|follow-ups)\b/;
const sweeps =
  /\b(?:mount|bindfs|rm|mv|chmod|chown|find|ln|rsync|shred|unlink|chattr|[gbz]?tar|bsdtar|g?cp|scp|zip|unzip|7za?|rclone|restic|borg|ditto|cpio|pax|[efzg]?grep|rg|ag|ack|diff|fd|xargs|parallel|locate)\b/;
/** Names of its files and of what lies around them, whatever stands before. */
const speaksOfState = /\.local\b|XDG_STATE|\bdaemon\.(?:json|\*)|http-token/;
const kills = /\b(?:kill|pkill|killall|fuser|skill)\b/;
const connects = /localhost|127\.\d|::1|0\.0\.0\.0|\/dev\/tcp\//;
/** Of the daemon, where none says another. */
const usualPort = 4665;
const switches = /(?:^|[\s;&|('"])HOOKLINE_(?:DISABLE|HEADLESS|BIN|OFF)\w*=/;
/** The Node that it runs with may be taken away. */
const ofNode =
  /\b(?:rm|mv|chmod|chown|ln|unlink|shred)\b[^;|\n]*\bnode(?:js)?(?![-\w.])|(?:>|\b(?:cp|install|tee|truncate|dd|sed|perl|sponge|rsync|curl|wget)\b)[^;|\n]*\bbin\/node(?:js)?(?![-\w./])|\b(?:nvm|fnm|n|nodenv|nvs|volta|asdf|mise|brew|apt|apt-get|dnf|pacman)\b.*\b(?:uninstall|rm|remove|purge)\b/;
/** From a folder, for all projects. */
const installs = (line: string): boolean => managers.test(line) && forAll.test(line);
const managers = /\b(?:npm|pnpm|yarn|bun)\b/;
const forAll = /\s(?:-g|--global|--location=global|global|link)\s/;
/** They ask where all packages of the person lie. */
const asksGlobal = /\b(?:npm|pnpm|yarn|bun)\b[^;|\n]*\b(?:root|prefix|bin|dir)\b/;
const mostTokens = 200;

/** Whether the line could mean Hookline, by its text and by the files that its words name: most lines need no reader. */
function couldLoosen(line: string, cwd: string, own: OwnPlaces): boolean {
  const plain = line.replace(/['"]|\\\n?/g, "").replaceAll(/\$HOME\b|\$\{HOME\}/g, "~");
  if (own.speaksOfAgent(plain)) return true;
  if (/hookline/i.test(plain) || buildsWords.test(line) || speaksOfState.test(plain)) return true;
  if (ofNode.test(plain) || installs(plain) || mayUseAlias(plain)) return true;
  if (sweeps.test(plain) && asksGlobal.test(plain)) return true;
  if (kills.test(plain)) return own.daemon() !== undefined;
  if (connects.test(plain) && plain.includes(String(own.daemon()?.port ?? usualPort))) return true;
  const mayAct = acts.test(plain);
  const maySweep = sweeps.test(plain);
  if (own.kindOf(cwd) !== undefined && (mayAct || maySweep || /[*?[]|\bdaemon\b/.test(plain))) return true;
  if (maySweep && own.holdsKey(cwd)) return true;
  const folders = /[*?[]/.test(plain) ? foldersOf(plain) : []; // where patterns behind it then count
  for (const token of plain.split(/[\s;&|()<>`=,]+/).slice(0, mostTokens)) {
    if (token === "" || token.startsWith("-")) continue;
    if (mayAct && own.isProgram(token, cwd)) return true;
    const isThere = (folder: string): boolean =>
      own.kindOf(own.absolute(token, own.absolute(folder, cwd)) ?? token) !== undefined;
    if (/[*?[]/.test(token) && folders.some(isThere)) return true;
    if (!token.includes("/") && !token.startsWith("~") && !token.startsWith("..")) continue;
    const at = own.absolute(token, cwd);
    if (at !== undefined && (own.kindOf(at) !== undefined || (maySweep && own.isAround(at, cwd)))) return true;
  }
  return false;
}

/** Where the line goes by `cd`. */
const foldersOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|[;&|(\s])(?:cd|pushd)\b(?:\s+([^\s;&|()]+))?/g)].map(([, to]) => to ?? "~");

/** By a variable, code comes into the program, or it takes the words of another one for its own. */
function loadsOwn(line: string, cwd: string, own: OwnPlaces): boolean {
  if (!/\b(?:NODE|BUN)_OPTIONS\s*=/.test(line)) return false;
  const loaded = [
    ...line.matchAll(/(?:--import|--require|--(?:experimental-)?loader|--preload|-r)[\s=]+['"]?([^\s'";|&]+)/g),
  ];
  if (loaded.some(([, path = ""]) => own.isProgram(path, cwd))) return true;
  const starts = (word: string): boolean => own.agent(word) !== undefined || own.isProgram(word, cwd);
  return (
    loaded.length > 0 && line.split(/[\s;&|()'"]+/).some((word) => word !== "" && !word.includes("=") && starts(word))
  );
}

/** Whether this event takes the reader of shell lines. */
export function needsShellToLoosen(
  folders: OwnFolders,
  disk: Pick<Patterns, "real" | "like">,
): (event: HookEvent) => boolean {
  const own = createOwnPlaces(folders, disk);
  return (event) => {
    const line = lineOf(event);
    return line !== undefined && couldLoosen(line, event.cwd, own);
  };
}

const ownServer = /hookline/i;

/** A file, a folder with all that is in it, or what a pattern means. */
function readsKey(tool: string, input: Fields, cwd: string, own: OwnPlaces): boolean {
  const use = fileUseOf(tool);
  const at = (word: string, folder = cwd): string => own.absolute(word, folder) ?? word;
  const named = pathsOfInput(input).map((path) => at(path));
  if (named.some((path) => own.kindOf(path) === "key")) return true;
  if (use === "looks" || (typeof input.type === "string" && input.type !== "json")) return false; // a type of files
  const globs = globsOfInput(input);
  const mayBeKey = (glob: string): boolean => own.isKeyName(baseName(glob));
  if (globs.length > 0) {
    const folders = named.length > 0 ? named : [cwd];
    const isMeant = (glob: string): boolean =>
      mayBeKey(glob) &&
      folders.some(
        (folder) => own.holdsKey(folder) || own.holdsKey(at(glob, folder)) || own.kindOf(at(glob, folder)) === "key",
      );
    return globs.some(isMeant);
  }
  if (use === "searches") return (named.length > 0 ? named : [cwd]).some((path) => own.holdsKey(path));
  // To most tools `/` and `~` are names of something else.
  return named.some((path) => own.holdsKey(path) && !isInside(path, own.home));
}

function byTool(tool: string, input: Fields, cwd: string, own: OwnPlaces): string | undefined {
  const [, server = "", operation = ""] = /^(.*?hookline.*?)(?:__|[._])([a-z]+_[a-z_]+)$/i.exec(tool) ?? [];
  if (ownServer.test(server) && isForPerson(operation))
    return loosensBy(operation.replace("_", " ").replaceAll("_", "-").split(" "));
  const kinds = (names: readonly string[]): ReturnType<OwnPlaces["kindOf"]>[] =>
    names.map((name) => own.kindOf(own.absolute(name, cwd) ?? name));
  const isDeveloped = own.kindOf(cwd) === "package" && !cwd.includes("/node_modules/");
  if (
    writes(tool) &&
    kinds(writtenByTool(input)).some((kind) => kind !== undefined && !(kind === "package" && isDeveloped))
  )
    return "change Hookline's own files";
  if (classOf(tool) === "shell" || classOf(tool) === "write") return undefined;
  return readsKey(tool, input, cwd, own) ? "read the key to Hookline's daemon" : undefined;
}

function compile(folders: OwnFolders, patterns: Patterns): (event: HookEvent) => Found | boolean {
  const own = createOwnPlaces(folders, patterns);
  return (event) => {
    const { name, data, cwd } = event;
    if (!rowOf(name).matchTool) return false;
    const tool = textField(data, "tool_name") ?? "";
    const input = inputOfCall(tool, data.tool_input);
    if (input === undefined) return false; // writes_to says so
    const line = lineOf(event);
    const foreign = foreignLineOf(event);
    const does =
      (foreign && loosensByName(foreign, cwd, own)) ??
      (line === undefined ? byTool(tool, input, cwd, own) : byLine(line, cwd));
    return does === undefined ? false : { does };
  };

  function byLine(line: string, cwd: string): string | undefined {
    if (switches.test(line)) return "switch Hookline off, or what it asks";
    if (loadsOwn(line, cwd, own)) return "load code into Hookline or an agent, or Hookline into another program";
    if (own.movesAgent(line)) return "start an agent with other settings, and so without its hooks";
    if (!patterns.loosens || !couldLoosen(line, cwd, own)) return undefined;
    return patterns.loosens(line, { cwd, home: own.home }, own);
  }
}

export const loosens: ConditionKind<OwnFolders> = {
  summary: "the call loosens Hookline itself, by its own commands or by its own files",
  params,
  ofCalls: true,
  compile(folders, patterns) {
    const find = compile(folders, patterns);
    return ({ event }) => find(event);
  },
  describe: () => "the call would loosen Hookline, or touch its own files",
  explain(folders, scope, patterns) {
    const found = compile(folders, patterns)(scope.event);
    const does = typeof found === "object" ? String(found.does) : "";
    return { holds: `the call would ${does}`, fails: "the call loosens nothing of Hookline" };
  },
};
