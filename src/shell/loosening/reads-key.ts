/**
 * Which commands read Hookline's key without naming it: they read, copy or pack all that is in a folder, or what another command has found.
 * Apart from files.ts, which knows what names its files.
 */
import { baseName } from "../../engine/command-pattern.ts";
import type { SimpleCommand } from "../../engine/effects.ts";
import type { OwnPlaces } from "../../engine/loosening.ts";
import { listed } from "../listers.ts";
import { type Line, set } from "./line.ts";

/** Programs that read all that is in a folder, some with a flag alone. */
const deepReaders: Readonly<Record<string, RegExp | true>> = {
  ...Object.fromEntries(["rg", "ag", "ack"].map((name) => [name, true])),
  ...Object.fromEntries(
    ["grep", "egrep", "fgrep", "zgrep", "ggrep"].map((name) => [
      name,
      /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive|^(?:-d|--directories=)recurse/,
    ]),
  ),
  diff: /^-[a-zA-Z]*r|^--recursive/,
};
/** They pass hidden folders over, but for those that they are given. */
const skipsHidden = /^(?:rg|ag|ack)$/;
const takesHidden = /^-[a-zA-Z]*[u.]|^--(?:hidden|no-ignore|unrestricted)/;

/** `grep -r token ~/.local/state`. What is searched in is an operand, or the folder itself. */
export function readsBelow({ words, cwd }: SimpleCommand, own: OwnPlaces): boolean {
  const name = baseName(words[0] ?? "");
  const deep = Object.hasOwn(deepReaders, name) ? deepReaders[name] : undefined;
  const rest = words.slice(1);
  if (deep === undefined || (deep !== true && !rest.some((word) => deep.test(word)))) return false;
  const operands = rest.filter((word) => !/^-./.test(word));
  const places = name === "diff" || operands.length > 1 ? operands : [".", ...operands];
  const isSkipped = skipsHidden.test(name) && !rest.some((word) => takesHidden.test(word));
  return places.some((word) => {
    const at = own.absolute(word, cwd);
    return at !== undefined && own.holdsKey(at) && !(isSkipped && !at.includes("/."));
  });
}

/** `find ~ -name daemon.json | xargs cat`, `cat $(locate daemon.json)`: what it reads another command has named. */
export function readsListed({ words, given, by }: SimpleCommand, { reading, own }: Line): boolean {
  const name = baseName(words[0] ?? "");
  if (namesOnly.test(name)) return false;
  const runner = by === undefined ? undefined : reading.commands[by];
  const isFed = runner !== undefined && /^(?:xargs|parallel)$/.test(baseName(runner.words[0] ?? ""));
  return [...given, ...(isFed ? runner.input : [])].some((index) => {
    const from = reading.commands[index];
    if (from === undefined) return false;
    if (/^(?:p?locate|mlocate)$/.test(baseName(from.words[0] ?? "")))
      return from.words.slice(1).some((word) => own.isKeyName(baseName(word)));
    const places = listed(from).map((one) => ({ ...one, at: own.absolute(one.path, from.cwd) }));
    const named = places.filter(({ isName }) => isName);
    if (named.length > 0 && !named.some(({ path }) => own.isKeyName(baseName(path)))) return false;
    return places.some(
      ({ isName, at }) => !isName && at !== undefined && (own.kindOf(at) === "key" || own.holdsKey(at)),
    );
  });
}
/** They show names, and nothing of what is in the files. */
const namesOnly =
  /^(?:ls|ll|dir|exa|eza|lsd|tree|stat|file|du|df|wc|realpath|readlink|basename|dirname|echo|printf|test|find|fd)$/;

/** They take a folder along with all that is in it. */
const gathering = set("tar gtar bsdtar zip 7z 7za cp gcp rsync scp rclone restic borg ditto cpio pax sftp");
const gathersAlways = /^(?:tar|gtar|bsdtar|7z|7za|restic|borg|ditto|pax|rclone)$/;
const isDeep = /^-[a-zA-Z]*[rRa]|^--(?:recursive|archive|recurse-paths)/;
const unpacking = /^(?:-[a-zA-Z]*x|--extract|--get|x[a-zA-Z]*$|[a-zA-Z]*x[a-zA-Z]*$)/;

/** `tar c ~/.local/state`, `cp -r ~/.local/state /tmp/x`; and what is unpacked in its place. */
export function gathers({ words, cwd }: SimpleCommand, own: OwnPlaces): "reads" | "replaces" | undefined {
  const name = baseName(words[0] ?? "");
  const rest = words.slice(1);
  const places = (among: readonly string[]): string[] =>
    among.flatMap((word) => own.absolute(word.replace(/^(?:-C|--directory=|-d|-o)(?=.)/, ""), cwd) ?? []);
  const isTar = /^(?:tar|gtar|bsdtar)$/.test(name);
  if (
    /^(?:unzip|unar|unrar|cabextract)$/.test(name) ||
    (isTar && rest.slice(0, 4).some((word) => unpacking.test(word)))
  )
    return places(rest).some((at) => own.isParent(at)) ? "replaces" : undefined;
  if (!gathering.has(name) || !(gathersAlways.test(name) || rest.some((word) => isDeep.test(word)))) return undefined;
  const isCopy = /^(?:cp|gcp|rsync|scp|ditto|rclone)$/.test(name);
  const operands = rest.filter((word) => !/^-./.test(word) || /^(?:-C|--directory=)./.test(word));
  const sources =
    isCopy && !rest.some((word) => /^(?:-t|--target-directory)/.test(word)) ? operands.slice(0, -1) : operands;
  const at = isTar ? gatheredByTar(rest, cwd, own) : places(sources);
  return at.some((one) => own.holdsKey(one)) ? "reads" : undefined;
}

/** `-C FOLDER` holds for what stands behind it, and is nothing that goes into the archive. */
function gatheredByTar(rest: readonly string[], cwd: string | undefined, own: OwnPlaces): string[] {
  let folder = cwd;
  return rest.flatMap((word, at) => {
    const moved = /^(?:-C|--directory=)(.+)$/.exec(word)?.[1];
    const isValue = /^(?:-[a-zA-Z]*C|--directory)$/.test(rest[at - 1] ?? "");
    if (moved !== undefined || isValue) {
      folder = own.absolute(moved ?? word, folder);
      return [];
    }
    return /^-./.test(word) ? [] : (own.absolute(word, folder) ?? []);
  });
}
