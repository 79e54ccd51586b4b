/**
 * What a line would do to Hookline itself: loosen it by a command of its own, through whatever runs that, or touch its store, token,
 * socket, launcher or package by any program (R92). Programs that only look are free.
 */
import { baseName, unknownText } from "../../engine/command-pattern.ts";
import type { ShellReading, SimpleCommand } from "../../engine/effects.ts";
import { bringsCode, loosensBy, type OwnPlaces } from "../../engine/loosening.ts";
import { writtenBy } from "../effects/written.ts";
import { listed } from "../listers.ts";
import { onlyLooks } from "../lookers.ts";
import { byFiles, kindByName, kindOfWord, mayBeOwn, speaksToDaemon } from "./files.ts";
import {
  between,
  bringsIn,
  changes,
  type Line,
  locators,
  onlyUnknown,
  readsKey,
  set,
  sourcesOf,
  speaks,
  takes,
  touches,
} from "./line.ts";
import { gathers, readsBelow, readsListed } from "./reads-key.ts";
import { byService, isNode, takesNode } from "./services.ts";

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

/** `npx --package hookline -- hookline pause`. */
function behind(tokens: readonly string[], cwd: string | undefined, own: OwnPlaces): readonly string[] {
  const next = tokens.findIndex((token) => token !== "--");
  const token = tokens[next] ?? "";
  return next >= 0 && mayBeOwn(token) && own.isProgram(token, cwd)
    ? behind(tokens.slice(next + 1), cwd, own)
    : tokens.slice(Math.max(next, 0));
}

function byGathering(command: SimpleCommand, own: OwnPlaces): string | undefined {
  const found = gathers(command, own);
  return found && { reads: readsKey, replaces: touches }[found];
}
