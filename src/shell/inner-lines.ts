/**
 * Programs whose own commands start others: `.shell` of sqlite3, `\!` of psql, `shell` of gdb, `ProxyCommand` of ssh. Which texts of
 * theirs hold a shell line, or code of another language, is a table. Sources: the manuals of sqlite 3.45, PostgreSQL 17, MySQL 8,
 * gdb 15, lldb 18, OpenSSH 9, GNU ed, m4, dc and emacs, gnuplot 6, and the references of R, Erlang, Elixir, Tcl and Haskell.
 */
import { baseName } from "../engine/pattern.ts";
import { readCode } from "./code.ts";
import { maybe } from "./elsewhere.ts";
import { isUnknown } from "./expand.ts";
import { madeAt } from "./made.ts";
import { type Call, readLine } from "./shell.ts";

interface Inner {
  /** The first group of each is a shell line, or what stands in for one. */
  lines: readonly RegExp[];
  /** The first group is code of this language. */
  code?: readonly (readonly [RegExp, string])[];
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
      lines: [
        /^\s*\.(?:shell|system|sh|sys)\s+(.+)$/gm,
        /^\s*\.(?:once|output|import|read|excel)\b[^|\n]*\|\s*([^"'\n]+)/gm,
      ],
    },
  ],
  [
    "psql pgcli",
    { lines: [/\\!\s*(.+)$/gm, /\\(?:o|out|g|w|write)\s*\|\s*(.+)$/gm, /\b(?:from|to)\s+program\s+'([^']+)'/gi] },
  ],
  [
    "mysql mariadb mycli",
    { lines: [/\\!\s*([^;\n]+)/g, /^\s*system\s+([^;\n]+)/gm, /(?:^\s*pager|\\P)\s+([^;\n]+)/gm] },
  ],
  [
    "gdb",
    {
      lines: [/(?:^|=)\s*(?:shell\s+|!)(.+)$/gm, /^\s*(?:pipe|\|)[^|\n]*\|\s*(.+)$/gm],
      code: [[/^\s*(?:python|py|pi)\s+([\s\S]+)$/g, "python"]],
    },
  ],
  ["lldb", { lines: [/^\s*(?:platform\s+)?shell\s+(.+)$/gm], code: [[/^\s*script\s+([\s\S]+)$/g, "python"]] }],
  ["ed ex dc ftp lftp telnet mail mailx less more man", { lines: [marked] }],
  ["vi vim nvim view vimdiff", { lines: [], calls: true }],
  ["emacs emacsclient", { lines: [/\((?:async-)?shell-command(?:-to-string)?\s+"((?:[^"\\]|\\.)*)"/g] }],
  ["guile sbcl clisp racket csi", { lines: [/\((?:system\*?|shell|run-shell-command)\s+"((?:[^"\\]|\\.)*)"/g] }],
  ["r rscript octave gnuplot julia groovy scala", { lines: [/`([^`\n]+)`/g, /(?:^|\n)\s*!(.+)$/gm], calls: true }],
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
  ["cargo", { lines: [/\brunner\s*=\s*\[?\s*["']([^"'\]]+)/g, /\brustc(?:-wrapper)?\s*=\s*["']([^"']+)/g] }],
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
  const texts = row.joined ? [words.slice(1).join(" ")] : textsOf(words, call);
  const read = (): void => {
    for (const text of texts) readText(text, row, { program, inner });
  };
  if (!row.about) read();
  else if (texts.some((text) => row.about?.test(text))) maybe(call, read);
}

function readText(text: string, row: Inner, { program, inner }: { program: string; inner: Call }): void {
  for (const form of row.lines)
    for (const [, line = ""] of [...text.matchAll(form)].slice(0, mostLines)) readLine(asLine(line), inner);
  for (const [form, language] of row.code ?? [])
    for (const [, code = ""] of text.matchAll(form)) readCode(code, language, inner);
  if (row.calls) readCode(text, program, inner, /$^/);
}

/** `"rm", ["-rf", "x"]` is a list of words, and `\"` in a text is a quote. */
const asLine = (written: string): string =>
  /^"[^"]*"\s*,\s*\[/.test(written)
    ? [...written.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
        .map(([, word = ""]) => `'${word.replaceAll("'", "'\\''")}'`)
        .join(" ")
    : written.replaceAll('\\"', '"').trim();

function textsOf(words: readonly string[], call: Call): string[] {
  const texts = words.slice(1);
  if (typeof call.input === "object") texts.push(call.input.text);
  if (call.reading.made.size > 0)
    for (const word of words.slice(1)) {
      const holds = /^-|[\s;]/.test(word) ? undefined : madeAt(call.reading, word, call)?.holds;
      if (holds?.is === "text") texts.push(holds.text);
    }
  return texts.filter((text) => !isUnknown(text) && text.length < longestText);
}
