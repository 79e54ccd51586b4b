/**
 * Files that programs read without being told: start files of shells, tasks, settings and hooks of git. Where the line made one
 * before, what it holds runs. Apart from script-files.ts, where the line itself names the file.
 */
import { baseName } from "../engine/pattern.ts";
import { noteCode, readCode } from "./code.ts";
import { across, isUnknown } from "./expand.ts";
import { type Made, madeAt } from "./made.ts";
import { type Call, cannotTell, noteRuns, quietly, readLine } from "./shell.ts";

/** @returns whether it could be read */
type Read = (text: string, call: Call) => boolean;

interface Row {
  programs: RegExp;
  /** Of the whole path. */
  files: RegExp;
  read: Read;
  isProgram?: true;
  /** Whether the program reads it is not sure: what nobody can tell of it is no reason to ask. */
  isPerhaps?: true;
}

const asLine: Read = (text, call) => {
  readLine(text, call);
  return true;
};

/** What make fills in without being told. */
const ofMake: readonly (readonly [string, string])[] = [
  ["CC", "cc"],
  ["CXX", "c++"],
  ["MAKE", "make"],
  ["RM", "rm -f"],
  ["AR", "ar"],
];

const asMakefile: Read = (text, call) => {
  const values = new Map(ofMake);
  for (const [, name = "", value = ""] of text.matchAll(/^(?:export\s+)?([\w.-]+)\s*(?:::?|\?)?=[ \t]*(.*)$/gm))
    values.set(name, value);
  if (values.has("SHELL") || /\$[({](?:shell|eval|call)\b|^[-s]?include\b|^define\b|^\.ONESHELL/m.test(text))
    return false;
  for (const [recipe] of text.matchAll(/^\t.*(?:\\\n.*)*|;.*$/gm)) {
    const line = fillIn(recipe, values).replaceAll("$$", "$");
    if (/\$\$?[({][\w.-]+[)}]/.test(fillIn(recipe, values).replaceAll("$$", ""))) return false;
    readLine(line.replace(/^[\t;][ \t@+-]*/, "").replaceAll(/\n\t/g, "\n"), call);
  }
  return true;
};

const fillIn = (text: string, values: ReadonlyMap<string, string>, depth = 0): string => {
  const filled = text
    .replaceAll(/(?<!\$)\$[({]([\w.-]+)[)}]/g, (whole, name: string) => values.get(name) ?? whole)
    .replaceAll(/(?<!\$)\$(?:[@<^*+?%]|\([@<^*+?%][DF]\))/g, '"$$$${target}"');
  return depth < mostFillings && filled !== text && filled.length < longestRecipe
    ? fillIn(filled, values, depth + 1)
    : filled;
};
const mostFillings = 5;
const longestRecipe = 5000;

const asPackage: Read = (text, call) => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return false;
  }
  const { scripts } = Object(parsed) as { scripts?: unknown };
  for (const line of Object.values(Object(scripts))) if (typeof line === "string") readLine(line, call);
  return true;
};

/** Files of task runners in formats of their own: what of each line may be a command counts. */
const asTasks: Read = (text, call) => {
  quietly(call.reading, () => {
    for (const line of text.split("\n").slice(0, mostTasks)) {
      const plain = line
        .replace(/^[\s-]*(?:@?[\w.-]+\s*(?::|=)\s*)*/, "")
        .replace(/^[\s[]*(["'`]{1,3})(.*)\1[\],;]*$/, "$2");
      if (plain !== "") readLine(plain.replace(/^[[{\s@+-]+|[\]}\s]+$/g, ""), call);
      for (const [, , quoted = ""] of line.matchAll(/(["'`])((?:(?!\1).)+)\1/g)) readLine(quoted, call);
    }
  });
  return true;
};
const mostTasks = 200;

const asCode =
  (language: string): Read =>
  (text, call) => {
    noteCode(text, call);
    readCode(text, language, call);
    return true;
  };

/** Which files of tasks a program reads. */
const tasks: readonly (readonly [programs: RegExp, files: RegExp])[] = [
  [/^(?:task|go-task)$/, /(?:^|\/)Taskfile(?:\.dist)?\.ya?ml$/i],
  [/^(?:rake|thor|cap)$/, /(?:Rakefile|Thorfile|Capfile|\.rake|\.thor)$/],
  [/^(?:invoke|inv|fab|nox|doit|scons|waf)$/, /(?:^|\/)(?:tasks|fabfile|noxfile|dodo|SConstruct|wscript)(?:\.py)?$/],
  [/^tox$/, /(?:^|\/)(?:tox\.ini|setup\.cfg|pyproject\.toml)$/],
  [/^(?:poe|hatch|pdm|rye|uv|pixi|poetry)$/, /(?:^|\/)(?:pyproject|pixi)\.toml$/],
  [
    /^(?:deno|composer|wireit|turbo|nx|lerna|rush)$/,
    /(?:^|\/)(?:deno\.jsonc?|composer\.json|package\.json|project\.json)$/,
  ],
  [/^(?:mise|rtx)$/, /(?:^|\/)\.?mise(?:\.local)?\.toml$/],
  [/^(?:mage|ant|ninja|earthly)$/, /(?:^|\/)(?:magefile\.go|build\.xml|build\.ninja|Earthfile)$/],
  [/^(?:gradle|gradlew|mvn|mvnw|sbt)$/, /(?:^|\/)(?:build\.gradle(?:\.kts)?|pom\.xml|build\.sbt)$/],
  [/^(?:foreman|overmind|hivemind|honcho|goreman)$/, /(?:^|\/)Procfile(?:\.\w+)?$/],
  [
    /^(?:pre-commit|prek|lefthook|husky|overcommit)$/,
    /(?:^|\/)(?:\.pre-commit-config\.yaml|\.?lefthook\.ya?ml|\.overcommit\.yml)$/,
  ],
  [/^(?:pm2|nodemon|watchexec|entr)$/, /(?:^|\/)(?:ecosystem\.config\.\w+|nodemon\.json)$/],
  [/^cargo$/, /(?:^|\/)(?:build\.rs|\.cargo\/config(?:\.toml)?)$/],
  [/^direnv$/, /(?:^|\/)\.envrc$/],
];

const rows: readonly Row[] = [
  { programs: /^(?:python[\d.]*|pypy3?|pytest|ipython|uv)$/, files: /\.py$/, read: asCode("python"), isPerhaps: true },
  {
    programs: /^(?:node|nodejs|bun|deno|tsx|ts-node|npm|pnpm|yarn|npx|jest|vitest|mocha)$/,
    files: /\.[cm]?[jt]sx?$/,
    read: asCode("node"),
    isPerhaps: true,
  },
  { programs: /^(?:ruby|rake|rspec|bundle)$/, files: /(?:\.rb|Rakefile)$/, read: asCode("ruby"), isPerhaps: true },
  { programs: /^(?:perl|prove)$/, files: /\.p[lm]$/, read: asCode("perl"), isPerhaps: true },
  { programs: /^(?:php|phpunit|composer)$/, files: /\.php$/, read: asCode("php"), isPerhaps: true },
  {
    programs: /^(?:ba|da|a|rba)?sh$/,
    files: /(?:^|\/)(?:\.bashrc|\.bash_profile|\.bash_login|\.profile|bash\.bashrc)$/,
    read: asLine,
  },
  { programs: /^zsh$/, files: /(?:^|\/)\.z(?:shrc|shenv|profile|login)$/, read: asLine },
  { programs: /^g?make$/, files: /(?:^|\/)(?:GNUm|M|m)akefile$/, read: asMakefile },
  { programs: /^(?:npm|pnpm|yarn|bun)$/, files: /(?:^|\/)package\.json$/, read: asPackage },
  { programs: /^just$/, files: /(?:^|\/)\.?justfile$/i, read: () => false },
  ...tasks.map(([programs, files]) => ({ programs, files, read: asTasks })),
  {
    programs: /^git$/,
    files:
      /\/(?:hooks|\.husky|\.?githooks)\/[\w-]+$|(?:^|\/)(?:pre|post|prepare|commit|update|applypatch|reference|fsmonitor|proc)-[a-z]+(?:-[a-z]+)*$/,
    read: asLine,
    isProgram: true,
  },
];

/** The file is read and not run. */
const onlyChecks = /^(?:--check|-[cl]\b(?= \S+\.)|-m (?:py_compile|compileall|ruff|black|mypy|flake8|pylint|isort)\b)/;

/** A hook that commits would be read for ever. */
const reading = new WeakSet<Made>();

/** @param readSettings of git: what one of its settings runs */
export function readOwnFiles(
  words: readonly string[],
  call: Call,
  readSettings: (text: string) => boolean = () => false,
): void {
  if (call.reading.made.size === 0) return;
  const program = baseName(words[0] ?? "");
  const own = rows.filter(({ programs }) => programs.test(program));
  if (program === "git") own.push({ programs: /^git$/, files: gitSettings, read: readSettings });
  if (own.length === 0) return;
  if (/^(?:g?make|just|task|go-task)$/.test(program)) readNamedFiles(words, own, call);
  const isCheck = onlyChecks.test(words.slice(1, 4).join(" "));
  const files = [...call.reading.made.values()].flat();
  for (const row of own.filter(({ isPerhaps }) => !(isPerhaps && isCheck)))
    for (const made of files) if (row.files.test(made.path)) readOne(made, row, call);
}

/** `make -f anything`: the line says which file it is. */
function readNamedFiles(words: readonly string[], own: readonly Row[], call: Call): void {
  const [row] = own;
  for (const [at, word] of words.entries()) {
    const path = /^(?:-f|--file|--makefile|--justfile|-t|--taskfile)$/.test(words[at - 1] ?? "")
      ? word
      : /^(?:--(?:file|makefile|justfile|taskfile)=|-[ft](?=.))(.+)$/.exec(word)?.[1];
    const made = path === undefined ? undefined : madeAt(call.reading, path, call);
    if (row && made && !row.files.test(made.path)) readOne(made, row, call);
  }
}

const gitSettings = /(?:^|\/)(?:\.gitconfig|\.git\/config|\.config\/git\/config)$/;

function readOne(made: Made, { read, isProgram, isPerhaps }: Row, call: Call): void {
  const { path, holds } = made;
  if (reading.has(made)) return;
  reading.add(made);
  try {
    if (holds.is === "text") {
      if (!read(holds.text, call)) noteRuns(call.reading, cannotTell(path));
    } else if (isProgram && holds.is === "copy" && !isUnknown(holds.from))
      call.reading.command([holds.from, across], { ...call, direct: false, source: holds.from });
    else if (!isPerhaps && (holds.is === "unknown" || isUnknown(holds.from))) noteRuns(call.reading, cannotTell(path));
  } finally {
    reading.delete(made);
  }
}
