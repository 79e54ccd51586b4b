/** Code of other languages in a line: the programs that it names literally are read as commands, and of the rest it is told that nobody knows it. */
import { baseName } from "../engine/pattern.ts";
import { isUnknown, mayVanish } from "./expand.ts";
import { programsInCode } from "./literal-programs.ts";
import { type Code, nameOf } from "./programs.ts";
import { textOfFile } from "./script-files.ts";
import { type Call, cannotTell, noteDoes, noteRuns, quietly, readLine, shortened } from "./shell.ts";

/** What of an editor's own commands can run a program. */
const editorRuns: RegExp = /!|system|term|job|py|lua|perl|ruby|tcl|source|^so\b|make|grep|exe|call|norm/i;

/** What code of another language must not hold, if it is to run no program. Modules of these names only may be imported. */
const harmless =
  "json|sys|re|math|time|datetime|base64|hashlib|random|string|textwrap|itertools|functools|collections|statistics|decimal|csv|uuid|urllib\\.parse|os|subprocess|platform|struct|typing|pprint|locale|calendar|zlib|difflib|fractions|operator|enum|dataclasses|yaml|toml|tomllib";
/** os and subprocess do nothing until something of them is used. */
const importsHarmless: RegExp = new RegExp(
  [
    "\\bjson\\.(loads?|dumps?)\\b",
    "\\byaml\\.safe_load\\b",
    "\\btomllib\\.loads?\\b",
    "\\bos\\.(getcwd|path\\.\\w+|environ\\.get|environ|sep|name|cpu_count|listdir|linesep)\\b",
    `\\bopen\\(\\s*["'][^"'|]*["']\\s*(,\\s*["']r[bt]?["']\\s*)?(,\\s*encoding=["'][\\w-]+["']\\s*)?\\)`,
    `\\brequire\\(["'](node:)?(fs|path|os|util|url|crypto|assert)["']\\)`,
    `\\brequire\\(["'][\\w./@-]*\\.json["']\\)`,
    `\\bimport\\s+(${harmless})(\\s*,\\s*(${harmless}))*(?=\\s*(;|$))`,
    `\\bfrom\\s+(?!os\\b|subprocess\\b)(${harmless})\\s+import\\s+[\\w, ]+(?=\\s*(;|$))`,
  ].join("|"),
  "gm",
);
const running =
  "system exec spawn popen subprocess child_process eval import require open fork getattr globals locals builtin __ modules " +
  "Function constructor compile pty ctypes %x qx ` << fromCharCode shell passthru pcntl syscall " +
  "writeFile appendFile unlink rmSync rmdir rmtree shutil createWrite copyFile write_text urlopen Deno Bun FileUtils file_put_contents";
const runsPrograms: RegExp = new RegExp(
  `${running.split(" ").join("|")}|process\\s*\\[|process\\.(binding|main|dlopen|kill)|os\\.|\\b(load|send|do)\\b|\\bfetch\\s*\\(|https?\\.|\\.(rm|rename|truncate|symlink|link|chmod|chown|cp|mkdir|mkdtemp|utimes)(Sync)?\\s*\\(|\\b(File|IO)\\.(write|delete|rename|open)|\\\\[xu0-7]|chr\\s*\\(`,
  "i",
);
/** awk runs programs by system() and by pipes alone. */
const awkRuns: RegExp = /system|(?<!\|)\|(?!\|)|@|>\s*"/;
/** sed: the command e, and the flag e of s. */
const sedRuns: RegExp = /(^|[;{}\n\d$/!,\s])e(\s|$)|[^\w\s\\][gpiIm0-9]*e[gpiIm0-9]*\s*($|[;}\n])/;

const cannotTellCode = (program: string): string => `cannot tell what the code given to \`${program}\` does`;

/** @param program as the table calls it */
export function readCode(code: string, program: string, call: Call, runs: RegExp = runsPrograms): void {
  const { reading } = call;
  if (isUnknown(code) || code.length > longestCode) {
    noteDoes(reading, program, cannotTellCode(program));
    return;
  }
  const { lines, fed, commands, rest } = programsInCode(code, program, reading.home);
  const inner: Call = { ...call, direct: false, input: "inherited", from: [] };
  for (const line of lines) readLine(line, inner);
  for (const line of fed) readLine(line, { ...inner, input: "fed" });
  for (const words of commands) reading.command(words, inner);
  if (runsGiven.test(code)) noteRuns(reading, cannotTell(`${program} ${code}`));
  const ownName = program.replace(/^[gmn](?=awk$)|^g(?=sed$)/, "");
  if (runsItsInput[ownName]?.test(rest) || (ownName === "sed" && runsSpace.test(rest.replace(substitutions, ""))))
    noteRuns(reading, cannotTell(`${program} ${code}`));
  if (runs.test(rest.replace(importsHarmless, ""))) noteDoes(reading, program, cannotTellCode(program));
}

/** What runs what it is given: `os.system(sys.argv[1])`, `system $_`, `exec *ARGV`. */
const runsGiven =
  /\b(?:system|popen|exec(?:Sync|File|FileSync|[vl]p?e?)?|spawn(?:Sync)?|run|call|check_call|check_output|Popen|getoutput|shell_exec|passthru|qx|os\.execute)\b\s*[({[*\\\s]*(?:sys\.argv|process\.argv|[@$]?ARGV|[@$]argv|\$_\b|sys\.stdin|\$?STDIN|gets\b|<(?:STDIN)?>|input\(\)|shift\b)|`\s*(?:\$_|#\{\s*(?:\$_|gets|ARGV))/;

/** What runs the text that is worked on: `system($0)` of awk, the flag e of sed. */
const runsItsInput: { readonly [program: string]: RegExp } = {
  awk: /\bsystem\s*\(\s*[^\s")]|\|&?\s*[$a-z]/i,
  sed: /(?:^|[;{}\n\d$/])\s*s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIiMm\d]*e|^\s*(?:\d+|\$|\/[^/]*\/)?\s*e\s*$/,
};

/** The command e of sed alone runs what it holds; in the parts of an s it is a letter. */
const runsSpace = /(?:^|[;{}\n])\s*(?:\d+|\$|\/[^/\n]*\/)?\s*!?\s*e\s*(?:$|[;}\n])/;
const substitutions = /s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIiMm\d]*/g;

/** The expressions that look through it take time by its length. */
const longestCode = 50_000;

export function runInterpreter(words: readonly string[], row: Code, call: Call): void {
  const program = nameOf(words[0] ?? "");
  const unknown = (): void => noteDoes(call.reading, program, cannotTellCode(program));
  const codes: string[] = [];
  let isPending = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    const long = row.long.find((one) => word === one || word.startsWith(`${one}=`));
    const letter =
      long === undefined && /^-[^-]/.test(word)
        ? [...word.slice(1)].find((one) => row.letters.includes(one) || row.valued.includes(one))
        : undefined;
    if (long !== undefined || (letter !== undefined && row.letters.includes(letter))) {
      const rest = long === undefined ? word.slice(word.indexOf(letter ?? "", 1) + 1) : word.slice(long.length + 1);
      const isBundle = long === undefined && [...rest].every((one) => row.letters.includes(one));
      if (rest !== "" && !isBundle) codes.push(rest);
      // `node -p -e CODE`: the code comes with a later option, or behind it.
      else if (/^-./.test(words[at + 1] ?? "")) isPending = true;
      else codes.push(words[++at] ?? "");
      if (row.ends && codes.length > 0) break;
      continue;
    }
    if (mayVanish(word)) {
      if (codes.length > 0) break;
      unknown();
      return;
    }
    if (word === "-") break;
    if (!word.startsWith("-")) {
      if (codes.length > 0 && !row.permutes) break;
      if (words[at - 1]?.startsWith("--") && !words[at - 1]?.includes("=") && !isPending) continue; // may be that option's value
      if (isPending) {
        codes.push(word);
        continue;
      }
      readScript(word, program, call);
      if (row.permutes) continue;
      readPerhaps(words.slice(at), call);
      return;
    }
    if (word.startsWith("--") || letter === undefined) continue;
    const rest = word.slice(word.indexOf(letter, 1) + 1);
    if (letter === "m" && /^(python|pypy)$/.test(program)) {
      runModule(rest === "" ? words.slice(at + 1) : [rest, ...words.slice(at + 1)], words[0] ?? "", call);
      return;
    }
    if (letter === "r" && /^(node|nodejs|bun|ruby)$/.test(program))
      readScript(rest || (words[at + 1] ?? ""), program, call);
    if (rest === "") at++;
  }
  if (codes.length > 0) {
    const code = codes.join("\n");
    noteCode(code, call);
    readCode(code, program, call);
    return;
  }
  if (call.input === "fed") {
    unknown();
    return;
  }
  if (typeof call.input === "object") readCode(call.input.text, program, call);
}

/** Modules of Python that run code of their words, and those that run another module. */
const codeModules = /^(?:timeit|pyperf)$/;
const outerModules = /^(?:cProfile|profile|pdb|trace|coverage|scalene|viztracer|kernprof|debugpy|tracemalloc)$/;
const shellModules = /^(?:IPython|xonsh|bpython|ptpython)$/;

function runModule([module = "", ...rest]: readonly string[], python: string, call: Call): void {
  const next = rest.indexOf("-m");
  if (codeModules.test(module))
    for (const word of rest) {
      if (/^-[^s]/.test(word) || isUnknown(word)) continue;
      const code = word.replace(/^-s|^--setup=/, "");
      noteCode(code, call);
      readCode(code, "python", call);
    }
  else if (shellModules.test(module)) call.reading.command([module.toLowerCase(), ...rest], { ...call, direct: false });
  else if (outerModules.test(module)) {
    // A debugger's command may begin with a sign of its own.
    for (const [at, word] of rest.entries())
      if (word === "-c") readCode((rest[at + 1] ?? "").replace(/^\s*(?:!|p{1,2}\s)/, ""), "python", call);
    if (next >= 0) call.reading.command([python, ...rest.slice(next)], { ...call, direct: false });
  }
}

/** Options that give code or a line, of an unknown program or script: `manage.py shell -c CODE`. */
const givesCode =
  /^(?:-[ceEx]|-pe|--?(?:eval|code|script)|--?(?:[\w-]+-)?(?:exec|execute|command|cmd|run|run_under|pager|wrapper|wrap|askpass|program|launcher|on-?success|on-?failure|preview|hook))(?:=|$)/i;

/** It counts for rules that deny or ask, and for none that allow. */
export function readPerhaps(words: readonly string[], call: Call): void {
  const inner: Call = { ...call, direct: false, input: "inherited", from: [], isPerhaps: true };
  for (const [at, word] of words.entries()) {
    if (at === 0 || !givesCode.test(word)) continue;
    const equals = word.indexOf("=");
    const text = equals < 0 ? (words[at + 1] ?? "") : word.slice(equals + 1);
    // One word is a name by far most often.
    if (!/\S\s+\S|\(/.test(text) || isUnknown(text) || text.length > longestCode) continue;
    quietly(call.reading, () => {
      // Behind -e stands code more often than a line: `format(x)` is a call.
      if (!(/^-p?e$|^--?(?:eval|code|script)/.test(word) && text.includes("("))) readLine(text, inner);
      readCode(text, "node", inner);
      readCode(text, "python", inner);
    });
  }
}

function readScript(path: string, program: string, call: Call): void {
  const text = textOfFile(path, call);
  if (text === "unknown") noteDoes(call.reading, program, `cannot tell what \`${program} ${shortened(path)}\` does`);
  else if (text !== "elsewhere") {
    noteCode(text.text, call);
    readCode(text.text, program, call);
  }
}

/** What it does to files is for the reading of effects. */
export function noteCode(code: string, { reading, by }: Call): void {
  const command = by === undefined ? undefined : reading.found[by];
  if (command) command.code = command.code === undefined ? code : `${command.code}\n${code}`;
}

interface ScriptOptions {
  runs: RegExp;
  /** Letters whose value is code, and those that have another value. */
  code: string;
  valued: string;
}

/** The first operand is code, unless an option gives it. */
const script =
  ({ runs, code, valued }: ScriptOptions) =>
  (words: readonly string[], call: Call): void => {
    const program = baseName(words[0] ?? "");
    let isGiven = false;
    for (let at = 1; at < words.length; at++) {
      const word = words[at] ?? "";
      const letter = /^-[A-Za-z]/.test(word)
        ? [...word.slice(1)].find((one) => code.includes(one) || valued.includes(one) || one === "f")
        : undefined;
      const long = /^--(expression|source|file)(=|$)/.exec(word);
      if (letter === undefined && !long) {
        if (word.startsWith("-") && word !== "-") continue;
        if (!isGiven) readCode(word, program, call, runs);
        return;
      }
      const rest = long ? word.slice(long[0].length) : word.slice(word.indexOf(letter ?? "", 1) + 1);
      const value = rest || words[++at] || "";
      const isFile = letter === "f" || long?.[1] === "file";
      const isCode = long !== null || code.includes(letter ?? "");
      if (isFile) readScript(value, program, call);
      else if (isCode) readCode(value, program, call, runs);
      isGiven ||= isFile || isCode;
    }
  };

const awk = script({ runs: awkRuns, code: "e", valued: "FvilE" });
const sed = script({ runs: sedRuns, code: "e", valued: "l" });

export const codePrograms: { readonly [program: string]: (words: readonly string[], call: Call) => void } = {
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
};

/** `:!command` is a shell line; of other commands it is not known what they run. */
export function runEditor(words: readonly string[], call: Call): void {
  const program = baseName(words[0] ?? "");
  const unknown = (): void =>
    noteDoes(call.reading, program, `cannot tell what the commands given to \`${program}\` do`);
  for (const [index, word] of words.entries()) {
    const isCommand = word.startsWith("+") || /^(-c|--cmd)$/.test(words[index - 1] ?? "") || /^-c./.test(word);
    const line = /^(?:\+|-c)?[\s:]*(?:silent!?\s+)?!(.*)$/s.exec(word)?.[1];
    if (isCommand && line !== undefined && !isUnknown(word)) readLine(line, call);
    else if (isCommand && isUnknown(word)) unknown();
    else if (isCommand) readCode(word, program, call, editorRuns);
    if (/^-(S|s)$/.test(word)) unknown();
  }
}
