/**
 * A process that performs one command of hookline after the other, for tests whose subject is what a command does and not
 * its process: the bundle's modules are loaded once, while each command gets its words, folder and environment as a process of
 * its own does. test/program.ts starts it, with requests on descriptor 3 and answers on descriptor 4.
 */
import { readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface CommandRequest {
  bin: string;
  words: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
}
export interface CommandAnswer {
  /** None of a process that a signal ended. */
  status: number | null;
  stdout: string;
  stderr: string;
}

const exits = process.exit.bind(process);
const kills = process.kill.bind(process);
const abort = process.abort.bind(process);
let asked = 0;
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

async function perform({ bin, words, cwd, environment }: CommandRequest): Promise<CommandAnswer> {
  const said = { stdout: "", stderr: "" };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment, { HOOKLINE_BIN: bin });
  process.chdir(cwd);
  process.argv.splice(1, Number.POSITIVE_INFINITY, bin, ...words);
  process.exitCode = undefined;
  // What the command before may have put in place against modules of its project.
  Object.assign(process, { exit: stays, kill: kills, abort });
  for (const event of ["uncaughtException", "unhandledRejection"] as const) process.removeAllListeners(event);
  for (const name of ["stdout", "stderr"] as const) {
    process[name].removeAllListeners("error");
    process[name].write = (text: string | Uint8Array, ...more: unknown[]) => {
      said[name] += typeof text === "string" ? text : Buffer.from(text).toString();
      const written = more.find((one) => typeof one === "function");
      if (written) setImmediate(() => written());
      return true;
    };
  }
  asked += 1;
  await import(`${pathToFileURL(join(bin, "..", "..", "dist", "main.js")).href}?${asked}`); // evaluated anew, what it imports is not
  return { status: Number(process.exitCode ?? 0), ...said };
}

/** The front end ends a process that something still holds after its command; this one goes on. */
function stays(): never {
  return undefined as never; // who calls it has nothing more to do
}
