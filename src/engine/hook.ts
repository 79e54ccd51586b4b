/** The one internal Hook that every format compiles to. It is plain JSON: hashed, stored, queued, evaluated. */
import type { ShellSettings } from "./effects.ts";
import type { EventName, Fields, HookId, Instant, Json, Seconds } from "./event.ts";

export type Trigger =
  | { event: EventName[] /** The names as their author wrote them (R62). */; as?: string[] }
  | { every: Seconds }
  | { cron: string; zone?: string }
  | { at: Instant }
  | { watch: WatchRule };

/** A file's changes are reported at once; those of a folder together, once it has been quiet for a while (specification 000). */
export interface WatchRule {
  kind: "file" | "folder";
  paths: string[];
  /** Where relative paths start. */
  base?: string;
  /** The project that its events name; default: the hook's own. */
  project?: string;
  recursive?: boolean;
  extensions?: string[];
  /** Looks at times and sizes now and then, where the system reports nothing: network file systems. */
  poll?: true;
}

/** A test on the event, the turn or an earlier result: a tree of named kinds. */
export type Condition = { all: Condition[] } | { any: Condition[] } | { not: Condition } | { is: string; with?: Json };

export interface Step {
  /** The handler's name in the registry. */
  uses: string;
  with: Fields;
  timeout: Seconds;
  /** Asked before the step, sees all earlier results. */
  skipIf?: Condition;
  onError: "continue" | "stop";
  /** The parameters hold {{placeholders}}. Formats without them (specification 002) leave it out. */
  templates?: true;
}

export interface Limits {
  timeout?: Seconds;
  cooldown?: Seconds;
  maxFires?: number;
  once?: "session";
  untilPass?: true;
  /** Characters of all that it says in one answer; default: 10,000. */
  text?: number;
  /** Touches queued runs only (R53). */
  overlap: "skip" | "queue" | "coalesce" | "restart";
}

/** Outer to inner; the order in which hooks of equal priority run (R4). */
export const layers = ["managed", "user", "project", "local", "plugin", "session"] as const;
export type Layer = (typeof layers)[number];

/** undeclared: a program that may do anything; settings hooks are (R52). */
export type Role = "guard" | "transform" | "observe" | "undeclared";
export type FailurePolicy = "continue" | "ask" | "block";
export type Mode = "sync" | "async" | "rewake";

/** Where a hook was written. */
export interface Origin {
  dialect: string;
  layer: Layer;
  file?: string;
  line?: number;
  column?: number;
  /** The folder that relative paths in the hook start from. */
  root?: string;
  /** Of one agent of an app file: such hooks come after the app's own (specification 003). */
  ofAgent?: string;
  /** Where the file's plugin lives, if one brought it. */
  plugin?: string;
  /** The agent that keeps the plugin, and so runs its hooks itself (R35). */
  agent?: string;
}

export interface Hook {
  id: HookId;
  name: string;
  on: Trigger;
  when?: Condition;
  steps: [Step, ...Step[]];
  limits: Limits;
  mode: Mode;
  role: Role;
  /** Always explicit, set by the format (R17). */
  onFailure: FailurePolicy;
  /** Its rewrite makes the call safe: guards of its own layer and of those below judge only what will run (R94). */
  replaces?: true;
  /** It is evaluated and recorded, and nothing that it answers counts. */
  report?: true;
  /** Lower runs first; default: 100. */
  priority: number;
  enabled: boolean;
  /** It is for these environments alone, as environmentName says them (R39); absent: for all. */
  environments?: readonly string[];
  /** Why it is not enabled, where its author has not just said so. */
  disabledBecause?: string;
  /** Why it never runs: no person has trusted it as it is. */
  untrusted?: string;
  /** What a person trusted of a hook that has changed since and is here as well: the two are one hook, and screens show the other. */
  trustedForm?: true;
  /** Of a workspace that a person trusts: what it says to a model names it, as its words may be those of what it read. */
  foreign?: true;
  /** The workspace files that it was trusted with, by path: what each held. A change of one stops it. */
  bound?: { [path: string]: string };
  tags: string[];
  /** Shown while the hook runs. */
  status?: string;
  /** What it is for, in its author's words. */
  summary?: string;
  /** Its runs are kept step by step, and go on after a crash (R56). */
  durable?: true;
  /** The project that it belongs to, where hooks are kept by projects. */
  project?: string;
  /** Where its runs are posted, by name; none: nowhere; absent: the project's setting. */
  notify?: string[];
  origin: Origin;
}

/** Immutable and in running order (R4); its id is the hash of its hooks. */
export interface HookSet {
  id: string;
  hooks: readonly Hook[];
  /** The folder of the project that the set was loaded for: what conditions call the workspace. Absent: the event's own folder. */
  workspace?: string;
  /** The person's settings of shells. */
  shell?: ShellSettings;
}

/** A located finding about a hook file. */
export interface Problem {
  severity: "error" | "warning" | "note";
  code: ProblemCode;
  message: string;
  suggestion?: string;
  /** Hooks of this file may be missing because of it, whatever they were: its last good guards stay active (R76). */
  loses?: true;
  file: string;
  line: number;
  column: number;
}
export type ProblemCode =
  | "unreadable"
  | "syntax"
  | "shape"
  | "unknown-event"
  | "unknown-type"
  | "unknown-condition"
  | "unknown-action"
  | "unknown-tool"
  | "expression-invalid"
  | "event-never-sent"
  | "setting-refused"
  | "module-failed"
  | "unknown-field"
  | "ignored-field"
  | "missing-field"
  | "wrong-type"
  | "matcher-invalid"
  | "matcher-ignored"
  | "matcher-never"
  | "if-never"
  | "timeout-unit"
  | "late-timeout"
  | "exit-1-blocks-nothing"
  | "not-executable"
  | "missing-script"
  | "missing-program"
  | "placeholder"
  | "bash-syntax"
  | "always-allows"
  | "status-ignored"
  | "unknown-variable"
  | "duplicate-key"
  | "overridden"
  | "disabled"
  | "guard-invalid"
  | "guard-in-background"
  | "resident-refused"
  | "other-tool"
  | "untrusted";

/** Whether the hook is asked in the name of safety: a rewrite is put before it again, and its failure blocks (R52). */
export const isGuard = (hook: Pick<Hook, "role" | "onFailure" | "report">): boolean =>
  hook.report === undefined && isWrittenAsGuard(hook);

/** The same of one that only reports, too: what people list as their guards. */
export const isWrittenAsGuard = ({ role, onFailure }: Pick<Hook, "role" | "onFailure">): boolean =>
  role === "guard" || onFailure === "block";

/** Written by the user, above, or by a host: nothing in a project answers for it, stops it or switches it off (R29). */
export const isOfUser = ({ origin: { layer, root } }: Pick<Hook, "origin">): boolean =>
  layer === "managed" || layer === "user" || ((layer === "plugin" || layer === "session") && root === undefined);

/** It comes with Hookline and is in no file. */
export const isBuiltIn = ({ origin }: Pick<Hook, "origin">): boolean => origin.dialect === "builtin";

/** Compares two hooks by R4: priority, layer, file, position in the file. The last is the order given. */
export function inRunningOrder(left: Hook, right: Hook): number {
  return (
    left.priority - right.priority ||
    layers.indexOf(left.origin.layer) - layers.indexOf(right.origin.layer) ||
    compareText(left.origin.root ?? "", right.origin.root ?? "") ||
    compareText(left.origin.file ?? "", right.origin.file ?? "") ||
    Number(left.origin.ofAgent !== undefined) - Number(right.origin.ofAgent !== undefined) ||
    (left.origin.line ?? 0) - (right.origin.line ?? 0) ||
    (left.origin.column ?? 0) - (right.origin.column ?? 0)
  );
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** A warning while hook files are broken: one line for files whose hooks are not active as written; undefined: all is well. */
export function warningAbout(
  { problems }: { readonly problems: readonly Problem[] },
  show: (path: string) => string,
): string | undefined {
  const errors = problems.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (!first) return undefined;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : "";
  return `${first.message} — ${show(first.file)}:${first.line}:${first.column}${more} — see hookline check`;
}

/** Which environment this is, for hooks that are for some only (R39): HOOKLINE_ENV; without it "ci" where CI is set, else "dev". */
export function environmentName({ HOOKLINE_ENV, CI = "" }: Readonly<Record<string, string | undefined>>): string {
  return HOOKLINE_ENV?.trim() || (/^(false|0|no)?$/i.test(CI.trim()) ? "dev" : "ci");
}

/** Where the hook stands, for a problem about it. */
export const placeOfHook = ({
  origin: { file = "", line = 1, column = 1 },
}: Hook): Pick<Problem, "file" | "line" | "column"> => ({ file, line, column });
