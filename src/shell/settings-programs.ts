/** What substitutions print, as far as it is known: settings for a shell, one word, or a text that the line itself holds. */
import type { SyntaxNode } from "unbash";
import { baseName } from "../engine/pattern.ts";
import { isUnknown, textOf, within } from "./expand.ts";
import { printed } from "./made.ts";
import type { Command, Shell } from "./shell.ts";

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
  shell: Shell,
): string | undefined {
  const [command] = commands;
  if (!command || !isSimple(script) || commands.slice(1).some(({ by }) => by === undefined)) return undefined;
  const [program = "", ...rest] = command.words;
  const name = baseName(program);
  if (shell.functions.has(program)) return undefined;
  if (commands.length === 1) {
    const text = printed(command)?.replace(/(?<!\n)\n+$/, "");
    if (text !== undefined) return text;
  }
  const found = wherePrinted(name, rest);
  if (found !== undefined) return found;
  if (name === "pwd" && rest.length === 0) return textOf(shell.variables, "PWD") ?? within;
  return Object.hasOwn(oneWord, name) && oneWord[name]?.test(rest.join(" ")) ? within : undefined;
}

/** `$(which rm)`: a program, in a folder that is not known. */
function wherePrinted(name: string, rest: readonly string[]): string | undefined {
  const isWhere =
    (name === "which" && rest.length === 1) ||
    (name === "command" && rest[0] === "-v" && rest.length === 2) ||
    (name === "type" && /^-[pP]+$/.test(rest[0] ?? "") && rest.length === 2);
  const wanted = rest.at(-1) ?? "";
  return isWhere && /^[\w.+-]+$/.test(wanted) && !wanted.startsWith("-") ? `${within}/${wanted}` : undefined;
}

function isSimple(script: SyntaxNode | undefined): boolean {
  if (script?.type !== "Script") return false;
  const [statement, ...others] = script.commands;
  return others.length === 0 && statement?.command.type === "Command" && !statement.background;
}
