/** What the dashboard's pages are given, as JSON: the page imports these types and nothing else of Hookline. */
import type { Fields, Json } from "../../../engine/event.ts";
import type { Problem } from "../../../engine/hook.ts";
import type { Outcome, VerdictKind } from "../../../engine/outcome.ts";
import type { ReceiptState } from "../../../engine/receipt.ts";
import type { Run, RunStatus } from "../../../engine/record.ts";

/** Milliseconds since 1970. */
type Time = number;

export interface ProjectShown {
  root: string;
  name: string;
}

export interface EventShown {
  id: string;
  name: string;
  at: Time;
  sender: string;
  tool: string | null;
  /** The one thing about it that a person wants to know: the command, the file, the prompt. */
  subject: string;
  verdict: VerdictKind | null;
  reason: string | null;
  isRewritten: boolean;
  /** A hook gave the model something to read. */
  hasContext: boolean;
  isAnswered: boolean;
  /** What the agent then did with the decision, beside it; null: there was nothing to obey. */
  receipt: { is: ReceiptState; says: string } | null;
  ms: number | null;
  /** A run for each hook that matched. */
  runs: { id: string; name: string; status: RunStatus }[];
}

export interface HookPlace {
  id: string;
  name: string;
  /** Null: it is in no file. */
  file: string | null;
  line: number | null;
  layer: string | null;
}

/** An event that was refused, or on which the agent did not obey. */
export interface Blocked extends EventShown {
  session: string | null;
  project: ProjectShown;
  hook: HookPlace;
  run: string | null;
  /** A person could let it happen once, in the minutes after it. */
  couldBeAllowed: boolean;
  /** What the agent says against it, until a person has answered that. */
  appeal: { id: string; why: string } | null;
}

export interface Session {
  /** Null: its sender has none, as git. */
  id: string | null;
  sender: string;
  project: ProjectShown;
  last: Time;
  hasEnded: boolean;
  /** Oldest first. */
  events: EventShown[];
  /** Of what its agent has written down of it; null: that is not known. */
  coverage: CoverageShown | null;
}

/** How many of a session's calls reached Hookline. */
export interface CoverageShown {
  session: string | null;
  agent: string;
  last: Time;
  isWhole: boolean;
  /** False: `says` is why that is not known. */
  isKnown: boolean;
  /** A sentence without its end. */
  says: string;
  because: string | null;
  missed: { tool: string; subject: string; at: Time | null }[];
}

/** A settings file of an agent by which it calls Hookline. */
export interface Registration {
  agent: string;
  layer: string;
  file: string;
  /** When it last reported a call or a prompt of the project; null: not lately. */
  last: Time | null;
}

export interface Now {
  at: Time;
  /** Calls of the last days that ran although they were decided otherwise, newest first. */
  disobeyed: Blocked[];
  blocked: Blocked[];
  sessions: Session[];
  /** Sessions of the last day of whose calls some did not reach Hookline. */
  missing: CoverageShown[];
  registrations: Registration[];
  running: { run: string; hook: string; name: string; event: string; since: Time }[];
  /** Nothing has happened in this project, but in another. */
  isElsewhere: boolean;
  /** Where nothing has happened at all: the agents whose settings call Hookline, as people call them. */
  registered: string[];
  /** Of the project that is shown, else of the daemon's own. */
  hooks: number;
  untrusted: number;
  store: { notWrittenSince: string | null };
}

export type { RunRow } from "../../../operations/runs/listed-run.ts";

/** A test on the event, with what it found. */
export interface ConditionShown {
  is: "all" | "any" | "not" | "test";
  /** Null: it cannot be told from the record. */
  holds: boolean | null;
  says: string;
  parts: ConditionShown[];
}

export interface Trace {
  run: Run;
  result: string;
  hook: (HookPlace & { on: string; format: string; summary: string | null; role: string; onFailure: string }) | null;
  /** Null: the record holds the event no more. */
  event:
    | (EventShown & { cwd: string; session: string | null; project: ProjectShown; data: Json; isCut: boolean })
    | null;
  condition: ConditionShown | null;
  /** What the call does, as far as its text tells. */
  effects: string[];
  /** All hooks that listen to this event. */
  others: (HookPlace & {
    run: string | null;
    status: string;
    because: string;
    /** Files of it that were written since. */
    changed: string[];
  })[];
  outcome: Outcome | null;
  /** What the agent was answered, made again from the record. Null: nothing, or it is not known. */
  reply: Json;
  couldBeAllowed: boolean;
}

/** What the hooks of today would answer. */
export interface Replay {
  /** open: that depends on programs that did not run. */
  is: "same" | "changed" | "open";
  change: {
    verdict?: { old: string; new: string };
    /** Null: it has no run. `open` says why it is not known what it would answer. */
    runs: { hook: string; old: string | null; new: string | null; open?: string }[];
  };
}

/** An event to begin with. */
export interface Sample {
  event: string;
  data: Fields;
}
/** An event that a person has sent, with its runs as far as they have ended. */
export interface Performed {
  event: EventShown;
  runs: (HookPlace & { run: string; status: RunStatus; because: string })[];
}

export interface AutomationShown {
  id: string;
  project: string;
  name: string;
  hook: string;
  isEnabled: boolean;
  isPaused: boolean;
  on: string | null;
  /** Where it is written: a file with its line, or the store. */
  place: string;
  fault: string | null;
  /** When its clock rings next. */
  due: string | null;
  /** The text of its file format. */
  yaml: string;
  /** It lies in the store, so that it can be edited here. */
  isStored: boolean;
  /** Newest first. */
  runs: { id: string; status: RunStatus; at: Time; result: string; tokens: number }[];
  /** What its model was paid with, day by day, the last one today. */
  tokens: number[];
}
export interface Automations {
  automations: AutomationShown[];
  /** What runs and what waits, the oldest first. */
  queue: { run: string; name: string; status: RunStatus; at: Time; cause: string }[];
}

/** JSON Schemas by the names of the fields: the form is made of them. */
export interface AutomationForm {
  fields: Fields;
  triggers: { type: string; summary: string; fields: Fields }[];
  steps: { type: string; fields: Fields }[];
  /** What a step may say about the model. */
  flags: Fields;
}
export interface DraftFinding {
  severity: Problem["severity"];
  /** The field, from the outermost; empty: the whole, or a text. */
  path: string[];
  /** Of the text. */
  line: number | null;
  message: string;
  suggestion: string | null;
}
export interface AutomationDraft {
  /** Null: there is no text of what cannot be read. */
  yaml: string | null;
  fields: Fields | null;
  findings: DraftFinding[];
  /** When the one that is edited was last written, for who saves it; null: a new one. */
  updated: number | null;
}

export interface Insight {
  since: Time;
  until: Time;
  /** Milliseconds that each number below stands for. */
  step: number;
  events: number[];
  blocked: number[];
  agents: { name: string; events: number; blocked: number; asked: number; p95: number | null }[];
  /** Newest first. */
  days: {
    name: string;
    events: number;
    blocked: number;
    asked: number;
    runs: number;
    failures: number;
    tokens: number;
  }[];
  hooks: { hook: string; name: string; runs: number; failures: number; ms: number; tokens: number }[];
  decisions: { event: string; count: number; p50: number; p95: number }[];
}

export interface HookShown extends HookPlace {
  on: string;
  when: string;
  format: string;
  role: string;
  summary: string | null;
  /** Empty: it is active. */
  state: string;
  isTrusted: boolean;
  isGuard: boolean;
  isPaused: boolean;
  /** Why it cannot be paused from here; null: it can. */
  stays: string | null;
  last: Time | null;
  lastRun: string | null;
  p95: number | null;
  runs: number;
  failures: number;
  /** Of the newest event that it listens to. */
  notFired: { event: string; at: Time; because: string } | null;
}
export interface Hooks {
  project: ProjectShown;
  hooks: HookShown[];
  problems: Problem[];
}
