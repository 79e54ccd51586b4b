/** One hook that a person has run now, whatever its limits: what `run` and `rerun` share. */
import type { HookEvent } from "../../engine/event.ts";
import type { Condition, Hook } from "../../engine/hook.ts";
import type { Run, RunStatus, Store } from "../../engine/record.ts";
import type { ExitCode, Invocation } from "./command.ts";
import { isNo, type Sent, send, show } from "./emit.ts";
import type { Line } from "./line.ts";
import type { OpenedStore } from "./store.ts";
import { oneLine } from "./terminal.ts";

export interface Asked {
  hook: Hook;
  /** What it is told; to whom is added here. */
  event: HookEvent;
}

/** Limits, `enabled` and pauses do not hold for the hook; its condition does. Closes the store. Exits 1 on failure or deny. */
export async function runByHand(
  invocation: Invocation,
  store: OpenedStore & Store,
  ask: (line: Line) => Promise<Asked>,
): Promise<ExitCode> {
  let hook: Hook | undefined;
  const facts: Facts = {};
  const sent = await send(
    invocation,
    store,
    async (line) => {
      const asked = await ask(line);
      hook = asked.hook;
      return { ...asked.event, to: { hook: hook.id, force: true } };
    },
    async (line, { event, runs }) => {
      const explained = runs.length > 0 ? [] : await line.engine.explain(event);
      const own = explained.find((one) => one.hook === hook?.id);
      if (own?.would === "skip") facts.because = own.because;
      if (event.session !== undefined && hook?.limits.untilPass)
        facts.owed = (await store.owe(event.session, new Map())).has(hook.id);
    },
  );
  if (hook) tell(invocation, hook, sent, facts);
  return exitCodeOf(sent, invocation);
}

interface Facts {
  /** Why its condition does not hold. */
  because?: string;
  /** Whether the session waits for it to pass. */
  owed?: boolean;
}

function tell(invocation: Invocation, hook: Hook, sent: Sent, { because, owed }: Facts): void {
  const { terminal, json } = invocation;
  const isAsked = sent.runs.length > 0;
  show(invocation, sent, {
    ...(isAsked ? {} : { because: because ?? null }),
    ...(owed === undefined ? {} : { owed }),
  });
  if (json) return;
  if (!isAsked) {
    terminal.print(`${oneLine(hook.name)} did not run: ${oneLine(because ?? "its condition does not hold")}`);
    const advice = looksAtFiles(hook)
      ? "--all runs it on every file of the repository that matches"
      : "--data gives it another event";
    terminal.print(terminal.paint("dim", advice));
  }
  if (owed !== undefined)
    terminal.print(
      `session ${oneLine(sent.event.session ?? "")} ${owed ? "waits for it to pass: it runs again at the end of the next turn" : "does not wait for it"}`,
    );
}

/** A hook that was refused has not said yes either. */
function exitCodeOf({ outcome, runs }: Sent, { signal }: Invocation): ExitCode {
  if (isNo(outcome) || runs.some(hasFailed)) return 1;
  return signal.aborted ? 3 : 0;
}
const failures: ReadonlySet<RunStatus> = new Set<RunStatus>(["failed", "timeout", "interrupted"]);
const hasFailed = ({ status, outcome, asked }: Run): boolean =>
  failures.has(status) || outcome?.verdict?.is === "deny" || (status === "skipped" && asked === 0);

/** Whether changed files are among the things that it asks about. */
export function looksAtFiles({ when }: Hook): boolean {
  const asks = (condition: Condition): boolean => {
    if ("all" in condition) return condition.all.some(asks);
    if ("any" in condition) return condition.any.some(asks);
    return "not" in condition ? asks(condition.not) : condition.is === "changed_files";
  };
  return when !== undefined && asks(when);
}
