/** What the script of a repository hook reads and answers (specification 001): one JSON object each way. */
import type { Fields, HookEvent, HookId } from "../core/event.ts";
import type { Protocol, StepResult } from "../core/ports.ts";
import type { Ended } from "../core/program.ts";
import { isRecord } from "../core/schema.ts";
import { findObjects } from "./find-answer.ts";
import { launchFailure } from "./launch-failure.ts";
import { contextOf } from "./registry-context.ts";
import { isResult, readResult } from "./registry-result.ts";
import { exitReason, failed, unfinished } from "./unfinished.ts";

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
  if (ended.code === 0) return readOutput(ended.stdout, event, hook);
  return withRefusal(failed("exit", exitReason(ended)), readOutput(ended.stdout, event, hook));
}

/** A handler that failed has answered nothing, but what it refused stays refused. */
function withRefusal(failure: StepResult, { outcome }: StepResult): StepResult {
  const { verdict, messages } = outcome ?? {};
  if (!verdict) return failure;
  return { ...failure, outcome: { verdict, ...(messages ? { messages } : {}) } };
}

function readOutput(stdout: string, event: HookEvent, hook: HookId): StepResult {
  const said = stdout.replace(/^\uFEFF/, "").trim();
  if (said === "") return { ok: true, output: {} };
  const whole = parsed(said);
  if (isRecord(whole)) return readResult(whole as Fields, event, hook); // JSON.parse gives JSON
  if (whole !== undefined) return unreadable("it is JSON, but no object", said);
  return readAmong(said, event, hook);
}

/** The result may stand among what the programs of a script print; one that can be told from the rest counts. */
function readAmong(said: string, event: HookEvent, hook: HookId): StepResult {
  const results = findObjects(said).objects.filter(({ value, end }) => isResult(value, end === said.length));
  const [only, ...others] = results;
  if (!only) return unreadable("it is not JSON", said);
  if (others.length > 0) return unreadable(`it holds ${results.length} results, and there can be one`, said);
  const noise = `${said.slice(0, only.start)} … ${said.slice(only.end)}`.trim();
  const result = readResult(only.value as Fields, event, hook); // JSON.parse gives JSON
  return { ...result, notes: [`stdout holds more than the result: ${quoted(noise)}`, ...(result.notes ?? [])] };
}

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
