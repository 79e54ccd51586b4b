/** What the script of a repository hook reads and answers (specification 001): one JSON object each way. */
import type { Fields, HookEvent, HookId } from "../../../engine/event.ts";
import type { Protocol, StepResult } from "../../../engine/ports.ts";
import type { Ended } from "../../../engine/program.ts";
import { isRecord } from "../../../engine/schema.ts";
import { exitReason, failed, launchFailure, unfinished } from "./endings.ts";
import { deepest, findObjects, isTooDeep } from "./find-answer.ts";
import { contextOf } from "./registry-context.ts";
import { isResult, readResult, refuses } from "./registry-result.ts";

export { contextOf, readResult };

export const registry: Protocol = {
  write: (event, as, hook) => JSON.stringify(contextOf(event, as, hook)),
  read,
};

function read(ended: Ended, event: HookEvent, hook: HookId): StepResult {
  const without = unfinished(ended);
  if (without) return without;
  const launch = launchFailure(ended);
  if (launch !== undefined) return failed("launch", launch);
  const answer = readOutput(ended, event, hook);
  return ended.code === 0 ? answer : withRefusal(failed("exit", exitReason(ended)), [answer]);
}

/** Who failed has answered nothing, but what it refused stays refused. */
function withRefusal(failure: StepResult, answers: readonly StepResult[]): StepResult {
  const { verdict, messages } = answers.find(({ outcome }) => outcome?.verdict)?.outcome ?? {};
  if (!verdict) return failure;
  return { ...failure, outcome: { verdict, ...(messages ? { messages } : {}) } };
}

function readOutput({ stdout, dropped }: Ended, event: HookEvent, hook: HookId): StepResult {
  const said = stdout.replace(/^\uFEFF/, "").trim();
  if (said === "") return { ok: true, output: {} };
  const whole = parsed(said);
  if (whole === undefined) return readAmong(said, dropped, event, hook);
  if (!isRecord(whole)) return unreadable("it is JSON, but no object", said);
  if (isTooDeep(whole)) return unreadable(`it is nested deeper than ${deepest}`, said);
  return readResult(whole as Fields, event, hook); // JSON.parse gives JSON
}

/** The result may stand among what the programs of a script print; one that can be told from the rest counts. */
function readAmong(said: string, dropped: number, event: HookEvent, hook: HookId): StepResult {
  const { objects, inside } = findObjects(said);
  const results = [
    ...objects.filter(({ value, start, end }) =>
      isResult(value, { beginsLine: beginsLine(said, start), isLast: end === said.length }),
    ),
    ...inside.filter(({ value }) => refuses(value)),
  ];
  const [only, ...others] = results;
  if (!only) return unreadable(isCut(said, dropped) ? "it is larger than 1 MiB" : "it is not JSON", said);
  if (others.length > 0) {
    const read = results.map(({ value }) => readResult(value as Fields, event, hook)); // JSON.parse gives JSON
    return withRefusal(unreadable(`it holds ${results.length} results, and there can be one`, said), read);
  }
  const noise = `${said.slice(0, only.start)} … ${said.slice(only.end)}`.trim();
  const result = readResult(only.value as Fields, event, hook); // the same
  return { ...result, notes: [`stdout holds more than the result: ${quoted(noise)}`, ...(result.notes ?? [])] };
}

/** Behind blanks as well. */
function beginsLine(said: string, start: number): boolean {
  let at = start;
  while (said[at - 1] === " " || said[at - 1] === "\t") at--;
  return at === 0 || said[at - 1] === "\n";
}

/** Bytes may be missing of stderr alone. */
const isCut = (said: string, dropped: number): boolean => dropped > 0 && Buffer.byteLength(said) >= 1 << 20;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told by whoever asks
  }
}

const unreadable = (why: string, said: string): StepResult =>
  failed("output", `invalid output: ${why}: ${quoted(said)}`);

const quoted = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
