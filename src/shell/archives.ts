/** Programs that unpack archives: where to, out of which file, and which of its members. For guards of files. */
import type { SimpleCommand, Unpacked, Written } from "../engine/effects.ts";
import { baseName, unknownText } from "../engine/pattern.ts";
import { treesOf } from "./git/trees.ts";
import { isOption, operandsOf, valuesOf } from "./own-words.ts";

type Words = readonly string[];
type Row = (words: Words, command: SimpleCommand) => readonly Written[];

/** Something unknown in this folder. */
export const anyBelow = (folder: string): string => `${folder.replace(/\/+$/, "")}/${unknownText}`;

/** @param folders what says where to */
function extracted(folders: Words, archive: Unpacked, { redirects }: SimpleCommand): Written[] {
  const { file: named, ...others } = archive;
  const read = redirects.flatMap(({ how, path }) => (how === "reads" ? path : []))[0];
  const file = named === "-" ? read : (named ?? read);
  const unpacked: Unpacked = file === undefined ? others : { ...others, file };
  return (folders.length > 0 ? folders : ["."]).flatMap((path) => [
    { path, whole: true as const },
    { path: anyBelow(path) },
    { path, unpacked },
    // A member that the line names needs no look into the archive.
    ...(archive.only ?? []).map((member) => ({ path: `${path}/${member}`, whole: true as const })),
  ]);
}

/** Options of tar behind which a value stands that is no operand; C and f have rows of their own. */
const valuedOfTar =
  /^(?:-[bCfFgHIKLNTVX]|--(?:directory|file|exclude|exclude-from|files-from|transform|xform|use-compress-program|strip-components|strip|owner|group|mode|one-top-level))$/;

function tar(words: Words, command: SimpleCommand): readonly Written[] {
  const [first = ""] = words;
  const bundle = isOption(first) ? "" : first;
  const letters = [bundle, ...words.filter((word) => /^-[a-zA-Z]+$/.test(word))].join("");
  const isExtracting = /x/.test(letters) || words.some((word) => /^--(?:extract|get)$/.test(word));
  if (!isExtracting) return [];
  const rest = bundle === "" ? words : words.slice(1);
  const operands = operandsOf(
    rest.filter(
      (word, at) =>
        isOption(word) || !(valuedOfTar.test(rest[at - 1] ?? "") || /^-[a-zA-Z]*[fCT]$/.test(rest[at - 1] ?? "")),
    ),
  );
  const isBundled = /f/.test(bundle);
  const joined = rest.flatMap((word) => /^-[a-zA-Z]*?f(.+)$/.exec(word)?.[1] ?? []);
  const beside = rest.flatMap((word, at) => (/^-[a-zA-Z]*f$/.test(word) ? (rest[at + 1] ?? []) : []));
  const file = isBundled ? operands.shift() : [...beside, ...valuesOf(rest, "--file", "--file"), ...joined][0];
  const strip = Number(
    valuesOf(rest, "--strip-components", "--strip-components")[0] ?? valuesOf(rest, "--strip", "--strip")[0] ?? 0,
  );
  const isRenamed = words.some((word) => /^(?:--transform|--xform|-s$|-s\W)/.test(word));
  const folders = [...valuesOf(rest, "-C", "--directory"), ...valuesOf(rest, "--one-top-level", "--one-top-level")];
  return extracted(
    folders,
    {
      ...(file === undefined ? {} : { file }),
      ...(operands.length > 0 ? { only: operands } : {}),
      ...(strip > 0 ? { strip } : {}),
      ...(isRenamed ? { isRenamed } : {}),
    },
    command,
  );
}

const unzip: Row = (words, command) => {
  if (words.some((word) => /^-[a-zA-Z]*[lptvZ]/.test(word))) return [];
  const [file, ...only] = operandsOf(words.filter((_, at) => !/^-[a-zA-Z]*d$|^-x$/.test(words[at - 1] ?? "")));
  const isFlat = words.some((word) => /^-[a-zA-Z]*j/.test(word));
  const archive = {
    ...(file === undefined ? {} : { file }),
    ...(only.length > 0 ? { only } : {}),
    ...(isFlat ? { isFlat } : {}),
  };
  return extracted(valuesOf(words, "-d", "-d"), archive, command);
};

/** `python -m zipfile -e FILE FOLDER` */
export function unpackedByPython(words: Words, command: SimpleCommand): readonly Written[] {
  const [, module = "", action = "", file, folder] = words;
  if (words[0] !== "-m" || !/^(?:zipfile|tarfile|shutil)$/.test(module) || !/^(?:-e|--extract)$/.test(action))
    return [];
  return extracted(folder === undefined ? [] : [folder], file === undefined ? {} : { file }, command);
}

export const archives: { readonly [program: string]: Row } = {
  ...Object.fromEntries(["tar", "gtar", "bsdtar"].map((name) => [name, tar])),
  unzip,
  jar: (words, command) => {
    const [letters = "", file] = words.filter((word) => !/^--/.test(word));
    return /x/.test(letters) || words.includes("--extract")
      ? extracted(valuesOf(words, "-C", "--dir"), file === undefined ? {} : { file }, command)
      : [];
  },
  ...Object.fromEntries(
    ["7z", "7za", "7zr", "7zz"].map((name): [string, Row] => [
      name,
      ([action = "", ...words], command) => {
        const [file, ...only] = operandsOf(words);
        const archive = { ...(file === undefined ? {} : { file }), ...(only.length > 0 ? { only } : {}) };
        return /^[xe]$/.test(action) ? extracted(valuesOf(words, "-o", "-o"), archive, command) : [];
      },
    ]),
  ),
  cpio: (words, command) =>
    words.some((word) => /^-[a-z]*[ip]|^--(?:extract|pass-through)/.test(word))
      ? extracted(valuesOf(words, "-D", "--directory"), {}, command)
      : [],
  ...Object.fromEntries(
    ["unar", "ditto"].map((name): [string, Row] => [
      name,
      (words, command) => {
        const [file, to] = operandsOf(words.filter((_, at) => !/^-o$|^--output-directory$/.test(words[at - 1] ?? "")));
        const folders = name === "ditto" ? (to === undefined ? [] : [to]) : valuesOf(words, "-o", "--output-directory");
        const isUnpacking = name === "unar" || words.includes("-x");
        return isUnpacking && file !== undefined ? extracted(folders, { file }, command) : [];
      },
    ]),
  ),
};

const printsFile = /^(?:cat|zcat|gzcat|gunzip|gzip|pigz|unpigz|xz|xzcat|unxz|zstd|zstdcat|unzstd|bzip2|bzcat|lz4|pv)$/;

/** What reaches the unpacking program through a pipe. @param one has neither a file nor a text of its own */
export function fromPipe(one: Written, source: SimpleCommand | undefined): Written {
  const { unpacked, path } = one;
  if (!unpacked || unpacked.file !== undefined || !source) return one;
  const [program = "", ...words] = source.words;
  const name = baseName(program);
  const [file] = operandsOf(words);
  if (printsFile.test(name) && file !== undefined) return { path, unpacked: { ...unpacked, file } };
  if (name === "git" && words[0] === "archive") {
    const trees = treesOf(["checkout", ...operandsOf(words.slice(1)).slice(0, 1)]);
    return trees ? { path, trees } : one;
  }
  if (/^(?:g|bsd)?tar$/.test(name)) {
    const from = operandsOf(words).filter((_, at) => at > 0 || isOption(words[0] ?? ""));
    const isRenamed = words.some((word) => /^(?:--transform|--xform|-s$|-s\W)/.test(word));
    return isRenamed ? { path, unpacked: { ...unpacked, isRenamed } } : { path, whole: true, from };
  }
  return one;
}
