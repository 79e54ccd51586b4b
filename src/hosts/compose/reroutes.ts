/**
 * The look at what was refused just before, for the built-in guard that sees the same done another way. Where nothing was refused
 * lately, it is one look at what the event was recorded with; all else is loaded then.
 */
import { statSync } from "node:fs";
import { pauseOf, type RefusedJust, refusalsIn } from "../../engine/admit.ts";
import { messageOf } from "../../engine/error.ts";
import { type Fields, type HookEvent, type Instant, textField } from "../../engine/event.ts";
import { inputOfCall as fieldOfCall, rowOf } from "../../engine/events.ts";
import type { Condition, Hook, HookSet } from "../../engine/hook.ts";
import type { Patterns, Ports } from "../../engine/ports.ts";
import { approved } from "../../engine/receipt.ts";
import type { Paused, Run, Store, StoredEvent } from "../../engine/record.ts";
import { isRecord } from "../../engine/schema.ts";

interface Watching {
  store: Store;
  now(): Instant;
  home: string;
  patterns: Patterns;
  rootOf(event: HookEvent): string | undefined;
  /** Undefined: nothing is known of the folder. */
  hooksOf(event: HookEvent): HookSet | undefined;
  complain(reason: string): void;
}

type Refusal = RefusedJust & { at: Instant };

/** So long, or for so many calls of the same turn, the same is seen. */
const watchedFor = 300_000;
const watchedCalls = 10;
/** Refusals that are compared, and recorded events that are looked through for who wrote a file. */
const mostCompared = 20;
const mostLooked = 60;
const watchName = "builtin:reroute_watch";

export function createRerouteWatch(watching: Watching): NonNullable<Ports["rerouted"]> {
  const { now, rootOf, complain } = watching;
  const look = async (event: HookEvent, refusals: readonly Refusal[], paused: Paused): Promise<Fields | undefined> => {
    try {
      return await compared(event, refusals, paused, watching);
    } catch (error) {
      complain(`it could not be seen whether a refused call is done another way: ${messageOf(error)}`);
      return undefined;
    }
  };
  return (event, paused) => {
    const refusals = refusalsIn(rootOf(event) ?? event.cwd, paused, now());
    return refusals.length === 0 ? undefined : look(event, refusals, paused);
  };
}

async function compared(
  event: HookEvent,
  refusals: readonly Refusal[],
  paused: Paused,
  watching: Watching,
): Promise<Fields | undefined> {
  const seen = await seenOf(event, refusals, paused, watching);
  if (seen.length === 0) return undefined;
  const [{ reroutes, refusedDeeds, readCall }, { commandText }, { inputOfCall }, { compileExempt }] = await Promise.all(
    [
      import("../../conditions/rerouted/compare.ts"),
      import("../../engine/effects.ts"),
      import("../../engine/tool-input.ts"),
      import("../../engine/exception.ts"),
    ],
  );
  const patterns = await patternsFor(watching);
  const { home, store, rootOf } = watching;
  const workspace = rootOf(event) ?? event.cwd;
  const judging = { patterns, workspace, home };
  const callOf = ({ data, cwd }: HookEvent) => {
    const tool = textField(data, "tool_name") ?? "";
    return { tool, input: inputOfCall(tool, data.tool_input) ?? {}, cwd, home };
  };
  const own = callOf(event);
  const call = readCall(own, judging);
  const recent = (await store.events(mostLooked))
    .filter((one) => fieldOfCall(rowOf(one.event.name)) !== undefined && one.outcome?.verdict?.is !== "deny")
    .map(({ event: other }) => ({ at: other.at, read: once(() => readCall(callOf(other), judging)) }));
  for (const { refusal, run, stored, hook } of seen) {
    const exempt = exceptionsOf(hook?.when);
    const excepted =
      exempt.length > 0 && compileExempt(exempt, patterns)({ ...own, names: [own.tool], root: workspace });
    if (excepted) continue;
    const deeds = refusedDeeds(callOf(stored.event), whyOf(run), judging, commandText);
    const since = () => recent.filter(({ at }) => at >= refusal.at - watchedFor).map(({ read }) => read());
    const isFresh = (path: string): boolean =>
      isNewer(path, refusal.at) ||
      since().some((one) => one.deeds.some(({ kind, on }) => kind === "writes" && on === path));
    if (reroutes(call, { deeds }, judging, { isFresh, since })) return found(refusal, run, stored, watching.now());
  }
  return undefined;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What the reader of lines needs; a process that stays has it already. */
async function patternsFor({ patterns }: Watching): Promise<Patterns> {
  if (patterns.effects) return patterns;
  return (await import("../../conditions/patterns.ts")).loadPatterns({ shell: true, glob: true });
}

interface Seen {
  refusal: Refusal;
  run: Run;
  stored: StoredEvent;
  hook: Hook | undefined;
}

/** Refusals that still count, of other calls than this one. */
async function seenOf(
  event: HookEvent,
  refusals: readonly Refusal[],
  paused: Paused,
  { store, now, hooksOf, rootOf }: Watching,
): Promise<Seen[]> {
  const found: Seen[] = [];
  const known = new Set<string>();
  const set = hooksOf(event);
  for (const refusal of refusals.slice(0, mostLooked)) {
    if (found.length === mostCompared) break;
    const run = await store.run(refusal.run);
    const stored = run && (await store.event(run.eventId));
    if (!run || !stored || run.hook === watchName || isSameCall(stored.event, event) || isApproved(stored)) continue;
    if (run.status !== "completed") continue; // a guard that failed has not judged the call: it judges the next one itself
    const call = JSON.stringify([run.hook, stored.event.data.tool_name, stored.event.data.tool_input]);
    if (known.has(call) || !isNear(stored.event, event, now() - refusal.at)) continue;
    known.add(call);
    const hook = set?.hooks.find(({ id }) => id === run.hook);
    const isGone =
      set !== undefined &&
      (!hook?.enabled ||
        hook.report === true ||
        pauseOf(hook, paused, { now: now(), root: rootOf(event) }) !== undefined);
    if (!isGone) found.push({ refusal, run, stored, hook });
  }
  return found;
}

/** It was asked about and ran after a person's yes. */
const isApproved = ({ receipt }: StoredEvent): boolean => receipt?.to === "ask" && receipt.because === approved;

function isNear(refused: HookEvent, event: HookEvent, ago: number): boolean {
  if (ago <= watchedFor) return true;
  const [before, after] = [refused.turn, event.turn];
  return (
    refused.session === event.session &&
    before?.number === after?.number &&
    (after?.toolCalls ?? 0) - (before?.toolCalls ?? 0) <= watchedCalls
  );
}

/** Its own guard answers that. What a call says of itself to a person does nothing. */
function isSameCall({ cwd, data }: HookEvent, other: HookEvent): boolean {
  const plain = ({ tool_input: input }: Fields): string => {
    const { description: _said, ...does } = isRecord(input) ? (input as Fields) : {}; // payloads are JSON
    return JSON.stringify(does);
  };
  return cwd === other.cwd && data.tool_name === other.data.tool_name && plain(data) === plain(other.data);
}

/** What the rule's condition found, as its step has written it down. */
function whyOf({ steps }: Run): { path?: string | undefined; host?: string | undefined; command?: string | undefined } {
  const { match } = steps.at(-1)?.output ?? {};
  const fields = isRecord(match) ? (match as Fields) : {}; // of a row of JSON
  return { path: textField(fields, "path"), host: textField(fields, "host"), command: textField(fields, "command") };
}

/** The exceptions that a rule names are no other way to anything. */
function exceptionsOf(condition: Condition | undefined): string[] {
  if (condition === undefined) return [];
  if ("all" in condition) return condition.all.flatMap(exceptionsOf);
  if (!("not" in condition) || !("is" in condition.not) || condition.not.is !== "exempt") return [];
  const { with: sources } = condition.not;
  return Array.isArray(sources) ? sources.filter((one) => typeof one === "string") : [];
}

function isNewer(path: string, at: Instant): boolean {
  try {
    const { mtimeMs, ctimeMs } = statSync(path);
    return Math.max(mtimeMs, ctimeMs) > at;
  } catch {
    return false; // it is gone
  }
}

async function found(refusal: Refusal, run: Run, { event }: StoredEvent, now: Instant): Promise<Fields> {
  const [{ subjectOf }, { oneLine }] = await Promise.all([
    import("../../operations/call.ts"),
    import("../../engine/one-line.ts"),
  ]);
  const { is = "deny", reason = "" } = run.outcome?.verdict ?? {};
  const as = oneLine(subjectOf(event.data) || (textField(event.data, "tool_name") ?? ""), longestShown);
  const ago = Math.max(0, Math.round((now - refusal.at) / 1000));
  const when = ago < 120 ? `${ago} s` : `${Math.round(ago / 60)} min`;
  const was = is === "ask" ? "asked about" : "refused";
  return {
    ...{ is: is === "ask" ? "ask" : "deny", as, run: run.id },
    reason: `The same was ${was} ${when} ago as \`${as}\`: ${reason}`,
  };
}
const longestShown = 120;
