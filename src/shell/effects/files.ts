/** What programs for files do with the words that they are given: copies, moves, modes, searches that delete, archives, disks. */
import type { SpelledOption, Spelling } from "../../engine/command-pattern.ts";
import type { SimpleCommand } from "../../engine/effects.ts";
import { anyBelow } from "../archives.ts";
import { namesFound } from "../listers.ts";
import { type Doing, filled, has, type Use, valuesOf, withoutDashes } from "./doings.ts";
import { hostIn, isRemote } from "./transfers.ts";

/** A pattern or script comes first, unless an option gives it. */
export const afterFirst =
  (...given: string[]) =>
  (spelled: Spelling): Doing[] =>
    (has(spelled, ...given) ? spelled.operands : spelled.operands.slice(1)).map((word) => ({ does: "reads", word }));

export const edits = (word: string): Doing[] => [
  { does: "reads", word },
  { does: "writes", word, whole: true },
];

export function inPlace(spelled: Spelling): Doing[] {
  const files = afterFirst("expression", "e", "file", "f")(spelled);
  return has(spelled, "in-place", "i") ? files.flatMap(({ word }) => edits(word)) : files;
}

/** cp, and copying to and from hosts. */
export function copies(spelled: Spelling): Doing[] {
  const target = valuesOf(spelled, "target-directory", "t");
  const operands = [...spelled.operands];
  const [to] = target.length > 0 ? target : operands.splice(-1);
  if (to === undefined) return [];
  const from = operands.filter((word) => !isRemote(word));
  const isUpload = isRemote(to);
  return [
    ...from.map((word): Doing => ({ does: isUpload ? "sends" : "reads", word })),
    ...(isUpload
      ? [{ does: "host" as const, word: hostIn(to) }]
      : written(to, { from: operands, isTree: isTree(spelled) })),
    ...operands.filter(isRemote).map((word): Doing => ({ does: "host", word: hostIn(word) })),
  ];
}

/** A copy of a folder, and a link, bring all that is in it. */
const isTree = ({ program, options }: Spelling): boolean =>
  program !== "install" &&
  options.some(({ name, also = [] }) =>
    [name, ...also].some((one) => /^(?:[rRasT]$|-[A-Za-z]*[rRasT]|-*(?:recursive|archive|symbolic))/.test(one)),
  );

/** The target, and what a folder of that name would get. */
export function written(to: string, { from, isTree }: { from: readonly string[]; isTree: boolean }): Doing[] {
  const folder = to.replace(/(?<=.)\/+$/, "");
  const inside = from.flatMap((one): Doing[] => {
    const name = one.replace(/\/+$/, "").replace(/^.*\//, "");
    const all = name === "." || one.endsWith("/") ? filled([{ path: folder, from: [one] }]) : [];
    return [...all, { does: "writes", word: `${folder}/${name.replace(/^[\w.@-]+:/, "")}`, from: [one] }];
  });
  const all: Doing[] = [{ does: "writes", word: to, from }, ...inside];
  return isTree ? all.flatMap((one) => [{ ...one, whole: true }, ...filled([{ path: anyBelow(one.word) }])]) : all;
}

/** A link of a folder's name takes its place, whatever it leads to. */
export const links = (spelled: Spelling): Doing[] =>
  copies(spelled).flatMap(({ does, word }): Doing[] =>
    does === "writes" || does === "fills" ? [{ does, word, whole: true }] : [],
  );

export const copiesBelow = (spelled: Spelling): Doing[] => {
  const all = copies(spelled);
  if (!spelled.options.some(({ name }) => name.startsWith("delete"))) return all;
  return all.flatMap((one): Doing[] =>
    one.does === "writes" ? [one, { does: "deletes", word: one.word, below: true }] : [one],
  );
};

/** A mode may look like an option: `chmod -x file`. */
export function permits(spelled: Spelling): Doing[] {
  const isMode = spelled.options.some(({ name }) => /^-?[rwxXst]+$/.test(name)) || has(spelled, "reference");
  const below = has(spelled, "recursive", "R") ? { below: true as const } : {};
  return spelled.operands.slice(isMode ? 0 : 1).map((word) => ({ does: "permits", word, ...below }));
}

export const moves = (spelled: Spelling): Doing[] => {
  const target = valuesOf(spelled, "target-directory", "t");
  const from = spelled.operands.slice(0, target.length > 0 ? undefined : -1);
  const to = target[0] ?? spelled.operands.at(-1) ?? "";
  return [
    ...copies(spelled).flatMap((one): Doing[] =>
      one.does === "reads" || one.does === "fills"
        ? []
        : [{ ...one, whole: true }, ...filled([{ path: anyBelow(one.word) }])],
    ),
    ...from.map(
      (word): Doing =>
        staysBelow(word, to) ? { does: "fills", word, whole: true } : { does: "deletes", word, below: true },
    ),
  ];
};

/** `mv * old/`, and a loop that gives each file another name: all of it is in the folder still. */
export const staysBelow = (word: string, to: string): boolean =>
  /^(?:\.\/)?\*\/?$/.test(word) && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(to);

/** `if=x of=y` */
export const assigned =
  (names: Readonly<Record<string, Use>>) =>
  (spelled: Spelling): Doing[] =>
    Object.entries(names).flatMap(([name, does]) => valuesOf(spelled, name).map((word) => ({ does, word })));

export function archive(spelled: Spelling): Doing[] {
  // Old style: `tar xzf file`.
  const [bundle = ""] = spelled.operands;
  const isOld = spelled.options.length === 0 && /^[a-zA-Z]+$/.test(bundle);
  const letters = isOld ? bundle : "";
  const rest = isOld ? spelled.operands.slice(1) : spelled.operands;
  const file = isOld && letters.includes("f") ? rest.slice(0, 1) : valuesOf(spelled, "file", "f");
  const members = isOld && letters.includes("f") ? rest.slice(1) : rest;
  const creates = /[cru]/.test(letters) || has(spelled, "create", "c", "append", "r", "update", "u");
  const extracts = letters.includes("x") || has(spelled, "extract", "get", "x");
  return [
    ...file.filter((word) => word !== "-").map((word): Doing => ({ does: creates ? "writes" : "reads", word })),
    ...(creates ? members.map((word): Doing => ({ does: "reads", word, below: true })) : []),
    ...(extracts ? valuesOf(spelled, "directory", "C").map((word): Doing => ({ does: "writes", word })) : []),
    ...(has(spelled, "remove-files") ? members.map((word): Doing => ({ does: "deletes", word, below: true })) : []),
  ];
}

const deleted =
  (deleting: RegExp) =>
  (spelled: Spelling): Doing[] => {
    const words = spelled.operands;
    const end = words.findIndex((word) => /^[-(!]/.test(word));
    const starts = (end < 0 ? words : words.slice(0, end)).filter((word) => !/^-/.test(word));
    const isDeleting =
      words.some((word) => deleting.test(word)) || spelled.options.some(({ name }) => deleting.test(`-${name}`));
    // With a name or a pattern it takes what fits, and not the whole of the folder.
    if (!isDeleting) return [];
    const tests = [...words, ...spelled.options.map(({ name }) => `-${name}`)].filter((word) =>
      /^-+(?:i?name|i?path|i?wholename|i?regex|mtime|mmin|newer|size|empty|user|group|atime|ctime|perm)/.test(word),
    );
    const names = namesOf(spelled);
    const excepted = words.filter((word) => word === "!").length + spelled.options.filter(isNot).length;
    // Everything but these, or everything.
    const isAll = tests.length === names.length && (excepted >= names.length || names.includes("*"));
    return (starts.length > 0 ? starts : ["."]).flatMap((word): Doing[] => {
      if (isAll) return [{ does: "deletes", word, below: true }];
      const folder = word.replace(/\/+$/, "");
      const named = excepted > 0 ? [] : names.filter((name) => name !== "*");
      const found = named.length > 0 ? named.map((name) => name.replace(/^(?:\*|\.)\/+/, "")) : ["(found)"];
      return found.map((name) => ({ does: "deletes", word: name.startsWith("/") ? name : `${folder}/${name}` }));
    });
  };

const isNot = ({ name }: SpelledOption): boolean => /^-?not$/.test(name);

/** The patterns of names and paths that `find` looks for, without those of folders that it leaves out. */
const namesOf = ({ options }: Spelling): string[] =>
  options.flatMap(({ name, value }, at) =>
    value !== undefined && /^-?i?(?:name|path|wholename)$/.test(name) && !isLeftOut(options, at + 1) ? [value] : [],
  );

const isLeftOut = (options: Spelling["options"], at: number): boolean =>
  /^-?prune$/.test(options[at]?.name ?? "") && /^-?or?$/.test(options[at + 1]?.name ?? "");

/** What `find … -delete` takes has these names. */
export function finds(spelled: Spelling, { words: [, ...words] }: SimpleCommand): Doing[] {
  if (!words.includes("-delete")) return [];
  const first = words.findIndex((word) => /^[-(!]/.test(word));
  const starts = words.slice(0, first).filter((one) => one !== ".");
  return [
    ...deleted(/^-delete$/)(spelled),
    ...filled([...namesFound(words), ...starts.map((path) => ({ path, whole: true as const }))]),
  ];
}

/** Options of programs for disks that only look: letters and names; every option has to be one of them, and one has to be there. */
const lookers: { readonly [program: string]: RegExp } = {
  fdisk: /^(?:[lxs]|list|list-details|getsz|help|version)$/,
  gdisk: /^l$/,
  sgdisk:
    /^(?:[pviFEfDLO]|print|verify|info|first-in-largest|end-of-largest|display-alignment|list-types|print-mbr|help|version)$/,
  sfdisk: /^(?:[ldJgsFVT]|list|dump|json|show-geometry|show-size|list-free|verify|list-types|help|version)$/,
  parted: /^(?:[ls]|list|script|help|version)$/,
  hdparm: /^(?:[iItTvgCHqd]|Istdout|direct|fibmap)$/,
};
const partedLooks = /^(?:print|align-check|version)$/;
const partedChanges =
  /^(?:mklabel|mktable|mkpart\w*|mkfs|rm|resize\w*|name|set|toggle|disk_set|disk_toggle|rescue|move|cp|type)$/;
const cryptsetupLooks = /^(?:status|benchmark|isLuks|luksUUID|\w*[dD]ump)$/;

export function looksAtDisk({ program, options, operands, subcommand }: Spelling): boolean {
  const names = options.flatMap(({ name }) => (/^-[^-]/.test(name) ? [...name.slice(1)] : withoutDashes(name)));
  if (program === "cryptsetup") return [subcommand, ...operands].some((word) => cryptsetupLooks.test(word ?? ""));
  if (program === "badblocks") return !names.some((name) => /^[wn]$/.test(name));
  const looks = lookers[program];
  const isPlain = looks !== undefined && names.every((name) => looks.test(name));
  if (program !== "parted") return isPlain && names.length > 0;
  const isShown = operands.some((word) => partedLooks.test(word)) || names.some((name) => /^l/.test(name));
  return isShown && !operands.some((word) => partedChanges.test(word));
}
