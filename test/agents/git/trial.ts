/** Repositories whose stub starts a program that only says that it was asked, in each shell of this machine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { printStub, type Stub } from "../../../src/agents/git/stub.ts";
import { changedFiles } from "../../../src/conditions/changed-files.ts";
import { loadPatterns } from "../../../src/conditions/patterns.ts";
import { firstTurn, type HookEvent, type Json } from "../../../src/engine/event.ts";
import type { Patterns } from "../../../src/engine/ports.ts";
import { compileScript } from "../../../src/formats/scripts/script.ts";
import { knownBelow } from "../../../src/hosts/cli/git/wanted.ts";
import { type Scratch, scratch, script } from "./scratch.ts";

/** Those of this machine: the stub is POSIX sh. */
export const shells: readonly (readonly string[])[] = [
  ["dash"],
  ["bash"],
  ["bash", "--posix"],
  ["busybox", "sh"],
  ["ksh"],
].filter(([program = "", ...words]) => spawnSync(program, [...words, "-c", ":"]).status === 0);

export interface Trial extends Scratch {
  /** Starts the stub as git would; "asked" if it called Hookline. */
  start(shell?: readonly string[]): { code: number | null; stdout: string; stderr: string; asked: boolean };
}

const old = new Date(Date.now() - 3_600_000);

/** What the stub in each repository is made of. */
const stubs = new Map<string, Stub>();

/** A repository whose stub calls a program of ours, which says so. */
export function trial(t: TestContext, given: Partial<Stub> = {}, name?: string): Trial {
  const self = scratch(t, name === undefined ? {} : { name });
  const hookline = join(self.folder, "stands in for hookline");
  const mark = join(self.folder, "asked");
  writeFileSync(hookline, `#!/bin/sh\necho "$@" > '${mark}'\nexit 7\n`);
  const stub: Stub = {
    program: ["/bin/sh", hookline],
    scriptFolders: [join(self.folder, "home", ".config", "hookline", "hooks")],
    noted: [],
    guarded: [],
    watched: [],
    known: [],
    ...given,
  };
  const file = self.write(".git/hooks/pre-commit", printStub(stub), 0o755);
  stubs.set(self.top, stub);
  return {
    ...self,
    start(shell = []) {
      rmSync(mark, { force: true });
      const [program = file, ...words] = [...shell, ...(shell.length > 0 ? [".git/hooks/pre-commit"] : [])];
      const { status, stdout, stderr } = spawnSync(program, words, {
        cwd: self.top,
        env: { ...self.environment, PATH: process.env.PATH ?? "" },
        encoding: "utf8",
      });
      return { code: status, stdout, stderr, asked: existsSync(mark) };
    },
  };
}

export const hook = ".hookline/hooks/check.sh";
/** Older than the stub, and there when that was written: what install has seen. */
export function settle(top: string, ...paths: string[]): void {
  for (const path of paths) for (let one = path; one !== "."; one = dirname(one)) utimesSync(join(top, one), old, old);
  const stub = stubs.get(top);
  assert.ok(stub);
  writeFileSync(join(top, ".git/hooks/pre-commit"), printStub({ ...stub, known: knownIn(top, stub) }));
}
const knownIn = (top: string, { watched }: Stub): string[] => [
  ...knownBelow([top]),
  ...watched.map((path) => join(top, path)).filter(existsSync),
];

export const gone = ["/nowhere/node", "/nowhere/hookline.js"] as const;

/** What the stub must do in every shell, by the sentence that says it. */
export const stories: Readonly<Record<string, (t: TestContext, shell: readonly string[]) => void>> = {
  "without a script for commits nothing is started"(t, shell) {
    const { write, start, top } = trial(t);
    assert.deepEqual(start(shell), { code: 0, stdout: "", stderr: "", asked: false });
    write(hook, script({ type: "file", pattern: '"*.go"' }, "exit 1"), 0o755);
    write(".discobot/hooks/start.sh", script({ type: "session" }, "exit 1"), 0o755);
    write(".hookline/hooks/README.md", "no script");
    settle(top, hook);
    assert.deepEqual(start(shell), { code: 0, stdout: "", stderr: "", asked: false });
  },
  "a script for commits starts Hookline, and its exit code is git's"(t, shell) {
    const { write, start, top } = trial(t);
    write(".discobot/hooks/check.sh", script({ type: "pre-commit" }, ""), 0o755);
    settle(top, ".discobot/hooks/check.sh");
    const { code, asked, stderr } = start(shell);
    assert.deepEqual({ code, asked, stderr }, { code: 7, asked: true, stderr: "" });
  },
  "a pattern that no staged name can match starts nothing"(t, shell) {
    const { write, start, top, mustGit } = trial(t);
    write(hook, script({ type: "pre-commit", pattern: '"src/**/*.{ts,tsx}"' }, ""), 0o755);
    settle(top, hook);
    write("a file.go", "");
    mustGit(["add", "a file.go"]);
    assert.equal(start(shell).asked, false);
    write("src/deep/b.tsx", "");
    mustGit(["add", "src"]);
    assert.equal(start(shell).asked, true);
  },
  "[E48] without Hookline no script runs, as only Hookline knows which a person has trusted, and the commit is refused"(
    t,
    shell,
  ) {
    const { write, start, top } = trial(t, { program: gone });
    write(".hookline/hooks/file.sh", script({ type: "file", description: "no pre-commit" }, "echo never"), 0o755);
    write(".hookline/hooks/a.sh~", script({ type: "pre-commit" }, "echo a copy"), 0o755);
    write(".hookline/hooks/go.sh", script({ type: "pre-commit", pattern: "'*.go'" }, "echo never"), 0o755);
    settle(top, ".hookline/hooks/file.sh", ".hookline/hooks/go.sh");
    assert.equal(start(shell).code, 0);
    write(".hookline/hooks/b.sh", script({ type: "pre-commit" }, "echo never"), 0o755);
    const { code, stdout, stderr } = start(shell);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(
      stderr,
      /only Hookline can tell whether \.hookline\/hooks\/b\.sh, .*, is trusted, so the commit is refused/,
    );
    assert.match(stderr, /npm install -g hookline installs Hookline .*git commit --no-verify\n$/);
  },
};

/** No pattern that matches a staged name is missed. */
export async function noneIsMissed(t: TestContext, rounds: number): Promise<void> {
  const { write, start, top, mustGit } = trial(t);
  const staged = ["a.go", "b/a.ts", "b/c/Makefile", "b-c.d.ts", ".x", "é.go", "a b"];
  for (const path of staged) write(path, "");
  mustGit(["add", "a.go", "b", "b-c.d.ts", ".x", "é.go", "a b"]);
  const patterns = await loadPatterns();
  const part = fc.constantFrom(
    "*",
    "**",
    "?",
    ".",
    "/",
    "{",
    "}",
    ",",
    "a",
    "b",
    "c",
    "go",
    "ts",
    "d",
    "Makefile",
    "-",
    "[ab]",
    "é",
    "..",
    "x",
    " ",
    "!",
  );
  const written = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(""));
  let matching = 0;
  fc.assert(
    fc.property(written, fc.constantFrom("'", '"', ""), (pattern, quote) => {
      const text = script({ type: "pre-commit", pattern: `${quote}${pattern}${quote}` }, "");
      const { hooks } = compileScript(
        text,
        { isExecutable: true },
        { dialect: "script", layer: "project", file: join(top, hook) },
        { label: hook, family: "hookline" },
      );
      const when = hooks[0]?.when;
      if (!when || !("is" in when) || !holds(when.with, staged, top, patterns)) return;
      matching += 1;
      write(hook, text, 0o755);
      settle(top, hook);
      assert.ok(start().asked, pattern);
    }),
    { numRuns: rounds, seed: 7 },
  );
  assert.ok(matching > rounds / 30, `${matching} of them match`);
}

function holds(params: Json | undefined, files: string[], top: string, patterns: Patterns): boolean {
  const checked = changedFiles.params.check(params ?? {});
  if (checked.length > 0) return false;
  try {
    const test = changedFiles.compile(params as { patterns: string[] }, patterns); // checked above
    const event: HookEvent = {
      id: "e",
      name: "git.pre-commit",
      at: 0,
      cwd: top,
      data: { changed_files: files },
      sender: "git",
    };
    return test({ event, turn: firstTurn, names: [], results: [] }) !== false;
  } catch {
    return true; // a guard that cannot be tested refuses every commit
  }
}
