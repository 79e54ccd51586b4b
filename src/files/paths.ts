/** Where a path lies, and which program a name means: asked in many rooms, and wrong in small ways where each answers by itself. */
import { accessSync, constants, existsSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** As long as a system opens one. */
const longestPath = 4_096;

/** Whether a text that somebody sent can be a path, and can be passed to a program: Node throws where it meets NUL. */
export const canBePath = (text: string): boolean => text.length <= longestPath && !text.includes("\0");

export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // not for us to see, or no path at all
  }
}

/** The path from the root, with forward slashes, "" for the root itself; undefined: it lies elsewhere. Looks at no disk. */
export function pathInside(root: string, path: string): string | undefined {
  const below = relative(root, resolve(root, path));
  return below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below) ? undefined : below.split(sep).join("/");
}

export const isInside = (root: string, path: string): boolean => pathInside(root, path) !== undefined;

/** Whether what really lies at the path lies elsewhere, whatever links lead there. */
export const leadsOut = (root: string, path: string): boolean => !isInside(realOf(root), realOf(resolve(root, path)));

/** The same file by whatever links it is reached. Of what is not there, or not for us to see, where it would lie. */
export const realOf = (path: string): string => followed(path, mostLinks);

/** As many as Linux follows. */
const mostLinks = 40;

function followed(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch {
    if (dirname(path) === path) return path;
    const there = join(followed(dirname(path), links), basename(path));
    const target = links > 0 ? linkAt(there) : undefined; // what is written through a link to nothing is made where it leads
    return target === undefined ? there : followed(resolve(dirname(there), target), links - 1);
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Where Hookline keeps what it remembers. A relative folder does not count: it would lie in whatever repository is worked in. */
export function stateFolderOf(
  home: string,
  { XDG_STATE_HOME: set = "" }: Readonly<Record<string, string | undefined>>,
): string {
  return join(isAbsolute(set) ? set : join(home, ".local", "state"), "hookline");
}

/** Only absolute folders: a `.` in PATH would mean programs of whatever folder is worked in. */
export const foldersOnPath = (path = ""): string[] => path.split(delimiter).filter(isAbsolute);

export const findOnPath = (name: string, path: string): string | undefined =>
  foldersOnPath(path)
    .map((folder) => join(folder, process.platform === "win32" ? `${name}.exe` : name))
    .find(isProgram);

/**
 * As findOnPath, but for what Hookline starts before a person has trusted anything: never a program of the project that a folder lies
 * in, whatever PATH says. npx and direnv name such folders with their whole path; links are followed.
 */
export function findOutside(name: string, environment: Named, folder: string): string | undefined {
  const isOwn = ownProgramsOf(folder, environment);
  return foldersOnPath(environment.PATH)
    .map((place) => join(place, process.platform === "win32" ? `${name}.exe` : name))
    .find((path) => isProgram(path) && !isOwn(path));
}
type Named = Readonly<Record<string, string | undefined>>;

/** Whether a program belongs to the project that a folder lies in. */
export function ownProgramsOf(folder: string, { HOME = "" }: Named): (path: string) => boolean {
  const own = projectAround(folder, HOME);
  return (path) =>
    own !== undefined && (isInside(own, join(realOf(dirname(path)), basename(path))) || isInside(own, realOf(path)));
}

const marksOfProjects = [".git", ".hg", ".jj", ".hookline", "hookline.yaml", ".claude", "package.json", "node_modules"];

/** The outermost folder that looks like one, below the home folder; else the folder itself. Undefined: it is the home folder, or above it. */
function projectAround(folder: string, home: string): string | undefined {
  const [start, ownHome] = [realOf(resolve(folder)), home === "" ? "" : realOf(home)];
  const isAbove = (path: string): boolean => ownHome !== "" && isInside(path, ownHome);
  if (isAbove(start) || dirname(start) === start) return undefined;
  let own = start;
  for (let at = start; !isAbove(at) && dirname(at) !== at; at = dirname(at))
    if (marksOfProjects.some((mark) => existsSync(join(at, mark)))) own = at;
  return own;
}

/** A folder may be "executed" too, so it is asked for a file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not for us
  }
}
