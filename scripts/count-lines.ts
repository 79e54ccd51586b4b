/**
 * Lines of each room of src/, and of the tests: what a change adds or removes. `.ci/run` prints it. With a commit as its word, it
 * also prints the difference from that.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";

type Counted = Map<string, { lines: number; files: number }>;

const since = process.argv[2];
const here = counted(globSync("{src,testing,test}/**/*.ts"), (file) => readFileSync(file, "utf8"));
const before = since === undefined ? undefined : countedAt(since);
for (const [room, { lines, files }] of [...here].sort()) {
  const more = before === undefined ? undefined : lines - (before.get(room)?.lines ?? 0);
  const change = more === undefined || more === 0 ? "" : `  ${more > 0 ? "+" : ""}${more}`;
  console.log(`${room.padEnd(16)}${String(lines).padStart(8)} lines${String(files).padStart(6)} files${change}`);
}

/** Rooms of src/, then src/ and test/ as a whole. */
function counted(files: readonly string[], read: (file: string) => string): Counted {
  const all: Counted = new Map();
  for (const file of files) {
    const [top = "", room = ""] = file.split("/");
    const lines = read(file).split("\n").length - 1;
    for (const name of top === "src" && !room.endsWith(".ts") ? [top, `${top}/${room}`] : [top]) {
      const one = all.get(name) ?? { lines: 0, files: 0 };
      all.set(name, { lines: one.lines + lines, files: one.files + 1 });
    }
  }
  return all;
}

function countedAt(commit: string): Counted {
  const git = (...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync("git", words, { encoding: "utf8", maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  const files = git("ls-tree", "-r", "--name-only", commit, "src", "testing", "test").split("\n");
  return counted(
    files.filter((file) => file.endsWith(".ts")),
    (file) => git("show", `${commit}:${file}`),
  );
}
