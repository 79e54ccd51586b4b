/**
 * Receipts: what an agent did with a verdict, as far as it reports that (R105). A verdict is what was answered, a receipt is what then
 * happened. Pure: stores keep receipts and ask here what a report makes of them.
 */
import { type Fields, type HookEvent, type Json, type SessionId, textField } from "./event.ts";
import { rowOf } from "./events.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Outcome } from "./outcome.ts";
import { isRecord } from "./schema.ts";

/** open: its turn goes on. */
export type ReceiptState = "open" | "obeyed" | "disobeyed" | "unknown";

export interface Receipt {
  is: ReceiptState;
  to: "deny" | "ask" | "rewrite";
  /** What tells the call apart in its session: see `keysOf`. */
  key: string;
  tool: string;
  agent?: string;
  /** Why silence until the end of the turn says nothing of this call. */
  silent?: string;
  /** No person could answer the question. */
  headless?: true;
  /** Of a rewrite: what the call is known by with the new input, and of each field that changes, fingerprints of both values. */
  rewritten?: { key: string; fields: { [field: string]: { was: string; is: string } } };
  /** Calls with the same input that were let through since, and reports of such: where calls have no ids, those may have run. */
  passed?: number;
  ran?: number;
  /** Why it is not open any more, as a phrase. */
  because?: string;
}

/** What an agent reports of its calls, as a row of its capabilities. */
export interface CallReports {
  /** The payload's field with the id of the call, the same before and after it. Absent: tool and input tell calls apart. */
  id?: string;
  /** What a failed call says: that it ran, or perhaps that it was refused. */
  failures: "ran" | "perhaps refused";
  /** The report names the input with which the call ran. Absent: perhaps the one that was asked for. */
  input?: "as it ran";
  /** Why no report of this call can come. */
  silent?(event: HookEvent): string | undefined;
}

export interface Ran {
  is: "ran";
  keys: readonly string[];
  tool: string;
  /** Absent: it is not known with which one it ran. */
  input?: Fields;
  /** The input may be the one that was asked for, and not the one with which it ran. */
  asAsked: boolean;
  /** No person can answer a question in the session. */
  headless: boolean;
  /** Why it may not have run. */
  doubt?: string;
}

/** What is heard of the calls of a session. */
export type Heard =
  | Ran
  /** A call was let through, perhaps after a question. */
  | { is: "passed"; key: string }
  /** No more reports are due: of the main agent's calls, of one other agent's, of these calls, or of all. */
  | { is: "over"; of: { agent: string | undefined } | { keys: readonly string[] } | "all"; by: string }
  | { is: "begun again" };

/** A receipt and the event that it is of. */
export interface Followed {
  event: string;
  receipt: Receipt;
}

/** A call that is followed from its answer on. */
export interface Following {
  session: SessionId;
  receipt: Receipt;
  /** What later events of the session say, which may have come before the answer was written. */
  hears(event: HookEvent): readonly Heard[];
}

/** The receipt as it is written, where these events came first. */
export function afterReports({ receipt, hears }: Following, reports: readonly HookEvent[]): Receipt {
  let followed: Followed = { event: "", receipt };
  for (const heard of reports.flatMap((event) => hears(event))) followed = settle([followed], heard)[0] ?? followed;
  return followed.receipt;
}

/** Nothing was heard of its session for so long: its end is not waited for any more. Milliseconds. */
export const silentFor: number = 6 * 3_600_000;
export const neverEnded = "the end of the session was not reported";

const byId = (id: string): string => `call ${id}`;
const byInput = (tool: string, input: Json | undefined): string =>
  `input ${fingerprint(`${tool} ${sorted(input ?? {})}`)}`;
const isById = ({ key }: Pick<Receipt, "key">): boolean => key.startsWith("call ");

/** The same text for the same value, in whatever order an agent has written its fields. */
const sorted = (value: Json): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    isRecord(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  );

interface Call {
  id: string | undefined;
  tool: string;
  input: Fields;
}
const callOf = (data: Fields, { id }: Pick<CallReports, "id">): Call => ({
  id: textField(data, id),
  tool: textField(data, "tool_name") ?? "",
  input: isRecord(data.tool_input) ? (data.tool_input as Fields) : {}, // a payload is JSON
});

/** By its id, if the agent gives one, and by its tool and input: a request for permission has no id anywhere. */
export const keysOf = ({ id, tool, input }: Call): string[] => [
  ...(id === undefined ? [] : [byId(id)]),
  byInput(tool, input),
];

/** What is followed of an answer. */
export const followedKind = ({ verdict, updatedInput }: Outcome): Receipt["to"] | undefined =>
  verdict?.is === "deny" || verdict?.is === "ask" ? verdict.is : updatedInput ? "rewrite" : undefined;

/** The receipt of an event that was just answered; undefined: nothing is to be followed. */
export function receiptOf(
  event: HookEvent,
  outcome: Outcome,
  reports: CallReports,
  isHeadless: () => boolean,
): Receipt | undefined {
  const { calls } = rowOf(event.name);
  const to = followedKind(outcome);
  if (to === undefined || event.to || event.session === undefined) return undefined;
  if (calls !== "judged" && calls !== "asked for" && calls !== "never reported") return undefined;
  const call = callOf(event.data, reports);
  const [key = ""] = keysOf(call);
  const silent = calls === "never reported" ? noReport : reports.silent?.(event);
  const unnamed =
    silent ?? (call.id === undefined && (reports.id !== undefined || calls === "asked for") ? noId : undefined);
  const receipt: Receipt = {
    is: silent === undefined ? "open" : "unknown",
    to,
    key,
    tool: call.tool,
    ...(event.agent && { agent: event.agent.id }),
    ...(silent !== undefined && { because: silent }),
    ...(unnamed !== undefined && { silent: unnamed }),
    ...(to === "ask" && isHeadless() && { headless: true }),
  };
  return outcome.updatedInput && to !== "deny"
    ? { ...receipt, rewritten: rewriteOf(call, outcome.updatedInput) }
    : receipt;
}
const noReport = "the agent does not report whether such a line ran";
const noId = "the agent does not say which call this was";

function rewriteOf({ tool, input }: Call, given: Fields): NonNullable<Receipt["rewritten"]> {
  const fields = new Set([...Object.keys(input), ...Object.keys(given)]);
  const changed = [...fields].flatMap((field) => {
    const [was, is] = [fieldOf(input, field), fieldOf(given, field)];
    return was === is ? [] : [[field, { was, is }] as const];
  });
  return { key: byInput(tool, given), fields: Object.fromEntries(changed) };
}
const fieldOf = (input: Fields, field: string): string =>
  Object.hasOwn(input, field) ? fingerprint(sorted(input[field] ?? null)) : "absent";

/** What an event says of calls that were judged before; none: nothing. */
export function heardIn(event: HookEvent, reports: CallReports, isHeadless: () => boolean): Heard[] {
  const { name, data, agent } = event;
  const row = rowOf(name);
  if (row.calls === undefined || event.to) return [];
  const over = (of: Extract<Heard, { is: "over" }>["of"]): Heard[] => [{ is: "over", of, by: name }];
  switch (row.calls) {
    case "ran":
      return [ranIn(callOf(data, reports), { asAsked: reports.input === undefined, headless: isHeadless() })];
    case "failed": {
      const ran = ranIn(callOf(data, reports), { asAsked: reports.input === undefined, headless: isHeadless() });
      return [reports.failures === "ran" ? ran : { ...ran, doubt: mayBeRefused }];
    }
    case "batch over": {
      const all = Array.isArray(data.tool_calls) ? data.tool_calls : [];
      const keys = all.flatMap((one) => {
        const id = isRecord(one) ? textField(one as Fields, reports.id) : undefined; // a payload is JSON
        return id === undefined ? [] : [byId(id)];
      });
      return keys.length === 0 ? [] : over({ keys });
    }
    case "turn over":
      return over({ agent: agent?.id });
    case "agent over":
      return agent ? over({ agent: agent.id }) : [];
    case "session over":
      return over("all");
    case "session begins":
      return row.beginsAnew?.(data) ? [{ is: "begun again" }] : [];
    default:
      return [];
  }
}
const mayBeRefused = "the agent reports it as failed, and may say so of a refused call";

const ranIn = (call: Call, how: Pick<Ran, "asAsked" | "headless">): Ran => ({
  ...{ is: "ran", keys: keysOf(call), tool: call.tool, input: call.input },
  ...how,
});

/** A call was let through: another of the same kind, where calls have no ids, may be this one. */
export function passedIn({ name, data }: HookEvent): Heard[] {
  if (rowOf(name).calls !== "judged") return [];
  const { tool, input } = callOf(data, {});
  return [{ is: "passed", key: byInput(tool, input) }];
}

/** A call that ran, by an agent's own record of the session, with the id that the agent gives it there and in its reports. */
export const ranByTranscript = ({ id, tool }: { id: string; tool: string }): Heard => ({
  ...{ is: "ran", keys: [byId(id)], tool },
  ...{ asAsked: true, headless: false },
});

/**
 * Which receipts of a session `settle` has to be shown: those with one of these keys, and open ones that were rewritten and have no
 * id; none: those that are open.
 */
export function keysAsked(heard: Heard): readonly string[] {
  if (heard.is === "ran") return heard.keys;
  if (heard.is === "passed") return [heard.key];
  return heard.is === "over" && heard.of !== "all" && "keys" in heard.of ? heard.of.keys : [];
}

/** What becomes of receipts by what is heard; those alone that change. @param followed of one session, in the order of their calls */
export function settle(followed: readonly Followed[], heard: Heard): Followed[] {
  if (heard.is === "ran") return afterRun(followed, heard);
  return followed.flatMap(({ event, receipt }) => {
    const changed = heard.is === "passed" ? afterPass(receipt, heard.key) : afterEnd(receipt, heard);
    return changed ? [{ event, receipt: changed }] : [];
  });
}

const settled = (receipt: Receipt, is: ReceiptState, because: string): Receipt => ({ ...receipt, is, because });

function afterPass(receipt: Receipt, key: string): Receipt | undefined {
  if (isById(receipt) || (receipt.key !== key && receipt.rewritten?.key !== key)) return undefined;
  return { ...receipt, passed: (receipt.passed ?? 0) + 1 };
}

function afterEnd(receipt: Receipt, heard: Exclude<Heard, Ran | { is: "passed" }>): Receipt | undefined {
  if (receipt.is !== "open") return undefined;
  if (heard.is === "begun again")
    return settled(receipt, "unknown", "the session was begun again before its turn had ended");
  const { of, by } = heard;
  const isMeant = of === "all" || ("keys" in of ? of.keys.includes(receipt.key) : of.agent === receipt.agent);
  if (!isMeant) return undefined;
  if (receipt.silent !== undefined) return settled(receipt, "unknown", receipt.silent);
  if (receipt.to === "rewrite") return settled(receipt, "unknown", `no run of it was reported until ${by}`);
  const what = receipt.to === "deny" ? "it did not run" : "it was refused, or not answered, and did not run";
  return settled(receipt, "obeyed", `${what}: none was reported until ${by}`);
}
function afterRun(followed: readonly Followed[], heard: Ran): Followed[] {
  const known = followed.filter(({ receipt }) => isById(receipt) && heard.keys.includes(receipt.key));
  if (known.length > 0)
    return known.flatMap(({ event, receipt }) => {
      const changed = receipt.is === "disobeyed" ? undefined : ofRun(receipt, heard);
      return changed && !isSame(changed, receipt) ? [{ event, receipt: changed }] : [];
    });
  const alike = followed.filter(
    ({ receipt }) => !isById(receipt) && receipt.is !== "disobeyed" && isAlike(receipt, heard),
  );
  const newest = alike.findLast(({ receipt }) => !receipt.passed);
  const own = alike.filter(({ receipt }) => !receipt.passed);
  const isOne = own.length === 1 || own.every(({ receipt }) => receipt.to === "deny");
  return alike.flatMap(({ event, receipt }) => {
    const isCertain = !receipt.passed && newest?.event === event && isOne;
    const one = isCertain ? ofRun(receipt, heard) : afterOneAlike(receipt);
    return one && !isSame(one, receipt) ? [{ event, receipt: one }] : [];
  });
}

/** Its turn is over, and so many of its kind were let through since: as many runs of them are no news. */
function afterOneAlike(receipt: Receipt): Receipt {
  const { is, passed = 0, ran = 0 } = receipt;
  return is !== "open" && ran < passed ? { ...receipt, ran: ran + 1 } : settled(receipt, "unknown", isOneOf);
}
const isOneOf = "one of several calls alike ran, and the agent does not say which";

const isAlike = ({ key, rewritten }: Receipt, { keys }: { keys: readonly string[] }): boolean =>
  keys.includes(key) || (rewritten !== undefined && keys.includes(rewritten.key));

const isSame = (one: Receipt, other: Receipt): boolean =>
  one.is === other.is && one.because === other.because && one.ran === other.ran;

/** Why the receipt of a question is settled where a person has said yes. */
export const approved = "it ran after a person's yes";

/** The call itself ran. Undefined: that says nothing of this receipt. */
function ofRun(receipt: Receipt, heard: Ran): Receipt | undefined {
  if (heard.doubt !== undefined && receipt.to !== "rewrite") return settled(receipt, "unknown", heard.doubt);
  if (receipt.to === "deny") return settled(receipt, "disobeyed", "it was refused and ran all the same");
  if (receipt.to === "ask" && (receipt.headless || heard.headless))
    return settled(
      receipt,
      "disobeyed",
      "it was asked about where no person could answer, and ran without an approval",
    );
  if (!receipt.rewritten) return settled(receipt, "obeyed", approved);
  const { tool, input } = heard;
  if (tool !== receipt.tool || input === undefined) return undefined; // a part of the call, as a line that writes files
  const { fields } = receipt.rewritten;
  const ranAs = Object.entries(fields).map(([field, { was, is }]) => {
    const value = fieldOf(input, field);
    return value === is ? "is" : value === was ? "was" : "other";
  });
  if (ranAs.every((one) => one === "is")) return settled(receipt, "obeyed", "it ran with the input that it was given");
  return heard.asAsked
    ? settled(receipt, "unknown", "it ran, and the agent reports perhaps the input that was asked for")
    : settled(receipt, "disobeyed", "it ran with another input than the one that it was given");
}
