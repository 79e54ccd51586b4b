/** The command line's front: finds the command, loads only that one, and turns errors into one sentence and an exit code. */
import { homedir } from "node:os";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { systemWords } from "../../engine/system-words.ts";
import { isInside, stateFolderOf } from "../../files/paths.ts";
import { behindGlobalFlags, type ExitCode, type Invocation, version, wrongUse } from "./command.ts";
import { commandFor, everyCommand, type FoundCommand, firstNames } from "./find.ts";
import { invocationOf } from "./invocation.ts";
import { openTerminal, safeText } from "./terminal.ts";

async function main(given: readonly string[]): Promise<number> {
  const [name, ...rest] = given;
  if (name === undefined) return (await help()).overview(terminal);
  if (["help", "--help", "-h"].includes(name)) return helpOn(rest[0], rest.slice(1));
  if (["--version", "-v", "version"].includes(name)) return printVersion();
  if (rest.includes("--help") || rest.includes("-h")) return helpOn(name, rest);
  const found = await commandFor(name, rest);
  return found ? run(found, given) : unknownCommand(name);
}

const help = () => import("./help.ts");

async function helpOn(name: string | undefined, words: readonly string[]): Promise<ExitCode> {
  const { allCommands, helpOf } = await help();
  if (name === undefined || name === "help") return allCommands(terminal);
  return (await helpOf(name, words, terminal)) ?? unknownCommand(name);
}

/** What loosens Hookline is not for an agent, however it is started (R92). */
async function isRefused(words: readonly string[], invocation: Invocation): Promise<boolean> {
  const { loosensBy } = await import("../../engine/loosening.ts");
  if (loosensBy(words) === undefined) return false;
  const { refuseAgent } = await import("./guards/person.ts");
  return refuseAgent("nothing was done", invocation);
}

async function run({ command, rest }: FoundCommand, given: readonly string[]): Promise<number> {
  await command.prepare?.(rest);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  for (const signal of stopSignals) process.once(signal, abort);
  const invocation = invocationOf(command, rest, stop.signal);
  if (invocation.flags.version === true) return printVersion();
  if (await isRefused(given, invocation)) return 1;
  stays = command.stays === true;
  try {
    return await (await command.load())(invocation);
  } finally {
    for (const signal of stopSignals) process.off(signal, abort); // what is left is its output: a signal ends that
  }
}
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

async function unknownCommand(name: string): Promise<never> {
  const { nearest } = await import("../../engine/nearest.ts");
  const all = await everyCommand();
  const known = firstNames(all);
  const others = { ...(await operationNames(all)), ...otherNames };
  const near = Object.hasOwn(others, name) ? name : nearest(name, [...known.keys(), ...Object.keys(others)]);
  const meant = near === undefined || known.has(near) ? near : others[near];
  const advice =
    meant === undefined ? "run `hookline help` to see all commands" : `did you mean \`hookline ${meant}\`?`;
  throw new HooklineError("usage", { what: `no command is called "${name}"`, where: "the command line", advice });
}

/** What routes and tools call our commands, and what could be taken for that: `task_create`, `runs_show`. */
async function operationNames(all: Awaited<ReturnType<typeof everyCommand>>): Promise<Record<string, string>> {
  const { operations, commandOf } = await import("../../operations/index.ts");
  return Object.fromEntries([
    ...[...all.keys()].map((command) => [command.replaceAll(/[ -]/g, "_"), command]),
    ...[...operations].map(([name, row]) => [name, commandOf(name, row)]),
  ]);
}

/** What other tools call our commands. */
const otherNames: Readonly<Record<string, string>> = {
  start: "up",
  serve: "up",
  stop: "down",
  ls: "list",
  hooks: "list",
  log: "runs",
  logs: "runs",
  history: "runs",
  show: "runs show",
  tail: "runs tail",
  lint: "check",
  validate: "check",
  setup: "init",
  remove: "uninstall",
  trigger: "emit",
  fire: "automation fire",
  disable: "pause",
  enable: "resume",
};

function printVersion(): ExitCode {
  terminal.exact(`hookline ${version()}`);
  return 0;
}

function report(error: unknown): ExitCode {
  terminal.error(`hookline: ${safeText(systemWords(error, otherPlace) ?? messageOf(error))}`);
  if (process.env.HOOKLINE_DEBUG && error instanceof Error) terminal.error(safeText(error.stack ?? ""));
  return error instanceof HooklineError && wrongUse.has(error.code) ? 2 : 3;
}

/** Of Hookline's own state, which can lie elsewhere; a folder on the way there may be what is in the way. */
function otherPlace(path: string): string | undefined {
  const state = stateFolderOf(homedir(), process.env);
  return isInside(state, path) || isInside(path, state) ? "name another place by XDG_STATE_HOME" : undefined;
}

/** What is said before a command has its own. */
const terminal = openTerminal(process.stdout, process.stderr, { environment: process.env, quiet: false });
const exit = process.exit.bind(process); // ours, whatever a module of the project does to it
let stays = false;
process.stdout.on("error", endUnread);
process.stderr.on("error", () => {}); // what nobody reads is lost, but the exit code is an answer and is still to come

/** Flags that hold everywhere may stand before the command too. */
function commandFirst(words: readonly string[]): readonly string[] {
  const { at, asksHelp } = behindGlobalFlags(words) ?? { at: 0, asksHelp: false };
  if (asksHelp) return ["help"];
  const command = words[at];
  return at === 0 || command === undefined ? words : [command, ...words.slice(0, at), ...words.slice(at + 1)];
}

/** A reader that has seen enough (`hookline runs | head`) is no failure. What stays has more to do than to speak. */
function endUnread(error: NodeJS.ErrnoException): void {
  if (!stays) exit(error.code === "EPIPE" ? (process.exitCode ?? 0) : 3);
}

/** Resolves when all that was written to the stream has gone, or nobody reads it any more. */
const flushing = (stream: NodeJS.WriteStream): (() => Promise<void>) => {
  const write = stream.write.bind(stream); // ours, whatever a module of the project does to the stream later
  return () => new Promise((resolve) => void write("", () => resolve()));
};
const flushes = [process.stdout, process.stderr].map(flushing);

const given = commandFirst(process.argv.slice(2));
process.argv.splice(2, Number.POSITIVE_INFINITY, ...given); // hook.ts reads its words there
if (given[0] === "hook" && !given.includes("--help") && !given.includes("-h")) await import("./hook.ts");
else {
  process.exitCode = await main(given).catch(report);
  if (!stays) await Promise.all(flushes.map((flush) => flush())); // a slow reader gets all of it
  // Whatever a module of the project has left running does not keep the command; without such, this never fires.
  setTimeout(() => exit(process.exitCode), 500).unref();
}
