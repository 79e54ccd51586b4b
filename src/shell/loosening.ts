/**
 * What a line would do to Hookline itself: loosen it by a command of its own, through whatever runs that, or touch its store, token,
 * socket, launcher or package by any program (R92). Programs that only look are free.
 */
import { baseName, type Spelling, unknownText } from "../engine/command-pattern.ts";
import type { ShellReading, SimpleCommand } from "../engine/effects.ts";
import { bringsCode, loosensBy, type OwnPlaces } from "../engine/loosening.ts";
import { writtenBy } from "./effects/written.ts";
import { listed, namesFound } from "./listers.ts";
import { onlyLooks } from "./lookers.ts";
import { gathers, readsBelow, readsListed } from "./reads-key.ts";

interface Line {
  reading: ShellReading;
  spell(words: readonly string[]): Spelling;
  own: OwnPlaces;
  /** The folder that the agent works in. */
  workspace: string;
  /** Who works on Hookline itself may change its files. */
  isDeveloped: boolean;
}

const bringsIn = "bring code into an agent, or start it without its hooks";

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** To these a bare name is that of a package, an image or a service, unless one of `runsNamed` stands before it. */
const namers = set(
  "npm pnpm yarn bun docker podman nerdctl kubectl helm systemctl service launchctl gh glab brew apt apt-get dnf pip pipx cargo go " +
    "terraform aws gcloud az psql createdb dropdb make code cursor docker-compose pm2",
);
const runsNamed = set("exec dlx x -- npx bunx run -c -e --call");

/** What this line would do to Hookline, as what follows "this would"; undefined: nothing. */
export function loosensIn(
  reading: ShellReading,
  { own, workspace, spell }: Pick<Line, "own" | "workspace" | "spell">,
): string | undefined {
  const isDeveloped = own.kindOf(workspace) === "package" && !workspace.includes("/node_modules/");
  const line: Line = { reading, own, workspace, isDeveloped, spell };
  const runs = new Set(reading.commands.filter(({ isPerhaps }) => !isPerhaps).map(({ by }) => by));
  for (const [index, command] of reading.commands.entries()) {
    const found =
      byRedirect(command, line) ??
      byWriting(command, line) ??
      (onlyLooks(command) ? byLooking(command, line) : byActing(command, !runs.has(index), line)) ??
      byNamed(command, !runs.has(index), line);
    if (found !== undefined) return found;
  }
  return undefined;
}

function byRedirect({ redirects, cwd }: SimpleCommand, { own, isDeveloped, workspace }: Line): string | undefined {
  for (const { path, how } of redirects) {
    const at = own.absolute(path, cwd);
    const kind = at === undefined ? kindByName(path) : own.kindOf(at);
    if (kind === "key") return readsKey;
    if (how !== "reads" && kind !== undefined && !(kind === "package" && isDeveloped)) return changes;
    if (how !== "reads" && isNode(path, cwd, workspace)) return takes;
    if (speaksToDaemon(path, own)) return speaks;
  }
  return undefined;
}

/** What it writes, removes or replaces by its own words, whatever else it does: `tee`, `sed -i`, `cp x y`. */
function byWriting(command: SimpleCommand, { own, isDeveloped, workspace, spell }: Line): string | undefined {
  const { cwd } = command;
  for (const { path, trees, patch, isName } of writtenBy(command, { isCautious: false, spell })) {
    if (trees || patch || isName) continue;
    const kind = kindOfWord(path, cwd, own);
    if (kind !== undefined && !(kind === "package" && isDeveloped)) return changes;
    if (isNode(path, cwd, workspace)) return takes;
  }
  return undefined;
}

/** Words that another command of the line tells, in a pipe or a substitution: `node $(locate hookline.js | head -1) pause`. */
function byNamed(command: SimpleCommand, isLast: boolean, line: Line): string | undefined {
  const { words, by, given } = command;
  const runner = by === undefined ? undefined : line.reading.commands[by];
  const isFed = runner !== undefined && /^(?:xargs|parallel)$/.test(baseName(runner.words[0] ?? ""));
  const isOpen = words.some((word, at) => at > 0 && onlyUnknown.test(word));
  if ((!isFed && !isOpen) || onlyLooks(command)) return undefined;
  const names = sourcesOf({ given, input: isFed ? runner.input : [] }, line).flatMap((one) =>
    namesGiven(one, line.own),
  );
  for (const name of [...new Set(names)].slice(0, mostNames)) {
    const meant = isOpen ? words.map((word) => (onlyUnknown.test(word) ? name : word)) : [...words, name];
    const one = { ...command, words: meant };
    const found = byWriting(one, line) ?? byActing(one, isLast, line);
    if (found !== undefined) return found;
  }
  return undefined;
}
const mostNames = 8;
const onlyUnknown = new RegExp(`^${unknownText}+$`);

/** Files that a command names for another one. A search by name names no folder. */
function namesGiven(source: SimpleCommand, own: OwnPlaces): string[] {
  const { words, cwd } = source;
  const all = listed(source);
  const isByName = all.some(({ isName }) => isName);
  const files = all.flatMap(({ path, isName }) => (isByName || isName ? [] : (own.absolute(path, cwd) ?? path)));
  const programs = locators.has(baseName(words[0] ?? "")) || baseName(words[0] ?? "") === "cat" ? words.slice(1) : [];
  return [
    ...files,
    ...programs.flatMap((word) => (mayBeOwn(word) && own.isProgram(word, cwd) ? `/${unknownText}/hookline` : [])),
  ];
}

const readsKey = "read the key to Hookline's daemon";
const changes = "change Hookline's own files";
const touches = "touch Hookline's own files";
const speaks = "speak to Hookline's daemon";
const removes = "change or remove the installed Hookline";
const stops = "stop the daemon of Hookline";
const takes = "take away the Node that Hookline runs with";

function byLooking(command: SimpleCommand, line: Line): string | undefined {
  const { words, cwd } = command;
  const { own } = line;
  const isPrinted = /^(?:echo|printf|print|git|which|type|command|test|\[|basename|dirname)$/.test(
    baseName(words[0] ?? ""),
  );
  if (isPrinted) return undefined;
  if (words.slice(1).some((word) => kindOfWord(word, cwd, own) === "key")) return readsKey;
  return readsBelow(command, own) || readsListed(command, line) ? readsKey : undefined;
}

function byActing(command: SimpleCommand, isLast: boolean, line: Line): string | undefined {
  const { words, cwd, text } = command;
  const { own } = line;
  const name = baseName(words[0] ?? "");
  const agent = own.agent(words[0] ?? "");
  if (agent) return bringsCode(agent, words.slice(1)) ? bringsIn : undefined;
  const direct = own.isProgram(words[0] ?? "", cwd);
  if (direct) return byOwn(words.slice(1), command, line);
  if (!isLast) return byFiles(ownWordsOf(command, line), command, line);
  if (takesNode(command, line)) return takes;
  const texts = [...words, text ?? "", ...fed(command, line)];
  return (
    byTokens(texts, command, line) ??
    byService(name, texts, line) ??
    byGathering(command, own) ??
    byFiles(texts, command, line) ??
    (readsListed(command, line) ? readsKey : undefined)
  );
}

/** What runs another command is judged by that one, but for the words that are its own. */
function ownWordsOf(command: SimpleCommand, { reading }: Line): string[] {
  const index = reading.commands.indexOf(command);
  const inner = new Set(
    reading.commands.flatMap(({ by, words, isPerhaps }) => (by === index && !isPerhaps ? words : [])),
  );
  return command.words.filter((word) => !inner.has(word) && !/\s/.test(word));
}

/** Arguments that come from elsewhere can be any. */
function byOwn(rest: readonly string[], { by }: SimpleCommand, { reading }: Line): string | undefined {
  const runner = by === undefined ? "" : baseName(reading.commands[by]?.words[0] ?? "");
  const isFed = /^(?:xargs|parallel)$/.test(runner) && !rest.some((word) => /^[a-z]/.test(word));
  return loosensBy(isFed ? [unknownText] : rest);
}

/** What other commands of the line print for it. */
function fed({ input, given }: SimpleCommand, { reading }: Line): string[] {
  return [...input, ...given].flatMap((index) => {
    const { words = [], text } = reading.commands[index] ?? {};
    // The place that they print stands among the command's own words.
    if (given.includes(index) && saysPlace.test(baseName(words[0] ?? ""))) return [];
    return text === undefined ? words : [...words, text];
  });
}

const saysPlace = /^(?:which|command|type|whence|readlink|realpath|dirname|basename|npm|pnpm|yarn|bun)$/;

/** Between words of code and of lines. What only the shell knows is a part of its word. */
const between = /[\s'"`;|&()<>,=[\]{}\\]+/;

/** Hookline anywhere among the words, with what would be its arguments behind it: `script -qec '…'`, `python -c '…'`, `npx`. */
function byTokens(texts: readonly string[], { words, cwd }: SimpleCommand, { own }: Line): string | undefined {
  const isNamer = namers.has(baseName(words[0] ?? ""));
  for (const [at, text] of texts.entries()) {
    const tokens = [...text.split(between), ...texts.slice(at + 1).flatMap((one) => one.split(between))].filter(
      (one) => one !== "",
    );
    const ownTokens = text.split(between).filter((one) => one !== "").length;
    for (let index = 0; index < ownTokens; index++) {
      const token = tokens[index] ?? "";
      const agent = own.agent(token);
      if (!agent && (!mayBeOwn(token) || !own.isProgram(token, cwd))) continue;
      const before = index > 0 ? tokens[index - 1] : texts[at - 1];
      if (agent?.whenRun && !runsPackage.test(before ?? "")) continue;
      if (isNamer && !token.includes("/") && !texts.slice(0, at).some((one) => runsNamed.has(one)) && ownTokens === 1)
        continue;
      if (before !== undefined && /^--?(?:name|filter|grep|workspace|w|F|project|image|tag|t|m|message)$/.test(before))
        continue;
      if (agent && !names.test(baseName(words[0] ?? "")) && bringsCode(agent, sameLine(text, tokens, index)))
        return bringsIn;
      const rest = tokens.slice(index + 1);
      // What is loaded before a program takes that program's words for its own, wherever they stand.
      const starts = before !== undefined && preloads.test(before) ? rest.map((_, from) => rest.slice(from)) : [rest];
      const found = agent
        ? undefined
        : starts.map((one) => loosensBy(behind(one, cwd, own))).find((does) => does !== undefined);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** What stands behind an agent's program up to the end of its own line: `--help` of the next one is none of its words. */
function sameLine(text: string, tokens: readonly string[], index: number): string[] {
  let seen = 0;
  for (const line of text.split(/[;&|\n]+/)) {
    seen += line.split(between).filter((one) => one !== "").length;
    if (seen > index) return tokens.slice(index + 1, line === text ? undefined : seen);
  }
  return tokens.slice(index + 1);
}

/** What stands before the name of a package that is run. */
const runsPackage = /^(?:npx|bunx|pnpx|uvx|dlx|x|exec|-y|--yes|--|env|nohup|command)$/;

/** Of Node and its like. */
const preloads = /^(?:--import|--require|--loader|--experimental-loader|--preload|-r)$/;

/** They speak of programs, and start none of these. */
const names = /^(?:git|gh|glab|npm|pnpm|yarn|pip|pip3|pipx|brew|apt|apt-get|cargo|curl|wget)$/;

/** A word of the program's own kind; each lookup on the disk costs. */
const mayBeOwn = (token: string): boolean =>
  /hookline|\/|\.[cm]?[jt]s$/i.test(token) &&
  (!/^[a-z][\w+.-]*:\/\//.test(token) || /\/hookline[^/]*\.(?:tgz|git|tar\.gz)(?:#|$)/i.test(token));

/** `npx --package hookline -- hookline pause`. */
function behind(tokens: readonly string[], cwd: string | undefined, own: OwnPlaces): readonly string[] {
  const next = tokens.findIndex((token) => token !== "--");
  const token = tokens[next] ?? "";
  return next >= 0 && mayBeOwn(token) && own.isProgram(token, cwd)
    ? behind(tokens.slice(next + 1), cwd, own)
    : tokens.slice(Math.max(next, 0));
}

const managers = /^(?:npm|pnpm|yarn|bun|brew|apt|apt-get|dnf|pacman|pip|pipx|volta|asdf|mise|nix-env|cnpm|corepack)$/;
const removing = /^(?:un|uninstall|unlink|remove|rm|r|purge|delete|link|rebuild|autoremove|-R|-Rs|-e)$/;
const replacing = /^(?:i|in|install|add|update|up|upgrade|ci)$/;
const isPackage = (word: string): boolean => /^(?:npm:)?hookline(?:@.*)?$/i.test(word);
/** Of another origin than the registry: an archive, a folder, an address, another package under its name. */
const isOtherPackage = (word: string): boolean =>
  /(?:^|[/:])hookline(?:-\d[\w.+-]*)?\.(?:tgz|tar\.gz|git)(?:#.*)?$|^hookline@(?:file|npm|git|https?|link|github)\b.*|^(?:file|link|github):.*\/hookline$/i.test(
    word,
  );

function byService(name: string, texts: readonly string[], { own, workspace }: Line): string | undefined {
  const words = texts.slice(1);
  // A folder that holds another Hookline takes the place of the installed one.
  const isInstalling =
    managers.test(name) && words.some((word) => /^(?:-g|--global|--location=global|global|link)$/.test(word));
  if (isInstalling && words.some((word) => /^[./~]/.test(word) && own.isProgram(`${word}/bin/any`, workspace)))
    return removes;
  if (managers.test(name) && words.some(isOtherPackage) && words.some((word) => replacing.test(word))) return removes;
  if (managers.test(name) && words.some(isPackage)) {
    const isGlobal = words.some((word) => /^(?:-g|--global|--location=global|global)$/.test(word)) || name === "volta";
    if (words.some((word) => removing.test(word)) || (isGlobal && words.some((word) => replacing.test(word))))
      return removes;
  }
  if (/^(?:systemctl|service|launchctl|pm2|sv|rc-service)$/.test(name) && words.some((word) => /hookline/i.test(word)))
    return words.some((word) => /^(?:status|show|list|list-units|is-active|cat|print|start|enable|restart)$/.test(word))
      ? undefined
      : stops;
  if (/^(?:kill|pkill|killall|killall5|fuser|skill|tskill|xkill)$/.test(name)) {
    const daemon = own.daemon();
    const means = (word: string): boolean =>
      /hookline/i.test(word) ||
      (daemon !== undefined &&
        (word === String(daemon.pid) ||
          word === `-${daemon.pid}` ||
          (/^node(?:js)?$/.test(word) && name !== "kill"))) ||
      (daemon?.port !== undefined && new RegExp(`^:?${daemon.port}(?:/tcp)?$`).test(word));
    if (words.some((word) => word.split(between).some(means))) return stops;
    if (daemon?.port !== undefined && words.some((word) => word.includes(`:${daemon.port}`))) return stops;
  }
  return undefined;
}

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

const kindByName = (word: string): "key" | "state" | "package" | undefined =>
  keyNames.test(word) ? "key" : ownNames.test(word) ? "state" : packageNames.test(word) ? "package" : undefined;

function kindOfWord(word: string, cwd: string | undefined, own: OwnPlaces): ReturnType<OwnPlaces["kindOf"]> {
  const plain = word.replace(/^file:\/\//, "");
  if (/^[a-z][\w+.-]*:\/\//i.test(plain)) return undefined;
  // Of a name in a known folder, a part is a pattern.
  const path = partlyTold.test(plain) ? plain.replaceAll(unknownParts, "*") : plain;
  const at = own.absolute(path.replace(/^@/, ""), cwd);
  return at === undefined ? kindByName(plain) : (own.kindOf(at) ?? kindByName(plain) ?? kindByName(at));
}

const unknownParts = new RegExp(`${unknownText}+`, "g");
const partlyTold = new RegExp(`^[^${unknownText}]*[^/${unknownText}]${unknownText}+[^/${unknownText}]*$`);

function byGathering(command: SimpleCommand, own: OwnPlaces): string | undefined {
  const found = gathers(command, own);
  return found && { reads: readsKey, replaces: touches }[found];
}

/** Programs whose operand means all that is below it. */
const sweeping = set(
  "rm mv chmod chown chgrp chattr setfacl rsync shred find fd unlink rmdir ln mount umount bindfs trash trash-put",
);

function byFiles(texts: readonly string[], command: SimpleCommand, line: Line): string | undefined {
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

const locators = set("which command type whereis readlink realpath whence where locate find fd pgrep pidof ps");

const isAsked = (command: SimpleCommand, line: Line, named: RegExp): boolean =>
  sourcesOf(command, line).some(
    ({ words }) => locators.has(baseName(words[0] ?? "")) && words.some((word) => named.test(word)),
  );

/** The commands whose output stands in its words or is given to it, through others: `dirname $(readlink -f $(which x))`. */
function sourcesOf(command: Pick<SimpleCommand, "given" | "input">, { reading }: Line): SimpleCommand[] {
  const found = new Set<SimpleCommand>();
  const open: Pick<SimpleCommand, "given" | "input">[] = [command];
  for (let one = open.pop(); one !== undefined && found.size < mostSources; one = open.pop())
    for (const index of [...one.given, ...one.input]) {
      const source = reading.commands[index];
      if (source === undefined || found.has(source)) continue;
      found.add(source);
      open.push(source);
    }
  return [...found];
}
const mostSources = 50;

/** `npm root -g`: the folder of all packages of the person, Hookline among them. */
const asksGlobal = (words: readonly string[]): boolean =>
  /^(?:npm|pnpm|yarn|bun)$/.test(baseName(words[0] ?? "")) &&
  words.some((word) => /^(?:root|prefix|bin|dir)$/.test(word)) &&
  words.some((word) => /^(?:-g|--global|--location=global|global|get)$/.test(word));
const versionManagers = /^(?:nvm|fnm|n|nodenv|nvs|volta|asdf|mise|brew|apt|apt-get|dnf|pacman)$/;

/** Without the Node that it runs with, Hookline cannot be started. */
function takesNode(command: SimpleCommand, line: Line): boolean {
  const [program = "", ...words] = command.words;
  const name = baseName(program);
  if (/^(?:nvm|fnm|n|nodenv|nvs)$/.test(name)) return words.some((word) => removing.test(word));
  if (versionManagers.test(name))
    return words.some((word) => removing.test(word)) && words.some((word) => /^node(?:js)?(?:@.*)?$/.test(word));
  if (!sweeping.has(name) || name === "find" || name === "fd") return false;
  return words.some((word) => nodeNames.test(word)) || isAsked(command, line, /^node(?:js)?$/);
}
const nodeNames = new RegExp(`(?:^|/)bin/node(?:js)?$|^/${unknownText}/node(?:js)?$`);

/** What is written there is another program from then on. A project may have one of its own. */
function isNode(path: string, cwd: string | undefined, workspace: string): boolean {
  if (!nodeNames.test(path) && !(/^node(?:js)?$/.test(path) && /\/bin$/.test(cwd ?? ""))) return false;
  return (path.startsWith("/") || path.startsWith("~") || cwd !== workspace) && !path.startsWith(`${workspace}/`);
}

/** Routes that tell nothing are free. */
function speaksToDaemon(text: string, own: OwnPlaces): boolean {
  if (/hookline\/[\w.-]*daemon\.sock/.test(text)) return true;
  const port = own.daemon()?.port ?? usualPort;
  const found = new RegExp(
    `(?:localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[?::1\\]?|0\\.0\\.0\\.0|/dev/tcp/[\\w.]+)[:/]${port}(?![\\d])(/[\\w/]*)?`,
  ).exec(text);
  return found !== null && !/^\/(?:health|ready|docs\b.*|)$/.test(found[1] ?? "/");
}
const usualPort = 4665;
