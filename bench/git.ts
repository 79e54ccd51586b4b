/**
 * What a hook adds to `git commit --allow-empty` where there is nothing for it to do: processor time of git and of all
 * that it starts, against git without any hook.
 *
 * Ours in two repositories: with scripts of which none is for commits, and with one for commits whose pattern no staged file
 * matches. Against: a hook of two lines in sh, one that starts Node, which ours has to, and the managers of git hooks as they
 * install themselves, each with one job that has nothing to do either. Each side has a repository of its own and is run in turn.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageForTests } from "../scripts/package-for-tests.ts";
import {
  type Benchmark,
  type Findings,
  inFolder,
  quantile,
  type Ratio,
  rowsOf,
  type Samples,
  sampleReadings,
  sized,
} from "./measure.ts";
import { hasPeer } from "./peers.ts";
import { findPreCommit } from "./pre-commit.ts";
import { type Program, timeProgram } from "./process-time.ts";
import { trustWith } from "./trusted.ts";

export const git: Benchmark = {
  name: "git",
  about: "processor time of a commit whose hook has nothing to do, against one without hooks",
  leftOut: () => Object.keys(needs).flatMap((name) => (needs[name] ? [] : [`${name}: it is not installed`])),
  measure: () => inFolder(measureIn),
};

const rounds = 11;
const commitsPerReading = sized(10, 1);
/** Those that start Node or Python take 100 ms and more for each: what is lost in the rounding of a reading is less. */
const slowCommitsPerReading = sized(2, 1);

const bare = "no hook";
const startsNode = "sh, starts Node";
const lefthook = "lefthook, no job matches";
const ours = ["Hookline, no script for commits", "Hookline, a pattern that does not match"] as const;
/** How many times what a start of Node adds. */
const timesNode = 8;

interface Repository {
  top: string;
  environment: Record<string, string>;
  run(program: string, words: readonly string[]): string;
  write(path: string, text: string, mode?: number): void;
}

const modules = join(import.meta.dirname, "node_modules");

const preCommitName = "pre-commit, no file matches";
const preCommit = findPreCommit();
const slow: ReadonlySet<string> = new Set([...ours, startsNode, preCommitName]);
/** A peer that could not be installed here is left out. */
const needs: Readonly<Record<string, boolean>> = {
  "simple-git-hooks": hasPeer("simple-git-hooks"),
  [lefthook]: hasPeer("lefthook"),
  husky: hasPeer("husky"),
  [preCommitName]: preCommit !== undefined,
};

/** How each side's hook comes into its repository. */
const sides: Readonly<Record<string, (repository: Repository) => void>> = {
  [bare]: () => {},
  "sh, two lines": ({ write }) => write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n", 0o755),
  [startsNode]: ({ write }) => write(".git/hooks/pre-commit", `#!/bin/sh\nexec '${process.execPath}' -e ''\n`, 0o755),
  [ours[0]]: (repository) => installOurs(repository, other),
  [ours[1]]: (repository) => installOurs(repository, { ...other, "go-vet.sh": script("pre-commit", "*.go") }),
  "simple-git-hooks": ({ run, write }) => {
    write("package.json", JSON.stringify({ "simple-git-hooks": { "pre-commit": "true" } }));
    run(process.execPath, [join(modules, "simple-git-hooks", "cli.js")]);
  },
  [lefthook]: ({ run, write }) => {
    write(
      "lefthook.yml",
      'pre-commit:\n  jobs:\n    - name: vet\n      glob: "*.go"\n      run: go vet {staged_files}\n',
    );
    run(process.execPath, [join(modules, "lefthook", "bin", "index.js"), "install"]);
  },
  [preCommitName]: ({ run, write }) => {
    write(
      ".pre-commit-config.yaml",
      'repos:\n  - repo: local\n    hooks:\n      - { id: vet, name: vet, language: system, entry: go vet, files: "\\\\.go$" }\n',
    );
    run(preCommit ?? "", ["install"]);
  },
  husky: ({ run, write }) => {
    write("package.json", "{}");
    run(process.execPath, [join(modules, "husky", "bin.js")]);
    write(".husky/pre-commit", ":\n");
  },
};

const script = (type: string, pattern?: string): string =>
  [
    "#!/bin/bash",
    "#---",
    "# name: Go checks",
    `# type: ${type}`,
    ...(pattern ? [`# pattern: "${pattern}"`] : []),
    "#---",
    "exit 1",
    "",
  ].join("\n");
const other: Readonly<Record<string, string>> = {
  "eslint.sh": script("file", "*.{ts,tsx}"),
  "go-fmt.sh": script("file", "*.go"),
  "install-deps.sh": script("session"),
  "setup.sh": script("session"),
};

/** Installed while there is a script for commits; what lies there later is what is measured. */
function installOurs({ top, run, write, environment }: Repository, scripts: Readonly<Record<string, string>>): void {
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const folder = ".hookline/hooks";
  write(`${folder}/first.sh`, script("pre-commit"), 0o755);
  run(process.execPath, [bin, "git", "install"]);
  rmSync(join(top, ".hookline"), { recursive: true });
  for (const [name, text] of Object.entries(scripts)) write(`${folder}/${name}`, text, 0o755);
  trustWith(bin, { cwd: top, environment });
  run("git", ["commit", "--quiet", "--allow-empty", "--message", "the first after a change of trust, which looks"]);
  if (!readFileSync(join(top, ".git/hooks/pre-commit"), "utf8").includes("hookline:managed"))
    throw new Error(`${top}: the hook is not in place`);
}

async function measureIn(folder: string): Promise<Findings> {
  const programs = new Map<string, Program>();
  for (const [name, install] of Object.entries(sides).filter(([name]) => needs[name] !== false))
    programs.set(name, prepare(join(folder, String(programs.size)), install));
  const samples = await sampleReadings([...programs.keys()], rounds, (name) => {
    const program = programs.get(name);
    if (!program) throw new Error(`no side is called ${name}`);
    return timeProgram(program, slow.has(name) ? slowCommitsPerReading : commitsPerReading).processor;
  });
  return {
    rows: rowsOf("processor time of a commit", "ms", samples),
    ratios: ours.flatMap((name) => {
      const others = [lefthook, "husky", "simple-git-hooks", preCommitName].filter((peer) => programs.has(peer));
      return [addsAtMost(samples, name), ...others.map((peer) => addsMore(samples, name, peer))];
    }),
  };
}

function prepare(place: string, install: (repository: Repository) => void): Program {
  const top = join(place, "repository");
  mkdirSync(join(top, "src"), { recursive: true });
  const environment: Record<string, string> = {
    HOME: place,
    XDG_STATE_HOME: join(place, "state"),
    TMPDIR: place,
    PATH: process.env.PATH ?? "",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
  const run = (program: string, words: readonly string[]): string => {
    const done = spawnSync(program, words, { cwd: top, env: environment, encoding: "utf8" });
    if (done.status !== 0)
      throw new Error(`${program} ${words.join(" ")} failed: ${done.stderr || done.error?.message}`);
    return done.stdout;
  };
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
    chmodSync(join(top, path), mode);
  };
  run("git", ["init", "--quiet"]);
  for (let file = 0; file < 100; file++) write(`src/${file}.txt`, String(file));
  run("git", ["add", "--all"]);
  run("git", ["commit", "--quiet", "--message", "first"]);
  install({ top, environment, run, write });
  run("git", ["commit", "--quiet", "--allow-empty", "--message", "try"]);
  const where = run("git", ["--exec-path"]).trim();
  const program = existsSync(join(where, "git")) ? join(where, "git") : "git";
  return {
    command: [program, "commit", "--quiet", "--allow-empty", "--message", "more"],
    input: "/dev/null",
    cwd: top,
    environment,
  };
}

/** What each side adds to git, pair by pair. */
function addedBy(samples: Samples, name: string): number {
  const without = samples.of(bare);
  return quantile(
    samples.of(name).map((reading, index) => reading - (without[index] ?? Number.NaN)),
    0.5,
  );
}

function addsAtMost(samples: Samples, name: string): Ratio {
  const value = addedBy(samples, name) / addedBy(samples, startsNode);
  return {
    ...{ goal: `${name}: how many times what a start of Node adds`, against: startsNode, value },
    ...{ spread: spreadOf(samples), target: timesNode, pass: value <= timesNode, better: "less" },
  };
}

const addsMore = (samples: Samples, name: string, peer: string): Ratio => ({
  goal: `${name}: how many times what ${peer.split(",")[0]} adds`,
  against: peer,
  value: addedBy(samples, name) / addedBy(samples, peer),
  spread: spreadOf(samples),
});

/** By how much two equal runs of git alone differed. */
function spreadOf(samples: Samples): number {
  const first = samples.of(bare);
  return quantile(
    samples.again.map((again, index) => Math.abs(again / (first[index] ?? Number.NaN) - 1)),
    0.75,
  );
}
