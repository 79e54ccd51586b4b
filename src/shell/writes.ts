/**
 * Which files a command writes, removes or replaces. For guards of hooks, who err towards yes, every path among the words of a program
 * counts that is in no table.
 */
import type { SimpleCommand, Written } from "../engine/effects.ts";
import { baseName, unknownText } from "../engine/pattern.ts";
import { anyBelow, archives, unpackedByPython } from "./archives.ts";
import { treesOf } from "./git/trees.ts";
import { namesFound } from "./listers.ts";
import { onlyLooks } from "./lookers.ts";
import { isOption, operandsOf, valuesOf } from "./own-words.ts";

type Words = readonly string[];

/**
 * @param own words of the command that belong to no other one that it runs
 * @param isCautious a program that is in no table counts as well
 */
export function writtenBy(
  command: SimpleCommand,
  { own, isCautious }: { own: Words; isCautious: boolean },
): readonly Written[] {
  const [program = "", ...words] = own;
  const name = baseName(program);
  if (Object.hasOwn(programs, name)) return programs[name]?.(words, command) ?? [];
  const unpacked = words[0] === "-m" && interpreters.test(name) ? unpackedByPython(words, command) : [];
  if (unpacked.length > 0) return unpacked;
  if (!isCautious || onlyLooks(command) || quiet.test(name)) return [];
  return mayWrite(name, words);
}

/** Of the shell, of other machines, and of programs that another guard knows. */
const quiet =
  /^(?:hookline(?:-client)?|source|\.|export|local|declare|typeset|readonly|set|unset|alias|unalias|shift|trap|ulimit|umask|read|wait|jobs|bg|fg|kill|pkill|sleep|ssh|shellcheck|yamllint|jsonlint|actionlint|markdownlint|markdownlint-cli2|hadolint|bats|ajv|cloc|scc|open|xdg-open)$/;
const interpreters =
  /^(?:(?:ba|z|da|k|a)?sh|fish|python[\d.]*|pypy3?|node|nodejs|bun|deno|tsx|ts-node|ruby|perl|php|lua|osascript|java)$/;

/** What an interpreter runs first is its script; code in its words is read elsewhere. */
function mayWrite(name: string, words: Words): Written[] {
  const isRunner = interpreters.test(name);
  if (isRunner && words.some((word) => /^-(?:[a-z]*[ce]|-eval|-print)$/.test(word))) return [];
  if (isRunner && words[0] === "-m" && /^(?:json\.tool|py_compile)$/.test(words[1] ?? "")) return [];
  const script = isRunner ? words.findIndex((word) => !/^-/.test(word)) : -1;
  return words
    .filter((_, index) => index !== script)
    .flatMap((word) => {
      if (/\s/.test(word) || word === "") return scripted.test(name) ? pathsIn(word) : [];
      const value = /^-{1,2}[\w-]+[=:](.+)$|^[\w.]+=(.+)$|^-[a-zA-Z]([./~].+)$|^@(.+)$/.exec(word);
      return (value?.slice(1).find(Boolean) ?? (isOption(word) ? [] : word)) as string | string[]; // one of the groups is there
    })
    .map((path) => ({ path, whole: true }));
}

/** They take commands of their own. */
const scripted =
  /^(?:vi|vim|nvim|view|ex|ed|nano|emacs|sqlite3|psql|mysql|duckdb|gdb|lldb|lftp|m4|gnuplot|screen|tmux|script)$/;
const pathsIn = (text: string): string[] => text.split(/[\s'"`;|&()<>,!]+/).filter((one) => /[/.~]/.test(one));

const asPaths = (paths: readonly string[]): Written[] => paths.map((path) => ({ path }));
const asWhole = (paths: readonly string[]): Written[] => paths.map((path) => ({ path, whole: true }));

/** A copy of a folder, and a link, bring all that is in it. */
function copiedTrees(words: Words): Written[] {
  const targets = copied(words);
  const isTree = words.some((word) => /^-[A-Za-z]*[rRasT]|^--(?:recursive|archive|symbolic)/.test(word));
  return isTree ? targets.flatMap((one) => [{ ...one, whole: true as const }, { path: anyBelow(one.path) }]) : targets;
}

/** The target, and what a folder of that name would get. */
function copied(words: Words): Written[] {
  const given = valuesOf(words, "-t", "--target-directory");
  const from = operandsOf(words);
  const [target] = given.length > 0 ? given : from.splice(-1);
  if (target === undefined) return [];
  const folder = target.replace(/(?<=.)\/+$/, "");
  const inside = from.map((one): Written => {
    const name = baseName(one.replace(/(?<=.)\/+$/, "")).replace(/^[\w.@-]+:/, ""); // of another machine
    const isAll = name === "." || name === "" || one.endsWith("/");
    return { path: isAll ? folder : `${folder}/${name}`, from: [one] };
  });
  return [{ path: target, from }, ...inside];
}

/** A link of a folder's name takes its place, whatever it leads to. */
const linked = (words: Words): Written[] => copiedTrees(words).map(({ path }) => ({ path, whole: true }));

const moved = (words: Words): Written[] => [
  ...copied(words).flatMap((one) => [{ ...one, whole: true as const }, { path: anyBelow(one.path) }]),
  ...asWhole(
    operandsOf(words).slice(0, words.some((word) => /^(?:-t|--target-directory)/.test(word)) ? undefined : -1),
  ),
];

const inPlace = (words: Words): Written[] =>
  words.some((word) => /^-[A-Za-z]*i|^--in-?place/.test(word)) ? asWhole(operandsOf(words)) : [];

/** `w FILE`, alone or behind `s/x/y/`. */
const writtenBySed = (word: string): string[] =>
  [...word.matchAll(/(?:^|[;{}\n\d$/!\s])[gpiIm\d]*[wW]\s+(\S+)/g)].map(([, path = ""]) => path.replace(/[;}]+$/, ""));

/** awk -i inplace */
const awk = (words: Words): Written[] =>
  words.some(
    (word, index) =>
      word === "inplace" ||
      /^--(?:include|in-place)=?inplace$/.test(word) ||
      (word === "-i" && words[index + 1] === "inplace"),
  )
    ? asWhole(operandsOf(words))
    : [];

/** `vim -c ':w! FILE'` */
const edited = (words: Words): Written[] => [
  ...asWhole(operandsOf(words)),
  ...asPaths(words.filter((word) => /\s/.test(word)).flatMap(pathsIn)),
];

/** What `find … -delete` takes has these names. */
function found(words: Words): Written[] {
  if (!words.includes("-delete")) return [];
  const starts = words.slice(
    0,
    words.findIndex((word) => /^[-(!]/.test(word)),
  );
  return [...namesFound(words), ...asWhole(starts.filter((one) => one !== "."))];
}

/** Values of options that name a file which is written. */
const output =
  (short: string, long: string) =>
  (words: Words): Written[] =>
    asPaths(valuesOf(words, short, long));

/** The file that holds a patch; its targets stand in it. */
function patched(
  words: Words,
  { text, redirects, input }: SimpleCommand,
  given: { files: readonly string[]; folder: string },
): Written[] {
  if (
    words.some((word) =>
      /^--(?:dry-run|check|stat|numstat|summary|abort|continue|skip|quit|show-current-patch.*|version|help)$/.test(
        word,
      ),
    )
  )
    return [];
  const read = [...given.files, ...redirects.flatMap(({ how, path }) => (how === "reads" ? path : []))];
  const held = text === undefined ? {} : { text };
  if (read.length === 0 && text === undefined && input.length === 0 && words.length > 0 && given.files.length === 0)
    return [{ path: given.folder, patch: {} }];
  return (read.length > 0 ? read : [undefined]).map((file) => ({
    path: given.folder,
    patch: { ...(file === undefined ? {} : { file }), ...held },
  }));
}

function patch(words: Words, command: SimpleCommand): Written[] {
  const [folder = "."] = valuesOf(words, "-d", "--directory");
  const files = valuesOf(words, "-i", "--input");
  const operands = operandsOf(
    words.filter((word, index) => !/^-[dipFBzYDgo]$/.test(words[index - 1] ?? "") || isOption(word)),
  );
  const [target, from] = operands;
  return [
    ...asWhole(target === undefined ? [] : [target]),
    ...asPaths(valuesOf(words, "-o", "--output")),
    ...(target === undefined || files.length > 0 || from !== undefined
      ? patched(words, command, { files: [...files, ...(from === undefined ? [] : [from])], folder })
      : []),
  ];
}

/** Letters of `git commit` behind which a value stands. */
const withValue = "mFCctS";

function skipsHooks(words: Words): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).some((word, index, all) => {
    if (/^-[mFCct]$/.test(all[index - 1] ?? "")) return false; // the message may say anything
    if (/^--no-veri(f|fy)?$/.test(word)) return true;
    const letters = /^-([A-Za-z]+)/.exec(word)?.[1] ?? "";
    const own = [...letters].findIndex((letter) => withValue.includes(letter));
    return (own < 0 ? letters : letters.slice(0, own)).includes("n");
  });
}

/** Whoever takes the hooks of git away, by flag or by setting, as good as removes them. */
export const gitHooks = ".git/hooks";

function git(words: Words, command: SimpleCommand): Written[] {
  const settings = valuesOf(words, "-c", "--config-env");
  if (settings.some((one) => /^core\.hookspath/i.test(one))) return asPaths([gitHooks]);
  const at = words.findIndex(
    (word, index) => !isOption(word) && !/^-[cC]$|^--(?:git-dir|work-tree|namespace)$/.test(words[index - 1] ?? ""),
  );
  const [name = "", ...rest] = at < 0 ? [] : words.slice(at);
  const top = at < 0 ? [] : words.slice(0, at);
  const folder = [...valuesOf(top, "-C", "-C"), ...valuesOf(top, "--work-tree", "--work-tree")].at(-1);
  const below = ({ path, ...more }: Written): Written => ({
    ...more,
    path:
      folder === undefined || path.startsWith("/") || path === gitHooks
        ? path
        : `${folder.replace(/\/+$/, "")}/${path}`,
  });
  if (name === "config") {
    const named = rest.findIndex((word) => /^core\.hookspath$/i.test(word));
    const sets =
      rest.slice(named + 1).some((word) => !isOption(word)) || rest.some((word) => /^(--?unset|unset)/.test(word));
    const edits = rest.some((word) => /^(-e|--edit|edit)$/.test(word));
    if (named >= 0 && sets && !rest.some((word) => /^(--get|get)/.test(word))) return asPaths([gitHooks]);
    return edits ? asPaths([".git/config"]) : [];
  }
  if (name === "commit" && skipsHooks(rest)) return asPaths([gitHooks]);
  if (["push", "merge", "rebase", "am", "pull"].includes(name) && rest.includes("--no-verify"))
    return asPaths([gitHooks]);
  const named = Object.hasOwn(gitCommands, name) ? gitCommands[name] : output("", "--output");
  const trees = at === 0 ? treesOf(words) : undefined; // with options before it, the reader has recorded it without them as well
  return [...(named?.(rest, command) ?? []).map(below), ...(trees ? [{ path: ".", trees }] : [])];
}

/** Behind `--` alone, where there is one. */
function pathsOfGit(words: Words): string[] {
  const end = words.indexOf("--");
  const paths = end < 0 ? operandsOf(words) : words.slice(end + 1);
  return paths.map((path) => path.replace(/^:(?:\([^)]*\)|\/)/, "").replace(/\/?\*+$/, "") || ".");
}

const gitCommands: { readonly [name: string]: (words: Words, command: SimpleCommand) => Written[] } = {
  ...Object.fromEntries(
    ["rm", "checkout", "restore", "clean"].map((name) => [name, (words: Words) => asWhole(pathsOfGit(words))]),
  ),
  mv: moved,
  stash: (all) => {
    const [action = "", ...words] = all;
    if (action === "push")
      return asWhole(pathsOfGit(words.filter((_, index) => !/^(?:-m|--message)$/.test(words[index - 1] ?? ""))));
    return all.includes("--") ? asWhole(pathsOfGit(all)) : [];
  },
  clone: (words) => cloned(words),
  worktree: ([action = "", ...rest]) => (/^(?:add|move)$/.test(action) ? asWhole(operandsOf(rest).slice(0, 2)) : []),
  submodule: (words) =>
    asWhole(
      operandsOf(words)
        .filter((word) => !/:\/\/|^git@/.test(word))
        .slice(1),
    ),
  subtree: (words) => asWhole(valuesOf(words, "-P", "--prefix")),
  "checkout-index": (words) => asWhole(valuesOf(words, "--prefix", "--prefix")),
  "read-tree": (words) => asWhole(valuesOf(words, "--prefix", "--prefix")),
  archive: output("-o", "--output"),
  "format-patch": output("-o", "--output-directory"),
  bundle: (words) => (words[0] === "create" ? asPaths(operandsOf(words).slice(1, 2)) : []),
  init: (words) => asPaths(valuesOf(words, "--template", "--template")),
  apply: (words, command) =>
    patched(words, command, {
      files: operandsOf(words),
      folder: valuesOf(words, "--directory", "--directory")[0] ?? ".",
    }),
  am: (words, command) =>
    patched(words, command, {
      files: operandsOf(words),
      folder: valuesOf(words, "--directory", "--directory")[0] ?? ".",
    }),
};

/** What a clone brings is a whole tree. */
function cloned(words: Words): Written[] {
  const operands = operandsOf(
    words.filter(
      (_, index) =>
        !/^(?:-[bocju]|--(?:branch|depth|origin|config|filter|jobs|reference|template))$/.test(words[index - 1] ?? ""),
    ),
  );
  const [address = "", folder = baseName(address.replace(/\/+$/, "")).replace(/\.git$/, "")] = operands;
  return address === "" ? [] : [{ path: folder, whole: true }, { path: anyBelow(folder) }];
}

const each = (names: string, row: Row): { [name: string]: Row } =>
  Object.fromEntries(names.split(" ").map((name) => [name, row]));
type Row = (words: Words, command: SimpleCommand) => readonly Written[];

const programs: { readonly [name: string]: Row } = {
  ...each("rm rmdir unlink shred chmod chown chgrp setfacl chattr chflags umount trash trash-put rimraf", (words) =>
    asWhole(operandsOf(words)),
  ),
  ...each("touch truncate tee sponge mkdir mkfifo fallocate", (words) => asPaths(operandsOf(words))),
  ...each("cp gcp rsync scp ditto", copiedTrees),
  ...each("ln gln link", linked),
  install: copied,
  stow: (words) => [{ path: valuesOf(words, "-t", "--target")[0] ?? "..", whole: true, from: operandsOf(words) }],
  // They put a person's own settings into place, and which ones stands in their source.
  ...each("chezmoi rcup dotbot homeshick home-manager", (words) =>
    /^(?:diff|status|managed|doctor|add|edit|cd|list|check|build|news|generations)$/.test(words[0] ?? "") ||
    words.some((word) => /^(?:-n|--dry-run|--help|--version)$/.test(word)) ||
    (words[0] === "init" && !words.includes("--apply"))
      ? []
      : asPaths(
          words[0] !== "init" && operandsOf(words).length > 1
            ? operandsOf(words).slice(1)
            : [`${unknownText}/.claude/settings.json`],
        ),
  ),
  ...each("docker podman nerdctl kubectl", (words) => [
    ...(words.includes("cp") && !words.includes("run")
      ? copiedTrees(["-r", ...words.slice(words.indexOf("cp") + 1)])
      : []),
    // A container writes what it is given of this machine's files.
    ...valuesOf(words, "-v", "--volume").flatMap((one) =>
      /:ro\b/.test(one) ? [] : asWhole(one.split(":").slice(0, 1)),
    ),
    ...valuesOf(words, "--mount", "--mount").flatMap((one) =>
      /\breadonly|\bro\b/.test(one) ? [] : asWhole(/(?:source|src)=([^,]+)/.exec(one)?.slice(1) ?? []),
    ),
  ]),
  ...each("mv gmv", moved),
  ...each("mount bindfs", (words) => asWhole(operandsOf(words).slice(-1))),
  dd: (words) => asPaths(words.flatMap((word) => (word.startsWith("of=") ? word.slice(3) : []))),
  ...each("sed gsed", (words) => [...inPlace(words), ...asPaths(words.flatMap(writtenBySed))]),
  ...each("perl ruby", inPlace),
  ...each("awk gawk mawk nawk", awk),
  ...each("vi vim nvim ex ed nano pico emacs code codium cursor subl micro helix hx kak joe", edited),
  ...archives,
  zip: (words) => asPaths(operandsOf(words).slice(0, 1)),
  ...each("find gfind", found),
  sort: output("-o", "--output"),
  uniq: (words) => asPaths(operandsOf(words).slice(1)),
  xxd: (words) => (words.some((word) => /^-[a-z]*r/.test(word)) ? asPaths(operandsOf(words).slice(1)) : []),
  ...each("openssl gpg gpg2 age sops iconv pandoc gcc cc clang g++ c++ ld exiftool go rustc dot protoc", (words) =>
    asPaths([...valuesOf(words, "-o", "--output"), ...valuesOf(words, "-out", "-out")]),
  ),
  ...each("convert magick ffmpeg", (words) => asPaths(words.slice(-1))),
  ...each("yq jq jaq gojq dasel", inPlaceOrPut),
  curl: (words) => [
    ...asPaths(valuesOf(words, "-o", "--output")),
    ...(words.some((word) => /^-[a-zA-Z]*O|^--remote-name/.test(word))
      ? loadedInto(valuesOf(words, "--output-dir", "--output-dir")[0] ?? ".", words)
      : []),
  ],
  wget: (words) => [
    ...asPaths(valuesOf(words, "-O", "--output-document")),
    ...loadedInto(valuesOf(words, "-P", "--directory-prefix")[0] ?? ".", words),
  ],
  gh: (words) => (words[1] === "clone" ? asWhole(operandsOf(words).slice(3, 4)) : []),
  patch,
  git,
};

/** Under the address's last name, or under all of them. */
function loadedInto(folder: string, words: Words): Written[] {
  const isTree = words.some((word) => /^-[a-zA-Z]*[xrm]|^--(?:force-directories|recursive|mirror)/.test(word));
  return operandsOf(words)
    .filter((word) => word.includes("/"))
    .flatMap((address) => {
      const names = address
        .replace(/[?#].*$/s, "")
        .replace(/^\w+:\/\//, "")
        .split("/");
      const from = isTree ? names.map((_, index) => index) : [names.length - 1];
      return from.map((index): Written => ({ path: [folder, ...names.slice(index)].join("/") }));
    });
}

function inPlaceOrPut(words: Words): Written[] {
  return words[0] === "put" || words[0] === "delete"
    ? asWhole([...operandsOf(words), ...valuesOf(words, "-f", "--file")])
    : inPlace(words);
}
