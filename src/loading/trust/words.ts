/** The texts of a hook's parameters, their words as far as any shell divides them, and which words name files that are only looked at (R30). */
import type { Json } from "../../engine/event.ts";
import { onlyLooks } from "../../shell/lookers.ts";

/** Every text in a step's parameters; a program with its arguments is one, already in words. */
export function* textsIn(content: Json): Generator<[string, Word[]?]> {
  if (typeof content === "string") yield [content];
  else if (Array.isArray(content)) for (const one of content) yield* textsIn(one);
  else if (content !== null && typeof content === "object") {
    const { command, args, ...rest } = content as Record<string, Json>;
    if (typeof command === "string" && Array.isArray(args)) {
      const all = [command, ...args.filter((one) => typeof one === "string")];
      yield [command, all.map((text, index) => ({ text, begins: index === 0 }))];
      for (const one of args) if (typeof one === "string" && /[\s;&|]/.test(one)) yield [one]; // it may be a line for a shell
    } else for (const one of [command, args]) if (one !== undefined) yield* textsIn(one);
    for (const one of Object.values(rest)) yield* textsIn(one);
  }
}

export interface Word {
  text: string;
  /** A program's name stands here. */
  begins: boolean;
}

/** Quotes, escapes and operators divide words; a quoted blank does not. */
const token =
  /(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|\$\{[^}]{0,200}\}|[^\s"'\\;&|()`<>{}])+|[;&|()`\n{}]+|\d*>>?&?\s*(?:"[^"]*"|'[^']*'|[^\s;&|()<>]+)|</g;
const operator = /^[;&|()`\n{}]+$/;
/** Words after which a program's name still is to come. */
const leading =
  /^(?:if|then|else|elif|do|while|until|time|exec|command|builtin|eval|env|nohup|sudo|nice|xargs|timeout|\d+[smhd]?|!|&&|-\S*|[A-Za-z_]\w*=.*)$/s;

export function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  let begins = true;
  for (const [found] of text.matchAll(token)) {
    if (/^\d*>/.test(found)) continue; // what is written there is no program
    if (operator.test(found)) begins = true;
    else {
      const word = unquoted(found);
      words.push({ text: word, begins });
      // A quoted line is a program of its own for `bash -c` and the like.
      if (/[\s;&|$()<`]/.test(word) && word !== text && /^["']/.test(found)) words.push(...wordsIn(word));
      begins = begins && leading.test(word);
    }
  }
  return words;
}

const unquoted = (word: string): string =>
  word.replace(
    /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/g,
    (_all, double, single, escaped) => double ?? single ?? escaped ?? "",
  );

// Files of viewers, checkers and git's looks are only looked at. Trust is of what runs, so an edit of such a file takes no trust away.
// What an unknown program does with a file is unknown: it may run it.

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** They read code, report or lay it out, and run none of it. */
const checkers = set(
  "eslint oxlint xo standard tsc tsgo vue-tsc prettier biome dprint stylelint htmlhint jsonlint jshint ruff mypy pyright basedpyright pylint flake8 " +
    "pycodestyle pydocstyle pyflakes black isort yapf autopep8 bandit vulture djlint sqlfluff shellcheck shfmt checkbashisms hadolint yamllint " +
    "actionlint ansible-lint tflint markdownlint markdownlint-cli2 mdl vale cspell codespell typos taplo semgrep gitleaks rubocop standardrb " +
    "erb_lint reek phpcs phpcbf phpstan psalm php-cs-fixer gofmt gofumpt goimports golangci-lint staticcheck revive rustfmt clang-format " +
    "clang-tidy cppcheck cpplint ktlint detekt scalafmt swiftlint swiftformat luacheck stylua selene perlcritic perltidy nixfmt alejandra " +
    "editorconfig-checker ec cloc scc tokei",
);
/** What they print is no text of the file, so no interpreter of the same line gets it. */
const silent = set("test [ [[ wc stat du file touch mkdir md5sum sha1sum sha256sum sha512sum shasum cksum cmp");
const gitLooks = set(
  "diff log show status add blame annotate grep ls-files ls-tree check-ignore check-attr rev-parse rev-list shortlog cat-file describe " +
    "diff-tree diff-index diff-files hash-object",
);
/** The value of such an option may be code that is loaded, or a program that is started. */
const loads =
  /^--?(?:c|r|pre|pager|config(?:-file)?|rcfile|init-file|require|import|plugins?|load-plugins?|rulesdir|rules-dir|rules?|parser|processor|format(?:ter)?|preset|bootstrap|autoload-file|compress-program|resolve-plugins-relative-to|extcmd|open-files-in-pager|load)$/;
/** jq and yq read their program from a file. */
const loadsOf: Readonly<Record<string, RegExp>> = {
  jq: /^-[a-zA-Z]*[fL]|^--from-file/,
  yq: /^-[a-zA-Z]*f|^--from-file/,
};

/** They start the program that they name next. */
const passesOn = /^(?:npm|pnpm|yarn|bun|npx|pnpx|bunx|dlx|x|exec|bundle|poetry|uv|uvx|pipx|pdm|hatch|rye|mise)$/;
const runsNamed = /^(?:poetry|uv|pipx|pdm|hatch|rye)$/;
const python = /^(?:python[\d.]*|pypy3?)$/;

/** `read`: nothing runs it. `printed`: an interpreter of the same line may be given what is in it. `looks`: the program itself. */
export type Use = "read" | "printed" | "looks";

/** By the place of each word that names no more than a file that is looked at. @param text the line, of which names may be made */
export function onlyRead(words: readonly Word[], text: string): Map<number, Use> {
  const found = new Map<number, Use>();
  if (/\(\s*\)|\b(?:function|alias|hash|PATH\s*=)/.test(text)) return found; // a name may be that of another program
  for (const [index, { begins }] of words.entries()) {
    if (!begins) continue;
    const after = words.findIndex((word, place) => place > index && word.begins);
    const command = words.slice(index, after < 0 ? words.length : after).map((word) => word.text);
    const head = headOf(command);
    const use = useOf(command.slice(head));
    if (!use) continue;
    found.set(index + head, "looks");
    for (let place = head + 1; place < command.length; place++)
      if (!command[place]?.startsWith("-") && !loads.test(command[place - 1] ?? "")) found.set(index + place, use);
  }
  return found;
}

/** Where the program stands that the command is about. */
function headOf(command: readonly string[]): number {
  for (const [index, word] of command.entries()) {
    const before = command[index - 1] ?? "";
    if (passesOn.test(word) || (word === "run" && runsNamed.test(before))) continue;
    if (word.startsWith("-") && index > 0) continue;
    return python.test(word) && command[index + 1] === "-m" ? index + 2 : index;
  }
  return command.length;
}

function useOf(command: readonly string[]): Use | undefined {
  const [first = "", ...others] = command;
  const [, name = ""] =
    /^(?:(?:\.?\/)?(?:[^\s]*\/)?node_modules\/\.bin\/|\/(?:usr\/)?(?:local\/)?bin\/)?([^/]+)$/.exec(first) ?? [];
  if (checkers.has(name)) return "read";
  if (loadsOf[name] && others.some((word) => loadsOf[name]?.test(word))) return undefined;
  if (name === "git") return gitLooks.has(subcommandOf(others)) ? "printed" : undefined;
  if (silent.has(name)) return "read";
  return onlyLooks({ words: [name, ...others] }) ? "printed" : undefined;
}

function subcommandOf([first = "", , ...others]: readonly string[]): string {
  return first === "-C" ? (others[0] ?? "") : first;
}
