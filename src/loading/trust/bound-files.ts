/**
 * Which workspace files a hook runs, as far as its text tells (R30): programs, scripts that an interpreter reads, what a package's
 * scripts say. It reads any text, also that of other shells, and rather takes a file too many than one too few: a change of a
 * file that was taken asks a person again, and a change of one that was not runs unseen. Not taken is what words.ts knows to be
 * looked at alone.
 */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { Json } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import { readFileHeadSync, textAt } from "../../files/regular-file.ts";
import { moreThanFollowed, scriptsOf } from "./item.ts";
import { onlyRead, textsIn, type Use, type Word, wordsIn } from "./words.ts";

interface Places {
  /** Where relative paths may start. */
  bases: string[];
  /** Only files below it are a stranger's. */
  workspace: string;
  /** The variables that name a folder of it. */
  variables: Map<string, string>;
  /** Where a name alone is looked for, because the line says so with PATH=. */
  searched: string[];
  /** How often it may still be looked whether a file is there. */
  looks: { left: number };
}

/** Each look costs a few microseconds: a text that a stranger wrote takes no more than a tenth of a second. */
const mostLooks = 5_000;

/** Absolute paths. @param workspace the folder of the repository */
export function filesOf(hook: Pick<Hook, "steps" | "origin">, workspace: string): string[] {
  const { root = workspace, plugin, file, dialect } = hook.origin;
  if (dialect === "script" && file !== undefined) return [file]; // the rest says when it runs, and for which files
  const running = hook.steps.filter(({ uses }) => uses !== "gate"); // its words are for people and models, and name what must not run
  return filesIn(running.map((step) => ({ ...step.with, uses: "" })) as Json, { root, workspace, plugin });
}

export function filesIn(
  content: Json,
  given: { root: string; workspace: string; plugin?: string | undefined },
): string[] {
  const { root, workspace, plugin } = given;
  const found = new Set<string>();
  const looks = { left: mostLooks };
  for (const [text, words] of textsIn(content)) {
    const places: Places = {
      looks,
      workspace,
      bases: [root, ...(plugin === undefined ? [] : [plugin])],
      variables: new Map([["PWD", root]]),
      searched: [],
    };
    const own = words ?? wordsIn(withFolders(text));
    learn(own, places);
    for (const path of programsIn(own, places, onlyRead(own, text))) found.add(path);
  }
  if (looks.left <= 0) found.add(join(workspace, moreThanFollowed));
  return [...found];
}

/** What prints a folder of the workspace reads as a variable that is not known: as each of the folders. */
const withFolders = (text: string): string =>
  text.replace(
    /\$\(\s*(?:pwd|git rev-parse --show-toplevel)\b[^()]*\)|`\s*(?:pwd|git rev-parse --show-toplevel)\b[^`]*`/g,
    "$__folder",
  );

const mostFolders = 16;
const longestValue = 4_096;

/** The word after it, or behind its sign, is a folder that something starts in. */
const goesTo = /^(?:cd|pushd|-C|--(?:cwd|prefix|dir|directory|chdir))(?:=(.+))?$/;
/** What PATH was before names nothing of the workspace. */
const isNoPath = (text: string): boolean => !/^\$\{?PATH\}?$/.test(text);
/** Folders that an interpreter looks for modules in. */
const modulePaths = /^(?:PYTHONPATH|NODE_PATH|RUBYLIB|PERL5LIB)$/;

/** Assignments of plain texts, and folders that the line goes to. */
function learn(words: readonly Word[], { bases, variables, searched }: Places): void {
  for (const [index, { text }] of words.entries()) {
    const [variable, preposition, first] = words.slice(index + 1, index + 4).map((word) => word.text);
    if (text === "for" && preposition === "in") variables.set(variable ?? "", first ?? "");
    const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    const learnt = (all: string[], targets: readonly string[]): void => {
      if (all.length >= mostFolders) return;
      for (const target of targets.slice(0, mostFolders))
        for (const folder of spellings(target, { bases: bases.slice(), variables }))
          if (all.length < mostFolders && !all.includes(folder)) all.push(folder);
    };
    if (name === "PATH") learnt(searched, value.split(":").filter(isNoPath));
    else if (name !== undefined && modulePaths.test(name)) learnt(bases, value.split(":"));
    else if (name !== undefined) variables.set(name, value.slice(0, longestValue));
    const going = goesTo.exec(text);
    if (going) learnt(bases, [going[1] ?? words[index + 1]?.text ?? ""]);
  }
}

const interpreters =
  /^(?:ba|da|z|fi|k|tcl|xon)?sh$|^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua|pwsh|powershell|Rscript|awk|gawk|sed|source|\.|eval|java|swift|julia|elixir|nu|zx|expect|osascript|run-parts)$/;
/** They take a folder for a program, or each file that a pattern finds. */
const ofFolders = /sh$|^(?:node|nodejs|tsx|source|\.|run-parts)$/;
const scriptName =
  /\.(?:sh|bash|zsh|fish|ksh|py|pyw|rb|pl|pm|php|lua|js|cjs|mjs|ts|cts|mts|jsx|tsx|ps1|psm1|awk|sed|mk|r|R|jq)$/;

/** What some programs run that stands in a file of a fixed name, or below the packages. */
const runners: readonly { names: RegExp; files: readonly string[]; ofPackage?: true; runsNext?: true }[] = [
  { names: /^(?:npm|pnpm|yarn|bun)$/, files: [], ofPackage: true, runsNext: true },
  { names: /^(?:npx|pnpx|bunx|exec|dlx|x)$/, files: [], runsNext: true },
  { names: /^(?:make|gmake)$/, files: ["Makefile", "makefile", "GNUmakefile"] },
  { names: /^just$/, files: ["justfile", "Justfile", ".justfile"] },
  { names: /^task$/, files: ["Taskfile.yml", "Taskfile.yaml"] },
  { names: /^rake$/, files: ["Rakefile"] },
  { names: /^(?:gradle|gradlew)$/, files: ["build.gradle", "build.gradle.kts", "gradlew"] },
  { names: /^(?:pre-commit|lefthook)$/, files: [".pre-commit-config.yaml", "lefthook.yml"] },
  { names: /^deno$/, files: ["deno.json", "deno.jsonc"] },
  { names: /^composer$/, files: ["composer.json"] },
  { names: /^mise$/, files: ["mise.toml", ".mise.toml"] },
  { names: /^(?:cargo|ant|mvn|mvnw)$/, files: ["build.rs", "build.xml", "pom.xml"] },
  { names: /^(?:docker|docker-compose|podman)$/, files: ["compose.yaml", "docker-compose.yml", "Dockerfile"] },
  { names: /^(?:pytest|tox|nox)$/, files: ["conftest.py", "tox.ini", "noxfile.py"] },
];

/** A script may be named without its ending. */
const scriptEndings = ["", ".js", ".cjs", ".mjs", ".ts", ".py", ".rb", ".json"];
const noEnding = [""];

function* programsIn(words: readonly Word[], places: Places, onlyRead: ReadonlyMap<number, Use>): Generator<string> {
  let after: "program" | "interpreter" | undefined;
  let readsFolders = false;
  // It may read its script from its input or from another's output: then each file that the line names counts.
  const interprets = words.some(
    ({ text, begins }, index) => interpreters.test(baseName(text)) && !onlyRead.has(index) && (begins || text !== "."),
  );
  const runsWhatItFinds = interprets && words.some(({ text }) => findsFiles.test(text));
  for (const [index, { text, begins }] of words.entries()) {
    if (places.looks.left-- <= 0) return;
    const use = onlyRead.get(index);
    if (use === "read" || (use === "printed" && !interprets)) {
      after = undefined;
      continue;
    }
    const isOptionBefore = words[index - 1]?.text.startsWith("-") === true; // then it may be that option's value
    const name = baseName(text);
    const isOption = text.startsWith("-");
    const mayBePath = begins || after !== undefined || interprets || isOptionBefore || /[./\\]/.test(text);
    const paths = mayBePath
      ? [
          ...candidates(
            isOption && isAttached.test(text) ? text.slice(2) : text,
            places,
            after === "interpreter" || (interprets && /[/\\]/.test(text)) ? scriptEndings : noEnding,
          ),
        ]
      : [];
    const isNamed = begins || after === "interpreter";
    const maybeRun = (interprets || isOptionBefore || isOption) && !isDocument.test(text); // `jq -f x`, `just -f x`, `ruby -r./x`
    yield* paths.filter((path) => (isNamed || maybeRun ? isFile(path) : isProgram(path)));
    if ((after === "interpreter" && readsFolders) || runsWhatItFinds) yield* foldersOf(text, places);
    if (after === "interpreter" && isHere.test(text)) yield* mainFiles(places);
    // A script that is not there yet: when it appears, a person is asked.
    if (
      isNamed &&
      !isAssignment.test(text) &&
      !paths.some(isFile) &&
      /^[^\s;&|*?()]+$/.test(text) &&
      (/[/\\]|\.\w+$/.test(text) || (after === "interpreter" && !isOptionBefore && /^\w[\w.-]*$/.test(text)))
    )
      yield* paths.filter((path) => !isFolder(path) && !/[*?]/.test(path));
    if (begins || after === "program") {
      const inBin = [...inPackages(name, places)];
      yield* inBin;
      if (inBin.length === 0 && fromPackages.test(words[index - 1]?.text ?? "") && /^[\w@.][\w@.-]*$/.test(name))
        yield* places.bases
          .map((base) => join(base, "node_modules", ".bin", name))
          .filter((path) => isBelow(path, places.workspace));
      for (const folder of places.searched)
        if (name !== "" && !isAssignment.test(text) && isBelow(join(folder, name), places.workspace))
          yield join(folder, name);
    }
    const runner = begins || after === "program" ? runners.find(({ names }) => names.test(name)) : undefined;
    for (const base of runner ? places.bases : []) {
      for (const file of runner?.files ?? []) if (isBelow(join(base, file), places.workspace)) yield join(base, file);
      if (runner?.ofPackage) yield scriptsOf(join(base, "package.json"));
    }
    if (interprets && !isOption) yield* pythonModule(text, places);
    if (text.startsWith("--run")) for (const base of places.bases) yield scriptsOf(join(base, "package.json"));
    if (runner?.runsNext) after = "program";
    else if (interpreters.test(name) || (goesOn.test(text) && words[index - 1]?.text === "go")) {
      after = "interpreter";
      readsFolders = ofFolders.test(name) || goesOn.test(text);
    } else if (!isOption || begins) after = undefined;
  }
}

/** The files that they find are what the interpreter of the same line may get. */
const findsFiles = /^(?:-exec(?:dir)?|-ok|xargs|parallel|ls|find|fd)$/;
/** `-r./x`, `-fx.jq`: the value of an option without a blank. */
const isAttached = /^-[A-Za-z][^-=]*[./]/;
/** The folder itself is the program. */
const isHere = /^\.\/?$/;
/** `go run ./cmd`: its folder is the program. */
const goesOn = /^(?:run|generate|test)$/;

function* mainFiles({ bases, workspace }: Places): Generator<string> {
  for (const base of bases)
    for (const file of ["package.json", "index.js", "__main__.py", "main.go", mainOf(join(base, "package.json"))])
      if (file !== undefined && isFile(join(base, file)) && isBelow(join(base, file), workspace))
        yield join(base, file);
}

function mainOf(file: string): string | undefined {
  try {
    const { main } = JSON.parse(textAt(file) ?? "null") as { main?: unknown };
    return typeof main === "string" && !main.includes("\0") ? main : undefined;
  } catch {
    return undefined; // there is none that can be read: the file itself counts
  }
}

/** What is put into such a folder later runs as well: the folder counts, not the files that are in it now. */
function* foldersOf(text: string, places: Places): Generator<string> {
  if (/^\.?\/?$/.test(text)) return; // all of the workspace
  for (const found of candidates(text, places, noEnding)) {
    const path = found.replace(/\/[^/]*[*?[][\s\S]*$/, "");
    if (isBelow(path, places.workspace) && isFolder(path) && !places.bases.includes(path)) yield path;
  }
}

/** The next word is a program of a package, also where it is not there yet. */
const fromPackages = /^(?:npx|pnpx|bunx|dlx)$/;
const isAssignment = /^[A-Za-z_]\w*=/;
const baseName = (text: string): string => text.replace(/^.*[/\\]/, "");
/** What a script reads, as a rule; as the input of a shell it counts all the same. */
const isDocument = /\.(?:md|txt|json|ya?ml|toml|csv|lock|log)$/i;

/** Programs that packages bring; what the link leads to is what runs. */
function* inPackages(name: string, { bases, workspace }: Places): Generator<string> {
  if (!/^[\w@.-]+$/.test(name)) return;
  for (const base of bases)
    for (let folder = base; ; folder = dirname(folder)) {
      const link = join(folder, "node_modules", ".bin", name);
      if (isFile(link)) {
        yield link;
        const target = realpathSync(link);
        if (isBelow(target, workspace)) yield target;
      }
      if (folder === workspace || dirname(folder) === folder) break;
    }
}

/** `python -m package.module` */
function* pythonModule(text: string, { bases, workspace }: Places): Generator<string> {
  if (!/^[A-Za-z_][\w.]*$/.test(text)) return;
  const path = text.replaceAll(".", sep);
  for (const base of bases)
    for (const file of [`${path}.py`, join(path, "__main__.py"), join(path, "__init__.py")])
      if (isFile(join(base, file)) && isBelow(join(base, file), workspace)) yield join(base, file);
}

/** The workspace paths that a word may name; an option may hold one behind its sign. */
function* candidates(text: string, places: Places, endings: readonly string[]): Generator<string> {
  if (text.length > 4_096 || text.includes("\0") || /^[a-z][a-z+.-]*:\/\//i.test(text)) return;
  const parts = new Set([text, ...(/[=:,]/.test(text) ? text.split(/[=:,\s]+/) : [])]);
  for (const part of parts)
    for (const path of spellings(part.replace(/^@/, ""), places))
      for (const ending of endings)
        if (places.looks.left-- > 0 && (ending === "" || isFile(path + ending)) && isBelow(path, places.workspace))
          yield path + ending;
}

/** With its variables filled in. An unknown one may mean each of the folders. */
function* spellings(text: string, { bases, variables }: Pick<Places, "bases" | "variables">): Generator<string> {
  if (text === "" || text.startsWith("-")) return;
  for (const base of bases) {
    const fill = (line: string): string =>
      line.replace(
        /\$\{([A-Za-z_]\w*)[^}]*\}|\$([A-Za-z_]\w*)/g,
        (_all, braced: string | undefined, plain: string | undefined) => variables.get(braced ?? plain ?? "") ?? base,
      );
    const filled = fill(fill(text)).slice(0, 4_096); // what a variable was given may name one
    if (filled.includes("\0")) continue;
    yield isAbsolute(filled) ? resolve(filled) : resolve(base, filled);
  }
}

function isProgram(path: string): boolean {
  try {
    const found = statSync(path);
    if (!found.isFile()) return false;
    return scriptName.test(path) || (found.mode & 0o111) !== 0 || beginsWithInterpreter(path);
  } catch {
    return false; // there is no such file
  }
}

function beginsWithInterpreter(path: string): boolean {
  const head = readFileHeadSync(path, 2);
  return "bytes" in head && head.bytes.toString() === "#!";
}

const isFile = (path: string): boolean => kindAt(path) === "file";
const isFolder = (path: string): boolean => kindAt(path) === "folder";

function kindAt(path: string): "file" | "folder" | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? "file" : found?.isDirectory() ? "folder" : undefined;
  } catch {
    return undefined; // a folder that may not be searched
  }
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
