/** Programs that carry a program to where it runs: xargs, find, terminals in terminals, jobs for later, other shells. */
import { baseName } from "../engine/pattern.ts";
import { across, isUnknown, mayVanish, within } from "./expand.ts";
import { movedTo } from "./folders.ts";
import { readOptions } from "./options.ts";
import { programOf } from "./programs.ts";
import { textOfFile } from "./script-files.ts";
import { type Call, cannotTell, newShell, noteDoes, noteRuns, readLine, shortened } from "./shell.ts";
import { screen, tmux } from "./terminals.ts";
import { holdsLine, runWrapped } from "./wrappers.ts";

type Words = readonly string[];
type Own = (words: Words, call: Call) => void;

const aside = (call: Call): Call => ({ ...call, direct: false });

/** A shell line with what it reads, or that nobody knows what it is given. */
function readStandardInput(words: Words, call: Call): void {
  if (call.input === "fed")
    noteRuns(call.reading, `cannot tell what \`${shortened(words.join(" "))}\` is given to run`);
  else if (typeof call.input === "object") readLine(call.input.text, { ...call, input: "inherited", from: [] });
}

const xargs: Own = (words, call) => {
  const { given, rest, stops, fault } = readOptions(words, programOf("xargs"));
  if (fault !== undefined) return noteRuns(call.reading, cannotTell(`${words[0]} ${fault}`));
  if (stops || rest.length === 0) return;
  const replaced = given.findLast(({ name }) => ["I", "J", "replace"].includes(name));
  const sign = replaced && (replaced.value || "{}");
  // A shell without a script reads its input, which is empty here: for it none is no other case than one.
  const isOne =
    programOf(baseName(rest[0] ?? "")).isShell && given.some(({ name, value }) => name === "max-args" && value === "1");
  // Its program reads nothing, unless the operands come from a file and leave standard input alone.
  const file = given.findLast(({ name }) => name === "arg-file")?.value;
  const own =
    file === undefined
      ? { ...call, input: "inherited" as const, from: [], given: [...call.given, ...call.from] }
      : call;
  const source = `${words[0]} ${rest.join(" ")}`;
  for (const items of startsOf(given, file, call) ?? [[sign || isOne ? within : across]])
    call.reading.command(
      sign ? rest.map((word) => word.replaceAll(sign, () => items[0] ?? within)) : [...rest, ...items],
      { ...own, direct: false, source },
    );
};

/** What it gives to its program each time that it starts it, where the line tells. */
function startsOf(
  given: readonly { name: string; value: string }[],
  file: string | undefined,
  call: Call,
): string[][] | undefined {
  const read = file === undefined ? call.input : textOfFile(file, call);
  if (typeof read !== "object") return undefined;
  const has = (...names: string[]): boolean => given.some(({ name }) => names.includes(name));
  const isByLine = has("I", "J", "replace", "delimiter");
  const lastOf = (...names: string[]): string | undefined => given.findLast(({ name }) => names.includes(name))?.value;
  const [items, lines] = [lastOf("max-args"), lastOf("L", "max-lines")];
  const counts = [items, lines].filter((one) => one !== undefined);
  if (!["\n", "\\n", undefined].includes(lastOf("delimiter"))) return undefined;
  // Other numbers cut the list where only a count of all its words would tell.
  if (counts.some((one) => one !== "1") || counts.length > 1 || has("max-chars", "S", "R")) return undefined;
  const cut = (text: string, by: string | RegExp): string[] => text.split(by).filter((one) => one !== "");
  const all = cut(read.text, has("null") ? "\0" : isByLine || lines ? /\n/ : /\s+/);
  if (lines && all.some((line) => /\s$/.test(line))) return undefined; // it goes on in the next
  // Quotes and backslashes are its own, a pattern stands for names that only the shell knows, and a NUL is no text here.
  if (all.length === 0 || all.length > mostValues || all.some((one) => /["'\\\0*?[]/.test(one))) return undefined;
  if (lines) return all.map((line) => cut(line, /\s+/));
  const known = isByLine ? all.map((one) => one.trim()) : all;
  return items || has("I", "J", "replace") ? known.map((one) => [one]) : [known];
}

/** find -exec PROGRAM … ; and the like; fd -x PROGRAM … */
const commandsAfter =
  (options: Words): Own =>
  (words, call) => {
    for (let at = 1; at < words.length; at++) {
      if (!options.includes(words[at] ?? "")) continue;
      const end = words.findIndex((word, index) => index > at && (word === ";" || word === "+"));
      const command = words.slice(at + 1, end < 0 ? undefined : end).map((word) => word.replaceAll("{}", within));
      const place = /dir$/.test(words[at] ?? "") ? movedTo(within, call) : call;
      call.reading.command(command, { ...aside(place), source: words.slice(at).join(" ") });
    }
  };

const make: Own = (words, call) => {
  const { reading } = call;
  for (const word of words.slice(1)) {
    const [, name, value] = /^(\w+)[:+?]?=([\s\S]*)$/.exec(word) ?? [];
    if (/\$\(|`/.test(word)) noteRuns(reading, cannotTell(words.join(" ")));
    else if (name !== undefined && holdsLine(name)) readLine(value ?? "", call);
    const isInput = (/^-f?-?$/.test(word) && call.input !== "inherited") || /^(-f)?\/dev\//.test(word);
    if (isInput) noteRuns(reading, cannotTell(words.join(" ")));
  }
  for (const [index, word] of words.entries()) {
    const path = word === "-f" ? words[index + 1] : /^-f(.+)$/.exec(word)?.[1];
    if (path !== undefined && textOfFile(path, call) !== "elsewhere") noteRuns(reading, cannotTell(`make -f ${path}`));
  }
};

/** `env -S 'rm x'`: words in one text. */
const env: Own = (words, call) => {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    const [, text] = /^(?:-[a-zA-Z0]*?S|--split-string(?:=|$))([\s\S]*)$/.exec(word) ?? [];
    if (text !== undefined) {
      const isNext = text === "";
      const line = isNext ? (words[at + 1] ?? "") : text;
      if (isUnknown(line)) return noteRuns(call.reading, cannotTell(words.join(" ")));
      return call.reading.line(line, newShell(call), words.slice(at + (isNext ? 2 : 1)));
    }
    if (/^(-[uC]|--unset|--chdir)$/.test(word)) at++;
    else if (!word.startsWith("-") && !/^\w+=/.test(word)) break;
  }
  runWrapped(words, programOf("env"), call);
};

/** Shells whose language is another one: only what they are given as a file is as known as any program. */
const foreignShell: Own = (words, call) => {
  const { reading } = call;
  const operands = words.slice(1);
  const unknown = (): void => noteRuns(reading, `cannot tell what the line given to \`${words[0]}\` runs`);
  if (
    operands.some((word) => /^(-\w*c|--command|-(enc|encodedcommand|command)|\/[ck])$/i.test(word) || mayVanish(word))
  )
    return unknown();
  const file = operands.find((word) => !word.startsWith("-"));
  if (file !== undefined) return textOfFile(file, call) === "elsewhere" ? undefined : unknown();
  if (call.input !== "inherited" && call.input !== "file") unknown();
};

/** `parallel git ::: push pull`: the words before ::: are a line, with each of those behind filled in. */
const parallel: Own = (words, call) => {
  const at = words.findIndex((word) => /^:::/.test(word));
  const { rest, stops, fault } = readOptions(at < 0 ? words : words.slice(0, at), programOf("parallel"));
  if (stops) return;
  if (fault !== undefined) return noteRuns(call.reading, cannotTell(`${words[0]} ${fault}`));
  const hasOneList = at >= 0 && words[at] === ":::" && !words.slice(at + 1).some((word) => /^:::/.test(word));
  const values = hasOneList ? words.slice(at + 1) : [within];
  for (const value of values.slice(0, mostValues)) {
    const places = /\{[#%.\w/+-]*\}/g;
    const hasPlace = rest.some((word) => /\{[#%.\w/+-]*\}/.test(word));
    const filled = rest.map((word) => word.replaceAll(places, (place) => (place === "{}" ? value : within)));
    const all = hasPlace ? filled : [...filled, value];
    if (all.some(isUnknown)) call.reading.command(all, { ...aside(call), source: words.join(" ") });
    else readLine(all.join(" "), call);
    // The shell reads what is filled in as a part of the line.
    if (rest[0] !== undefined && all.some(isUnknown))
      noteDoes(call.reading, "parallel", `cannot tell what \`${words[0]}\` is given`);
  }
};

const mostValues = 50;

const at: Own = (words, call) => {
  const { given, stops, fault } = readOptions(words, programOf("at"));
  const file = given.find(({ name }) => name === "f")?.value;
  if (fault !== undefined) return noteRuns(call.reading, cannotTell(words.join(" ")));
  if (stops) return;
  if (file === undefined) return readStandardInput(words, call);
  const text = textOfFile(file, call);
  if (text === "unknown") noteRuns(call.reading, cannotTell(words.join(" ")));
  else if (text !== "elsewhere") readLine(text.text, call);
};

const socat: Own = (words, call) => {
  for (const word of words.slice(1)) {
    const [, kind = "", text = ""] = /^(EXEC|SYSTEM|SHELL):([\s\S]*)$/i.exec(word) ?? [];
    if (kind === "") continue;
    const line = text.replace(
      /,(pty|stderr|setsid|sigint|sane|ctty|raw|echo=\d|fdin=\d+|fdout=\d+|nofork|su=\w+)(?=,|$)/g,
      "",
    );
    readLine(line, call);
  }
  if (words.slice(1).some((word) => isUnknown(word.slice(0, 1)))) noteRuns(call.reading, cannotTell(words.join(" ")));
};

/** All of its options are single words. */
const valgrind: Own = (words, call) => {
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  if (words.slice(1, at).some(isUnknown) || isUnknown(words[at]?.slice(0, 1) ?? ""))
    noteRuns(call.reading, cannotTell(words.join(" ")));
  else if (at > 0) call.reading.command(words.slice(at), { ...aside(call), source: words.join(" ") });
};

/** `nix-shell -p jq --run 'jq x'`: packages, and a line. */
const nixShell: Own = (words, call) => {
  const { lines, fault } = readOptions(words, programOf("nix-shell"));
  if (fault !== undefined || lines.length === 0) noteRuns(call.reading, cannotTell(words.join(" ")));
  for (const line of lines) readLine(line, call);
};

/** What netcat runs for who connects. */
const netcat: Own = (words, call) => {
  for (const [index, word] of words.entries()) {
    const isOption = /^(-[a-z]*[ec]|--exec|--sh-exec|--lua-exec)$/.test(word);
    if (isOption) readLine(words[index + 1] ?? "", call);
    const [, line] = /^--(?:sh-)?exec=([\s\S]*)$/.exec(word) ?? [];
    if (line !== undefined) readLine(line, call);
  }
};

/** Code of Tcl: what it spawns literally is read. */
const expect: Own = (words, call) => {
  const at = words.indexOf("-c");
  const code = at > 0 ? (words[at + 1] ?? "") : typeof call.input === "object" ? call.input.text : undefined;
  const unknown = (): void => noteRuns(call.reading, `cannot tell what the code given to \`${words[0]}\` runs`);
  if (code === undefined) return call.input === "fed" ? unknown() : undefined;
  if (isUnknown(code)) return unknown();
  const spawned = /(?:^|[;\n{])[ \t]*(?:spawn|exec|system)\s+(?:-noecho\s+)?([^;\n}[$]+)(?=[;\n}]|$)/g;
  const rest = code.replaceAll(spawned, (_, line: string) => {
    readLine(line, call);
    return "";
  });
  if (/\b(spawn|exec|system|eval|source|open)\b/.test(rest)) unknown();
};

const crontab: Own = (words, call) => {
  if (words.some((word) => /^-[lr]$/.test(word))) return;
  const text = typeof call.input === "object" ? call.input.text : undefined;
  if (text === undefined) return noteDoes(call.reading, "crontab", "cannot tell what `crontab` will run");
  for (const line of text.split("\n").slice(0, mostValues)) {
    const [, job] = /^\s*(?:@\w+\s+|(?:\S+\s+){5})(\S.*)$/.exec(line) ?? [];
    if (job !== undefined && !/^\s*#/.test(line)) readLine(job, call);
  }
};

/** Options of these are code of their own. */
const doesByOption =
  (option: RegExp, wraps?: RegExp): Own =>
  (words, call) => {
    const program = words[0] ?? "";
    const at = wraps ? words.findIndex((word) => wraps.test(word)) : -1;
    if (at > 0) call.reading.command(words.slice(at + 1), aside(call));
    const isCode = words.slice(1).some((word) => option.test(word) || mayVanish(word));
    if (typeof call.input === "object")
      for (const [, line = ""] of call.input.text.matchAll(/^!(.+)$/gm))
        readLine(line, { ...call, input: "inherited" });
    if (isCode || call.input === "fed" || typeof call.input === "object")
      noteDoes(call.reading, program, `cannot tell what the commands given to \`${program}\` do`);
  };

/** `gcc -wrapper sh,-c,LINE` */
const compiler: Own = (words, call) => {
  for (const [index, word] of words.entries())
    if (word === "-wrapper")
      call.reading.command((words[index + 1] ?? "").split(","), { ...aside(call), source: words.join(" ") });
};

/** What a key or an event runs: `execute(…)`, `reload:…`. */
const fzfActions =
  /(?:execute(?:-silent|-multi)?|become|reload(?:-sync)?|transform(?:-[a-z-]+)?|(?:change-)?preview)(?:\(([\s\S]*?)\)(?=[,+]|$)|\[([\s\S]*?)\](?=[,+]|$)|\{([\s\S]*?)\}(?=[,+]|$)|:([\s\S]+))/g;

const fzf: Own = (words, call) => {
  for (const [index, word] of words.entries()) {
    const [, name, own] = /^--(preview|bind)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const value = own ?? words[index + 1] ?? "";
    if (name === "preview") readLine(value, call);
    if (name === "bind")
      for (const [, ...groups] of value.matchAll(fzfActions))
        readLine(groups.find((group) => group !== undefined) ?? "", call);
  }
};

const sameWay = (names: string, own: Own): { [program: string]: Own } =>
  Object.fromEntries(names.split(" ").map((name) => [name, own]));

export const carriers: { readonly [program: string]: Own } = {
  env,
  genv: env,
  xargs,
  gxargs: xargs,
  ...sameWay("find gfind", commandsAfter(["-exec", "-execdir", "-ok", "-okdir"])),
  ...sameWay("fd fdfind", commandsAfter(["-x", "-X", "--exec", "--exec-batch"])),
  ...sameWay("make gmake", make),
  ...sameWay(
    "zsh fish ksh ksh93 mksh pdksh yash csh tcsh elvish nu xonsh pwsh powershell powershell.exe pwsh.exe cmd cmd.exe",
    foreignShell,
  ),
  tmux,
  screen,
  ...sameWay("parallel", parallel),
  ...sameWay("gcc g++ cc c++ clang clang++", compiler),
  ...sameWay("fzf sk fzf-tmux", fzf),
  at,
  batch: readStandardInput,
  socat,
  valgrind,
  "nix-shell": nixShell,
  ...sameWay("nc ncat netcat", netcat),
  expect,
  crontab,
  ...sameWay("gdb lldb", doesByOption(/^(-ex|-x|-o|-s|--eval-command.*|--command.*|--one-line|-b)$/, /^--args$/)),
  ...sameWay("emacs emacsclient", doesByOption(/^(--eval.*|-e|-f|--funcall.*|-l|--load.*|--script.*|--execute.*)$/)),
  ...sameWay("ed ex", doesByOption(/^[-+]/)),
  ...sameWay("m4 tclsh wish", doesByOption(/^-c$/)),
};
