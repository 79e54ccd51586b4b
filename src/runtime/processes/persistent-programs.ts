/** The persistent programs of this process: which question goes to which of them, and which are not wanted any more. */
import type { HookSet } from "../../engine/hook.ts";
import { contentOf, type PersistentPrograms } from "../../engine/persistent-program.ts";
import type { StartPipedProcess } from "../../engine/program.ts";
import { createPersistentProgram, type PersistentProgram, type ProgramOptions, refused } from "./persistent-program.ts";

export interface PersistentProgramsOptions extends Partial<Pick<ProgramOptions, "tell" | "looksEvery">> {
  start: StartPipedProcess;
  /** Programs at once; the one that was not asked for the longest goes first. */
  atMost?: number;
}

const usualAtMost = 32;
/** Folders whose hook sets are remembered; the check that this saves is cheap. */
const foldersAtMost = 1_000;

export function createPersistentPrograms({
  start,
  tell,
  looksEvery,
  atMost = usualAtMost,
}: PersistentProgramsOptions): PersistentPrograms {
  const options: ProgramOptions = { start, tell: tell ?? (() => {}), looksEvery: looksEvery ?? 1_000 };
  const programs = new Map<string, PersistentProgram>();
  /** They answer what they were asked, and go. */
  const leaving = new Set<PersistentProgram>();
  const sets = new Map<string, string>();
  let isClosed = false;

  function letGo(key: string, program: PersistentProgram): void {
    programs.delete(key);
    leaving.add(program);
    program.drain();
    for (const one of leaving) if (one.isOver()) leaving.delete(one);
  }

  function makeRoom(): void {
    const [first, ...others] = programs;
    if (!first || programs.size <= atMost) return;
    const [key, program] = others.reduce(
      (oldest, one) => (one[1].lastAsked() < oldest[1].lastAsked() ? one : oldest),
      first,
    );
    letGo(key, program);
  }

  return {
    ask(question) {
      let program = programs.get(question.key);
      if (!program) {
        if (isClosed) return refused("launch", "it was closed");
        program = createPersistentProgram(question, options);
        programs.set(question.key, program);
      }
      program.folders.add(question.folder);
      const reply = program.ask(question);
      if (programs.size > atMost) makeRoom();
      return reply;
    },
    follow(folder, set) {
      if (sets.get(folder) === set.id) return;
      if (sets.size >= foldersAtMost) sets.clear();
      sets.set(folder, set.id);
      if (programs.size === 0) return;
      const wanted = wantedBy(set);
      for (const [key, program] of programs) {
        if (wanted.has(program.content)) continue;
        program.folders.delete(folder);
        if (program.folders.size === 0) letGo(key, program);
      }
    },
    folders: () => [...new Set([...programs.values()].flatMap(({ folders }) => [...folders]))],
    facts: () => [...programs.values()].map((program) => program.facts()),
    async close() {
      isClosed = true;
      await Promise.all([...programs.values(), ...leaving].map((program) => program.close()));
    },
  };
}

const wantedBy = ({ hooks }: HookSet): Set<string> =>
  new Set(
    hooks
      .filter(({ enabled }) => enabled)
      .flatMap(({ steps }) => steps)
      .filter(({ uses, with: parameters }) => uses === "command" && parameters.resident !== undefined)
      .map(({ with: parameters }) => contentOf(parameters)),
  );
