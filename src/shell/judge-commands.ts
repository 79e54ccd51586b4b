/** Judges a simple command of a line with placeholders: whether its program is named and runs nothing that it is given, and which arguments may be values. */
import { lastPart, type Reader, refuse, type ShellWord, show } from "./judged-words.ts";
import { nameOf, type Program, programOf, words as set } from "./programs.ts";

/** @param words the program and its arguments */
export function judgeCommand([program, ...rest]: readonly ShellWord[], reader: Reader): void {
  if (!program) return;
  const path = pathOf(program);
  if (path === undefined)
    refuse(`in a line that runs ${show(program.raw)}: the program has to be named`, program.marks);
  const { found } = reader;
  const name = nameOf(path);
  const row = rowFor(path);
  if (path.includes("/")) found.runs.push({ path, word: program });
  if (row.values !== "script" && row.values !== "runner") noteArguments(name, rest, reader);
  const judge = rowOf(special, name) ?? judges[row.values ?? (row.valuesIn ? "subcommands" : "plain")];
  judge(rest, { name, row, reader });
  if (row.values === "data" || row.values === "runner" || row.valuesIn) return;
  // Up to a literal `--`, a value that begins with "-" would be an option.
  const end = rest.findIndex(({ text }) => text === "--");
  for (const { leading } of rest.slice(0, end < 0 ? rest.length : end))
    if (leading.length > 0) found.begins.push(leading);
}

/** As written, with "$" for a variable; undefined where only the shell knows what it is. */
function pathOf({ text, tail }: ShellWord): string | undefined {
  if (text !== undefined) return /^(?:-|$)/.test(text) ? undefined : text;
  return tail !== undefined && /^\/.*[^/]$/s.test(tail) ? `$${tail}` : undefined;
}

/** A version is a part of some names: linux32. */
function rowFor(path: string): Program {
  const exact = programOf(path.slice(path.lastIndexOf("/") + 1));
  return (exact.values ?? exact.valuesIn) !== undefined ? exact : programOf(nameOf(path));
}

/** What may be written, or brought to where it is run. */
function noteArguments(name: string, rest: readonly ShellWord[], { found }: Reader): void {
  if (/^(?:test|\[|cd|type|which)$/.test(name)) return;
  for (const word of rest) {
    found.mentioned.add(lastPart(word));
    if (/^-\w/.test(word.head)) found.mentioned.add(lastPart({ ...word, raw: word.raw.slice(2) })); // -oFILE
  }
  if (/^(?:tee|unzip|cp|mv|ln|install|dd|patch|wget)$/.test(name) && rest.some(({ isOwn }) => isOwn))
    found.writesAnywhere = true;
}

interface Around {
  name: string;
  row: Program;
  reader: Reader;
}
type Judge = (rest: readonly ShellWord[], around: Around) => void;

const marksOf = (words: readonly ShellWord[]): number[] => words.flatMap(({ marks }) => marks);

const judges: { readonly [kind in NonNullable<Program["values"]> | "subcommands" | "plain"]: Judge } = {
  refused(rest, { name }) {
    const marks = marksOf(rest);
    if (marks.length > 0) refuse(`as an argument of ${name}, which reads it as code or runs it`, marks);
    refuse(`in a line with ${name}, which reads what it is given as code or runs it`);
  },
  script: judgeInterpreter,
  tasks: judgeTasks,
  runner(rest, { name, reader }) {
    const start = rest.findIndex(({ text }) => !/^(?:-y|-q|--yes|--no|--no-install|--quiet)$/.test(text ?? ""));
    if (start < 0) refuse(`in a line with ${name} and no program`);
    judgeCommand(rest.slice(start), reader);
  },
  literal(rest, { name }) {
    for (const { text, marks } of rest) if (text === undefined) refuse(`as an argument of ${name}`, marks);
  },
  subcommands: judgeSubcommand,
  data: () => undefined,
  plain: codeArguments,
};

/** What is not judged by a table alone. */
const special: { readonly [name: string]: Judge } = {
  set(rest, around) {
    const isHarmless = ({ text = "" }: ShellWord): boolean =>
      /^(?:-[eufo]+|pipefail|errexit|nounset|noglob)$/.test(text);
    if (rest.length === 0 || !rest.every(isHarmless)) judges.refused(rest, around);
  },
  command(rest, around) {
    if (!/^-[vV]$/.test(rest[0]?.text ?? "")) judges.refused(rest, around);
  },
  cd(rest, { reader: { found } }) {
    if (rest.some(({ isOwn }) => isOwn)) found.movesAnywhere = true;
  },
  test: judgeTest,
  "[": (rest) => {
    if (rest.at(-1)?.text !== "]") refuse("in a [ that is not closed");
    judgeTest(rest.slice(0, -1));
  },
  printf(rest) {
    const format = rest[0]?.text === "--" ? rest[1] : rest[0];
    if (format?.text === undefined || format.text.startsWith("-"))
      refuse(`as printf's format (write printf '%s\\n' {{…}})`, format?.marks);
  },
  ...Object.fromEntries(["awk", "gawk", "mawk", "nawk"].map((name) => [name, judgeLanguage])),
  ...Object.fromEntries(["sed", "gsed", "jq", "gojq", "jaq", "sort"].map((name) => [name, judgeLanguage])),
};

/** A program may have the name of something that every object has. */
const rowOf = <Row>(table: { readonly [name: string]: Row }, name: string): Row | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Options of any program that take a command, by what they are called. */
const commandOption =
  /^--?(?:exec|execdir|ok|okdir|eval|command|cmd|shell-command|to-command|checkpoint-action|use-compress-program|compress-program|filter|rsh|rsh-command|rsync-path|shell|pager|editor|pre|preprocessor|hostname-bin|upload-pack|receive-pack|extcmd|env-filter)(?:-batch)?(?:=|$)/;

/** Options that take a command are not taken at all: it may run what the line exports. */
function codeArguments(rest: readonly ShellWord[], { name }: Around): void {
  for (const { head, marks } of rest)
    if (commandOption.test(head)) refuse(`in a line with ${name} ${head}, which takes a command`, marks);
}

function judgeTasks(rest: readonly ShellWord[], around: Around): void {
  const { name } = around;
  const isMake = /make$|^just$/.test(name);
  for (const { text = "\0", raw, marks } of rest) {
    const isTaken = isMake ? /^[\w./:]+$/.test(text) : /^(?!-c$|--script-shell)[\w@./:-]*\w[\w./:]*$|^--$/.test(text);
    if (!isTaken || /(?:^|\/)(?:dev|proc)\//.test(text))
      refuse(
        `at ${show(raw)}: ${name} may make a line for a shell of its arguments (run the tool itself, as npx does)`,
        marks,
      );
    if (/^(?:exec|x|dlx|explore|config|set)$/.test(text)) refuse(`in a line with ${name} ${text}`);
  }
  codeArguments(rest, around);
}

/** Modules of Python that are programs for files. */
const pythonModules = set(
  "py_compile compileall pytest black ruff mypy flake8 isort pylint bandit pyright json.tool autopep8 yapf pydocstyle pyupgrade",
);
/** With these the file that they are given is only read. */
const checks: { readonly [name: string]: string } = { bash: "-n", sh: "-n", node: "--check", php: "-l" };

/** INTERPRETER FILE arguments. */
function judgeInterpreter(rest: readonly ShellWord[], { name, reader }: Around): void {
  const [first, second] = rest;
  if (name === "python" && first?.text === "-m" && pythonModules.has(second?.text ?? "")) return;
  if (first?.text !== undefined && first.text === rowOf(checks, name)) return;
  const path = first && pathOf(first);
  if (!first || path === undefined || !isScript(path))
    refuse(
      `in a line with ${name} that does more than run a script: ${show([name, ...rest.map(({ raw }) => raw)].join(" "))}`,
      marksOf(rest),
    );
  reader.found.runs.push({ path: path.includes("/") ? path : `./${path}`, word: first });
}

/** A file by its looks, and not what the program is fed. */
const isScript = (path: string): boolean =>
  /[./]/.test(path) && !/^-|\/(?:dev|proc|fd)(?:\/|$)|^(?:dev|proc)\/|(?:^|\/)(?:stdin|\d+|\.{1,2})?$/.test(path);

/** Values stand behind a literal `--`, and as the message of a commit. */
function judgeSubcommand(rest: readonly ShellWord[], around: Around): void {
  const { name, row } = around;
  const start = rest[0]?.text === "-C" && !rest[1]?.isOwn ? 2 : 0;
  const command = rest[start]?.text ?? "";
  if (!row.valuesIn?.has(command)) refuse(`in a line with ${name} ${rest[start]?.raw ?? ""}`, marksOf(rest));
  const end = rest.findIndex(({ text }) => text === "--");
  const options = rest.slice(start + 1, end < 0 ? rest.length : end);
  for (const [index, word] of options.entries()) {
    const before = options[index - 1]?.text ?? "";
    const isMessage = command === "commit" && (/^-a?m$/.test(before) || word.head === "--message=");
    if (word.isOwn && !isMessage && !(name !== "git" && /^(?:-f|--filter)$/.test(before)))
      refuse(`as an option or operand of ${name} ${command} (write -- before it)`, word.marks);
  }
  codeArguments(options, around);
}

/** Questions about one text or file, and comparisons of two: how many words there are says what each of them is. */
function judgeTest(rest: readonly ShellWord[]): void {
  const words = rest[0]?.text === "!" ? rest.slice(1) : rest;
  const [first, second] = words.map(({ text }) => text);
  const isKnown =
    words.length < 2 ||
    (words.length === 2 && /^-[znfedrwxsLh]$/.test(first ?? "")) ||
    (words.length === 3 && /^(?:==?|!=|-nt|-ot|-ef)$/.test(second ?? ""));
  if (!isKnown)
    refuse(
      "in a test with more than one comparison of text or question about a file (join them with && and ||)",
      marksOf(words),
    );
}

/** Programs with a language of their own: code that has to be literal and to run nothing, then files. */
interface Language {
  flags: RegExp;
  valued?: RegExp;
  /** Options with two words behind them, of which the second is data. */
  named?: RegExp;
  /** Absent: there is none. */
  code?(text: string): boolean;
}

const languages: { readonly [name: string]: Language } = {
  awk: {
    flags: /^-F[^-]*$/,
    valued: /^-F$/,
    code: (text) =>
      !/system|getline|ENVIRON|ARGV|[|@]|>|printf?\s*\(?[^;}]*"-"/.test(text.replaceAll("||", "").replaceAll(">=", "")),
  },
  sed: { flags: /^(?:-[nErsuz]+|-[nErsuz]*i(?:\.\w+)?|--in-place)$/, code: isHarmlessSed },
  jq: {
    flags:
      /^(?:-[nrcsSeajCMR]+|--(?:null-input|raw-output|compact-output|slurp|sort-keys|exit-status|raw-input|tab|join-output|args|jsonargs))$/,
    named: /^--(?:arg|argjson|slurpfile|rawfile)$/,
    code: () => true,
  },
  sort: { flags: /^-[bdfgikmnrsuVzhMR]+$/, valued: /^-[kt]$/ },
};
const languageOf = (name: string): Language =>
  (/awk$/.test(name) ? languages.awk : /sed$/.test(name) ? languages.sed : languages[name]) ??
  (languages.jq as Language); // gojq and jaq; the row stands above

const sedCommand =
  /\s*(?:(?:\d+|\$|\/[^/\\\n]*\/)(?:,(?:\d+|\$|\/[^/\\\n]*\/))?!?)?\s*(?:[dpqDG=]|s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIi\d]*)\s*(?:[;\n]|$)/y;

/** Only s without its flags e and w, and commands that have no argument. */
function isHarmlessSed(text: string): boolean {
  sedCommand.lastIndex = 0;
  while (sedCommand.lastIndex < text.length) if (!sedCommand.test(text)) return false;
  return text !== "";
}

/** Options, then code, then files. */
function judgeLanguage(rest: readonly ShellWord[], { name }: Around): void {
  const { flags, valued, named, code } = languageOf(name);
  let awaited = code;
  let isOver = false;
  for (let index = 0; index < rest.length; index++) {
    const { text, head, raw, marks } = rest[index] ?? {};
    if (text === "--" && !isOver) isOver = true;
    else if (!isOver && text !== undefined && named?.test(text)) index += 2;
    else if (!isOver && text !== undefined && valued?.test(text)) {
      index += 1;
      if (rest[index]?.text === undefined) refuse(`as the value of ${name} ${text}`, rest[index]?.marks);
    } else if (!isOver && head?.startsWith("-") && text !== "-") {
      if (text === undefined || !flags.test(text)) refuse(`in a line with ${name} ${show(raw ?? "")}`, marks);
    } else if (awaited) {
      if (text === undefined) refuse(`in what ${name} reads as code`, marks);
      if (!awaited(text)) refuse(`in a line where ${name} may run or write something: ${show(text)}`);
      awaited = undefined;
    }
  }
}
