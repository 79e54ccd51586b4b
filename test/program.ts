/** The one way in which tests start `hookline`: the bundle that users have, not the sources. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
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
 * Runs a command of hookline to its end. Most need no process of their own, so they get none: those that stay do. A test about a
 * process, its signals or its pipes starts one itself.
 */
export function runCommand(
  words: readonly string[],
  { input = "", alone = false, bin: program = bin, ...called }: Called,
): CommandAnswer {
  const place = { ...called, environment: { COLUMNS: wide, ...called.environment } };
  const first = words.find((word) => !word.startsWith("-")) ?? "";
  const standsFirst = first !== "hook" || words[0] === "hook"; // else the front end has to find it
  if (!alone && !ownProcess.has(first) && standsFirst) return ask({ bin: program, words, ...place }, input);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: place.cwd,
    env: place.environment,
    encoding: "utf8",
    input,
  });
  return { status, stdout, stderr };
}
/** A test about what is said is not about where its lines end. */
const wide = "400";
export interface Called extends Pick<CommandRequest, "cwd" | "environment" | "node"> {
  /** Of another build, such as the one that asks for trust. */
  bin?: string;
  input?: string;
  /** In a process of its own: what it loads may disturb the commands after it. */
  alone?: boolean;
}
const ownProcess = new Set(["up", "demo", "supervise", "worker"]);

function ask(request: CommandRequest, input: string): CommandAnswer {
  standing ??= stand();
  const { place, requests, answers } = standing;
  const given = join(place, "input");
  if (input !== "") writeFileSync(given, input);
  writeSync(requests, `${JSON.stringify(input === "" ? request : { ...request, input: given })}\n`);
  const parts: Buffer[] = [];
  const part = Buffer.alloc(65_536);
  do {
    const size = readSync(answers, part);
    if (size === 0) {
      const said = readFileSync(join(place, "stderr"), "utf8");
      standing = undefined; // the next command gets another
      throw new Error(`the process of the commands ended in: hookline ${request.words.join(" ")}\n${said}`);
    }
    parts.push(Buffer.from(part.subarray(0, size)));
  } while (parts.at(-1)?.at(-1) !== 10);
  return JSON.parse(Buffer.concat(parts).toString());
}
/** The folder of the process that stays, with its pipes `requests` and `answers` and its files `stdout` and `stderr`. */
export function standingFolder(): string {
  standing ??= stand();
  return standing.place;
}
interface Standing {
  place: string;
  requests: number;
  answers: number;
}
let standing: Standing | undefined;

/** Commands are asked and waited for as spawnSync does, so through pipes with names. */
function stand(): Standing {
  const place = mkdtempSync(join(tmpdir(), "hookline-standing-"));
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  const [requests, answers, stdout, stderr] = ["requests", "answers", "stdout", "stderr"].map((name) =>
    join(place, name),
  ) as [string, string, string, string]; // one for each of the four names
  spawnSync("mkfifo", [requests, answers]);
  const source = join(import.meta.dirname, "standing-command.ts");
  const line = 'exec "$0" "$1" "$4" "$5" 3<"$2" 4>"$3" >>"$4" 2>>"$5"';
  spawn("/bin/sh", ["-c", line, process.execPath, source, requests, answers, stdout, stderr], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: codeCache },
    stdio: "ignore",
  }).unref();
  return { place, requests: openSync(requests, "w"), answers: openSync(answers, "r") };
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
    external: ["@opentelemetry/*", "winston", "winston-transport"], // as scripts/build.ts says
    mainFields: ["module", "main"],
    banner: { js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
    logLevel: "error",
  });
  bundles.set(source, outfile);
  return outfile;
}
