/** Programs that stay, beside the same programs started for each event. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type CommandParams, command } from "../../src/actions/command/command.ts";
import type { Json } from "../../src/engine/event.ts";
import type { PersistentPrograms } from "../../src/engine/persistent-program.ts";
import type { StepContext, StepResult } from "../../src/engine/ports.ts";
import { createPersistentPrograms } from "../../src/runtime/processes/persistent-programs.ts";
import { startPipedProcess } from "../../src/runtime/processes/piped-process.ts";
import { pythonHere } from "../python.ts";
import { contextOf, type Surroundings, temporaryFolder, PATH as usualPath } from "./context.ts";

export const examples: string = join(import.meta.dirname, "..", "..", "examples", "resident");
export const odd: string = join(import.meta.dirname, "..", "runtime", "processes", "programs", "odd.py");

/** Python itself comes first on it. */
const python: string | undefined = pythonHere();
export const PATH: string = python === undefined ? usualPath : `${dirname(python)}${delimiter}${usualPath}`;
const caller = { environment: { PATH } };

/** @param stay as in a daemon; otherwise as in a command, which ends with the event */
export function residentsFor(t: TestContext, stay = true): PersistentPrograms {
  const residents = createPersistentPrograms({ start: startPipedProcess, stay });
  t.after(() => residents.close());
  return residents;
}

export const call = (line: string): { tool_name: string; tool_input: { command: string } } => ({
  tool_name: "Bash",
  tool_input: { command: line },
});
export const among = (context: StepContext, residents: PersistentPrograms): StepContext => ({
  ...context,
  ports: { ...context.ports, residents },
});
export const kept = async (
  params: CommandParams,
  residents: PersistentPrograms,
  wish?: Surroundings,
): Promise<StepResult> => command.run({ resident: true, ...params }, among(contextOf({ caller, ...wish }), residents));

/** An example gives the same verdicts with a process that stays and without one. */
export async function sameVerdicts(t: TestContext, file: string): Promise<void> {
  const [residents, ofOneEvent] = [residentsFor(t), residentsFor(t, false)];
  const params = { command: join(examples, file), args: [] };
  for (const line of ["ls -l", "git push --force", "echo 'git' \"push\" \\ ü", "git push"]) {
    const staying = await kept(params, residents, { data: call(line) });
    assert.equal(staying.outcome?.verdict?.reason, line.startsWith("git") ? "a person pushes" : undefined, line);
  }
  const alone = await kept(params, ofOneEvent, { data: call("git push") });
  assert.equal(alone.outcome?.verdict?.reason, "a person pushes");
  const without = await kept(params, residents, { name: "Stop", data: {} });
  assert.deepEqual([without.ok, without.outcome], [true, undefined]);
  assert.deepEqual(
    residents.facts().map(({ events, restarts }) => [events, restarts]),
    [[5, 0]],
  );
}

/** Does to the program what the event's `do` says. */
export const failing = (params: CommandParams, context: StepContext): Promise<StepResult> =>
  Promise.resolve(command.run({ resident: true, ...params }, context));

export const edited: Readonly<
  Record<
    | "a program"
    | "a word"
    | "a line for a shell"
    | "a line that goes to its folder"
    | "a line that goes there step by step",
    (file: string) => CommandParams
  >
> = {
  "a program": (file: string) => ({ command: file, args: [] }),
  "a word": (file: string) => ({ command: "python3", args: ["-S", file] }),
  "a line for a shell": (file: string) => ({ command: `exec python3 -S "$FOLDER"/${file.split("/").at(-1)}` }),
  "a line that goes to its folder": (file: string) => ({
    command: `cd "${dirname(file)}" && exec python3 -S guard.py`,
  }),
  "a line that goes there step by step": () => ({
    command: `cd .hooks && cd 'in depth'; exec python3 -S "$(pwd)/guard.py"`,
  }),
};
export const saying = (reason: string): string => `#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "exit": 2, "stderr": "${reason}"}), flush=True)
`;

/** A program that is edited or deleted is not asked any more as it was. */
export async function followsEdits(t: TestContext, what: keyof typeof edited): Promise<void> {
  const residents = residentsFor(t);
  const folder = temporaryFolder(t);
  const file = join(folder, ".hooks", "in depth", "guard.py");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, saying("before"), { mode: 0o755 });
  const asked = async (): Promise<string | undefined> => {
    const wish = { cwd: folder, origin: { root: folder }, caller: { environment: { PATH, FOLDER: dirname(file) } } };
    const result = await kept(edited[what](file), residents, wish);
    return result.ok ? result.outcome?.verdict?.reason : result.failure;
  };
  /** Files are looked at now and then, so asked again it is seen. */
  const becomes = async (expected: string): Promise<void> => {
    for (let answer = await asked(); answer !== expected; answer = await asked()) await pause(5);
  };
  assert.equal(await asked(), "before");
  writeFileSync(file, saying("afterwards"));
  await becomes("afterwards");
  rmSync(file);
  await becomes(what === "a program" ? "launch" : "exit");
  writeFileSync(file, saying("once more"), { mode: 0o755 });
  await becomes("once more");
}

/** Answers what the tool's input says, under the question's id. */
const parrot =
  'import json, sys\nfor line in sys.stdin:\n q = json.loads(line)\n print(json.dumps({"id": q["id"], **q["event"]["tool_input"]}), flush=True)\n';

/** Each field of an answer means what it means on a command's stdout. */
export async function fieldsMeanTheSame(t: TestContext): Promise<void> {
  const residents = residentsFor(t);
  const params = { command: "python3", args: ["-S", "-c", parrot] };
  const answers: readonly [
    answer: { [key: string]: Json },
    check: (result: StepResult) => unknown,
    expected: unknown,
  ][] = [
    [{}, (result) => [result.ok, result.outcome], [true, undefined]],
    [
      {
        hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
      },
      (result) => result.outcome?.verdict,
      { is: "deny", reason: "no", by: "hook-1" },
    ],
    [
      { hookSpecificOutput: { updatedInput: { command: "ls" } } },
      (result) => result.outcome?.updatedInput,
      { command: "ls" },
    ],
    [{ exit: 2, stderr: "not today" }, (result) => result.outcome?.verdict?.reason, "not today"],
    [
      { exit: 0, stdout: '{"decision":"block","reason":"by text"}' },
      (result) => result.outcome?.verdict?.reason,
      "by text",
    ],
    [
      { exit: 7, stderr: "broken" },
      (result) => !result.ok && [result.failure, result.reason],
      ["exit", "exit 7: broken"],
    ],
    [{ error: "no database" }, (result) => !result.ok && [result.failure, result.reason], ["error", "no database"]],
    [{ exit: "two" }, (result) => !result.ok && result.failure, "output"],
    [{ decision: 5 }, (result) => !result.ok && result.failure, "output"],
  ];
  for (const [answer, check, expected] of answers) {
    const wish = { data: { tool_name: "Bash", tool_input: answer } };
    assert.deepEqual(check(await kept(params, residents, wish)), expected, JSON.stringify(answer));
  }
  assert.deepEqual(
    residents.facts().map(({ events, restarts }) => [events, restarts]),
    [[answers.length, 0]],
  );
}
