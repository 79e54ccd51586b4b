/**
 * A process that performs one command of hookline after the other, for tests whose subject is what a command does and not
 * its process: the bundle's modules are loaded once, while each command gets its words, folder, environment and standard input
 * as a process of its own does. test/program.ts starts it, with requests on descriptor 3, answers on descriptor 4, and two files
 * that are opened to append as standard output and standard error: what is written to the descriptors themselves counts too.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";

export interface CommandRequest {
  bin: string;
  words: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** What it takes for its own Node, and registers with others. */
  node?: string;
  /** A file with its standard input; none: it is empty. */
  input?: string;
}
export interface CommandAnswer {
  /** None of a process that a signal ended. */
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The files that the two descriptors write to. */
const [, , ...written] = process.argv;
const exits = process.exit.bind(process);
const kills = process.kill.bind(process);
const abort = process.abort.bind(process);
const { execPath } = process;
const stdin = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
const listened = ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException", "unhandledRejection", "exit", "warning"] as const;
const own = new Map(listened.map((event) => [event, process.listeners(event as "exit")]));
let asked = 0;
let hook: { path: string; script: Script } | undefined;
for (let request = next(); request; request = next())
  writeSync(4, `${JSON.stringify(await perform(JSON.parse(request)))}\n`);
exits(0);

/** One line; none when the tests have ended. */
function next(): string | undefined {
  const parts: Buffer[] = [];
  const part = Buffer.alloc(65_536);
  for (;;) {
    const size = readSync(3, part);
    if (size === 0) return undefined;
    parts.push(Buffer.from(part.subarray(0, size)));
    if (part[size - 1] === 10) return Buffer.concat(parts).toString();
  }
}

async function perform(request: CommandRequest): Promise<CommandAnswer> {
  const { bin, words, cwd } = request;
  asked += 1;
  begin(request);
  try {
    process.chdir(cwd);
  } catch (error) {
    return { status: 3, stdout: "", stderr: `the folder of the command is not there: ${cwd}: ${error}\n` };
  }
  const left = endings();
  try {
    const asksForHelp = words.includes("--help") || words.includes("-h");
    if (words[0] === "hook" && !asksForHelp) await performHook(bin);
    else await import(`${pathToFileURL(join(bin, "..", "..", "dist", "main.js")).href}?${asked}`); // evaluated anew, what it imports is not
  } catch (error) {
    left.code = 1;
    writeSync(2, `${error instanceof Error ? error.stack : error}\n`);
  }
  const [stdout = "", stderr = ""] = written.map((path) => readFileSync(path, "utf8"));
  return { status: Number(left.code ?? process.exitCode ?? 0), stdout, stderr };
}

function begin({ bin, words, environment, node = execPath, input }: CommandRequest): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment, { HOOKLINE_BIN: bin });
  process.argv.splice(1, Number.POSITIVE_INFINITY, bin, ...words);
  process.execPath = node;
  process.exitCode = undefined;
  // What the command before has left, or has put in place against modules of its project.
  Object.assign(process, { kill: kills, abort });
  for (const event of listened) {
    process.removeAllListeners(event);
    for (const listener of own.get(event) ?? []) process.on(event, listener);
  }
  for (const name of ["stdout", "stderr"] as const) process[name].removeAllListeners("error");
  for (const descriptor of [1, 2] as const) ftruncateSync(descriptor);
  Object.defineProperty(process, "stdin", { ...stdin, configurable: true });
  closeSync(0);
  const opened = openSync(input ?? "/dev/null", "r"); // the system gives the lowest number that is free
  if (opened !== 0) throw new Error(`standard input has the descriptor ${opened}`);
}

/** The front end ends a process that something still holds after its command; this one goes on, and knows the first code. */
function endings(): { code?: unknown } {
  const left: { code?: unknown } = {};
  const stays = (code?: unknown): never => {
    left.code ??= code ?? process.exitCode ?? 0;
    return undefined as never; // who calls it has nothing more to do
  };
  Object.assign(process, { exit: stays });
  return left;
}

/** As bin/hookline.js does: the hot command is a script. */
async function performHook(bin: string): Promise<void> {
  const path = join(bin, "..", "..", "dist", "hook.cjs");
  if (hook?.path !== path) hook = { path, script: new Script(readFileSync(path, "utf8"), { filename: path }) };
  const load = (part: string): Promise<unknown> => import(pathToFileURL(join(bin, "..", "..", "dist", part)).href);
  await hook.script.runInThisContext()(load);
}
