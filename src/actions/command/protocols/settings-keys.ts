/** The keys of an answer in Claude Code's form: what each becomes, and on which events it means something (C43 to C47, R7). */
import type { EventName, Fields, HookEvent, HookId, Json } from "../../../engine/event.ts";
import { rowOf } from "../../../engine/events.ts";
import type { Outcome, OutcomeField, Verdict, VerdictKind } from "../../../engine/outcome.ts";
import { isFields, isRecord } from "../../../engine/schema.ts";

export interface Asked {
  event: HookEvent;
  hook: HookId;
  /** The whole answer: a reason stands beside the decision, or outside of it. */
  answer: Fields;
  /** The object that the key stands in. */
  beside: Fields;
  notes: string[];
}
export interface Key {
  /** Where it is honoured: events that accept the field, or those named, or (neither) everywhere. */
  field?: OutcomeField;
  on?: readonly EventName[];
  /** A decision is never guessed: an unreadable value fails the step. */
  decides?: true;
  /** A text instead of an outcome says what was expected. */
  read(value: Json, asked: Asked): Outcome | string;
}

/** What specification 002 says where a hook gave no reason (C36). */
export const blocked = "Hook blocked execution";

const text =
  (make: (value: string) => Outcome): Key["read"] =>
  (value) =>
    typeof value === "string" ? (value === "" ? {} : make(value)) : "text";
const flag =
  (make: () => Outcome): Key["read"] =>
  (value) =>
    typeof value === "boolean" ? (value ? make() : {}) : "true or false";
/** Read where its partner is read. */
const beside: Key = { read: () => ({}) };

export const textOf = (fields: Fields, key: string): string | undefined => {
  const value = fields[key];
  return typeof value === "string" && value !== "" ? value : undefined;
};

export function verdictOf(is: VerdictKind, hook: HookId, reason: string | undefined): Verdict {
  const said = reason ?? (is === "deny" ? blocked : undefined);
  return { is, by: hook, ...(said === undefined ? {} : { reason: said }) };
}

const shown = (said: string): Outcome => ({ messages: [{ to: "person", text: said }] });

/** Keys of the answer itself. Copilot's `permissionDecision` and Cursor's `permission` stand there, and not in hookSpecificOutput (R95). */
export const topKeys: Readonly<Record<string, Key>> = {
  continue: { decides: true, read: readContinue },
  stopReason: beside,
  decision: { decides: true, read: readDecision },
  reason: beside,
  systemMessage: {
    read: text((said) => ({ messages: [{ to: "person", text: said }], context: [said] })),
  },
  suppressOutput: { read: flag(() => ({ suppressOutput: true })) },
  permissionDecision: { field: "verdict", decides: true, read: readFlat(["permissionDecisionReason", "reason"]) },
  permissionDecisionReason: beside,
  permission: {
    field: "verdict",
    decides: true,
    read: readFlat(["agent_message", "agentMessage", "user_message", "userMessage"]),
  },
  agent_message: beside,
  agentMessage: beside,
  behavior: { field: "verdict", decides: true, read: readFlatBehavior },
  message: { ...beside, on: ["PermissionRequest"] },
  interrupt: { ...beside, on: ["PermissionRequest"] },
  user_message: { read: text(shown) },
  userMessage: { read: text(shown) },
  terminalSequence: { read: text((terminalSequence) => ({ extra: { terminalSequence } })) },
  async: beside,
  asyncTimeout: beside,
};

/** Keys of hookSpecificOutput. */
export const specificKeys: Readonly<Record<string, Key>> = {
  hookEventName: { read: readEventName },
  permissionDecision: {
    on: ["PreToolUse", "PreSkillShellCommand", "PreModelSwitch"],
    decides: true,
    read: readPermissionDecision,
  },
  permissionDecisionReason: beside,
  decision: { on: ["PermissionRequest"], decides: true, read: readRequestDecision },
  updatedInput: { field: "updatedInput", read: readUpdatedInput },
  updatedPermissions: { field: "permissions", read: readPermissions },
  additionalContext: { read: text((said) => ({ context: [said] })) },
  updatedToolOutput: { field: "updatedOutput", read: (updatedOutput) => ({ updatedOutput }) },
  updatedMCPToolOutput: { field: "updatedOutput", read: (updatedOutput) => ({ updatedOutput }) },
  watchPaths: { field: "watchPaths", read: readWatchPaths },
  initialUserMessage: { field: "firstMessage", read: text((firstMessage) => ({ firstMessage })) },
  retry: { field: "retry", read: flag(() => ({ retry: true })) },
  sessionTitle: { field: "sessionTitle", read: text((sessionTitle) => ({ sessionTitle })) },
  suppressOriginalPrompt: { field: "suppressPrompt", read: flag(() => ({ suppressPrompt: true })) },
  reloadSkills: { field: "reloadSkills", read: flag(() => ({ reloadSkills: true })) },
  displayContent: {
    field: "displayContent",
    read: (value) => (typeof value === "string" ? { displayContent: value } : "text"),
  },
  worktreePath: { field: "worktreePath", read: text((worktreePath) => ({ worktreePath })) },
  action: { field: "elicitation", decides: true, read: readElicitation },
  content: { ...beside, field: "elicitation" },
};

/** `continue: false` blocks and stops, as far as the event can be blocked or stopped (R63). */
function readContinue(value: Json, { event, hook, answer }: Asked): Outcome | string {
  if (typeof value !== "boolean") return "true or false";
  if (value) return {};
  const reason = textOf(answer, "stopReason") ?? textOf(answer, "reason");
  const accepts = rowOf(event.name).accepts;
  const outcome: Outcome = {};
  if (accepts.includes("verdict")) outcome.verdict = verdictOf("deny", hook, reason);
  if (accepts.includes("stop")) outcome.stop = reason === undefined ? {} : { reason };
  if (outcome.verdict || outcome.stop) return outcome;
  return { messages: [{ to: "person", text: `a hook wanted to stop here: ${reason ?? blocked}` }] };
}

/** `deny` and `ask` are other agents' words for it, and safe to believe; their `allow` is not Claude Code's. */
const decisions: Readonly<Record<string, VerdictKind>> = { block: "deny", deny: "deny", ask: "ask", approve: "allow" };

function readDecision(value: Json, { event, hook, answer, notes }: Asked): Outcome | string {
  const is = typeof value === "string" && Object.hasOwn(decisions, value) ? decisions[value] : undefined;
  if (value === "allow" || (is === "allow" && event.name !== "PreToolUse")) {
    notes.push(`decision "${value}" has no effect on ${event.name}`);
    return {};
  }
  return is ? { verdict: verdictOf(is, hook, textOf(answer, "reason")) } : '"block" or "approve"';
}

/** In other agents' words what tightens is believed, whatever file the hook stands in; what allows there is not Claude Code's. */
function readFlat(reasons: readonly string[]): Key["read"] {
  return (value, asked) => {
    const { hook, answer } = asked;
    if (value === "allow") return withoutAllow(asked);
    if (value !== "deny" && value !== "ask") return '"allow", "deny" or "ask"';
    const said = reasons.map((key) => textOf(answer, key)).find((reason) => reason !== undefined);
    return { verdict: verdictOf(value, hook, said) };
  };
}

function readFlatBehavior(value: Json, asked: Asked): Outcome | string {
  if (value === "allow") return withoutAllow(asked);
  if (asked.event.name !== "PermissionRequest") return readFlat(["message", "reason"])(value, asked);
  return readRequestDecision({ ...asked.answer, behavior: value }, asked);
}

function withoutAllow({ event, notes }: Asked): Outcome {
  notes.push(`"allow" outside of hookSpecificOutput is another agent's word, and has no effect on ${event.name}`);
  return {};
}

function readPermissionDecision(value: Json, { hook, answer, beside }: Asked): Outcome | string {
  if (value !== "deny" && value !== "ask" && value !== "allow" && value !== "defer") {
    return '"allow", "deny", "ask" or "defer"';
  }
  return { verdict: verdictOf(value, hook, textOf(beside, "permissionDecisionReason") ?? textOf(answer, "reason")) };
}

/** The answer to a permission dialog (C59). */
function readRequestDecision(value: Json, asked: Asked): Outcome | string {
  if (!isFields(value)) return "an object with a behavior";
  if (value.behavior === "deny") {
    const reason = textOf(value, "message") ?? "denied by hook";
    return {
      verdict: verdictOf("deny", asked.hook, reason),
      ...(value.interrupt === true ? { interrupt: true } : {}),
    };
  }
  if (value.behavior !== "allow") return 'behavior "allow" or "deny"';
  const input = readUpdatedInput(value.updatedInput ?? {});
  const permissions = readPermissions(value.updatedPermissions ?? [], asked);
  if (typeof input === "string" || typeof permissions === "string")
    return "updatedInput as an object, updatedPermissions as a list";
  return { verdict: verdictOf("allow", asked.hook, textOf(value, "message")), ...input, ...permissions };
}

/** An empty input erases nothing. */
function readUpdatedInput(value: Json): Outcome | string {
  if (!isFields(value)) return "an object";
  return Object.keys(value).length === 0 ? {} : { updatedInput: value };
}

function readPermissions(value: Json, { notes }: Asked): Outcome | string {
  const all = Array.isArray(value) ? value : [value];
  const permissions = permissionUpdates(all);
  if (permissions.length < all.length) notes.push(droppedPermissions);
  return permissions.length === 0 ? {} : { permissions };
}

export const droppedPermissions = "updatedPermissions: what is no rule and no update of permissions was dropped";

/** Those that an agent can obey; plain rules become updates for the session. */
export const permissionUpdates = (all: readonly Json[]): Fields[] =>
  all.map((one) => (typeof one === "string" ? sessionRule(one) : one)).filter(isPermissionUpdate);

const isName = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const areNames = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isName);
const isRule = (rule: unknown): boolean =>
  isRecord(rule) && isName(rule.toolName) && (rule.ruleContent === undefined || typeof rule.ruleContent === "string");
const areRules = ({ rules, behavior }: Fields): boolean =>
  Array.isArray(rules) &&
  rules.length > 0 &&
  rules.every(isRule) &&
  ["allow", "deny", "ask"].includes(String(behavior));

/** By type, what an update needs beside its destination (Claude Code 2.1.330). */
const updates: { readonly [type: string]: (update: Fields) => boolean } = {
  addRules: areRules,
  replaceRules: areRules,
  removeRules: areRules,
  setMode: ({ mode }) => isName(mode),
  addDirectories: ({ directories }) => areNames(directories),
  removeDirectories: ({ directories }) => areNames(directories),
};

function isPermissionUpdate(value: Json): value is Fields {
  if (!isFields(value) || typeof value.type !== "string" || !Object.hasOwn(updates, value.type)) return false;
  const { destination } = value;
  return (destination === undefined || isName(destination)) && updates[value.type]?.(value) === true;
}

/** A plain string is one allow rule for the session: `Bash(git *)`, or a tool's name (C59). */
export function sessionRule(rule: string): Fields {
  const [, toolName = rule, ruleContent] = /^([^()]+)\((.*)\)$/s.exec(rule.trim()) ?? [];
  const rules: Fields[] = [ruleContent ? { toolName, ruleContent } : { toolName }];
  return { type: "addRules", rules, behavior: "allow", destination: "session" };
}

/** Only absolute paths count (C47a). */
function readWatchPaths(value: Json, { notes }: Asked): Outcome | string {
  if (!Array.isArray(value)) return "a list of absolute paths";
  const paths = value.filter((one) => typeof one === "string");
  const watchPaths = paths.filter((path) => /^(\/|[A-Za-z]:[\\/])/.test(path));
  if (watchPaths.length < value.length) notes.push("watchPaths: what is not an absolute path was dropped");
  return watchPaths.length === 0 ? {} : { watchPaths };
}

function readElicitation(value: Json, { beside }: Asked): Outcome | string {
  if (value !== "accept" && value !== "decline" && value !== "cancel") return '"accept", "decline" or "cancel"';
  const content = beside.content;
  return { elicitation: { action: value, ...(content === undefined ? {} : { content }) } };
}

function readEventName(value: Json, { event, notes }: Asked): Outcome {
  if (value !== event.name && value !== rowOf(event.name).judgedAs)
    notes.push(`hookEventName is ${JSON.stringify(value)}, the event is ${event.name}`);
  return {};
}
