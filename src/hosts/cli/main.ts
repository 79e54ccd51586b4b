/** The command line's front: finds the command, loads only that one, and turns errors into one sentence and an exit code. */
import { type ErrorCode, HooklineError, messageOf } from "../../engine/error.ts";
import { type Command, type ExitCode, globalFlags, invocationOf, version } from "./command.ts";
import { commands, internalCommands } from "./commands.ts";
import { safeText, wrapped } from "./terminal.ts";

/** Codes that mean wrong use; every other failure is the environment's. */
const wrongUse: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "usage",
  "event_unknown",
  "agent_unknown",
  "hook_unknown",
  "run_unknown",
  "payload_cut",
  "input_invalid",
  "parameters_invalid",
]);

async function main(given: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = given;
  if (name === "help" || name === "--help" || name === "-h") return printHelp(rest[0], rest.slice(1));
  if (["--version", "-v", "version"].includes(name)) return printVersion();
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return unknownCommand(name);
  if (rest.includes("--help") || rest.includes("-h")) return printHelp(name, rest);
  return run(command, rest);
}

async function run(command: Command, rest: readonly string[]): Promise<number> {
  await command.prepare?.(rest);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  for (const signal of stopSignals) process.once(signal, abort);
  const chosen = command.choose ? await command.choose(rest) : { command, rest };
  const invocation = invocationOf(chosen.command, chosen.rest, stop.signal);
  stays = chosen.command.stays === true;
  try {
    return await (await chosen.command.load())(invocation);
  } finally {
    for (const signal of stopSignals) process.off(signal, abort); // what is left is its output: a signal ends that
  }
}
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

async function unknownCommand(name: string): Promise<never> {
  const { nearest } = await import("../../engine/nearest.ts");
  const near = Object.hasOwn(otherNames, name) ? otherNames[name] : nearest(name, Object.keys(commands));
  const advice = near === undefined ? "run `hookline help` to see all commands" : `did you mean \`hookline ${near}\`?`;
  throw new HooklineError("usage", { what: `no command is called "${name}"`, where: "the command line", advice });
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
  replay: "rerun",
  disable: "pause",
  enable: "resume",
};

async function printHelp(name: string | undefined, words: readonly string[] = []): Promise<ExitCode> {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name !== undefined && command?.choose) {
    const own = (await command.ownActions?.()) ?? {};
    const action = words.find((word) => Object.hasOwn(own, word));
    if (action !== undefined && own[action]) return printHelpOf(`${name} ${action}`, own[action]);
    const { helpOf } = await import("./operations/actions.ts");
    process.stdout.write(helpOf({ name, summary: command.summary, own }, words));
    return 0;
  }
  if (name !== undefined && command) return printHelpOf(name, command);
  if (name !== undefined && name !== "help") return unknownCommand(name);
  const rows = Object.entries(commands).filter(([key]) => !internalCommands.has(key));
  const width = Math.max(...rows.map(([key]) => key.length));
  process.stdout.write(`Hookline: one hook engine for coding agents.\n\nusage: hookline COMMAND [--help]\n\n`);
  for (const [key, { summary }] of rows) process.stdout.write(`  ${key.padEnd(width)}  ${summary}\n`);
  process.stdout.write(
    `\nFlags of all commands:\n  --cwd DIR  --json  --store FILE  --quiet  --verbose  --help\n\nTo see hooks at work, run: hookline demo --once\n`,
  );
  return 0;
}

async function printHelpOf(name: string, { summary, usage, example, flags }: Command): Promise<ExitCode> {
  process.stdout.write(`${summary}\n\nusage:   hookline ${usage}\nexample: ${example}\n`);
  const { flagTexts } = await import("./flag-texts.ts");
  const texts = Object.keys(flags).map((flag) => [`--${flag}`, flagTexts[`${name} --${flag}`] ?? ""] as const);
  const shown = texts.filter(([, text]) => !text.startsWith("internal:"));
  if (shown.length > 0) process.stdout.write(`\n${shown.map(([flag, text]) => flagLines(flag, text)).join("\n")}\n`);
  return 0;
}

const flagColumn = 14;

/** A flag and its text, in lines that fit the terminal. */
function flagLines(flag: string, text: string): string {
  const lines = wrapped(text.replaceAll("`", ""), (process.stdout.columns ?? 80) - flagColumn - 2);
  return lines.map((line, index) => `  ${(index === 0 ? flag : "").padEnd(flagColumn)}${line}`).join("\n");
}

function printVersion(): ExitCode {
  process.stdout.write(`hookline ${version()}\n`);
  return 0;
}

function report(error: unknown): ExitCode {
  process.stderr.write(`hookline: ${safeText(messageOf(error))}\n`);
  if (process.env.HOOKLINE_DEBUG && error instanceof Error) process.stderr.write(`${safeText(error.stack ?? "")}\n`);
  return error instanceof HooklineError && wrongUse.has(error.code) ? 2 : 3;
}

const exit = process.exit.bind(process); // ours, whatever a module of the project does to it
let stays = false;
process.stdout.on("error", endUnread);
process.stderr.on("error", () => {}); // what nobody reads is lost, but the exit code is an answer and is still to come

/** Flags that hold everywhere may stand before the command too. */
function commandFirst(words: readonly string[]): readonly string[] {
  let index = 0;
  for (let word = words[0]; word?.startsWith("-"); word = words[index]) {
    const [written = "", value] = word.split("=", 2);
    const flag = Object.entries(globalFlags).find(
      ([name, { short }]) => written === `--${name}` || written === `-${short}`,
    );
    if (flag?.[0] === "help") return ["help"];
    if (!flag) return words;
    index += flag[1].type === "string" && value === undefined ? 2 : 1;
  }
  const command = words[index];
  return index === 0 || command === undefined ? words : [command, ...words.slice(0, index), ...words.slice(index + 1)];
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
