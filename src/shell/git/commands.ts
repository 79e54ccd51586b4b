/** What git runs: aliases and settings are shell lines, and some sub-commands and options take one. */
import { baseName } from "../../engine/pattern.ts";
import { isUnknown } from "../expand.ts";
import { movedTo } from "../folders.ts";
import { madeOnPath } from "../made.ts";
import { linesOfRow, readOptions } from "../options.ts";
import { readOwnFiles } from "../own-files.ts";
import { programOf } from "../programs.ts";
import { type Call, type Command, cannotTell, folderOf, newShell, noteDoes, noteRuns, readLine } from "../shell.ts";
import { mayBeAlias } from "./names.ts";

/** Settings of git whose value never runs. Any other value is read as a shell line. */
const plainSettings =
  /^(user|author|committer|color|advice|commit|init|safe|push|pull|fetch|branch|log|status|format|http|url|transfer|protocol|rerere|rebase|column|i18n|gc|pack|index|tag|grep|blame|feature|submodule|remote|lfs)\.|^core\.(quotepath|autocrlf|eol|filemode|ignorecase|symlinks|abbrev|bare|compression|longpaths|safecrlf|whitespace|precomposeunicode|untrackedcache|preloadindex)$|^diff\.(renames|noprefix|mnemonicprefix|algorithm|context|colormoved|renamelimit)$|^merge\.(conflictstyle|ff|renames|renamelimit)$|^commit\.|^gpg\.format$/i;

/** Also records the command without the options before its sub-command. */
export function git(words: readonly string[], outer: Call): void {
  const { reading } = outer;
  const row = programOf("git");
  readOwnFiles(words, outer, (text) => readSettings(text, outer));
  const { given, rest, stops, fault } = readOptions(words, row);
  const folders = given.flatMap(({ name, value }) => (name === "C" ? [value] : []));
  const call = folders.reduce((moved: Call, folder) => movedTo(folder, moved), outer);
  if (fault !== undefined) noteRuns(reading, cannotTell(`git ${fault}`));
  // Its own commands lie there.
  const ownPath = given.find(({ name }) => name === "exec-path");
  if (ownPath) noteRuns(reading, cannotTell(`git --exec-path${ownPath.value && "="}${ownPath.value}`));
  if (stops || fault !== undefined || ownPath) return;
  if (given.some(({ name }) => name === "config-env")) noteRuns(reading, cannotTell("git --config-env"));
  const aliases = new Map<string, string>();
  for (const { name, value } of given) if (name === "c") gitSetting(value, aliases, call);
  const [command = "", ...operands] = rest;
  if (given.length > 0 && rest.length > 0) recordPlain(rest, call);
  const alias = aliases.get(`alias.${command}`.toLowerCase());
  if (alias?.startsWith("!")) readAlias(alias, operands, call);
  else if (alias !== undefined) reading.line(`git ${alias}`, shellOf(call), operands);
  else if (mayBeAlias(command)) ownAlias(command, operands, call);
  const own = `git-${command}`;
  if (madeOnPath(reading, own)) reading.command([own, ...operands], { ...call, direct: false });
  // Hooks that lie in the template run in the repository.
  const isTemplate = operands.some(
    (word, at) => /^--template=./.test(word) || (word === "--template" && operands[at + 1]),
  );
  if (/^(?:init|clone)$/.test(command) && isTemplate) noteRuns(reading, cannotTell(words.join(" ")));
  if (command === "config") configure(operands, call);
  if (command === "bisect" && operands[0] === "run") reading.command(operands.slice(1), { ...call, direct: false });
  if (command === "submodule" && operands.includes("foreach")) {
    // One word is a line of a shell; several are a program and its words, options too.
    const words = operands.slice(operands.indexOf("foreach") + 1);
    const first = words.findIndex((word) => !word.startsWith("-"));
    const script = first < 0 ? [] : words.slice(first);
    if (script.length > 1) reading.command(script, { ...call, direct: false });
    else readLine(script.join(" "), call);
  }
  const isRemote = ["clone", "fetch", "pull", "push", "ls-remote"].includes(command);
  if (isRemote && operands.some((word) => /^ext::/.test(word))) noteRuns(reading, cannotTell(words.join(" ")));
  if (command === "clone")
    for (const [index, word] of operands.entries()) {
      const setting = /^(?:-c|--config=|--config$)(.*)$/s.exec(word)?.[1];
      if (setting !== undefined) gitSetting(setting || (operands[index + 1] ?? ""), new Map(), call);
    }
  for (const line of linesOfRow([command, ...operands], row, command)) readLine(line, call);
}

/** Of the person or of the repository, as their files say. */
function ownAlias(name: string, operands: readonly string[], call: Call): void {
  const alias = call.reading.gitAlias(name, { folder: folderOf(call), home: call.reading.home });
  if (alias === undefined || alias === "" || baseName(alias.split(/\s+/)[0] ?? "") === name) return;
  if (alias.startsWith("!")) readAlias(alias, operands, call);
  else call.reading.line(`git ${alias}`, newShell(call), operands);
}

const shellOf = (call: Call): Call["shell"] => ({
  ...call.shell,
  variables: new Map(),
  ...(call.by === undefined ? {} : { by: call.by }),
});

function recordPlain(rest: readonly string[], call: Call): void {
  const { reading, shell, by } = call;
  const cwd = folderOf(call);
  const command: Command = { words: ["git", ...rest], input: call.from, given: call.given, redirects: [] };
  if (cwd !== undefined) command.cwd = cwd;
  if (by !== undefined) command.by = by;
  if (by !== undefined && reading.found[by]?.isPerhaps) command.isPerhaps = true;
  if (call.prints) shell.output.push(reading.found.length);
  reading.found.push(command);
}

/** Only what sets something: a value behind the name. */
function configure(operands: readonly string[], call: Call): void {
  const words = operands.filter((word) => !word.startsWith("-"));
  const [first, ...others] = words;
  const [name = "", value = ""] = first === "set" || first === "add" ? others : words;
  if (value !== "") gitSetting(`${name}=${value}`, new Map(), call);
}

/** @returns whether all of its lines could be read */
function readSettings(text: string, call: Call): boolean {
  let section = "";
  for (const line of text.split("\n")) {
    const [, name, own] = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]\s*$/.exec(line) ?? [];
    const [, key, value = ""] = /^\s*([\w-]+)\s*(?:=\s*(.*))?$/.exec(line) ?? [];
    if (name !== undefined) section = own === undefined ? name : `${name}.${own}`;
    else if (key !== undefined) gitSetting(`${section}.${key}=${value.replaceAll('"', "")}`, new Map(), call);
    else if (!/^\s*(?:[#;].*)?$/.test(line)) return false;
  }
  return true;
}

/** `-c alias.x=!program`, `-c core.pager=program`. */
function gitSetting(setting: string, aliases: Map<string, string>, call: Call): void {
  const { reading } = call;
  const equals = setting.indexOf("=");
  const name = equals < 0 ? setting : setting.slice(0, equals);
  const value = equals < 0 ? "" : setting.slice(equals + 1);
  if (isUnknown(name)) {
    noteRuns(reading, cannotTell(`git -c ${setting}`));
    return;
  }
  if (value !== "" && /^init\.templatedir$/i.test(name)) noteRuns(reading, cannotTell(`git -c ${setting}`));
  if (value === "" || plainSettings.test(name)) return;
  if (/^include/i.test(name)) {
    noteDoes(reading, "git", `cannot tell what \`git\` does by the settings of \`${value}\``);
    return;
  }
  if (isUnknown(value)) {
    noteRuns(reading, cannotTell(`git -c ${setting}`));
    return;
  }
  if (!/^alias\./i.test(name)) {
    readLine(value.replace(/^!/, ""), call);
    return;
  }
  aliases.set(name.toLowerCase(), value);
  if (value.startsWith("!")) readAlias(value, undefined, call);
  else readLine(`git ${value}`, call);
}

/** As git gives it to a shell. @param operands undefined: they are given when somebody calls it */
function readAlias(alias: string, operands: readonly string[] | undefined, call: Call): void {
  const line = alias.slice(1);
  if (!operands || operands.length === 0) readLine(line, call, { args: [] });
  if (operands?.length !== 0) readLine(`${line} "$@"`, call, operands ? { args: operands } : {});
}
