/** By the text of a line alone, which of these files it could mean: before a parser is loaded, and where a line cannot be analysed. */
import { compileNameGlob } from "../engine/glob.ts";
import { bringsByGit } from "./git/hooks.ts";

/** A line that cannot be analysed is no ordinary one: that it speaks of such a file is enough. */
export function speaksOf(line: string, files: readonly string[]): string[] {
  const plain = line.toLowerCase();
  const isNamed = (file: string): boolean => {
    const name = file
      .replace(/^(?:\/\/)?(?:\*\*\/|~\/)?/, "")
      .replace(/\/?\*+$/, "")
      .toLowerCase();
    for (let at = plain.indexOf(name); at >= 0; at = plain.indexOf(name, at + 1))
      if (
        !/[\w-]/.test(plain[at + name.length] ?? "") &&
        !/[\w-]/.test(name.startsWith(".") ? (plain[at - 1] ?? "") : "")
      )
        return true;
    return false;
  };
  return /core\.hookspath|--no-verify/.test(plain) ? [...files] : files.filter(isNamed);
}

/**
 * Whether the line could mean one of these files, by its text alone: to read a line as a shell does loads a parser, which most
 * lines need not wait for. Errs towards yes. What is above the names may be known from the folder, so that counts as text, too.
 */
export function couldMean(files: readonly string[]): (line: string, cwd: string) => boolean {
  const names = files.map(namesOf);
  return (line, cwd) => {
    if (buildsWords.test(line) || patches.test(line) || sweeps.test(line) || bringsByGit(line) || unpacks.test(line))
      return true;
    const plain = line.replace(/['"]|\\\n?/g, "").toLowerCase();
    if (/\bgit\b/.test(plain) && gitWithoutHooks.test(plain)) return true;
    const folder = `${cwd.replaceAll("\\", "/").toLowerCase()}/`;
    const globs = globsIn(plain);
    return names.some((all) =>
      all.every(
        ({ part, inFolder }) => plain.includes(part) || folder.includes(inFolder) || globs.some((glob) => glob(part)),
      ),
    );
  };
}

/** What the patterns in a line may be called, name after name: `.cl*`. */
function globsIn(line: string): ((name: string) => boolean)[] {
  if (!/[*?[]/.test(line)) return [];
  const names = line.split(/[\s/=:;|&()<>,]+/).filter((name) => /[*?[]/.test(name) && name.length < longestName);
  return [...new Set(names)].slice(0, mostGlobs).map(compileNameGlob);
}
const longestName = 255;
const mostGlobs = 50;

/** A patch is applied, whose files the line does not name. */
export const patches: RegExp = /\bpatch\b|\bgit\b.*\b(?:apply|am)\b/;
/** What comes to where the line runs, or is taken there by its name. */
const sweeps =
  /\b(?:stow|chezmoi|rcup|dotbot|homeshick|home-manager)\b|\bfind\b.*(?:-delete|-exec|-ok|\bxargs)|\b(?:cp|mv|rsync)\b.*\s\.{1,2}\/?(?:\s|$)/;

/** An archive brings what no word names. */
const unpacks = /\b(?:tar|gtar|bsdtar|unzip|7z[azr]?|jar|zipfile|tarfile|unar|ditto)\b/;

export interface Name {
  part: string;
  /** What stands in the folder, if the name is known from there. */
  inFolder: string;
}

/** What of a pattern stands in every line about its file. How one gets to an absolute path is open: of it only the last name. */
export function namesOf(file: string): Name[] {
  const fromRoot = file.startsWith("//") && !file.startsWith("//**/");
  const names = file
    .toLowerCase()
    .split("/")
    .filter((name) => name !== "" && !/^[.*]+$/.test(name));
  const last = names.slice(fromRoot ? -1 : -2);
  if (last.some((name) => /[[\]{}()!+@\\?]/.test(name))) return [];
  return last.flatMap((name) =>
    name.includes("*")
      ? name.split("*").map((part) => ({ part, inFolder: part }))
      : { part: name, inFolder: fromRoot && !file.slice(2, -3).includes("*") ? `/${names.join("/")}/` : `/${name}/` },
  );
}

/** A name that is put together of parts stands nowhere as a whole. */
export const buildsWords: RegExp = /[`{]|\$['"(]|[^\s/=:"'<>]\$|\$\w+[.\-'"\\]+\w/;
const gitWithoutHooks =
  /--no-v|hookspath|\bcommit\b.*-[a-z]*n|(?:^|[^-\w])-[a-z]*n.*\bcommit\b|\bconfig\b.*(?:\s-e|edit)/s;
