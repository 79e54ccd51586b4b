import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { waitsForGit } from "../../src/files/git-waits.ts";
import { createGit } from "../../src/runtime/processes/git.ts";
import { emptyRepository } from "../repository.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const endless = [
  (path: string) => symlinkSync("/dev/zero", path),
  (path: string) => void spawnSync("mkfifo", [path]),
] as const;

interface Place {
  top: string;
  cwd: string;
  home: string;
}
/** Each file that git opens: where it lies, and what leads git there. */
const files: readonly {
  name: string;
  at(place: Place): string;
  prepare?(place: Place): void;
  environment?(place: Place): Record<string, string>;
}[] = [
  ...[".gitmodules", ".gitignore", ".gitattributes", "HEAD"].map((name) => ({
    name,
    at: ({ cwd }: Place) => join(cwd, name),
  })),
  ...["HEAD", "config", "index", "packed-refs", "commondir", "info/exclude", "info/attributes"].map((name) => ({
    name: `.git/${name}`,
    at: ({ cwd }: Place) => join(cwd, ".git", name),
  })),
  { name: ".git/objects/info/alternates", at: ({ cwd }) => join(cwd, ".git/objects/info/alternates") },
  {
    name: "the branch that HEAD names",
    at: ({ cwd }) => join(cwd, ".git/refs/heads/side"),
    prepare: ({ cwd }) => writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/side\n"),
  },
  {
    name: "the index of a linked work tree",
    at: ({ top }) => join(top, "main/.git/worktrees/a/index"),
    prepare({ top, cwd }) {
      emptyRepository(join(top, "main"));
      mkdirSync(join(top, "main/.git/worktrees/a"), { recursive: true });
      writeFileSync(join(top, "main/.git/worktrees/a/commondir"), "../..\n");
      rmSync(join(cwd, ".git"), { recursive: true });
      writeFileSync(join(cwd, ".git"), "gitdir: ../main/.git/worktrees/a\n");
    },
  },
  {
    name: "the configuration that work trees share",
    at: ({ top }) => join(top, "main/.git/config"),
    prepare({ top, cwd }) {
      mkdirSync(join(top, "main/.git/worktrees/a"), { recursive: true });
      writeFileSync(join(top, "main/.git/worktrees/a/commondir"), "../..\n");
      rmSync(join(cwd, ".git"), { recursive: true });
      writeFileSync(join(cwd, ".git"), "gitdir: ../main/.git/worktrees/a\n");
    },
  },
  {
    name: "the HEAD of a submodule",
    at: ({ top }) => join(top, "above/.git/modules/workspace/HEAD"),
    prepare({ top, cwd }) {
      mkdirSync(join(top, "above/.git/modules/workspace"), { recursive: true });
      rmSync(join(cwd, ".git"), { recursive: true });
      writeFileSync(join(cwd, ".git"), "gitdir: ../above/.git/modules/workspace\n");
    },
  },
  ...[
    ["[include]\n\tpath = other", ".git/other"],
    ['[includeIf "gitdir:/**"] path = "other" # always', ".git/other"],
    ["[core]\n\texcludesFile = ~/ignored", "../home/ignored"],
    ["[core]\n\tattributesfile = ../attributes", "../attributes"],
  ].map(([text = "", path = ""]) => ({
    name: `what .git/config names by ${JSON.stringify(text)}`,
    at: ({ cwd }: Place) => join(cwd, path),
    prepare: ({ cwd }: Place) => writeFileSync(join(cwd, ".git/config"), `${text}\n`),
  })),
  {
    name: "what an included configuration includes",
    at: ({ cwd }) => join(cwd, ".git/third"),
    prepare({ cwd }) {
      writeFileSync(join(cwd, ".git/config"), "[include]\n\tpath = second\n\tpath = config\n");
      writeFileSync(join(cwd, ".git/second"), "[include]\n\tpath = third\n");
    },
  },
  { name: "~/.gitconfig", at: ({ home }) => join(home, ".gitconfig") },
  { name: "~/.config/git/ignore", at: ({ home }) => join(home, ".config/git/ignore") },
  {
    name: "GIT_INDEX_FILE",
    at: ({ top }) => join(top, "index"),
    environment: ({ top }) => ({ GIT_INDEX_FILE: join(top, "index") }),
  },
  {
    name: "the configuration below GIT_DIR",
    at: ({ top }) => join(top, "elsewhere/config"),
    environment: () => ({ GIT_DIR: "../elsewhere" }),
  },
  {
    name: "the ignore file of GIT_WORK_TREE",
    at: ({ top }) => join(top, "tree/.gitignore"),
    environment: () => ({ GIT_WORK_TREE: "../tree" }),
  },
];

for (const { name, at, prepare, environment } of files)
  test(`git would wait where ${name} is a pipe or a device, and the sentence names the file`, (t) => {
    for (const make of endless) {
      const top = temporaryFolder(t);
      const place = { top, cwd: join(top, "workspace"), home: join(top, "home") };
      emptyRepository(place.cwd);
      mkdirSync(place.home);
      prepare?.(place);
      const given = { HOME: place.home, ...environment?.(place) };
      assert.equal(waitsForGit(place.cwd, given), undefined);
      const path = at(place);
      mkdirSync(dirname(path), { recursive: true });
      rmSync(path, { force: true });
      make(path);
      assert.equal(waitsForGit(place.cwd, given), `git would wait for ${path}, which is no regular file: remove it`);
    }
  });

test("a question about such a repository is answered by that sentence, and git is not started", async (t) => {
  const top = temporaryFolder(t);
  const cwd = join(top, "workspace");
  emptyRepository(cwd);
  writeFileSync(join(cwd, ".git/config"), "[include]\n\tpath = other\n");
  symlinkSync("/dev/zero", join(cwd, ".git/other"));
  const git = createGit({ HOME: top, PATH: process.env.PATH ?? "" });
  const answer = await git.askIn(cwd, ["status"]);
  assert.equal(
    answer.ok ? "" : answer.reason,
    `git would wait for ${join(cwd, ".git/other")}, which is no regular file: remove it`,
  );
});
