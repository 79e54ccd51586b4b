/**
 * Lines of shells that nothing here can read, such as PowerShell. What such a line does is unknown, so for the built-in guard it is enough
 * that it names what is guarded: Hookline's commands and files, agents' settings.
 */
import type { Fields, HookEvent } from "../engine/event.ts";
import { compileNameGlob } from "../engine/glob.ts";
import { type AgentProgram, bringsCode, loosensBy, type OwnPlaces } from "../engine/loosening.ts";
import { baseName, unknownText } from "../engine/pattern.ts";
import { foreignTextOf, inputOfCall } from "../engine/tool-input.ts";

export interface ForeignLine {
  /** With `/` in paths, `~` for the home folder, and without signs that hide a letter from a search. */
  text: string;
  tokens: readonly string[];
  /** Folders that the line goes to. */
  folders: readonly string[];
}

const homes = /\$\{?(?:env:)?(?:HOME|USERPROFILE)\b\}?|%(?:USERPROFILE|HOME)%/gi;
const joins = /(['"])\s*\+\s*\1/g;
const between = /[\s'"`;|&()<>,=[\]{}]+/;
const goes = /^(?:cd|chdir|sl|pushd|set-location|push-location)$/i;
const longest = 100_000;

/** Undefined: the call has no such line. */
export function foreignLineOf({ data: { tool_name: tool, tool_input: input } }: HookEvent): ForeignLine | undefined {
  if (typeof tool !== "string") return undefined;
  const fields: Fields | undefined = inputOfCall(tool, input);
  const line = fields === undefined ? undefined : foreignTextOf(tool, fields);
  if (line === undefined) return undefined;
  const text = line
    .slice(0, longest)
    .replaceAll(/[`^]\r?\n/g, " ")
    .replaceAll(/[`^]/g, "")
    .replaceAll(joins, "")
    .replaceAll("\\", "/")
    .replaceAll(homes, "~");
  const tokens = text.split(between).filter((one) => one !== "");
  const folders = tokens.filter((_, at) => goes.test(tokens[at - 1] ?? ""));
  return { text, tokens, folders };
}

/** The paths that its words may mean, from where it runs and from where it goes. */
export const pathsNamed = ({ tokens, folders }: ForeignLine): string[] =>
  tokens
    .filter((token) => !token.startsWith("-") && /[./~\w]/.test(token))
    .flatMap((token) => [token, ...(/^[/~]/.test(token) ? [] : folders.map((folder) => `${folder}/${token}`))])
    .map((path) => path.replace(/(?<=.)\/\*?$/, ""));

/** What a person of this shell has run at each start. */
export const namesProfile = ({ text }: ForeignLine): boolean =>
  /\$PROFILE\b|_profile\.ps1\b|\/profile\.ps1\b/i.test(text);

const switches = /\bHOOKLINE_(?:DISABLE|HEADLESS|BIN|OFF)\w*/i;
const ownFiles =
  /\.local\/state\/hookline\b|\/node_modules\/hookline(?:\/|$)|\bhookline\.db\b|\bdaemon\.json\b|\bhttp-token\b|\/hookline\/(?:trust|start\.sh|client\.sh)\b/i;
const removes =
  /\b(?:npm|pnpm|yarn|bun|winget|choco|scoop)\b[^;|\n]*\b(?:uninstall|un|rm|remove|unlink|delete)\b[^;|\n]*\bhookline\b/i;
const ends = /^(?:stop-process|spps|kill|taskkill|pkill)(?:\.exe)?$/i;
const starters = /^(?:node|bun|deno|tsx|&|\.)(?:\.exe)?$/i;
/** Of the daemon, where none says another. */
const usualPort = 4665;

/** What the line would do to Hookline, as what follows "this would"; undefined: it names nothing of it. */
export function loosensByName(line: ForeignLine, cwd: string, own: OwnPlaces): string | undefined {
  const { text, tokens } = line;
  if (switches.test(text)) return "switch Hookline off, or what it asks";
  if (removes.test(text)) return "change or remove the installed Hookline";
  const daemon = own.daemon();
  const port = daemon?.port ?? usualPort;
  if (new RegExp(`(?:localhost|127\\.0\\.0\\.1|\\[?::1\\]?):${port}(?!\\d)(?!/(?:health|ready)\\b)`).test(text))
    return "speak to Hookline's daemon";
  if (tokens.some((one) => ends.test(one)) && tokens.some((one) => isDaemon(one, daemon)))
    return "stop the daemon of Hookline";
  for (const [at, token] of tokens.entries()) {
    const rest = tokens.slice(at + 1);
    const agent: AgentProgram | undefined = own.agent(token);
    if (agent && !agent.whenRun && bringsCode(agent, rest))
      return "bring code into an agent, or start it without its hooks";
    if (!isOwn(token, cwd, own)) continue;
    const first = rest[0]?.replace(/^[$@].*$/s, unknownText);
    const found = [[first ?? "", ...rest.slice(1)], ...rest.map((_, from) => rest.slice(from + 1))]
      .map((words) => loosensBy(words))
      .find((does) => does !== undefined);
    if (found !== undefined) return found;
  }
  const touched = pathsNamed(line).filter((path) => ownFiles.test(path) || own.kindOf(own.absolute(path, cwd) ?? path));
  const isStarted = (path: string): boolean =>
    isOwn(path, cwd, own) &&
    tokens.some((one, at) => one === path && (at === 0 || starters.test(tokens[at - 1] ?? "")));
  return touched.some((path) => !isStarted(path)) ? "touch Hookline's own files" : undefined;
}

const isDaemon = (token: string, daemon: ReturnType<OwnPlaces["daemon"]>): boolean =>
  /hookline/i.test(token) ||
  (daemon !== undefined && (token === String(daemon.pid) || /^node(?:\.exe)?$/i.test(token)));

/** By its name, which may be a pattern, or by the file that would run. */
function isOwn(token: string, cwd: string, own: OwnPlaces): boolean {
  const name = baseName(token).toLowerCase();
  if (/[*?]/.test(name) && /\w{2}/.test(name)) return compileNameGlob(name)("hookline");
  return /hookline|\/|\.[cm]?js$/i.test(token) && own.isProgram(token, cwd);
}

/** Of each command of git in such a line its words, the sub-command first. */
export const gitWordsIn = ({ text }: ForeignLine): string[][] =>
  text.split(/[;|&\n]+/).flatMap((one) => {
    const [program = "", ...words] = one.trim().split(/\s+/);
    return /^git(?:\.exe)?$/i.test(program) ? [words.map((word) => word.replaceAll(/['"]/g, ""))] : [];
  });
