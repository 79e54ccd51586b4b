/** The processes that stand above this one: those that started it, and those that made its terminal. Apart from the process table, because only commands for a person ask. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Ancestor {
  pid: number;
  /** Its program and the first words behind it. */
  words: readonly string[];
  /** As it was started with. Empty: it is another user's, or the system does not tell. */
  environment: Readonly<Record<string, string>>;
  /** Nothing but the system stands above it. */
  isTop: boolean;
}

interface Row {
  pid: number;
  parent: number;
  session: number;
  /** The number of its terminal, as the system has it; 0: it has none. */
  terminal: number;
}

const most = 64;

/**
 * The nearest first. Undefined: this system shows no processes, so nobody knows. Never throws.
 *
 * A process whose parent has ended belongs to the system: then its terminal and its session say more. Who holds the other end of a
 * terminal has made it: `script`, `tmux`, an editor, a window.
 */
export const ancestors = (pid: number = process.pid): readonly Ancestor[] | undefined =>
  process.platform === "linux" ? onLinux(pid) : byPs(pid);

function onLinux(pid: number): readonly Ancestor[] | undefined {
  const own = rowOf(pid);
  if (!own) return undefined;
  const seen = new Set<number>([pid]);
  const found: Ancestor[] = [];
  const open = [own.parent, own.session, ...makersOf(own.terminal)];
  for (let next = open.shift(); next !== undefined && found.length < most; next = open.shift()) {
    if (next <= 1 || seen.has(next)) continue;
    seen.add(next);
    const row = rowOf(next);
    if (!row) continue;
    const isTop = row.parent <= 1;
    found.push({ pid: next, words: listIn(`/proc/${next}/cmdline`), environment: environmentOf(next), isTop });
    open.push(row.parent, row.session, ...makersOf(row.terminal));
  }
  return found;
}

function rowOf(pid: number): Row | undefined {
  const line = read(`/proc/${pid}/stat`);
  if (line === undefined) return undefined;
  const [, parent, , session, terminal] = line
    .slice(line.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return { pid, parent: parent ?? 0, session: session ?? 0, terminal: terminal ?? 0 };
}

const listIn = (file: string): string[] => (read(file) ?? "").split("\0").filter((one) => one !== "");

function environmentOf(pid: number): Record<string, string> {
  const entries = listIn(`/proc/${pid}/environ`).map((one): [string, string] => {
    const equals = one.indexOf("=");
    return equals < 0 ? [one, ""] : [one.slice(0, equals), one.slice(equals + 1)];
  });
  return Object.fromEntries(entries);
}

/** Pseudo-terminals have these major numbers, each with 256 terminals; where the bits lie, proc(5) says. */
const firstMajor = 136;
const lastMajor = 143;
function indexOf(terminal: number): number | undefined {
  const major = (terminal >> 8) & 0xfff;
  const minor = (terminal & 0xff) | ((terminal >> 12) & 0xfff00);
  return major < firstMajor || major > lastMajor ? undefined : (major - firstMajor) * 256 + minor;
}

/** The processes that hold the other end of a pseudo-terminal. */
function makersOf(terminal: number): number[] {
  const index = indexOf(terminal);
  if (index === undefined) return [];
  return processIds().filter((pid) => holds(pid, index));
}

function holds(pid: number, index: number): boolean {
  return namesIn(`/proc/${pid}/fd`).some((descriptor) => {
    if (!/\/ptmx$/.test(linkAt(`/proc/${pid}/fd/${descriptor}`))) return false;
    const told = /^tty-index:\s+(\d+)$/m.exec(read(`/proc/${pid}/fdinfo/${descriptor}`) ?? "")?.[1];
    return told !== undefined && Number(told) === index;
  });
}

const processIds = (): number[] => namesIn("/proc").map(Number).filter(Number.isInteger);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // another user's, or it has ended
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** macOS and others: the parents alone, and of each what `ps` shows of its environment. */
function byPs(pid: number): readonly Ancestor[] | undefined {
  const table = ps(["-A", "-o", "pid=,ppid="]);
  if (table === undefined) return undefined;
  const parents = new Map(
    [...table.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm)].map(([, one, parent]) => [Number(one), Number(parent)] as const),
  );
  const found: Ancestor[] = [];
  for (let next = parents.get(pid); next !== undefined && next > 1 && found.length < most; next = parents.get(next)) {
    const words = (ps(["-o", "command=", "-p", String(next)]) ?? "").trim().split(/\s+/);
    const shown = ps(["-E", "-ww", "-o", "command=", "-p", String(next)]) ?? "";
    const environment = Object.fromEntries(
      [...shown.matchAll(/(?:^|\s)([A-Za-z_]\w*)=(\S*)/g)].map(([, name = "", value = ""]) => [name, value]),
    );
    found.push({ pid: next, words, environment, isTop: (parents.get(next) ?? 0) <= 1 });
  }
  return found;
}

function ps(words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("/bin/ps", words, { encoding: "utf8", timeout: 5_000 });
  return status === 0 ? stdout : undefined;
}
