/** Every claim that this version answers for, in a few words: what docs/conformance.md lists and tests name. */

export interface Claim {
  says: string;
  /** Why it has no test of its own: it is how the thing is built, and no run could show otherwise. */
  design?: string;
  /** It is not there yet, and what it comes with. */
  later?: string;
  /** Where Hookline answers otherwise than the specification's own words. */
  differs?: string;
}

const models = "comes with models";
const nothingToMatch = "a matcher there is ignored with a finding, where the specification leaves it open";

/** True for hooks of every format. */
export const common: Readonly<Record<string, Claim>> = {
  X1: { says: "one order of hooks and one ranking of verdicts, whatever file a hook comes from" },
  X2: { says: "a timeout ends everything that a command started" },
  X3: { says: "each command gets its own standard input, which is closed; its output is capped as it comes" },
  X4: { says: "a command that could not start is a failure, never a success and never a decision" },
  X5: { says: "every hook that did not run has a reason that can be asked for" },
  X6: { says: "a broken entry disables no other" },
  X7: {
    says: "loops are capped; cooldown, counts and once are claimed just before the run",
    differs: "files of a project run without being trusted first: trust is not built yet",
  },
  X8: { says: "after a crash no run stays running, and what several processes write is written whole" },
  X9: { says: "documentation, schemas and the running tables hold the same names" },
};

/** Settings hooks (specification 002), in its order. */
export const settings: Readonly<Record<string, Claim>> = {
  C1: {
    says: "the fields of an outcome",
    design: "one verdict of four kinds, in the type Outcome, where two booleans could both be true",
  },
  C2: { says: "an event can be waited for, or not; an empty outcome means carry on" },
  C3: {
    says: "what a hook can run: command, http, function, prompt, agent",
    later: "command, http and function are there; prompt and agent come with models",
  },
  C4: { says: "SessionStart matches its source" },
  C5: { says: "SessionEnd matches its reason" },
  C6: { says: "UserPromptSubmit has nothing to match", differs: nothingToMatch },
  C7: { says: "PreToolUse matches the tool" },
  C8: { says: "PostToolUse matches the tool" },
  C9: { says: "PostToolUseFailure matches the tool" },
  C10: { says: "PermissionRequest matches the tool" },
  C11: { says: "PermissionDenied matches the tool" },
  C12: { says: "Stop has nothing to match", differs: nothingToMatch },
  C13: { says: "StopFailure matches the error" },
  C14: { says: "Notification matches its type" },
  C15: { says: "SubagentStart matches the agent's type" },
  C16: { says: "SubagentStop matches the agent's type" },
  C17: { says: "Setup matches its trigger" },
  C18: { says: "TaskCreated has nothing to match", differs: nothingToMatch },
  C19: { says: "TaskCompleted has nothing to match", differs: nothingToMatch },
  C20: { says: "ConfigChange matches its source" },
  C21: { says: "InstructionsLoaded matches the reason" },
  C22: { says: "CwdChanged has nothing to match", differs: nothingToMatch },
  C23: { says: "FileChanged matches the file's name" },
  C24: { says: "PreCompact matches its trigger" },
  C25: { says: "PostCompact matches its trigger" },
  C26: { says: "WorktreeCreate matches the name" },
  C27: { says: "WorktreeRemove matches the path" },
  C27a: { says: "match values are those of the document, not those of GenCode's program" },
  C27b: { says: "a hook on an event of one's own works" },
  C28: {
    says: "which events are waited for",
    differs: "the specification's table holds for .gen files; elsewhere every event that takes an answer is waited for",
  },
  C29: { says: "only hooks of the event are considered" },
  C30: {
    says: "a matcher is a list of names, or a regular expression",
    differs: "expressions are not anchored, as in Claude Code; an invalid one is an error, not text to compare",
  },
  C31: { says: "a matcher may be a tool pattern such as Bash(git:*)" },
  C32: { says: "an empty matcher, or *, takes everything" },
  C33: { says: "once: at most once in a session; a hook behind a deny is not used up" },
  C34: {
    says: "synchronous hooks are waited for, asynchronous ones are not",
    differs: "hooks run one after another, and what an asynchronous hook says goes with a later event",
  },
  C35: { says: "a command reads the event on standard input, in the session's folder" },
  C36: { says: "exit 0 answers, exit 2 blocks with standard error as the reason, any other code is a failure" },
  C36a: { says: "what plain text on standard output means" },
  C37: { says: 'a first line {"async": true} sends the program into the background' },
  C38: { says: "a block stops later hooks and keeps what earlier ones gathered" },
  C39: { says: "context is joined by line breaks" },
  C40: { says: "the last rewrite of the input wins, and later hooks see it" },
  C41: { says: "deny over ask over allow" },
  C42: { says: "permissions and watch paths add up; the last first message stands" },
  C43: { says: "a permission decision counts on PreToolUse" },
  C44: { says: "permissions count on PermissionRequest" },
  C45: { says: "watch paths count on SessionStart, CwdChanged and FileChanged" },
  C46: { says: "a first message counts on SessionStart" },
  C47: { says: "retry counts on PermissionDenied; a rewritten input on PreToolUse and PermissionRequest" },
  C47a: { says: "watch paths are added, and only absolute ones count" },
  C48: { says: "hooks of files come before hooks of the session" },
  C49: { says: "hooks of a session go with it, and take no memory of others along" },
  C50: { says: "adding a hook gives its id, removing it says whether it was there" },
  C51: {
    says: "no layer lies between hooks of files and hooks of the session",
    design: "the list of layers ends in plugin, session (src/core/hook.ts)",
  },
  C52: { says: "hooks are synchronous unless they say otherwise" },
  C53: {
    says: "async: in the background",
    differs: "its verdict is discarded; its context and messages go with a later event",
  },
  C54: { says: "asyncRewake: silent when clean, a notice for the model when it blocks; at most three per prompt" },
  C55: { says: "the common input; permission_mode and other fields wherever the agent gave them" },
  C56: { says: "the keys of an answer; continue: false blocks, systemMessage is context" },
  C57: { says: "the table of exit codes" },
  C57a: { says: "project folder, session, event and tool stand in the environment" },
  C58: { says: "PreToolUse may allow, deny or ask" },
  C59: { says: "PermissionRequest is decided by behavior, with a new input and permissions" },
  C60: { says: "PermissionDenied: retry" },
  C61: { says: "PreToolUse cannot hand out permissions" },
  C62: { says: "hooks, event, list of groups, list of handlers" },
  C63: { says: "the handler types; an unknown one is a finding" },
  C64: { says: "a prompt hook's $ARGUMENTS", later: models },
  C65: { says: "an http hook posts the event and reads the reply as the answer" },
  C66: { says: "shell: sh or powershell", differs: "bash where there is one, else sh, unless the hook says" },
  C67: { says: "a hook's own model", later: models },
  C68: { says: "async is false unless said" },
  C69: { says: "asyncRewake is false unless said" },
  C70: { says: "timeouts count seconds: 600 for a command", differs: "30 for http" },
  C70a: { says: "a program that ran out of time has answered nothing" },
  C71: { says: "the status message shows while the hook runs" },
  C72: { says: "once is false unless said" },
  C73: { says: "if: a tool pattern; without a tool it never holds, and check says so" },
  C73a: { says: "what a tool pattern is compared with" },
  C74: { says: "headers hold $NAME and ${NAME}" },
  C75: { says: "only allowed variables reach a header; a status of 400 or more decides nothing; replies are capped" },
  C76: {
    says: "project settings replace the user's, event by event",
    differs: "so in .gen files; Claude Code's files add up; no project removes a guard of the user",
  },
  C77: { says: "hooks of plugins come last" },
  C78: {
    says: "a host's user interface is not frozen",
    design: "emit answers at once or with a promise, and starts background work after it has answered",
  },
  C79: { says: "a Stop that blocks goes on with its reason, at most three times per prompt" },
  C80: { says: "context of a prompt reaches the model, that of a compaction its instructions" },
};

/** Worked examples of the same specification; numbers that are missing there are missing here. */
export const cases: Readonly<Record<string, Claim>> = {
  CT1: { says: "matchers: everything, a name, a list, an expression, a broken one" },
  CT2: { says: "the match value of each event" },
  CT3: { says: "which events take a matcher" },
  CT4: { says: "no hooks, no settings: carry on" },
  CT5: { says: "hooks for one event are found for it alone" },
  CT7: { says: "if Bash(git *): git status runs the hook, npm test does not" },
  CT8: { says: "hooks of files and of a session; the session is cleared" },
  CT9: { says: "a function hook: its answer, its id, its removal" },
  CT10: { says: "a command's systemMessage becomes context" },
  CT11: { says: "exit 2 denies with standard error" },
  CT12: { says: "continue: false denies with stopReason" },
  CT13: { says: "a rewritten input is in the outcome" },
  CT14: { says: "a command finds the project's folder" },
  CT15: { says: "a command that sleeps is ended in time and blocks nothing" },
  CT16: { says: "once runs once; a start that never was does not count" },
  CT17: { says: "standard input of PermissionDenied and of SessionStart" },
  CT18: { says: "additional context, and no block" },
  CT20: { says: "a first message, and a status message" },
  CT21: { says: "retry" },
  CT22: { says: "allow; deny with a reason; ask" },
  CT23: { says: "a prompt hook allows; an agent hook allows", later: models },
  CT24: { says: "an http hook with a token in its header allows" },
  CT25: { says: "a permission request is allowed; denied with a message" },
  CT27: {
    says: "a hook that asks the person a question",
    later: "an optional feature outside the specification; not planned",
  },
  CT28: { says: "a first line of async returns at once, and the work completes" },
  CT30: { says: "permissions on PreToolUse are dropped, and recorded" },
  CT31: { says: "a denied call, a rewritten path and a call without hooks, end to end" },
  CT32: { says: "exit 1 with a deny on standard output decides nothing" },
  CT34: { says: "plain text: context on SessionStart, a note on PreToolUse" },
  CT35: { says: "which files replace which" },
  CT36: { says: "an http hook: status 500, an endless reply, a header that is not allowed" },
  CT37: { says: "a prompt without $ARGUMENTS", later: models },
  CT38: { says: "a Stop hook that always blocks" },
  CT39: { says: "bash syntax that another shell would end with code 2 is no block" },
};

export const claims: Readonly<Record<string, Claim>> = { ...common, ...settings, ...cases };
