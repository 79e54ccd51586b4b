/** What the system says where a file cannot be written or opened, in words that say what to do. */

interface Words {
  reason: string;
  advice: string;
}

const byCode: Readonly<Record<string, Words>> = {
  EROFS: {
    reason: "the file system is read-only",
    advice: "make it writable, or name another place by XDG_STATE_HOME",
  },
  ENOSPC: { reason: "the disk is full", advice: "free some space" },
  EDQUOT: { reason: "your part of the disk is used up", advice: "free some space" },
  EACCES: { reason: "this user may not open it", advice: "change its rights, or name another place by XDG_STATE_HOME" },
  EPERM: {
    reason: "this user may not change it",
    advice: "change its rights, or name another place by XDG_STATE_HOME",
  },
  ENOTDIR: {
    reason: "a part of its path is no folder",
    advice: "move that away, or name another place by XDG_STATE_HOME",
  },
  EISDIR: { reason: "a folder lies where a file belongs", advice: "move it away" },
  ELOOP: { reason: "its links lead in a circle", advice: "remove the link, or name another place by XDG_STATE_HOME" },
  EMFILE: { reason: "this process has too many files open", advice: "raise its limit (ulimit -n)" },
  ENFILE: { reason: "the system has too many files open", advice: "end what holds them" },
};

/** Undefined: it is no failure of the system with a file, or none that is known here. */
export function systemWords(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("path" in error)) return undefined;
  const { code, path } = error;
  const words = typeof code === "string" && Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  return words && `${words.reason} — ${String(path)} — ${words.advice}`;
}
