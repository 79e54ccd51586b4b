/** Runs a program: the event on its stdin, the answer in its exit code and on its stdout. */

import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { MaybePromise, Seconds } from "../../engine/event.ts";
import { isThenable } from "../../engine/flow.ts";
import { type PersistentProgramLimits, usualLimits } from "../../engine/persistent-program.ts";
import type { Handler, Protocol, StepContext, StepResult } from "../../engine/ports.ts";
import { type Detached, type Ended, scriptWord } from "../../engine/program.ts";
import type { Evidence } from "../../engine/record.ts";
import { either, flag, integer, listOf, mapOf, number, object, oneOf, type Schema, text } from "../../engine/schema.ts";
import { isInside } from "../../files/paths.ts";
import { readRegularBytesSync } from "../../files/regular-file.ts";
import { failed, noted, shorten } from "../step.ts";
import { type CommandOptions, type EnvironmentOptions, environmentOf, lineOf, umaskOf } from "./environment.ts";
import type { AskPersistentProgram } from "./persistent.ts";
import { writtenName } from "./protocols/endings.ts";
import { settings } from "./protocols/settings.ts";

const limits: Schema<Partial<PersistentProgramLimits>> = object(
  {},
  {
    memory: integer("megabytes that it may hold in memory", 1),
    age: number("seconds after which it is started anew", 1),
    idle: number("seconds without an event after which it is ended", 1),
    concurrency: integer("events that it is given before it has answered the first of them", 1),
    events: integer("events after which it is started anew", 1),
  },
);

type ResidentOptions = boolean | Partial<PersistentProgramLimits>;

const residentOptions: Schema<ResidentOptions> = either(flag, limits);

export const limitsOf = (wanted: ResidentOptions | undefined): PersistentProgramLimits =>
  typeof wanted === "object" ? { ...usualLimits, ...wanted } : usualLimits;

export type CommandParams = CommandOptions &
  EnvironmentOptions & { protocol?: string; detach?: "allow"; folder?: "root"; resident?: ResidentOptions };

/** With `args` the command is a program and runs without a shell; else it is a line for bash, or sh. */
export const command: Handler<CommandParams> = {
  params: object(
    { command: text("a command line, or a program where args are given") },
    {
      args: listOf(text()),
      shell: oneOf("bash", "sh", "powershell"),
      environment: oneOf("inherit", "clean"),
      variables: text("whose variables it gets, beside those that every program gets"),
      env: mapOf(text()),
      protocol: text("what the program reads and answers"),
      detach: oneOf("allow"),
      folder: oneOf("root"),
      resident: residentOptions,
    },
  ),
  needs: ["spawn"],
  run(params, context) {
    if (params.resident)
      return persistent ? persistent(params, context) : loadPersistent().then((ask) => ask(params, context));
    const folder = params.folder === "root" ? rootIn(context) : undefined;
    return withProtocol(params, (protocol) => runCommand(params, protocol, context, folder));
  },
};

let persistent: AskPersistentProgram | undefined;

/** Most hooks need none of it. */
async function loadPersistent(): Promise<AskPersistentProgram> {
  const { askPersistentProgram } = await import("./persistent.ts");
  persistent = askPersistentProgram;
  return persistent;
}

/** What hook programs read and answer. What few hooks need is loaded when one runs. */
const protocols: ReadonlyMap<string, () => MaybePromise<Protocol>> = new Map([
  ["settings", (): MaybePromise<Protocol> => settings],
  ["registry", async () => (await import("./protocols/registry.ts")).registry],
]);

export function withProtocol(
  { protocol: name = "settings" }: CommandParams,
  use: (protocol: Protocol) => MaybePromise<StepResult>,
): MaybePromise<StepResult> {
  const protocol = protocols.get(name)?.();
  if (!protocol) return failed("launch", `no protocol is called "${name}"`);
  return isThenable(protocol) ? protocol.then(use) : use(protocol);
}

/** Where the hook was written; the event's folder counts where that is gone. */
function rootIn({ hook }: StepContext): string | undefined {
  const { root } = hook.origin;
  return root !== undefined && isFolder(root) ? root : undefined;
}

/** Runs a program and reads its end. @param folder where it runs, if not where the event happened */
export function runCommand(
  params: CommandParams,
  protocol: Protocol,
  context: StepContext,
  folder?: string,
): MaybePromise<StepResult> {
  const environment = environmentOf(params, context);
  const line = lineOf({ ...params, conventions: context.ports.conventions }, environment, context.event.cwd);
  if (typeof line === "string") return failed("launch", line);
  const place = folder === undefined ? workingFolder(context, params) : { folder, note: [] };
  return runLine({ ...line, environment, params, protocol, context, place });
}

interface Work {
  program: string;
  args: string[];
  environment: Record<string, string>;
  params: CommandParams;
  protocol: Protocol;
  context: StepContext;
  place: Place;
}
interface Place {
  folder: string;
  note: string[];
}

async function runLine(work: Work): Promise<StepResult> {
  const { program, args, environment, params, protocol, context, place } = work;
  const { event, hook, ports, caller, signal } = context;
  if (!ports.spawn) return failed("launch", "nothing here can start programs");
  const input = protocol.write(event, writtenName(hook, event.name), hook);
  const ended = await ports.spawn(
    { program, args, cwd: place.folder, environment, input, ...umaskOf(caller) },
    {
      signal,
      ...(protocol.detaches ? { detaches: protocol.detaches } : {}),
      ...(params.detach === "allow" ? { leftovers: "keep" } : {}),
    },
  );
  const result = conclude(ended, work, place.note);
  return ended.rest && result.ok ? { ...result, detached: goOn(ended.rest, ended, work) } : result;
}

/**
 * The session's folder (C35); where the hook was written, if that is gone or only from there the script is found (R34). A folder
 * below, or a linked worktree that uses the main one's hook files, may have a script of that name which no person has trusted.
 */
function workingFolder({ event, hook }: StepContext, params: CommandParams): Place {
  const { cwd } = event;
  const { root } = hook.origin;
  if (!isFolder(cwd)) {
    const folder = root !== undefined && isFolder(root) ? root : tmpdir();
    return { folder, note: [`the folder ${cwd} does not exist: the command ran in ${folder}`] };
  }
  const script = root === undefined ? undefined : relativeScript(params);
  if (root === undefined || script === undefined || !existsSync(join(root, script))) return { folder: cwd, note: [] };
  const [here, declared] = [join(cwd, script), join(root, script)];
  if (here === declared) return { folder: cwd, note: [] };
  const isOwn = isInside(root, cwd) && hook.bound?.[declared] === undefined && existsSync(here);
  if (isOwn || holdsTheSame(here, declared)) return { folder: cwd, note: [] };
  return { folder: root, note: [`run from ${root}, the folder that declares it: ${script} is relative to it`] };
}

function holdsTheSame(path: string, other: string): boolean {
  try {
    return readRegularBytesSync(path).equals(readRegularBytesSync(other));
  } catch {
    return false; // one of them is not there, or is no file
  }
}

/** What the shell would not read as it stands is none. */
function relativeScript({ command: line, args }: CommandParams): string | undefined {
  const written = scriptWord(line, args)?.written;
  return written === undefined || isAbsolute(written) || /^~|[$*?`\\]/.test(written) ? undefined : written;
}

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The protocol's reading of the end, with the evidence and what a person should know about the processes. */
function conclude(ended: Ended, { protocol, context }: Work, given: string[]): StepResult {
  const { event, hook, ports, run } = context;
  const reason = ended.how === "aborted" ? (ended.reason ?? stopReason(context)) : ended.reason;
  const result = protocol.read(reason === undefined ? ended : { ...ended, reason }, event, hook.id);
  for (const line of result.logs ?? []) ports.observe?.({ is: "log", ...line, hook: hook.id, run });
  const notes = [...given, ...(result.notes ?? []), ...processNotes(ended)];
  return { ...result, ...noted(notes), evidence: evidenceOf(ended) };
}

const stopReason = ({ caller, timeout }: StepContext): string =>
  caller.signal?.aborted ? "the caller gave up" : `it did not end within ${timeout} s`;

export function processNotes({ leftovers = 0, survivors, dropped }: Ended): string[] {
  const notes: string[] = [];
  if (leftovers > 0) notes.push(`${leftovers} of its processes went on after its end and were ended`);
  if (survivors > 0) notes.push(`escaped ${survivors}: at least so many of its processes could not be ended`);
  if (dropped > 0) notes.push(`${dropped} bytes of its output were not kept`);
  return notes;
}

const evidenceOf = ({ code, stdout, stderr, containment }: Ended): Evidence => ({
  ...(code === undefined ? {} : { exitCode: code }),
  stdout: shorten(stdout),
  stderr: shorten(stderr),
  containment,
});

/** A program that detached itself still has a limit of its own: what it asked for, else the step's (R14). */
function goOn(
  rest: Detached,
  { stdout }: Ended,
  work: Work,
): NonNullable<Extract<StepResult, { ok: true }>["detached"]> {
  const { context } = work;
  const limit = askedLimit(stdout) ?? context.timeout;
  const forget = context.ports.after(limit * 1000, () => rest.end());
  const done = rest.done.then((ended) => {
    forget();
    return conclude(ended, work, []);
  });
  return {
    done,
    end: () => rest.end(),
    release() {
      forget(); // the limit is the supervisor's now
      return { ...rest.release(), limit };
    },
  };
}

/** Claude Code's asyncTimeout is in milliseconds. */
function askedLimit(stdout: string): Seconds | undefined {
  const asked = Number(/"asyncTimeout"\s*:\s*(\d{1,9})/.exec(stdout)?.[1]);
  return asked > 0 ? asked / 1000 : undefined;
}
