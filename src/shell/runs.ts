/** What a simple command runs besides itself: functions, files that the line made, wrappers, shells. A table by program. */
import { baseName } from "../engine/pattern.ts";
import { builtins } from "./builtins.ts";
import { carriers } from "./carriers.ts";
import { codePrograms, readCode, runEditor, runInterpreter } from "./code.ts";
import { elsewhere } from "./elsewhere.ts";
import { isGlob, isUnknown, mayVanish } from "./expand.ts";
import { git } from "./git/commands.ts";
import { readInner } from "./inner-lines.ts";
import { type Made, madeAt, madeOnPath, noteFiles } from "./made.ts";
import { linesOfRow } from "./options.ts";
import { readAutomation } from "./own-automations.ts";
import { readOwnFiles } from "./own-files.ts";
import { lookThrough } from "./perhaps.ts";
import { nameOf, programOf } from "./programs.ts";
import {
  type Body,
  type Call,
  type Command,
  cannotTell,
  checkText,
  folderOf,
  noteRuns,
  readLine,
  type Shell,
} from "./shell.ts";
import { countWork, giveUp } from "./tree.ts";
import { runShell, runWrapped } from "./wrappers.ts";

const deepest = 24;

/** Records the command, and whatever it runs in turn. */
export function run(words: readonly string[], call: Call): void {
  const { reading } = call;
  const [program] = words;
  if (program === undefined) return;
  if (call.depth > deepest) giveUp();
  countWork(reading, words.length >> 3);
  const base = baseName(program);
  const inner: Call = { ...call, by: record(words, call), redirects: [], depth: call.depth + 1 };
  // A folder may be unknown, a name may not; and a pattern could mean any program.
  if (base === "" || isUnknown(base) || mayVanish(program) || isGlob(program)) {
    noteRuns(reading, cannotTell(call.source));
    if (call.direct) call.shell.variables.clear();
    return;
  }
  if (call.direct && !call.bare && runNamed(words, inner)) return;
  const made = program.includes("/") ? madeAt(reading, program, call) : madeOnPath(reading, program);
  if (made) runMade(made, words, inner);
  else act(words, inner);
}

function record(words: readonly string[], call: Call): number {
  const { reading, shell, input, by } = call;
  const cwd = folderOf(call);
  const command: Command = {
    words,
    input: input === "file" ? [] : call.from,
    given: call.given,
    redirects: call.redirects,
  };
  if (cwd !== undefined) command.cwd = cwd;
  if (by !== undefined) command.by = by;
  if (typeof input === "object") command.text = input.text;
  if (call.isPerhaps || (by !== undefined && reading.found[by]?.isPerhaps)) command.isPerhaps = true;
  const index = reading.found.length;
  reading.found.push(command);
  if (call.prints) shell.output.push(index);
  return index;
}

/** An alias, or a function of the line. @returns whether that is all that runs */
function runNamed(words: readonly string[], call: Call): boolean {
  const { reading, shell } = call;
  const program = words[0] ?? "";
  const alias = reading.aliases.get(program);
  if (alias === undefined && !shell.functions.has(program)) return false;
  const rest = words.slice(1);
  // Shells that run a text expand no alias unless they are told to: the program itself may run as well.
  if (alias !== undefined && !shell.calls.includes(`alias ${program}`))
    reading.line(alias, shellFor(call, `alias ${program}`), rest);
  // Behind an alias that ends in a blank the next word is looked up, too.
  if (alias !== undefined && /\s$/.test(alias) && reading.aliases.has(rest[0] ?? ""))
    noteRuns(reading, cannotTell(words.join(" ")));
  const body = shell.functions.get(program);
  if (body === undefined) return false;
  for (const word of rest) checkText(word, reading);
  const at = shell.calls.indexOf(program);
  if (body === "unsure") noteRuns(reading, cannotTell(program));
  else if (at >= 0) {
    reading.forks ||= shell.forkedAt > at;
    runAgain(body, program, call);
  } else {
    const within = shellFor(call, program);
    within.variables = new Map(shell.variables);
    if (rest.some(mayVanish)) within.variables.delete("@");
    else within.variables.set("@", rest);
    reading.body(body, within);
  }
  return true;
}

/** A function that calls itself may give itself other arguments each time. */
function runAgain(body: Exclude<Body, "unsure">, program: string, call: Call): void {
  const sign = `${program} again`;
  if (call.shell.calls.includes(sign)) return;
  const within = shellFor(call, sign);
  within.variables = new Map(call.shell.variables);
  within.variables.delete("@");
  call.reading.body(body, within);
}

/** The same shell, as a text or a function in it sees it. */
function shellFor(call: Call, name: string): Shell {
  const { shell, input, from, by, prints } = call;
  return {
    ...shell,
    input,
    from,
    calls: [...shell.calls, name],
    ...(by === undefined ? {} : { by }),
    ...(prints ? {} : { output: [] }),
  };
}

/** Systems read no more of it. */
const longestShebang = 250;

function runMade({ path, holds }: Made, words: readonly string[], call: Call): void {
  const { reading } = call;
  if (holds.is === "copy") {
    reading.command([holds.from, ...words.slice(1)], { ...call, direct: false, source: holds.from });
    return;
  }
  if (holds.is === "unknown") {
    noteRuns(reading, cannotTell(path));
    return;
  }
  const [, interpreter = "sh"] =
    /^#!\s*\S*?(?:\/env\s+(?:-S\s+)?)?([\w.+-]+)(?:\s|$)/.exec(holds.text.slice(0, longestShebang)) ?? [];
  const name = nameOf(interpreter);
  if (programOf(interpreter).isShell)
    readLine(holds.text, call, { args: words.slice(1), isBash: interpreter === "bash" });
  else if (programOf(name).code) readCode(holds.text, name, call);
  else noteRuns(reading, cannotTell(path));
}

function act(words: readonly string[], call: Call): void {
  const base = baseName(words[0] ?? "");
  noteFiles(words, call);
  if (base !== "git") readOwnFiles(words, call);
  const row = programOf(base);
  const own = ways.get(base);
  const code = own ? undefined : (row.code ?? programOf(nameOf(base)).code);
  if (own) own(words, call);
  else if (row.isShell) runShell(words, call);
  else if (row.wraps) runWrapped(words, row, call);
  else if (code) runInterpreter(words, code, call);
  else if (row.isEditor) runEditor(words, call);
  else if (row.isOpaque || /^ld(-linux.*|-musl.*)?\.so/.test(base)) runOpaque(words, call);
  else if (/^git-(?!shell$)[a-z]/.test(base))
    call.reading.command(["git", base.slice(4), ...words.slice(1)], { ...call, direct: false });
  else if (gnuName.test(base)) call.reading.command([base.slice(1), ...words.slice(1)], { ...call, direct: false });
  else if (words.length > 1) lookThrough(words, call, call.reading.runsOthers.has(base));
  if (base === "bun" && words[1] === "x") call.reading.command(words.slice(2), { ...call, direct: false });
  readInner(words, call);
  // Where all options of what runs others are known, they were read above.
  if (!row.wraps || row.isPartly) for (const line of linesOfRow(words, row)) readLine(line, call);
}

/** Programs of GNU as they are called where others have the plain name. */
const gnuName =
  /^g(?:env|timeout|nice|nohup|stdbuf|time|chroot|kill|rm|rmdir|unlink|mv|cp|dd|ln|chmod|chown|chgrp|shred|truncate|tee|install|mkdir|touch|split|sort|tar|cat|head|tail)$/;

/** Sub-commands of such programs that run nothing of ours. */
const looksOnly: { readonly [program: string]: RegExp } = {
  nix: /^(flake|build|eval|search|store|path-info|fmt|log|why-depends|hash|derivation|registry|config|doctor)$/,
  sg: /^(scan|test|new|lsp|completions)$/, // ast-grep has the name, too
};

/** Which of its words is a program nobody here knows. */
function runOpaque(words: readonly string[], call: Call): void {
  // nix develop -c PROGRAM …
  const at = words.findIndex((word) => /^(-c|--command)$/.test(word));
  if (baseName(words[0] ?? "") === "nix" && /^(develop|shell)$/.test(words[1] ?? "") && at > 0) {
    call.reading.command(words.slice(at + 1), { ...call, direct: false });
    return;
  }
  if (looksOnly[baseName(words[0] ?? "")]?.test(words[1] ?? "")) return;
  const isAsked = words.slice(1).some((word) => !/^--?(help|version|list|V|h|l)$/.test(word));
  if (isAsked || call.input === "fed") noteRuns(call.reading, cannotTell(words.join(" ")));
}

/** Without a program its redirections are those of the rest of the line. */
function runExec(words: readonly string[], call: Call): void {
  const { input, shell, reading } = call;
  if (words.length === 1 && input !== shell.input && input !== "file")
    noteRuns(reading, "cannot tell what the rest of the line reads");
  runWrapped(words, programOf("exec"), call);
}

type Own = (words: readonly string[], call: Call) => void;

/** Programs with rules of their own. */
const ways: ReadonlyMap<string, Own> = new Map([
  ...Object.entries(builtins),
  ...Object.entries(carriers),
  ...Object.entries(codePrograms),
  ...elsewhere,
  ["git", git] as const,
  ["hookline", readAutomation] as const,
  ["hookline.js", readAutomation] as const,
  ["exec", runExec] as const,
]);
