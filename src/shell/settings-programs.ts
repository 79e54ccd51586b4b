/** What substitutions print, as far as it is known: settings for a shell, one word, or a text that the line itself holds. */
import { posix } from "node:path";
import type { SyntaxNode } from "unbash";
import { baseName } from "../engine/pattern.ts";
import { isUnknown, textOf, unknownPath, within } from "./expand.ts";
import { pathIn, printed, textOfAll } from "./made.ts";
import type { Command, Reading, Shell } from "./shell.ts";

/** Programs that print settings for `eval`, and the words that say so (from their own documentation of how to set up a shell). */
const settings: { readonly [program: string]: RegExp } = {
  "ssh-agent": /^(-[acskt].*)?$/,
  "gpg-agent": /^--daemon/,
  keychain: /--eval/,
  direnv: /^(hook|export) (bash|zsh)$/,
  pyenv: /^(init|virtualenv-init|sh-shell)\b/,
  rbenv: /^init\b/,
  nodenv: /^init\b/,
  jenv: /^init\b/,
  goenv: /^init\b/,
  brew: /^shellenv/,
  mise: /^(activate|env|hook-env)\b/,
  rtx: /^(activate|env|hook-env)\b/,
  fnm: /^env\b/,
  volta: /^completions\b/,
  starship: /^init\b/,
  zoxide: /^init\b/,
  atuin: /^init\b/,
  mcfly: /^init\b/,
  navi: /^widget\b/,
  fzf: /^--(bash|zsh)$/,
  sheldon: /^source$/,
  thefuck: /^(--alias|-a)\b/,
  dircolors: /./,
  lesspipe: /^$/,
  "lesspipe.sh": /^$/,
  opam: /^env\b/,
  conda: /^shell\.(bash|zsh|posix) /,
  micromamba: /^shell hook\b/,
  luarocks: /^path\b/,
  minikube: /^(-p \S+ )?docker-env/,
  "docker-machine": /^env\b/,
  podman: /^machine env\b/,
  path_helper: /^-s$/,
  "register-python-argcomplete": /./,
  resize: /^$/,
  tset: /^-s$/,
  vfox: /^activate\b/,
  op: /^signin\b/,
  aws: /^configure export-credentials .*--format env/,
  locale: /^$/,
  getconf: /./,
};
const completions = /(^| )(completions?|generate-shell-completion|shell-completion)( |$).*\b(bash|zsh)\b|^completion$/;

const longestSetting = 200;

/** Whether the text that these commands print is settings alone. */
export function printSettings(commands: readonly (Command | undefined)[]): boolean {
  return (
    commands.length > 0 &&
    commands.every((command) => {
      const [program = "", ...rest] = command?.words ?? [];
      const name = baseName(program);
      const words = rest.join(" ");
      if (isUnknown(words) || words.length > longestSetting) return false;
      return (Object.hasOwn(settings, name) && settings[name]?.test(words)) || (name !== "" && completions.test(words));
    })
  );
}

/** Programs that print one word, with the words that say so. */
const oneWord: { readonly [program: string]: RegExp } = {
  pwd: /^(-[LP])?$/,
  mktemp: /^/,
  dirname: /^/,
  realpath: /^/,
  readlink: /^/,
  nproc: /^/,
  whoami: /^$/,
  hostname: /^(-s)?$/,
  id: /^-[ug]n?$/,
  uname: /^-[srm]$/,
  git: /^(-C \S+ )?rev-parse (--short(=\d+)? )?(--show-toplevel|--abbrev-ref HEAD|HEAD|--git-dir|--short HEAD)$|^branch --show-current$/,
  npm: /^(bin|root|prefix)( -g)?$/,
  pnpm: /^(bin|root)( -g)?$/,
  brew: /^--prefix( \S+)?$/,
  go: /^env GO\w+$/,
  python: /^-m site --user-base$/,
  "xcode-select": /^-p$/,
};

/**
 * @param commands those of the substitution
 * @returns undefined: only the shell will know
 */
export function printsInSubstitution(
  commands: readonly Command[],
  script: SyntaxNode | undefined,
  { shell, reading }: { shell: Shell; reading: Reading },
): string | undefined {
  const [first] = commands;
  if (!first) return undefined;
  if (!isSimple(script)) return whereMoved(commands) ?? whereChosen(commands, script, reading);
  // What stands in its words was found before it.
  const command = commands.findLast(({ by }) => by === undefined) ?? first;
  const own = commands.filter(({ by }) => by === undefined).length - 1;
  if (own > command.given.length) return undefined;
  const [program = "", ...rest] = command.words;
  const name = baseName(program);
  if (shell.functions.has(program)) return undefined;
  if (commands.length === own + 1) {
    // `$(< file)` is recorded as a command that does nothing.
    const all = program === ":" ? textOfAll(readBy(command), command.cwd, reading) : printed(command, reading);
    const text = all?.replace(/(?<!\n)\n+$/, "");
    if (text !== undefined) return text;
  }
  const path = placePrinted(command);
  if (path !== undefined) return path;
  if (name === "mktemp") return madeTemporary(rest, shell);
  if (name === "pwd" && rest.length === 0) return textOf(shell.variables, "PWD") ?? within;
  return Object.hasOwn(oneWord, name) && oneWord[name]?.test(rest.join(" ")) ? within : undefined;
}

const readBy = ({ redirects }: Command): string[] =>
  redirects.flatMap(({ how, path }) => (how === "reads" ? path : []));

/** `$(cd .. && pwd)` */
function whereMoved(commands: readonly Command[]): string | undefined {
  const last = commands.at(-1);
  const isMove = commands.slice(0, -1).every(({ words }) => /^(?:cd|pushd)$/.test(words[0] ?? ""));
  return isMove && last?.words[0] === "pwd" && last.words.length < 3 && last.cwd?.startsWith("/")
    ? last.cwd
    : undefined;
}

/**
 * The place that a program prints: `$(dirname "$PWD")`, `$(realpath "$(which rm)")`, `$(npm root -g)`. Without a look at the disk: no
 * part of it is taken for a link, and of a folder that the line does not tell its names stand behind `unknownPath`.
 */
function placePrinted({ words: [program = "", ...rest], cwd }: Command): string | undefined {
  const name = baseName(program);
  return pathPrinted(name, rest, cwd) ?? wherePrinted(name, rest) ?? packagesPrinted(name, rest);
}

function pathPrinted(name: string, rest: readonly string[], cwd: string | undefined): string | undefined {
  const operands = rest.filter(
    (word) => !/^-[efmnsqzLP]+$|^--(?:canonicalize(?:-existing|-missing)?|no-symlinks|no-newline)?$/.test(word),
  );
  const [path = ""] = operands;
  if (operands.length !== 1 || path === "" || path.startsWith("-")) return undefined;
  if (path.startsWith(unknownPath)) return pathInUnknown(name, path);
  if (/[\0*?[]/.test(path)) return undefined;
  if (name === "dirname") return posix.dirname(path);
  if (name === "basename") return posix.basename(path);
  if (name !== "realpath" && !(name === "readlink" && rest.length > 1)) return undefined;
  const full = pathIn(cwd, path);
  return full.startsWith("/") ? full : undefined;
}

/** Hookline's program is called by a link; what another link leads to has most often the same name. */
function pathInUnknown(name: string, path: string): string | undefined {
  const below = path.slice(unknownPath.length);
  if (isUnknown(below) || /[*?[]/.test(below)) return undefined;
  if (name === "basename") return posix.basename(path);
  if (name === "dirname") return below.includes("/") ? posix.dirname(path) : undefined;
  if (name !== "realpath" && name !== "readlink") return undefined;
  return below === "hookline" ? `${unknownPath}node_modules/hookline/bin/hookline.js` : path;
}

/** Where the packages of the person lie, and what stands above them: by the words that ask for it. */
const packagePlaces: readonly (readonly [asks: RegExp, place: string])[] = [
  [/^root$/, `${unknownPath}node_modules`],
  [/^(?:prefix|dir)$/, unknownPath.slice(0, -1)],
  [/^bin$/, `${unknownPath}bin`],
];

function packagesPrinted(name: string, rest: readonly string[]): string | undefined {
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(name) || !rest.some((word) => forAll.test(word))) return undefined;
  return packagePlaces.find(([asks]) => rest.some((word) => asks.test(word)))?.[1];
}
const forAll = /^(?:-g|--global|--location=global|global|get)$/;

/** `$(which a | head -1)`, `$(cd x && npm root -g)`: one command says where it is, and the others choose among its lines or print nothing. */
function whereChosen(
  commands: readonly Command[],
  script: SyntaxNode | undefined,
  { found }: Reading,
): string | undefined {
  if (script?.type !== "Script" || script.commands.length !== 1) return undefined;
  const type = script.commands[0]?.command.type;
  if (type !== "Pipeline" && type !== "AndOr") return undefined;
  const quiet = type === "Pipeline" ? chooses : printsNothing;
  const inWords = new Set(commands.flatMap(({ given }) => given));
  const loud = commands.filter(
    (one) => one.by === undefined && !quiet.test(one.words.join(" ")) && !inWords.has(found.indexOf(one)),
  );
  const places = new Set(loud.map(placePrinted));
  const [place] = places;
  return places.size === 1 ? place : undefined;
}
const chooses =
  /^(?:head|tail)(?: -n)?(?: -?n?\d+)?$|^(?:sort|uniq|cat|tee)(?: -[a-z]+)?$|^tr -d \S+$|^sed (?:-n )?1[pq]$/;
const printsNothing = /^(?:cd|pushd|true|:|exit|set|test|\[)(?: |$)/;

/** `$(mktemp -d)`: a new name, in the folder for temporary files. */
function madeTemporary(rest: readonly string[], { variables }: Shell): string {
  const [template, ...more] = rest.filter(
    (word, index) => !word.startsWith("-") && !/^-\w*t$/.test(rest[index - 1] ?? ""),
  );
  const isElsewhere = variables.has("TMPDIR") || more.length > 0 || rest.some((word) => /^-\w*p|^--tmpdir=/.test(word));
  const isBeside = template !== undefined && !rest.some((word) => /^-\w*t$|^--tmpdir$/.test(word));
  if (isElsewhere || (isBeside && !/^\/tmp\/[\w.-]+$/.test(template))) return within;
  return `/tmp/${within}`;
}

/** `$(which rm)`: a program, in a folder that is not known. */
function wherePrinted(name: string, rest: readonly string[]): string | undefined {
  const isWhere =
    (/^(?:which|where)$/.test(name) && rest.length === 1) ||
    (name === "command" && rest[0] === "-v" && rest.length === 2) ||
    (/^(?:type|whence)$/.test(name) && /^-[pP]+$/.test(rest[0] ?? "") && rest.length === 2);
  const wanted = rest.at(-1) ?? "";
  return isWhere && /^[\w.+-]+$/.test(wanted) && !wanted.startsWith("-") ? `${unknownPath}${wanted}` : undefined;
}

function isSimple(script: SyntaxNode | undefined): boolean {
  if (script?.type !== "Script") return false;
  const [statement, ...others] = script.commands;
  return others.length === 0 && statement?.command.type === "Command" && !statement.background;
}
