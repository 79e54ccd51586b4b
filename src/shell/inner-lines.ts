/**
 * Programs whose own commands start others: `.shell` of sqlite3, `\!` of psql, `shell` of gdb, `ProxyCommand` of ssh. Which texts of
 * theirs hold a shell line, or code of another language, is a table. Sources: the manuals of sqlite 3.45, PostgreSQL 17, MySQL 8,
 * gdb 15, lldb 18, OpenSSH 9, GNU ed, m4, dc and emacs, gnuplot 6, and the references of R, Erlang, Elixir, Tcl and Haskell.
 */
import { baseName } from "../engine/pattern.ts";
import { readCode } from "./code.ts";
import { isUnknown } from "./expand.ts";
import { madeAt } from "./made.ts";
import { type Call, quietly, readLine } from "./shell.ts";

interface Inner {
  /** The first group of each is a shell line, or what stands in for one. */
  lines: readonly RegExp[];
  /** The same, and the program writes to it. */
  fed?: readonly RegExp[];
  /** The first group is code of this language. */
  code?: readonly (readonly [RegExp, string])[];
  /** Files that it reads without being told. */
  files?: RegExp;
  /** Its own language calls programs as others do: `system("…")`. */
  calls?: true;
  /** Its words are one text. */
  joined?: true;
  /** Only where its words speak of this. What stands there may then be no line: that it cannot be read is no reason to ask. */
  about?: RegExp;
}

/** `scripts.x = "…"`, as programs of all languages set what a task of a project runs, and members of its file as they stand there. */
const setsScript = [
  /\bscripts?\b[\w.["'\]:-]{0,80}\s*(?:\/?=|,)\s*"((?:[^"\\]|\\.)*)"/g,
  /\bscripts?\b[\w.["'\]:-]{0,80}\s*(?:\/?=|,)\s*'((?:[^'\\]|\\.)*)'/g,
  /"[\w:.-]+"\s*:\s*"((?:[^"\\]|\\[^"])*)"/g,
  /'[\w:.-]+'\s*:\s*'([^']*)'/g,
];
const tasksOfProject = /\bscripts?\b|(?:package|composer|deno)\.jsonc?\b/;

const marked = /(?:^|[\s:|+])(?:\d*r(?:ead)?|w(?:rite)?)?\s*!([^!\n].*)$/gm;
const groups: readonly (readonly [names: string, inner: Inner])[] = [
  [
    "sqlite sqlite3 sqlcipher spatialite duckdb",
    {
      files: /\/\.(?:sqlite|duckdb)rc$/,
      lines: [/^\s*\.(?:shell|system|sh|sys)\s+(.+)$/gm, /^\s*\.(?:import|read)\b[^|\n]*\|\s*([^"'\n]+)/gm],
      fed: [/^\s*\.(?:once|output|excel)\b[^|\n]*\|\s*([^"'\n]+)/gm],
    },
  ],
  [
    "psql pgcli",
    {
      files: /\/\.psqlrc$/,
      lines: [/\\!\s*(.+)$/gm, /\bfrom\s+program\s+'([^']+)'/gi],
      fed: [/\\(?:o|out|gx?|w|write)\s*\|\s*(.+)$/gm, /\bto\s+program\s+'([^']+)'/gi],
    },
  ],
  [
    "mysql mariadb mycli",
    {
      lines: [/\\!\s*([^;\n]+)/g, /^\s*system\s+([^;\n]+)/gm],
      fed: [/(?:^\s*pager|\\P|^--pager=)\s*([^;\n]+)/gm],
    },
  ],
  [
    "gdb",
    {
      files: /\/\.gdbinit$/,
      lines: [/(?:^|=)\s*(?:shell\s+|!)(.+)$/gm, /^\s*(?:pipe|\|)[^|\n]*\|\s*(.+)$/gm],
      code: [[/^\s*(?:python|py|pi)\s+([\s\S]+)$/g, "python"]],
    },
  ],
  [
    "lldb",
    {
      files: /\/\.lldbinit/,
      lines: [/^\s*(?:platform\s+)?shell\s+(.+)$/gm],
      code: [[/^\s*script\s+([\s\S]+)$/g, "python"]],
    },
  ],
  ["ed ex dc ftp lftp telnet mail mailx less more man", { lines: [marked] }],
  [
    "vi vim nvim view vimdiff gvim",
    {
      lines: [/^\s*:?\s*(?:sil(?:ent)?!?\s+)?!(.+)$/gm],
      calls: true,
      files: /\/\.?(?:n|g)?vimrc$|\/\.exrc$|\/init\.(?:vim|lua)$/,
    },
  ],
  [
    "tmux",
    {
      lines: [
        /^\s*(?:run-shell|run|new-session|new|neww|new-window|splitw|split-window)\s+(?:-\w+\s+)*["']?([^"'\n]+)/gm,
      ],
      files: /\/\.?tmux\.conf$/,
    },
  ],
  ["screen", { lines: [/^\s*(?:screen|exec)\s+(.+)$/gm], files: /\/\.screenrc$/ }],
  ["expect", { lines: [/^\s*(?:spawn|exec|system)\s+(.+)$/gm] }],
  ["irb pry", { lines: [], calls: true, files: /\/\.(?:irb|pry)rc$/ }],
  ["emacs emacsclient", { lines: [/\((?:async-)?shell-command(?:-to-string)?\s+"((?:[^"\\]|\\.)*)"/g] }],
  [
    "guile sbcl clisp racket csi bb babashka clojure clj janet fennel hy",
    {
      lines: [
        /\((?:[\w.-]+\/)?(?:system\*?|shell|sh|execute|process|run-shell-command|run-program|os\/shell)\s+[[(]?(?:'\s*\()?("(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*)/g,
      ],
    },
  ],
  ["jshell jjs java kotlin kotlinc", { lines: [/\bgetRuntime\(\)\.exec\(\s*"([^"]*)"/g, /\$EXEC\(\s*"([^"]*)"/g] }],
  [
    "r rscript octave gnuplot julia groovy scala",
    { files: /\/\.(?:Rprofile|octaverc|gnuplot)$/, lines: [/`([^`\n]+)`/g, /(?:^|\n)\s*!(.+)$/gm], calls: true },
  ],
  ["erl", { lines: [/\bos:cmd\(\s*"([^"]*)"/g] }],
  [
    "elixir iex mix",
    { lines: [/\bSystem\.shell\(\s*"([^"]*)"/g, /\bSystem\.cmd\(\s*("[^"]*"\s*,\s*\[[^\]]*\])/g], calls: true },
  ],
  ["ghc ghci runghc runhaskell", { lines: [/\b(?:system|callCommand|readCreateProcess\s*\(shell)\s+"([^"]*)"/g] }],
  ["tclsh wish", { lines: [/(?:^|[;\n{[])\s*exec\s+(?:-\w+\s+)*([^;\n}\]]+)/g] }],
  ["m4", { lines: [/\be?syscmd\(\s*`?([^)'`\n]+)/g] }],
  ["mutt neomutt", { lines: [/\bsource\s+["']?([^|"'\n]+)\|/g, /^\s*!(.+)$/gm] }],
  [
    "npm pnpm yarn bun cnpm",
    { lines: [/^scripts?(?:\.[\w:.-]+|\[[^\]]+\])=([\s\S]+)$/g, ...setsScript], about: tasksOfProject },
  ],
  ["make gmake", { lines: [/^\w+=(\S+\s[\s\S]*)$/g], about: /^\w+=\S+\s/ }],
  ["composer", { lines: [/\bscripts\.[\w:-]+\s+([\s\S]+)$/g], joined: true }],
  [
    "sed gsed jq yq jaq gojq dasel node nodejs bun python python3 ruby perl php sd",
    { lines: setsScript, about: tasksOfProject },
  ],
  [
    "cargo",
    {
      lines: [
        /\b(?:runner|linker)\s*=\s*\[?\s*["']([^"'\]]+)/g,
        /\brust(?:c|doc)(?:-[a-z-]*wrapper)?\s*=\s*["']([^"']+)/g,
      ],
    },
  ],
  ["apt apt-get aptitude", { lines: [/(?:Pre|Post)-(?:Invoke|Install-Pkgs)[\w-]*(?:::)?=\s*(.+)$/gm] }],
  ["dpkg", { lines: [/^--(?:pre|post)-invoke=(.+)$/gm] }],
  ["cmake", { lines: [/^(?:-D)?\w+_(?:LAUNCHER|COMPILER|LINKER|EMULATOR)(?::\w+)?=(.+)$/gm] }],
  ["hg", { lines: [/^(?:hooks|alias|ui)\.[\w.-]+=!?(.+)$/gm] }],
  ["svn", { lines: [/\b(?:tunnels:\w+|editor-cmd|diff3?-cmd|merge-tool-cmd)=(.+)$/gm] }],
  ["strace ltrace", { lines: [], fed: [/^[|!](.+)$/gm] }],
  [
    "ssh scp sftp autossh mosh",
    {
      lines: [
        /(?:^|\s)(?:-o\s*)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[\s=]+(?!none\b)(.+)$/gim,
        /\bMatch\b[^\n]*\bexec\s+"?([^"\n]+)/gi,
      ],
    },
  ],
];

const rows: ReadonlyMap<string, Inner> = new Map(
  groups.flatMap(([names, inner]) => names.split(" ").map((name) => [name, inner] as const)),
);

/** So many lines of one text. */
const mostLines = 50;
const longestText = 50_000;

/** Reads what the program's own commands start: those in its words, in its input and in files that the line made. */
export function readInner(words: readonly string[], call: Call): void {
  const program = baseName(words[0] ?? "").toLowerCase();
  const row = rows.get(program);
  if (!row) return;
  const inner: Call = { ...call, direct: false, input: "inherited", from: [] };
  const texts = row.joined ? [words.slice(1).join(" ")] : textsOf(words, row, call);
  const read = (): void => {
    for (const text of texts) readText(text, row, { program, inner });
  };
  if (!row.about) read();
  else if (texts.some((text) => row.about?.test(text))) quietly(call.reading, read);
}

function readText(text: string, row: Inner, { program, inner }: { program: string; inner: Call }): void {
  for (const form of row.lines)
    for (const [, line = ""] of [...text.matchAll(form)].slice(0, mostLines)) readLine(asLine(line), inner);
  for (const form of row.fed ?? [])
    for (const [, line = ""] of [...text.matchAll(form)].slice(0, mostLines))
      readLine(asLine(line), { ...inner, input: "fed" });
  for (const [form, language] of row.code ?? [])
    for (const [, code = ""] of text.matchAll(form)) readCode(code, language, inner);
  if (row.calls) readCode(text, program, inner, /$^/);
}

/** `"rm", ["-rf", "x"]` is a list of words, and `\"` in a text is a quote. */
function asLine(written: string): string {
  const texts = [...written.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ""]) => word.replaceAll('\\"', '"'));
  if (!/^"/.test(written)) return written.replaceAll('\\"', '"').trim();
  const [only = "", ...others] = texts;
  return others.length === 0 && !written.includes("[")
    ? only
    : texts.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

function textsOf(words: readonly string[], { files }: Inner, call: Call): string[] {
  const texts = words.slice(1);
  if (typeof call.input === "object") texts.push(call.input.text);
  if (call.reading.made.size > 0) {
    for (const word of words.slice(1).flatMap((one) => one.split(/^\.read\s+|^--?\w[\w-]*=/))) {
      const holds = /^-|[\s;]|^$/.test(word) ? undefined : madeAt(call.reading, word, call)?.holds;
      if (holds?.is === "text") texts.push(holds.text);
    }
    for (const { path, holds } of files ? [...call.reading.made.values()].flat() : [])
      if (holds.is === "text" && files?.test(`/${path}`)) texts.push(holds.text);
  }
  return texts.filter((text) => !isUnknown(text) && text.length < longestText);
}
