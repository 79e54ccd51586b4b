/** The one error class. Each code has its sentence here and its page in docs/errors. */
import { systemReason } from "./system-words.ts";

export type ErrorCode = keyof typeof sentences;
type Facts = Record<string, string | number | undefined>;

/** what happened — where — what to do (one sentence, no blame) */
const sentences = {
  event_unknown: (facts: Facts) =>
    `no event is called "${facts.name}" — ${facts.where} — ${near(facts) ?? "application events hold a dot, such as deploy.started"}`,
  handler_unknown: (facts: Facts) =>
    `no handler is called "${facts.name}" — ${facts.where} — ${near(facts) ?? "register it first"}`,
  condition_unknown: (facts: Facts) =>
    `no condition is called "${facts.name}" — ${facts.where} — ${near(facts) ?? "register it first"}`,
  parameters_invalid: (facts: Facts) =>
    `${facts.name} needs ${facts.expected} but has ${facts.found} — ${facts.where} — correct the value`,
  pattern_invalid: (facts: Facts) =>
    `the pattern ${facts.pattern} cannot be used: ${facts.reason} — ${facts.where} — ${facts.advice ?? "write a list of names, a glob or a linear regular expression"}`,
  name_taken: (facts: Facts) =>
    `the name "${facts.name}" is taken — ${facts.where} — choose another or remove the first`,
  hook_invalid: (facts: Facts) =>
    `the hook "${facts.name}" cannot run: ${facts.reason} — ${facts.where} — correct the hook`,
  hook_unknown: (facts: Facts): string =>
    facts.several
      ? `${facts.several} hooks are called "${facts.name}" — ${facts.where} — say which: ${facts.candidates}`
      : `no hook is called "${facts.name}" — ${facts.where} — ${near(facts) ?? facts.advice ?? "see hookline list"}`,
  agent_unknown: (facts: Facts) =>
    `no agent is called "${facts.name}" — ${facts.where} — ${near(facts) ?? `known: ${facts.known}`}`,
  input_invalid: (facts: Facts): string =>
    facts.advice === undefined
      ? `the input is not a JSON object: ${facts.reason} — ${facts.where} — send one JSON object`
      : `the input cannot be used: ${facts.reason} — ${facts.where} — ${facts.advice}`,
  usage: (facts: Facts) => `${facts.what} — ${facts.where} — ${facts.advice}`,
  store_unusable: (facts: Facts) => `the store cannot be used: ${facts.reason} — ${facts.where} — ${facts.advice}`,
  store_locked: (facts: Facts) =>
    `the store stayed locked${facts.long === undefined ? "" : ` ${facts.long}`} — ${facts.where} — stop the other writer`,
  run_unknown: (facts: Facts): string =>
    facts.several
      ? `${facts.several} ids begin with "${facts.name}" — ${facts.where} — say which: ${facts.candidates}`
      : `no run or event is called "${facts.name}" — ${facts.where} — ${facts.advice ?? "see hookline runs --all"}`,
  settings_unusable: (facts: Facts) =>
    `the agent's settings cannot be edited: ${facts.reason} — ${facts.where} — ${facts.advice}`,
  file_unreadable: (facts: Facts) =>
    `the file cannot be read: ${facts.reason} — ${facts.where} — check its path and rights`,
  tool_unknown: (facts: Facts) =>
    `no tool is called "${facts.name}" — ${facts.where} — ${near(facts) ?? facts.advice ?? "name its server under mcp_servers in hookline.yaml"}`,
  tool_failed: (facts: Facts) =>
    `the tool ${facts.name} failed: ${facts.reason} — ${facts.where} — ${facts.advice ?? "see the reason"}`,
  model_unknown: (facts: Facts) => `no model can be asked: ${facts.reason} — ${facts.where} — ${facts.advice}`,
  model_failed: (facts: Facts) =>
    `the model ${facts.name} gave no answer: ${facts.reason} — ${facts.where} — ${facts.advice ?? "see the reason"}`,
  module_failed: (facts: Facts) =>
    `the module cannot be loaded: ${facts.reason} — ${facts.where} — ${facts.advice ?? "correct it; hookline check names the place"}`,
  language_server_failed: (facts: Facts) =>
    `the language server ${facts.name} gave no answer: ${facts.reason} — ${facts.where} — ${facts.advice ?? "see the reason"}`,
  turn_running: (facts: Facts) =>
    `a completion of ${facts.name} is running — ${facts.where} — wait for idle(), after cancel() where it is to end now`,
  payload_cut: (facts: Facts) =>
    `the event of run ${facts.name} cannot be sent again: ${facts.reason} — ${facts.where} — use hookline run with --data`,
  repository_unusable: (facts: Facts) =>
    `git's hooks cannot be reached: ${facts.reason} — ${facts.where} — ${facts.advice}`,
  daemon_running: (facts: Facts) =>
    `a daemon is running already: process ${facts.pid ?? "unknown"} — ${facts.where} — hookline status shows it, hookline down ends it`,
  daemon_unreachable: (facts: Facts) =>
    `the daemon cannot be reached: ${facts.reason} — ${facts.where} — ${facts.advice ?? "start it: hookline up"}`,
  worker_running: (facts: Facts) =>
    `another process works under the name ${facts.name}: ${facts.holder} — ${facts.where} — end it, or give this one a name of its own by --name`,
  port_taken: (facts: Facts) => `the port cannot be used: ${facts.reason} — ${facts.where} — choose another by --port`,
  closed: (facts: Facts) => `${facts.name} is closed — ${facts.where} — create a new one`,
} as const;

const near = (facts: Facts): string | undefined => (facts.near ? `did you mean "${facts.near}"?` : undefined);

export const errorCodes = Object.keys(sentences) as ErrorCode[]; // complete by construction

/**
 * What Hookline throws: one class, and a code that has a page of its own below docs/errors/.
 *
 * @example
 * const line = await createHookline();
 * try {
 *   line.pause("no-such-hook");
 * } catch (error) {
 *   if (!(error instanceof HooklineError) || error.code !== "hook_unknown") throw error;
 * }
 */
export class HooklineError extends Error {
  readonly code: ErrorCode;
  readonly facts: Facts;

  constructor(code: ErrorCode, facts: Facts, options?: { cause?: unknown }) {
    super(sentences[code](facts), options);
    this.name = "HooklineError";
    this.code = code;
    this.facts = facts;
  }
}

const storeCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["store_locked", "store_unusable"]);

/** The store failed: what was to be written down can be so later. */
export const isOfStore = (error: unknown): boolean => error instanceof HooklineError && storeCodes.has(error.code);

/** The sentence of anything that was thrown; what the system says of a file is said in words. */
export const messageOf = (error: unknown): string =>
  systemReason(error) ?? (error instanceof Error ? error.message : String(error));
