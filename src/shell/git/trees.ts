/**
 * Which trees git brings into the work tree, and what it takes away from there, by sub-commands that name no path. For guards of files:
 * whether hooks are among it, git itself can be asked.
 */
import type { GitTrees } from "../../engine/effects.ts";
import { unknownText } from "../../engine/pattern.ts";

type Words = readonly string[];
type Pair = GitTrees["pairs"][number];
type Row = (words: Words) => GitTrees | undefined;

/** @param words the sub-command first */
export function treesOf(words: Words): GitTrees | undefined {
  const [name = "", ...rest] = words;
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  const end = rest.indexOf("--");
  const options = end < 0 ? rest : rest.slice(0, end);
  if (row === undefined || options.some((word, at) => over.test(word) && !/^-[mFsX]$/.test(options[at - 1] ?? "")))
    return undefined;
  const found = row(rest);
  if (found === undefined) return undefined;
  const isUntold = found.pairs.some(({ from, to }) => [from, to].some((one) => one?.includes(unknownText)));
  return isUntold ? { ...found, pairs: [], isUntold } : found;
}

/** They look, or end what was begun before. */
const over =
  /^(?:--(?:abort|continue|quit|skip|edit-todo|show-current-patch.*|dry-run|help|version|merged|list|contains.*)|-h)$/;

/** Without options and their values. What stands behind `--` is paths. */
function operandsOf(words: Words, valued: RegExp): string[] {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).filter(
    (word, at, all) => !/^-./.test(word) && !valued.test(all[at - 1] ?? ""),
  );
}
const pathsOf = (words: Words): Words | undefined =>
  words.includes("--") ? words.slice(words.indexOf("--") + 1) : undefined;
const has = (words: Words, option: RegExp): boolean => words.some((word) => option.test(word));
const optionValue = (words: Words, option: RegExp): string | undefined => {
  const at = words.findIndex((word) => option.test(word));
  return at < 0 ? undefined : (/^--[\w-]+=(.*)$/s.exec(words[at] ?? "")?.[1] ?? words[at + 1]);
};

/** A path that holds all: others are guarded by their names. */
const isAll = (path: string): boolean =>
  /^(?:\.|\.\/|\*|:\/|:\/\*|:\(top\)\*?|(?:\.\.\/?)+|:)$/.test(path) || path.startsWith(unknownText);
/** Of git's own patterns: which paths they mean, git can be asked. */
const isPattern = (path: string): boolean => /^:|[*?[]/.test(path);
const none = /(?!)/;

/** What holds for these paths: for all, or for those that patterns of git mean. Undefined: each is named, and guarded by its name. */
function among(paths: Words, found: GitTrees): GitTrees | undefined {
  if (paths.length === 0 || paths.some(isAll)) return found;
  const only = paths.map((path) => path.replaceAll(unknownParts, "*")).filter(isPattern);
  return only.length > 0 ? { ...found, only } : undefined;
}
const unknownParts = new RegExp(`${unknownText}+`, "g");
const fromFile = /^--pathspec-from-file(?:=|$)/;

/** `-` is where one was before. */
const revision = (word: string): string => (word === "-" ? "@{-1}" : word);
const toHead = (to: string): Pair => ({ from: "HEAD", to: revision(to) });
const merged = (to: string): Pair => ({ ...toHead(to), isMerge: true });
const upstream = "@{upstream}";

/** `A..B`, or one commit. */
const picked = (word: string): Pair => {
  const [from = "", to = ""] = word.split(/\.{2,3}/);
  return word.includes("..") ? { from: from || "HEAD", to: to || "HEAD" } : { from: `${word}^`, to: word };
};

/** A remote that the repository does not name: what comes from there has not been seen. */
const isPlace = (word: string | undefined): boolean => word !== undefined && /[/:\\]|\.bundle$/.test(word);

/** The repository itself, from which nothing has to be fetched. */
const isHere = (remote: string | undefined): boolean => /^(?:\.|\.\/|\.git\/?|\.\/\.git\/?)$/.test(remote ?? "");
/** Of `+source:target`. */
const sourceOf = (refspec: string): string => refspec.replace(/^\+|:.*$/g, "");

const toBranch: (valued: RegExp) => Row = (valued) => (words) => {
  const operands = operandsOf(words, valued);
  const isPath = (one: string): boolean => isAll(one) || isPattern(one);
  const paths = has(words, fromFile) ? ["."] : (pathsOf(words) ?? operands.filter(isPath));
  const [to] = operands.filter((one) => !isPath(one) || one.includes(unknownText));
  const overwrites = paths.length > 0 || has(words, /^(?:-f|--force|--discard-changes)$/);
  if (to === undefined && !overwrites) return undefined;
  const pairs = to === undefined ? [] : [toHead(to)];
  return among(paths, { pairs, ...(overwrites ? { loses: ["changed"] as const } : {}) });
};
const switches = toBranch(/^(?:-[cC]|--(?:create|force-create|conflict))$/);

const picks: Row = (words) => {
  const operands = operandsOf(words, /^(?:-[mXS]|--(?:mainline|strategy|strategy-option|cleanup))$/);
  return { pairs: operands.map(picked) };
};

const stash: Row = ([action = "push", ...rest]) => {
  if (/^(?:pop|apply|branch)$/.test(action)) {
    const operands = operandsOf(rest, none).slice(action === "branch" ? 1 : 0);
    const named = operands[0] ?? "stash@{0}";
    const entry = /^\d+$/.test(named) ? `stash@{${named}}` : named;
    const start = action === "branch" ? [toHead(`${entry}^1`)] : [];
    return { pairs: [...start, { from: `${entry}^1`, to: entry }, { to: `${entry}^3`, isPerhaps: true }] };
  }
  const words = action === "push" || action === "save" ? rest : [action, ...rest];
  if (!/^(?:push|save|-.*)$/.test(action)) return undefined;
  const paths = pathsOf(words) ?? (action === "save" ? [] : operandsOf(words, /^(?:-[a-z]*m|--message)$/));
  const others = has(words, /^(?:-[a-z]*a[a-z]*|--all)$/) ? ["ignored"] : [];
  const untracked = others.length > 0 || has(words, /^(?:-[a-z]*u[a-z]*|--include-untracked)$/) ? ["untracked"] : [];
  const loses = ["changed", "staged", ...untracked, ...others] as NonNullable<GitTrees["loses"]>; // written out above
  return among(paths, { pairs: [], loses });
};

const reset: Row = (words) => {
  const [to = "HEAD", ...paths] = operandsOf(words, none);
  const pairs = to === "HEAD" ? [] : [toHead(to)];
  if (has(words, /^--(?:hard|merge|keep)$/)) return { pairs, loses: ["changed", "staged"] };
  return paths.length === 0 && pathsOf(words) === undefined ? { pairs, isName: true } : undefined;
};

const rebase: Row = (words) => {
  const [base = upstream, branch] = operandsOf(
    words,
    /^(?:--onto|-x|--exec|-s|--strategy|-X|--strategy-option|-C|-S)$/,
  );
  const onto = optionValue(words, /^--onto(?:=|$)/);
  const drops = has(words, /^(?:-[a-z]*i|--interactive|--root)$/);
  const pairs = onto !== undefined ? [toHead(onto)] : [drops ? toHead(base) : merged(base)];
  return { pairs: [...pairs, ...(branch === undefined ? [] : [toHead(branch)])] };
};

const pull: Row = (words) => {
  const [remote, branch] = operandsOf(words, /^(?:-[sXjo]|--(?:strategy|strategy-option|depth|jobs|upload-pack))$/);
  if (isHere(remote)) return { pairs: [merged(sourceOf(branch ?? upstream))] };
  if (isPlace(remote)) return { pairs: [], isUntold: true };
  const pairs = [merged(branch === undefined ? upstream : `${remote}/${sourceOf(branch)}`)];
  return remote === undefined ? { pairs } : { pairs, remote };
};

const restore: Row = (words) => {
  const paths = has(words, fromFile) ? ["."] : (pathsOf(words) ?? operandsOf(words, /^(?:-s|--source)$/));
  if (paths.length === 0) return undefined;
  const source = optionValue(words, /^(?:-s|--source(?:=.*)?)$/);
  const pairs = source === undefined ? [] : [toHead(source)];
  const isOfIndex = has(words, /^(?:-[a-zA-Z]*S[a-zA-Z]*|--staged)$/) && !has(words, /^(?:-[a-zA-Z]*W|--worktree)/);
  return among(paths, isOfIndex ? { pairs, isName: true } : { pairs, loses: ["changed"] });
};

const clean: Row = (words) => {
  const letters = words.flatMap((word) => /^-([a-zA-Z]+)$/.exec(word)?.[1] ?? []).join("");
  const paths = pathsOf(words) ?? operandsOf(words, /^(?:-e|--exclude)$/);
  if (letters.includes("n")) return undefined;
  const ignored = /[xX]/.test(letters) ? (["ignored"] as const) : [];
  return among(paths, { pairs: [], loses: letters.includes("X") ? ignored : ["untracked", ...ignored] });
};

/** What leaves the index alone is no longer known to git: `git clean` then takes it. */
const removed: Row = (words) => {
  if (has(words, /^-[a-z]*n[a-z]*$/)) return undefined;
  const paths = has(words, fromFile) ? ["."] : (pathsOf(words) ?? operandsOf(words, none));
  if (has(words, /^--cached$/)) return { pairs: [], loses: ["tracked"], isName: true };
  return paths.length === 0 ? undefined : among(paths, { pairs: [], loses: ["tracked"] });
};

/** Of the files that git knows, those that the line does not name are no longer there. */
const sparse: Row = ([action = "", ...words]) => {
  const loses = ["tracked"] as const;
  if (action === "init") return { pairs: [], loses, keeps: [] };
  if (action === "reapply") return { pairs: [], loses };
  if (action !== "set") return undefined;
  const folders = operandsOf(words, none);
  const isTold =
    !has(words, /^--(?:no-cone|stdin)$/) && !folders.some((one) => one.includes(unknownText) || isPattern(one));
  return isTold ? { pairs: [], loses, keeps: folders } : { pairs: [], loses };
};

const readTree: Row = (words) => {
  if (has(words, /^--empty$/)) return { pairs: [], loses: ["tracked"], isName: true };
  const operands = operandsOf(words, /^(?:--prefix|--exclude-per-directory|--index-output)$/);
  const pairs = operands.map(toHead);
  return has(words, /^-[a-z]*u$/) ? { pairs } : { pairs, isName: true };
};

/** They change what a name means, or what the index holds: that counts where a later command brings it. */
const names =
  (valued: RegExp, from: number): Row =>
  (words) => ({ pairs: operandsOf(words, valued).slice(from).map(toHead), isName: true });

const fetched: Row = (words) => {
  const [remote, ...refspecs] = operandsOf(words, none);
  if (isHere(remote)) return { pairs: refspecs.map((one) => toHead(sourceOf(one))), isName: true };
  return fetchedFrom(words);
};
const fetchedFrom: Row = (words) =>
  words.some((word) => !/^-/.test(word) && isPlace(word)) ? { pairs: [], isName: true, isUntold: true } : undefined;

const rows: { readonly [name: string]: Row } = {
  checkout: toBranch(/^(?:-[bB]|--(?:orphan|conflict|pathspec-from-file))$/),
  switch: (words) => (has(words, /^--orphan(?:=|$)/) ? { pairs: [], loses: ["tracked"] } : switches(words)),
  "sparse-checkout": sparse,
  rm: removed,
  merge: (words) => {
    const operands = operandsOf(words, /^(?:-[mFsX]|--(?:file|strategy|strategy-option|into-name|cleanup))$/);
    return { pairs: (operands.length > 0 ? operands : [upstream]).map(merged) };
  },
  rebase,
  pull,
  "cherry-pick": picks,
  revert: picks,
  reset,
  stash,
  restore,
  clean,
  "read-tree": readTree,
  "checkout-index": (words) => (has(words, /^(?:-[a-z]*a|--all)/) ? { pairs: [], loses: ["changed"] } : undefined),
  bisect: ([action = "", ...rest]) =>
    /^(?:start|good|bad|old|new|reset)$/.test(action) ? { pairs: operandsOf(rest, none).map(toHead) } : undefined,
  branch: names(/^-u$/, 1),
  tag: names(/^(?:-[mFu]|--message)$/, 1),
  "symbolic-ref": names(/^-m$/, 1),
  "update-ref": names(/^-m$/, 1),
  replace: names(none, 1),
  fetch: fetched,
  push: (words) => (isHere(operandsOf(words, none)[0]) ? fetched(words) : undefined),
  bundle: (words) => (words[0] === "unbundle" ? { pairs: [], isName: true, isUntold: true } : undefined),
  remote: ([action, ...rest]) => (/^(?:add|set-url)$/.test(action ?? "") ? fetched(rest) : undefined),
};

/** `git rm $(git ls-files '*.yaml')`: what another command of git lists. @param words of that one, the sub-command first */
export function listedBy(words: Words): Pick<GitTrees, "only"> | undefined {
  const [name, ...rest] = words;
  if (name !== "ls-files" || rest.some((word) => word.includes(unknownText))) return undefined;
  if (has(rest, /^(?:-[a-z]*d[a-z]*|--deleted)$/)) return { only: [] };
  const only = pathsOf(rest) ?? operandsOf(rest, /^(?:-[xX]|--exclude(?:-from)?)$/);
  return only.length > 0 ? { only } : undefined;
}
