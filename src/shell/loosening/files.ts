/** Which words mean Hookline's own files, its program or its daemon, and what a program that is given them may do to these. */
import { baseName, unknownText } from "../../engine/command-pattern.ts";
import type { SimpleCommand } from "../../engine/effects.ts";
import type { OwnPlaces } from "../../engine/loosening.ts";
import { namesFound } from "../listers.ts";
import { between, isAsked, type Line, onlyUnknown, readsKey, sourcesOf, speaks, sweeping, touches } from "./line.ts";

/** Of a word, or of a path in code or behind an option. */
const pathsIn = (text: string): string[] =>
  [...text.split(between), ...text.split(/[\s'"`;|&()<>,[\]{}]+/)].filter(
    (one) => one.length < longestPath && /[/~]|^hookline\.db|^daemon\./.test(one),
  );
const longestPath = 4096;

/** By the names alone, where the line does not tell the folder. */
const ownNames =
  /(?:^|[/\0])hookline\/(?:hookline\.db|[\w.-]*daemon\.(?:json|sock|lock|address|mark)|trust|http-token|start\.sh|gone\.sh|client\.sh|hookline-client|guarded|cleared)(?:$|[-/])|\.local.{1,9}state.{1,9}hookline|hookline\.db\b/;
const keyNames = /hookline\/(?:[\w.-]*daemon\.json|http-token)$/;
const packageNames = /\0\/(?:bin\/|[\w./-]*node_modules\/)?hookline(?:$|\/(?:bin|dist|package\.json)?)/;
/** What lies around it, where another program has said where packages lie: `$(npm prefix -g)/lib/node_modules`. */
const aroundNames = /^\/\0\/(?:lib|bin|(?:lib\/)?node_modules)(?:\/\*?)?$/;

export const kindByName = (word: string): "key" | "state" | "package" | undefined =>
  keyNames.test(word) ? "key" : ownNames.test(word) ? "state" : packageNames.test(word) ? "package" : undefined;

export function kindOfWord(word: string, cwd: string | undefined, own: OwnPlaces): ReturnType<OwnPlaces["kindOf"]> {
  const plain = word.replace(/^file:\/\//, "");
  if (/^[a-z][\w+.-]*:\/\//i.test(plain)) return undefined;
  // Of a name in a known folder, a part is a pattern.
  const path = partlyTold.test(plain) ? plain.replaceAll(unknownParts, "*") : plain;
  const at = own.absolute(path.replace(/^@/, ""), cwd);
  return at === undefined ? kindByName(plain) : (own.kindOf(at) ?? kindByName(plain) ?? kindByName(at));
}

const unknownParts = new RegExp(`${unknownText}+`, "g");
const partlyTold = new RegExp(`^[^${unknownText}]*[^/${unknownText}]${unknownText}+[^/${unknownText}]*$`);

/** A word of the program's own kind; each lookup on the disk costs. */
export const mayBeOwn = (token: string): boolean =>
  /hookline|\/|\.[cm]?[jt]s$/i.test(token) &&
  (!/^[a-z][\w+.-]*:\/\//.test(token) || /\/hookline[^/]*\.(?:tgz|git|tar\.gz)(?:#|$)/i.test(token));

/** Routes that tell nothing are free. */
export function speaksToDaemon(text: string, own: OwnPlaces): boolean {
  if (/hookline\/[\w.-]*daemon\.sock/.test(text)) return true;
  const port = own.daemon()?.port ?? usualPort;
  const found = new RegExp(
    `(?:localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[?::1\\]?|0\\.0\\.0\\.0|/dev/tcp/[\\w.]+)[:/]${port}(?![\\d])(/[\\w/]*)?`,
  ).exec(text);
  return found !== null && !/^\/(?:health|ready|docs\b.*|)$/.test(found[1] ?? "/");
}
const usualPort = 4665;

export function byFiles(texts: readonly string[], command: SimpleCommand, line: Line): string | undefined {
  const { cwd, words } = command;
  const { own, isDeveloped, workspace } = line;
  const name = baseName(words[0] ?? "");
  const isNear = cwd !== undefined && own.isAround(cwd, workspace);
  const isFree = (kind: ReturnType<OwnPlaces["kindOf"]>): boolean =>
    kind === "package" && (isDeveloped || copiesFrom(command, own));
  const findsNone = /^(?:g?find|fd|fdfind)$/.test(name) && !mayFind(command, own);
  for (const [index, text] of texts.entries()) {
    if (text === "") continue;
    if (speaksToDaemon(text, own)) return speaks;
    if (/hookline\.db|daemon\.sock/.test(text) && kindByName(text) === "state") return touches;
    for (const path of isNear ? [text, ...pathsIn(text)] : pathsIn(text)) {
      const kind = kindOfWord(path, cwd, own);
      if (kind === "key") return readsKey;
      if (kind !== undefined && !isFree(kind) && !(path === text && isStarted(texts, index))) return touches;
      if (!sweeping.has(name) || findsNone) continue;
      const at = own.absolute(path, cwd);
      if (at === undefined ? aroundNames.test(path) : own.isAround(at, workspace)) return touches;
    }
  }
  const isThere = cwd !== undefined && cwd !== workspace && own.kindOf(cwd);
  if (isThere && !isDeveloped && !/^(?:npm|npx|pnpm|node|make)$/.test(name)) return touches;
  return asksWhere(command, line) ? touches : undefined;
}

/** `node CLI list`: what its arguments do was looked at. Behind a script of another, it is a file that this one is given. */
const isStarted = (words: readonly string[], at: number): boolean =>
  /(?:^|\/)(?:hookline(?:-client)?|hookline\.[cm]?js|launch\.sh|start\.sh|client\.sh|main\.(?:js|ts))$/.test(
    words[at] ?? "",
  ) &&
  starters.test(baseName(words[0] ?? "")) &&
  words.slice(1, at).every((word, index) => /^-|^(?:run|exec|x)$/.test(word) || /^-/.test(words[index] ?? ""));
const starters =
  /^(?:node|nodejs|bun|bunx|deno|tsx|ts-node|npx|(?:ba|z|da|k|a)?sh|fish|\.|source|exec|command|env|nohup|time|sudo)$/;

/** A search by names that none of Hookline's files has, and no folder around them, finds none of these. */
function mayFind({ words }: SimpleCommand, own: OwnPlaces): boolean {
  const names = namesFound(words.slice(1));
  return names.length === 0 || names.some(({ path }) => path.includes("/") || own.isName(baseName(path)));
}

/** A file of the package may be copied, as a pack of rules is. */
function copiesFrom({ words, cwd }: SimpleCommand, own: OwnPlaces): boolean {
  if (!/^(?:cp|scp|rsync)$/.test(baseName(words[0] ?? ""))) return false;
  const target = words.at(-1) ?? "";
  return words.length > 2 && kindOfWord(target, cwd, own) === undefined;
}

/** `chmod -x $(which hookline)`, `rm -rf $(npm root -g)/hookline`, `readlink … | xargs rm`: where it lies is asked, and then it is changed. */
function asksWhere(command: SimpleCommand, line: Line): boolean {
  const name = baseName(command.words[0] ?? "");
  const isSwept = sweeping.has(name) && sourcesOf(command, line).some(({ words }) => asksGlobal(words));
  if (isSwept && command.words.some((word) => onlyUnknown.test(word))) return true;
  if (/^(?:node|bun|deno|tsx|npx|sh|bash|zsh|dash|exec|env)$/.test(name)) return false;
  return isAsked(command, line, /(?:^|\/|\*)hookline(?:\*|\.js|\.db)?$/i);
}

/** `npm root -g`: the folder of all packages of the person, Hookline among them. */
const asksGlobal = (words: readonly string[]): boolean =>
  /^(?:npm|pnpm|yarn|bun)$/.test(baseName(words[0] ?? "")) &&
  words.some((word) => /^(?:root|prefix|bin|dir)$/.test(word)) &&
  words.some((word) => /^(?:-g|--global|--location=global|global|get)$/.test(word));
