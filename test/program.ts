/** The one way in which tests start `hookline`: the bundle that users have, not the sources. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { packageForTests } from "../scripts/package-for-tests.ts";
import type { CommandAnswer, CommandRequest } from "./standing-command.ts";

/** The runner has built it; of a file that is run by hand it is built here. */
const folder: string = process.env.HOOKLINE_TEST_PACKAGE ?? packageForTests();

/** To be started by `process.execPath`. */
export const bin: string = join(folder, "bin", "hookline.js");

/** As `NODE_COMPILE_CACHE`: a home of its own would have each test compile all anew. */
export const codeCache: string = join(folder, "code");

/**
 * Runs a command of hookline to its end. Most need no process of their own, so they get none: those that answer an agent, stay or
 * read standard input do. A test about a process, its signals or its pipes starts one itself.
 */
export function runCommand(words: readonly string[], { input = "", ...called }: Called): CommandAnswer {
  const place = { ...called, environment: { COLUMNS: wide, ...called.environment } };
  const first = words.find((word) => !word.startsWith("-")) ?? "";
  if (input === "" && !ownProcess.has(first)) return ask({ bin, words, ...place });
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], {
    cwd: place.cwd,
    env: place.environment,
    encoding: "utf8",
    input,
  });
  return { status, stdout, stderr };
}
/** A test about what is said is not about where its lines end. */
const wide = "400";
export interface Called extends Pick<CommandRequest, "cwd" | "environment"> {
  input?: string;
}
const ownProcess = new Set(["hook", "up", "down", "demo", "mcp", "supervise"]);

function ask(request: CommandRequest): CommandAnswer {
  standing ??= stand();
  writeSync(standing.requests, `${JSON.stringify(request)}\n`);
  const parts: Buffer[] = [];
  const part = Buffer.alloc(65_536);
  do {
    const size = readSync(standing.answers, part);
    if (size === 0) throw new Error(`the process of the commands ended in: hookline ${request.words.join(" ")}`);
    parts.push(Buffer.from(part.subarray(0, size)));
  } while (parts.at(-1)?.at(-1) !== 10);
  return JSON.parse(Buffer.concat(parts).toString());
}
let standing: { requests: number; answers: number } | undefined;

/** Commands are asked and waited for as spawnSync does, so through pipes with names. */
function stand(): { requests: number; answers: number } {
  const place = mkdtempSync(join(tmpdir(), "hookline-standing-"));
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  const [requests, answers] = [join(place, "requests"), join(place, "answers")];
  spawnSync("mkfifo", [requests, answers]);
  const source = join(import.meta.dirname, "standing-command.ts");
  const line = 'exec "$0" "$1" 3<"$2" 4>"$3"';
  spawn("/bin/sh", ["-c", line, process.execPath, source, requests, answers], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: codeCache },
    stdio: ["ignore", "ignore", "inherit"],
  }).unref();
  return { requests: openSync(requests, "w"), answers: openSync(answers, "r") };
}

const bundles = new Map<string, string>();

/**
 * A program of the tests in one file of JavaScript, built when it is first asked for: to load it with all that it imports
 * from the sources takes several times as long, and it is started often.
 */
export function bundled(source: string): string {
  const ready = bundles.get(source);
  if (ready) return ready;
  const place = mkdtempSync(join(tmpdir(), "hookline-bundled-"));
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  const outfile = join(place, `${basename(source, ".ts")}.mjs`);
  buildSync({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    define: { TRUSTS_ALL: "true" },
    mainFields: ["module", "main"],
    banner: { js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
    logLevel: "error",
  });
  bundles.set(source, outfile);
  return outfile;
}
