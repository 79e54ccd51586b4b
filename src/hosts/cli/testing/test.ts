/** hookline test: tests of hooks, each file in a scratch copy of its project, without an agent. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import type { Json } from "../../../engine/event.ts";
import type { Problem } from "../../../engine/hook.ts";
import { readRegularFileSync } from "../../../files/regular-file.ts";
import { readTestsText, readTestsValue, type WrittenTests } from "../../../formats/hook-tests/file.ts";
import { largestRulesFileInBytes } from "../../../formats/reading/yaml-tree.ts";
import { isHookTest } from "../../../loading/places.ts";
import { findProject } from "../../../loading/project.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { reportLoaded } from "../report-loaded.ts";
import { offerTrust } from "../trust/trust.ts";
import { failuresOf } from "./expected.ts";
import { loadCopy, perform } from "./perform.ts";
import { asJson, asJunit, type FileResult, failedIn, printFile, printSummary, type TestResult } from "./report.ts";
import { isTrusted, namesIn, openScratch } from "./scratch.ts";

export async function test(invocation: Invocation): Promise<ExitCode> {
  const run = textFlag(invocation.flags, "from");
  if (run !== undefined) return (await import("./from-run.ts")).fromRun(run, invocation);
  const files = () => testFiles(invocation);
  if (invocation.flags.watch !== true) return performAll(await files(), invocation);
  const { watchTests } = await import("./watch.ts");
  return watchTests(invocation, files, (found) => performAll(found, invocation));
}

async function performAll(files: readonly string[], invocation: Invocation): Promise<ExitCode> {
  const results: FileResult[] = [];
  const roots = files
    .filter((file) => !isOurs(file, invocation))
    .map((file) => findProject(dirname(file), invocation.home).root);
  for (const cwd of new Set(roots)) await offerTrust({ ...invocation, cwd });
  for (const file of files) {
    if (invocation.signal.aborted) return 3;
    const result = await performFile(file, invocation);
    results.push(result);
    if (!invocation.json) printFile(result, invocation, invocation.flags.verbose === true);
  }
  const junit = textFlag(invocation.flags, "junit");
  if (junit !== undefined) writeFileSync(resolve(invocation.cwd, junit), asJunit(results, invocation));
  if (invocation.json) invocation.terminal.print(JSON.stringify(asJson(results)));
  else printSummary(results, invocation);
  return results.some((result) => failedIn(result) > 0) ? 1 : invocation.signal.aborted ? 3 : 0;
}

/** The files that are named, and those below the folders that are named; without any, those below this folder. */
async function testFiles({ words, cwd, environment, usage }: Invocation): Promise<string[]> {
  const files: string[] = [];
  for (const word of words.length > 0 ? words : ["."]) {
    const path = resolve(cwd, word);
    if (!existsSync(path)) throw usageError(`no file or folder is called "${word}"`, usage);
    if (statSync(path).isDirectory())
      for (const name of (await namesIn(path, environment)).sort()) if (isHookTest(name)) files.push(join(path, name));
    if (!statSync(path).isDirectory()) {
      if (!isHookTest(path))
        throw usageError(
          `"${word}" is no file of hook tests: their names end in .hooktest.yaml or .hooktest.ts`,
          usage,
        );
      files.push(path);
    }
  }
  if (files.length === 0)
    throw new HooklineError("usage", {
      what: "no hook tests are here",
      where: words.length > 0 ? words.map((word) => resolve(cwd, word)).join(", ") : cwd,
      advice: "write NAME.hooktest.yaml, or make one of a recorded run: hookline test --from RUN",
    });
  return [...new Set(files)];
}

async function performFile(file: string, invocation: Invocation): Promise<FileResult> {
  const at = { ...invocation, cwd: dirname(file) };
  const tests: TestResult[] = [];
  try {
    const comesAlong = isOurs(file, invocation);
    const read = await readFile(file, { ...at, isTrusted: comesAlong || (await isTrusted(at)) });
    if (read.problems.length > 0) return { file, problems: read.problems, tests };
    const { hooks, files, environment } = read;
    const scratch = await openScratch({
      ...{ place: at, home: "empty", isOurs: comesAlong },
      ...(hooks
        ? { only: hooks.map((name, index) => mustExist(resolve(at.cwd, name), file, read.placeOfHook(index))) }
        : {}),
      ...(files ? { files } : {}),
      ...(environment ? { environment } : {}),
    });
    try {
      const loaded = await loadCopy(scratch);
      const problems = loaded.problems.map((problem) => ({ ...problem, file: scratch.back(problem.file) }));
      reportLoaded({ ...loaded, problems }, invocation);
      for await (const one of perform(read, loaded, scratch, invocation.signal))
        tests.push({ ...one, failures: failuresOf(one.test, one.seen) });
      return { file, problems: [], tests };
    } finally {
      scratch.close();
    }
  } catch (error) {
    return { file, problems: [problemOf(error, file)], tests };
  }
}

/** It comes with Hookline, and is trusted as Hookline is. */
const isOurs = (file: string, { self: [, bin] }: Invocation): boolean =>
  file.startsWith(join(dirname(dirname(bin)), sep));

function mustExist(path: string, file: string, { line, column }: { line: number; column: number }): string {
  if (existsSync(path)) return path;
  const where = `${file}:${line}:${column}`;
  throw new HooklineError("usage", { what: `there is no hook file ${path}`, where, advice: "correct hooks:" });
}

/** A file fails alone, whatever is wrong with it. */
function problemOf(error: unknown, file: string): Problem {
  const facts = error instanceof HooklineError ? error.facts : {};
  const message = String(facts.what ?? facts.reason ?? messageOf(error));
  const [, line = "1", column = "1"] = /:(\d+)(?::(\d+))?$/.exec(String(facts.where ?? "")) ?? [];
  const suggestion = facts.advice === undefined ? {} : { suggestion: String(facts.advice) };
  return {
    severity: "error",
    code: "unreadable",
    message,
    ...suggestion,
    file,
    line: Number(line),
    column: Number(column),
  };
}

/** In a folder that no person trusts, a file of tests is data: it runs nothing, and reaches nothing but the folder's own hooks. */
async function readFile(file: string, { isTrusted: mayRun }: { isTrusted: boolean }): Promise<WrittenTests> {
  const refuse = (what: string): never => {
    const advice = "run hookline trust, which shows what the hooks there would run";
    throw new HooklineError("usage", { what: `${what}, and you have not trusted its folder`, where: file, advice });
  };
  const isYaml = /\.ya?ml$/i.test(file);
  if (!isYaml && !mayRun) refuse("the test is a program");
  const read = readRegularFileSync(file, largestRulesFileInBytes);
  if ("refused" in read) throw new HooklineError("file_unreadable", { reason: read.refused, where: file });
  return isYaml ? fromText(read.text) : fromModule(read.text);

  function fromText(text: string): WrittenTests {
    const tests = readTestsText(text, file);
    if (!mayRun && tests.environment) refuse("the test sets variables");
    if (!mayRun && Object.keys(tests.files ?? {}).some((path) => path.startsWith("~/")))
      refuse("the test brings files for the home folder");
    return tests;
  }
  async function fromModule(text: string): Promise<WrittenTests> {
    const { importModule } = await import("../../modules/import-module.ts");
    const { exported } = await importModule({ name: file, from: file });
    return readTestsValue(JSON.parse(JSON.stringify(exported ?? null)) as Json, text, file); // what JSON cannot say is no part of a test
  }
}
