/** What the system says of a file or a folder, in words: one table, so that readers of our sentences need not know the system's codes. */

export interface SystemTrouble {
  reason: string;
  /** Absent: the system named none. */
  path?: string;
  advice: string;
  /** The same in another place may well succeed. */
  isOfPlace: boolean;
}
interface Words {
  reason: string;
  advice: string;
  /** Of the process or the machine, so no other place helps. */
  isEverywhere?: true;
}

const mendRights = "change its rights or its owner";
const tooMany = "raise the limit of open files (ulimit -n), or end what holds them";

const byCode: Readonly<Record<string, Words>> = {
  ENOENT: { reason: "it is not there", advice: "make it, or correct its path" },
  EROFS: { reason: "the file system is read-only", advice: "make it writable" },
  ENOSPC: { reason: "the disk is full", advice: "free some space" },
  EDQUOT: { reason: "your part of the disk is used up", advice: "free some space" },
  EFBIG: {
    reason: "it would be larger than a file may be here",
    advice: "raise the limit (ulimit -f)",
    isEverywhere: true,
  },
  EACCES: { reason: "this user has no rights to it", advice: mendRights },
  EPERM: { reason: "this user may not change it", advice: mendRights },
  ENOTDIR: { reason: "a part of its path is no folder", advice: "move that away" },
  EISDIR: { reason: "a folder lies where a file belongs", advice: "move it away" },
  EEXIST: { reason: "something lies in its place", advice: "move that away" },
  ENOTEMPTY: { reason: "the folder is not empty", advice: "move away what is in it" },
  "no folder": { reason: "it is no folder", advice: "move it away" },
  "a symbolic link": { reason: "it is a symbolic link", advice: "move it away" },
  ELOOP: { reason: "its links lead in a circle", advice: "remove the link" },
  ENAMETOOLONG: { reason: "its name is longer than names may be", advice: "choose a shorter path" },
  EINVAL: { reason: "it cannot be read or written as a file", advice: "put a regular file in its place" },
  ENXIO: { reason: "it is a device or a socket without a server", advice: "put a regular file in its place" },
  ENODEV: { reason: "it is a device that is not there", advice: "put a regular file in its place" },
  EIO: { reason: "the disk gave an error", advice: "check the disk" },
  EBUSY: { reason: "another program holds it", advice: "end that program" },
  ETXTBSY: { reason: "it is a program that runs", advice: "end that program" },
  ESTALE: { reason: "its network folder is gone", advice: "mount it again" },
  EXDEV: { reason: "it lies on another file system", advice: "move it to the same one" },
  EMFILE: { reason: "this process has too many files open", advice: tooMany, isEverywhere: true },
  ENFILE: { reason: "the system has too many files open", advice: "end what holds them", isEverywhere: true },
  ENOMEM: { reason: "there is not enough memory", advice: "end what holds it", isEverywhere: true },
};

/** What lies where a folder of Hookline's own belongs: the system would follow the link, and names no part of a path. */
export const inPlaceOfFolder = (path: string, what: "no folder" | "a symbolic link"): Error =>
  Object.assign(new Error(`${path} is ${what}`), { code: what, syscall: "mkdir", path });

/** Undefined: it is no failure of the system with a file. Never throws. */
export function systemTrouble(error: unknown): SystemTrouble | undefined {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  const { code, syscall } = error;
  if (typeof code !== "string" || typeof syscall !== "string" || !isOfFiles(error, syscall)) return undefined;
  const words = Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  const path = "path" in error && typeof error.path === "string" ? { path: error.path } : {};
  // Node writes: CODE: what it is, CALL 'PATH'
  const unknown = /^E[A-Z0-9]+: (.*?), \w+/.exec(error.message)?.[1];
  if (words === undefined && unknown === undefined) return undefined;
  return {
    reason: words?.reason ?? unknown ?? "",
    ...path,
    advice: words?.advice ?? "check its path and rights",
    isOfPlace: words?.isEverywhere === undefined,
  };
}

/** Programs and connections fail in their own words; a listing of who is there says more than ours. */
const isOfFiles = (error: Error, syscall: string): boolean =>
  !/^(?:spawn|connect|bind|listen|accept|getaddrinfo|kill|uv_)/.test(syscall) && !("address" in error);

/** What, where, what to do; undefined as above. @param elsewhere how to choose another place, where one may help */
export function systemWords(error: unknown, elsewhere?: (path: string) => string | undefined): string | undefined {
  const found = systemTrouble(error);
  if (found === undefined) return undefined;
  const { reason, path } = found;
  const advice = adviceOf(found, path === undefined ? undefined : elsewhere?.(path));
  return [reason, ...(path === undefined ? [] : [path]), advice].join(" — ");
}

/** @param elsewhere how another place is chosen; undefined: there is none */
export const adviceOf = ({ advice, isOfPlace }: SystemTrouble, elsewhere: string | undefined): string =>
  elsewhere !== undefined && isOfPlace ? `${advice}, or ${elsewhere}` : advice;

/** What and where, to stand within a sentence; undefined as above. */
export function systemReason(error: unknown): string | undefined {
  const found = systemTrouble(error);
  return found && (found.path === undefined ? found.reason : `${found.reason} (${found.path})`);
}
