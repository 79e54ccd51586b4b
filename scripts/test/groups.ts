/** Which files share a process: to load the sources takes longer than most files do. */

export interface Group {
  /** The part of the house that its files are about, as people see it: `actions`, `hosts/cli`. */
  room: string;
  files: string[];
  /** Milliseconds that it took last time. */
  expected: number;
}

/** A process is for at most so much: the rest of a room goes to another. To load Hookline again costs the quick tests most. */
const mostFiles = 200;
const longest = { quick: 180_000, hosts: 180_000, postgres: 90_000, browser: 90_000, slow: 90_000 };
/** Milliseconds of a file that was not run here before: the first run of a clone must not put a whole room into one process. */
const unknown = { quick: 4_000, hosts: 9_000, postgres: 8_000, browser: 60_000, slow: 20_000 };

/**
 * In the order in which they begin: room after room, so that the line of a room comes early, and the largest first, so that none is
 * what all others wait for.
 *
 * @param times milliseconds that a file took last time
 */
export function groupsOf(files: readonly string[], times: ReadonlyMap<string, number>): Group[] {
  const made: Group[] = [];
  const open = new Map<string, Group>();
  for (const file of [...files].sort()) {
    const room = roomOf(file);
    const kind = kindOf(file, room);
    const expected = times.get(file) ?? unknown[kind];
    let group = open.get(room);
    if (!group || group.files.length >= mostFiles || group.expected + expected > longest[kind]) {
      group = { room, files: [], expected: 0 };
      open.set(room, group);
      made.push(group);
    }
    group.files.push(file);
    group.expected += expected;
  }
  const sums = new Map<string, number>();
  for (const { room, expected } of made) sums.set(room, (sums.get(room) ?? 0) + expected);
  const sumOf = ({ room }: Group): number => sums.get(room) ?? 0;
  return made.sort((left, right) => sumOf(right) - sumOf(left) || right.expected - left.expected);
}

function kindOf(file: string, room: string): keyof typeof unknown {
  if (file.endsWith(".slow.test.ts")) return "slow";
  if (room === "postgres" || room === "browser") return room;
  return large.has(room) ? "hosts" : "quick";
}

/** The rooms of the command and of the daemon are as large as all others. */
function roomOf(file: string): string {
  const [, room = "", inside = ""] = file.split("/");
  const path = `${room}/${inside}`;
  return large.has(path) ? path : room.includes(".") ? "test" : room;
}
const large = new Set(["hosts/cli", "hosts/daemon"]);
