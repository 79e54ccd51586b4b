/**
 * What an event is answered beside its hooks. The shell lines that it means, out of skills and slash commands, are judged; and a person
 * hears once in a session, and again after a change, that hooks of the workspace do not run because they are not trusted.
 */
import { type MeantLine, meantLines, takesReader } from "../../agents/skill-lines.ts";
import type { HookEvent, MaybePromise } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Explanation } from "../../engine/explain.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import { isThenable } from "../../engine/flow.ts";
import { oneLine } from "../../engine/one-line.ts";
import { merge, type Outcome } from "../../engine/outcome.ts";
import type { Caller, Ports } from "../../engine/ports.ts";
import type { LoadedHooks } from "../../loading/load.ts";

type Emit = (event: HookEvent, caller?: Caller) => MaybePromise<Outcome>;

/** The lines that an event means. The reader of shell lines is loaded where it takes one. */
export type LinesOf = (event: HookEvent) => MaybePromise<readonly MeantLine[]>;

export const linesOfEvents =
  (home: Parameters<typeof meantLines>[1]): LinesOf =>
  (event) => {
    if (!takesReader(event, home)) return meantLines(event, home);
    return import("../../shell/read.ts").then(({ readShell }) => meantLines(event, home, readShell));
  };

export function judgingLines(emit: Emit, linesOf: LinesOf, id: () => string): Emit {
  return (event, caller) => {
    const lines = event.to ? [] : linesOf(event);
    if (lines instanceof Promise) return lines.then((all) => judged(event, all, caller));
    return judged(event, lines as readonly MeantLine[], caller); // no other thenable comes from linesOf
  };

  function judged(event: HookEvent, lines: readonly MeantLine[], caller?: Caller): MaybePromise<Outcome> {
    return lines.length === 0 ? emit(event, caller) : withLines(event, lines, caller);
  }

  /** A refusal of one refuses all, so those behind it are not judged. */
  async function withLines(event: HookEvent, lines: readonly MeantLine[], caller?: Caller): Promise<Outcome> {
    let outcome = await emit(event, caller);
    for (const one of lines) {
      if (outcome.verdict?.is === "deny") break;
      const { verdict, messages: all } = await emit({ ...one.event, id: id() }, caller);
      const said = outcome.messages ?? [];
      const messages = all?.filter(({ to, text }) => !said.some((before) => before.to === to && before.text === text));
      outcome = merge(outcome, {
        ...(verdict && { verdict: { ...verdict, reason: reasonOf(one, verdict.reason) } }),
        ...(messages && { messages }),
      });
    }
    return outcome;
  }
}

type Explain = (event: HookEvent) => MaybePromise<Explanation[]>;

/** A hook that would run for one of the lines alone is shown with that line. */
export function explainingLines(explain: Explain, linesOf: LinesOf): Explain {
  return async (event) => {
    const own = await explain(event);
    const ofLines: Explanation[] = [];
    for (const { event: meant, file, line } of event.to ? [] : await linesOf(event))
      for (const one of await explain(meant))
        if (one.would === "run" && own.find(({ hook }) => hook === one.hook)?.would === "skip")
          ofLines.push({ ...one, because: `${holds({ file, line })}: ${one.because}`, of: { file, line } });
    const shown = new Map(ofLines.toReversed().map((one) => [one.hook, one]));
    return own.map((one) => shown.get(one.hook) ?? one);
  };
}

const holds = ({ line, file }: Pick<MeantLine, "line" | "file">): string =>
  `${oneLine(file, longest)} holds the line \`${oneLine(line, longest)}\``;

const reasonOf = (one: MeantLine, reason = ""): string => `${holds(one)}, which the agent would run. ${reason}`.trim();
const longest = 200;

type Asking = Pick<LoadedHooks, "set" | "untrusted">;

/** @param loadedAt of the folder where the event happened */
export function noticing(
  emit: Emit,
  loadedAt: (event: HookEvent) => Asking | undefined,
  { store, now }: Pick<Ports, "store" | "now">,
): Emit {
  return (event, caller) => {
    const outcome = emit(event, caller);
    if (event.session === undefined || !rowOf(event.name).accepts.includes("messages")) return outcome;
    return isThenable(outcome) ? Promise.resolve(outcome).then((one) => noticed(event, one)) : noticed(event, outcome);
  };

  function noticed(event: HookEvent, outcome: Outcome): MaybePromise<Outcome> {
    const loaded = loadedAt(event);
    return loaded === undefined || loaded.untrusted.length === 0 ? outcome : told(loaded, event, outcome);
  }

  async function told(loaded: Asking, event: HookEvent, outcome: Outcome): Promise<Outcome> {
    const key = `untrusted:${event.session}:${fingerprint(JSON.stringify(loaded.untrusted)).slice(0, 16)}`;
    try {
      const { untrustedWords } = await import("../../operations/hooks/hook-counts.ts"); // few folders wait for trust
      const refused = await store.claim([{ key, max: 1, refusal: "" }], now());
      return refused
        ? outcome
        : merge(outcome, { messages: [{ to: "person", text: `Hookline: ${untrustedWords(loaded)}` }] });
    } catch {
      return outcome; // while the store counts nothing, it would be said at each event
    }
  }
}
