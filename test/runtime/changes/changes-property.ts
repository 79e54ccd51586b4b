/** Random work in a repository: who watches it gives the answer of a fresh look, after each piece of it. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { createColdChanges } from "../../../src/runtime/changes/cold.ts";
import type { ChangeFinder } from "../../../src/runtime/changes/look.ts";
import { createWatchedChanges } from "../../../src/runtime/changes/watched.ts";
import { createGit } from "../../../src/runtime/processes/git.ts";
import { environment, type Repository, repositoryIn, usualRepository } from "../triggers/repository.ts";

const folders = ["", "src/", "src/deep/", "new/", "new/inner/", "ignored/", "ignored/x/"] as const;
const files = folders.flatMap((folder) => ["a.ts", "b.ts", "c.log"].map((name) => `${folder}${name}`));
const aFile = fc.constantFrom(...files);
const aFolder = fc.constantFrom(...folders.slice(1).map((folder) => folder.slice(0, -1)));

type Work = (repository: Repository) => void;
const text = fc.constantFrom("one\n", "two\n", "a.ts\n", "src/b.ts\n");

/** What cannot be done, such as the rename of what is not there, is left out. */
const tried =
  (work: Work): Work =>
  (repository) => {
    try {
      work(repository);
    } catch {
      // Git and the file system say why: it is no longer possible at this moment.
    }
  };
const rename = (from: string, to: string): Work =>
  tried(({ folder }) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    renameSync(join(folder, from), join(folder, to));
  });
const git = (...words: string[]): Work => tried((repository) => repository.git(...words));

const work = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(aFile, text).map(([name, content]) => tried(({ write }) => write(name, content))) },
  { weight: 2, arbitrary: aFile.map((name) => tried(({ folder }) => rmSync(join(folder, name)))) },
  {
    weight: 1,
    arbitrary: aFolder.map((name) => tried(({ folder }) => rmSync(join(folder, name), { recursive: true }))),
  },
  { weight: 2, arbitrary: fc.tuple(aFile, aFile).map(([from, to]) => rename(from, to)) },
  { weight: 2, arbitrary: fc.tuple(aFolder, aFolder).map(([from, to]) => rename(from, to)) },
  { weight: 1, arbitrary: aFile.map((name) => git("add", "-f", name)) },
  { weight: 1, arbitrary: aFile.map((name) => git("rm", "-q", "--cached", name)) },
  { weight: 1, arbitrary: aFile.map((name) => git("checkout", "-q", "HEAD", "--", name)) },
  { weight: 1, arbitrary: fc.constant(tried((repository) => repository.commit())) },
  { weight: 1, arbitrary: fc.constant(git("checkout", "-q", "-f", "-B", "other", "HEAD~1")) },
  { weight: 1, arbitrary: fc.constant(git("reset", "-q", "--soft", "HEAD~1")) },
  { weight: 1, arbitrary: fc.constant(git("stash", "-q", "-u")) },
  { weight: 1, arbitrary: fc.constant(git("stash", "pop", "-q")) },
  { weight: 1, arbitrary: aFolder.map((name) => tried(({ folder }) => void repositoryIn(join(folder, name)))) },
  {
    weight: 1,
    arbitrary: aFolder.map((name) => tried(({ folder }) => rmSync(join(folder, name, ".git"), { recursive: true }))),
  },
  { weight: 1, arbitrary: aFolder.map((name) => git("-C", name, "commit", "-q", "--allow-empty", "-m", "there")) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("", "*.log\n", "ignored/\n")
      .map((rules) => tried(({ write }) => write(".gitignore", rules))),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      tried(({ folder }) => {
        if (existsSync(join(folder, "new"))) rmSync(join(folder, "new"), { recursive: true });
        writeFileSync(join(folder, "new"), "a file in a folder's place\n");
      }),
    ),
  },
);

export async function differences(finder: ChangeFinder, folder: string): Promise<object> {
  const look = await finder.look({ folder, isRepository: true }, 0);
  if ("unknown" in look) return look;
  return look.repositories.map(({ head, dirty }) => ({ head, dirty: [...dirty].sort() }));
}

export async function answersAsAFreshLook(
  context: TestContext,
  { rounds, turns: atMost }: { rounds: number; turns: number },
): Promise<void> {
  const finder = createColdChanges(createGit(environment));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(work, { minLength: 1, maxLength: 4 }), { maxLength: atMost }), async (turns) => {
      const { folder, ...hands } = usualRepository(context);
      const complaints: string[] = [];
      const resident = createWatchedChanges(createGit(environment), (reason) => complaints.push(reason));
      try {
        resident.expect?.({ folder, isRepository: true });
        assert.notEqual(await resident.watched(folder), 0);
        for (const turn of turns) {
          for (const one of turn) one({ folder, ...hands });
          assert.deepEqual(await differences(resident, folder), await differences(finder, folder));
        }
        assert.deepEqual(complaints, []);
      } finally {
        await resident.close();
      }
    }),
    { numRuns: Number(process.env.RUNS ?? rounds) },
  );
}
