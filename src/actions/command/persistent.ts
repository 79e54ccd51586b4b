/** A command that stays: the event goes to it as one line, and the line that it answers is read as a command's output. */

import { tmpdir } from "node:os";
import { depthBelow, depthVariable, type Fields, type MaybePromise } from "../../engine/event.ts";
import { contentOf, type Question, type Reply } from "../../engine/persistent-program.ts";
import type { AgentConventions, Protocol, StepContext, StepResult } from "../../engine/ports.ts";
import type { Command } from "../../engine/program.ts";
import type { Evidence } from "../../engine/record.ts";
import { failed, noted, shorten } from "../step.ts";
import { type CommandParams, isFolder, limitsOf, withProtocol } from "./command.ts";
import { environmentOf, lineOf, ownFolder, projectFolder, umaskOf } from "./environment.ts";
import { writtenName } from "./protocols/endings.ts";

export type AskPersistentProgram = (params: CommandParams, context: StepContext) => MaybePromise<StepResult>;

type Environment = Readonly<Record<string, string>>;

export const askPersistentProgram: AskPersistentProgram = (params, context) =>
  withProtocol(params, (protocol) => ask(params, protocol, context));

function ask(params: CommandParams, protocol: Protocol, context: StepContext): Promise<StepResult> {
  const { event, hook, caller, ports } = context;
  const folder = workspaceOf(context);
  const program = programOf(params);
  const variables = params.environment === "clean" ? none : withoutOwn(ofSender(context), params, context);
  const question: Question = {
    ...program,
    key: keyOf(program, context, folder),
    command: () => commandOf(params, context, folder),
    event: protocol.write(event, writtenName(hook, event.name), hook),
    environment: withProject(variables, {
      project: projectFolder(context, caller.environment),
      folder,
      conventions: ports.conventions,
    }),
    folder: event.cwd,
    hook: hook.id,
    timeout: context.timeout,
    signal: context.signal,
  };
  if (!ports.residents) return Promise.resolve(failed("launch", "nothing here can start programs"));
  return ports.residents.ask(question).then((reply) => resultOf(reply, protocol, context));
}

const programs = new WeakMap<CommandParams, Program>();

function programOf(params: CommandParams): Program {
  const known = programs.get(params);
  if (known) return known;
  const made = { content: contentOf(params), called: calledBy(params), limits: limitsOf(params.resident) };
  programs.set(params, made);
  return made;
}

const none: Environment = {};
const senders = new WeakMap<Environment, Environment>();

/** The variables of the agent, as this event's sender has them. */
function ofSender({ caller: { environment: given }, ports }: StepContext): Environment {
  if (!given) return none;
  const known = senders.get(given);
  if (known) return known;
  const found = agentVariables(given, ports.conventions);
  senders.set(given, found);
  return found;
}

function commandOf(params: CommandParams, context: StepContext, folder: string): Omit<Command, "input"> | string {
  const environment = startEnvironment(params, context, folder);
  const line = lineOf({ ...params, conventions: context.ports.conventions }, environment, context.event.cwd);
  if (typeof line === "string") return line;
  return { ...line, cwd: isFolder(folder) ? folder : tmpdir(), environment, ...umaskOf(context.caller) };
}

/** What the words of a hook say of its program, whatever the event. */
type Program = Pick<Question, "content" | "called" | "limits">;

/** What one process is shared across. */
function keyOf({ content }: Program, { event, caller, hook: { origin } }: StepContext, folder: string): string {
  const { environment, umask = "" } = caller;
  const sender = environment ? "" : "without a sender ";
  return `${depthBelow(event, environment ?? none)} ${umask} ${sender}${folder}\0${origin.dialect}\0${origin.plugin ?? ""}\0${content}`;
}

const longestShown = 120;
const calledBy = ({ command, args = [] }: CommandParams): string =>
  (args.length === 0 ? command : [command, ...args].join(" ")).slice(0, longestShown);

/** Where it runs: one process for each. The event itself says where the session is. */
const workspaceOf = (context: StepContext): string =>
  ownFolder(context.hook) ?? projectFolder(context, context.caller.environment);

/** Of one event, or of one hook: what stays does not begin with them. */
const passing = /^[A-Z]+_(?:SESSION_ID|TOOL_NAME|EVENT|EVENT_TYPE|RUN_ID|HOOK_ID)$/;

/** Hookline's own, or one that agents give. */
const isGiven = (name: string, conventions: AgentConventions | undefined): boolean =>
  name.startsWith("HOOKLINE_") || conventions?.kindOf(name) === "given";

const isPassing = (name: string, conventions: AgentConventions | undefined): boolean =>
  passing.test(name) && isGiven(name, conventions);

/** Without the variables of an agent: they are one session's, and stand beside its events. What the hook itself says, stays. */
function startEnvironment(params: CommandParams, context: StepContext, folder: string): Record<string, string> {
  const { conventions } = context.ports;
  const ofSession = agentVariables(context.caller.environment ?? none, conventions);
  const all = Object.entries(environmentOf(params, context)).filter(
    ([name]) =>
      !isPassing(name, conventions) && (!(name in ofSession) || ofAccount.test(name) || isOwn(name, params, context)),
  );
  const projects = projectVariables(conventions).map((name) => [name, folder]);
  return { ...Object.fromEntries([...all, ...projects]), HOOKLINE_RESIDENT: "1" };
}

/** The user's, as the keys of other programs are: a program that starts an agent again needs them. */
const ofAccount = /_(?:API_KEY|OAUTH_TOKEN|CONFIG_DIR|HOME)$/;

/** The hook says it, whatever the sender has. */
const isOwn = (name: string, { env }: CommandParams, { hook }: StepContext): boolean =>
  env?.[name] !== undefined || (/^[A-Z]+_PLUGIN_ROOT$/.test(name) && hook.origin.plugin !== undefined);

/** Most hooks say none of an agent's, and then the same object is handed on. */
function withoutOwn(given: Environment, params: CommandParams, context: StepContext): Environment {
  const names = Object.keys(given);
  if (!names.some((name) => isOwn(name, params, context))) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !isOwn(name, params, context)));
}

/** These go by the process, or by the event itself. */
const ofProcess: ReadonlySet<string> = new Set([depthVariable, "HOOKLINE_RUN_COOKIE", "HOOKLINE_RESIDENT"]);

function agentVariables(given: Environment, conventions: AgentConventions | undefined): Environment {
  const found: Record<string, string> = {};
  for (const name in given) {
    const value = given[name];
    const isAgents = name.startsWith("HOOKLINE_") || conventions?.kindOf(name) !== undefined;
    if (value === undefined || !isAgents || isPassing(name, conventions)) continue;
    if (!ofProcess.has(name) && !conventions?.isSessionSecret(name)) found[name] = value;
  }
  return found;
}

const projectVariables = (conventions: AgentConventions | undefined): string[] => [
  "HOOKLINE_PROJECT_DIR",
  ...(conventions?.projectVariables() ?? []),
];

interface SessionPlace {
  project: string;
  folder: string;
  conventions: AgentConventions | undefined;
}

/** Most sessions name the folder that the process was started for, and then the same object is handed on. */
function withProject(environment: Environment, { project, folder, conventions }: SessionPlace): Environment {
  const names = projectVariables(conventions);
  if (project === folder && names.every((name) => (environment[name] ?? folder) === folder)) return environment;
  return { ...environment, ...Object.fromEntries(names.map((name) => [name, project])) };
}

function resultOf(reply: Reply, protocol: Protocol, context: StepContext): StepResult {
  const notes = noted(reply.notes);
  if (reply.is === "failure") {
    const { failure, reason, stderr } = reply;
    return { ...failed(failure, reason), ...notes, ...(stderr ? { evidence: evidenceOf("", stderr) } : {}) };
  }
  const { id: _id, ...said } = reply.fields;
  const evidence = evidenceOf(reply.line, reply.stderr);
  if (isEmpty(said)) return { ok: true, output: {}, ...notes, evidence };
  const result = readSaid(said, protocol, context);
  const all = noted([...reply.notes, ...(result.notes ?? [])]);
  return { ...result, ...all, evidence: { ...evidence, ...result.evidence } };
}

/** As a command's end is read: by its exit code, its stdout and its stderr. */
function readSaid(
  { error, exit, stdout, stderr, ...answer }: Fields,
  protocol: Protocol,
  { event, hook }: StepContext,
): StepResult {
  if (error !== undefined && error !== null) {
    const reason = typeof error === "string" ? error : JSON.stringify(error);
    return failed("error", reason, answer);
  }
  const code = exit ?? 0;
  if (typeof code !== "number" || !Number.isInteger(code) || code < 0 || code > 255) {
    const reason = `invalid_output: exit must be a whole number from 0 to 255, not ${JSON.stringify(exit)}`;
    return failed("output", reason, answer);
  }
  const ended = { code, stdout: isEmpty(answer) ? textOf(stdout) : JSON.stringify(answer), stderr: textOf(stderr) };
  const result = protocol.read(
    { how: "exit", ...ended, dropped: 0, containment: "resident", survivors: 0 },
    event,
    hook.id,
  );
  return { ...result, ...(exit === undefined ? {} : { evidence: { exitCode: code } }) };
}

const textOf = (said: Fields[string] | undefined): string => (typeof said === "string" ? said : "");

function isEmpty(fields: Fields): boolean {
  for (const _name in fields) return false;
  return true;
}

const evidenceOf = (line: string, stderr = ""): Evidence => ({
  stdout: shorten(line),
  stderr: shorten(stderr),
  containment: "resident",
});
