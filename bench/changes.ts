/**
 * What has changed since the last turn, in a repository of 50,000 files in 1,000 folders of which some have changed: a
 * session's question as hooks ask it (Tracked.changesOf, with its baseline from a store), by a process that watches and by
 * one that looks afresh, against a plain `git status` and the narrowest one that answers the same.
 *
 * "resident" is asked while its set is up to date, as it is a moment after the last change; "resident, a file just written"
 * is asked in the same tick as a file is written, so git has to be asked about that file first. All sides run in turn.
 * Before anything is timed, all answers are compared.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createColdChanges } from "../src/runtime/changes/cold.ts";
import type { ChangeFinder } from "../src/runtime/changes/look.ts";
import { createWatchedChanges } from "../src/runtime/changes/watched.ts";
import { createGit } from "../src/runtime/processes/git.ts";
import { environment, repositoryIn, type Session, sessionIn } from "../test/runtime/triggers/repository.ts";
import { type Benchmark, type Findings, inFolder, ratioOf, rowOf, rowsOf, sampleReadings, sized } from "./measure.ts";

const folderCount = sized(1_000, 100);
const filesPerFolder = sized(50, 3);
const rounds = 15;

export const changes: Benchmark = {
  name: "changes",
  about: "what changed since the last turn: 50,000 files in 1,000 folders, 6 of them changed",
  measure: () =>
    inFolder((folder) => {
      build(folder);
      return measureIn(folder);
    }),
};

function build(folder: string): void {
  for (let index = 0; index < folderCount; index++) {
    const inner = join(folder, `area${index % 20}`, `folder${index}`);
    mkdirSync(inner, { recursive: true });
    for (let file = 0; file < filesPerFolder; file++)
      writeFileSync(join(inner, `file${file}.ts`), `export const value${file} = ${index};\n`.repeat(4));
  }
  repositoryIn(folder).commit();
}

async function measureIn(folder: string): Promise<Findings> {
  const started = performance.now();
  const resident = createWatchedChanges(createGit(environment));
  const watching = await askingIn(folder, resident);
  assert.equal(await resident.watched(folder), folderCount + 21, "every folder is watched");
  const ready = performance.now() - started;
  const cold = await askingIn(folder, createColdChanges(createGit(environment)));
  try {
    for (let index = 0; index < 5; index++)
      appendFileSync(join(folder, `area0/folder${index * 20}/file1.ts`), "// changed\n");
    writeFileSync(join(folder, "area1", "new.ts"), "export {};\n");
    await run(folder, ["status"]); // so that the index knows what is only touched
    const answer = await watching();
    assert.equal("files" in answer && answer.files.length, 6);
    assert.deepEqual(answer, await cold(), "both give one answer");
    const sides: Record<string, () => Promise<unknown>> = {
      "git status": () => run(folder, ["status"]),
      "git status, porcelain": () => run(folder, ["status", "--porcelain", "-z", "--untracked-files=all"]),
      cold,
      resident: watching,
      "resident, a file just written": () => {
        writeFileSync(join(folder, "area1", "new.ts"), `export const now = ${performance.now()};\n`);
        return watching();
      },
    };
    const samples = await sampleReadings(Object.keys(sides), rounds, (name) => timeOf(sides[name] ?? cold));
    const rows = rowsOf("50,000 files", "ms", samples);
    rows.push(rowOf("50,000 files", "until every folder is watched, once", "ms", ready));
    const inOneMillisecond = ratioOf(samples, {
      goal: "resident: at most a hundredth of git status",
      cost: "git status",
      by: "resident",
      atLeast: 100,
    });
    const coldly = ratioOf(samples, {
      goal: "cold: at most 1.5 times git status",
      cost: "cold",
      by: "git status",
      atMost: 1.5,
    });
    const justWritten = ratioOf(samples, {
      goal: "resident, a file just written, against git status",
      cost: "git status",
      by: "resident, a file just written",
    });
    return { rows, ratios: [inOneMillisecond, coldly, justWritten] };
  } finally {
    await resident.close();
  }
}

/** A session that has begun, and its question at the end of a turn. */
async function askingIn(folder: string, finder: ChangeFinder): Promise<Session["ask"]> {
  const session = sessionIn(folder, finder);
  await session.begin();
  return session.ask;
}

const execute = promisify(execFile);
const run = (folder: string, words: readonly string[]): Promise<unknown> =>
  execute("git", words, { cwd: folder, env: environment, maxBuffer: 1 << 26 });

/** Milliseconds. Work in the background of an earlier side is waited for first. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 150));
  const started = performance.now();
  await work();
  return performance.now() - started;
}
