/**
 * The hook command as a client of the daemon. It must not decide: it says what the daemon answered, that no daemon took
 * the event, or that one took it and the answer is lost (R60).
 */
import { existsSync, statSync } from "node:fs";
import { onDemandFile, startedFile } from "../../agents/install/own-call.ts";
import { answersWithin } from "../../agents/request.ts";
import { touch } from "../../files/write.ts";
import { readEntry } from "../../runtime/processes/process-table.ts";
import { folderHeader, ownType, proofHeader, sentHeader, umaskHeader, versionHeader } from "../daemon/hook-wire.ts";
import {
  type Address,
  type DaemonFiles,
  daemonFilesOf,
  hasDaemon,
  readAddress,
  runningDaemon,
} from "../daemon/state-file.ts";
import { buildVersion } from "./command.ts";
import { type Place, stateFolder, storePath, usualStore } from "./place.ts";

export interface Question {
  agent: string;
  event: string | undefined;
  by: string | undefined;
  cwd: string;
  payload: Uint8Array;
  environment: Readonly<Record<string, string>>;
  version: string;
}

/** What the daemon would have the command print. */
export interface Answered {
  is: "answered";
  exitCode: 0 | 2;
  out: Uint8Array;
  error: Uint8Array;
}
export type Asked =
  | Answered
  /** No daemon has taken it, so the command decides. */
  | { is: "untaken" }
  /** Its hooks may have run, so they may not run again. */
  | { is: "lost" };

const takenWithin = 250;

/** Never rejects. */
export function askDaemon(address: Address, question: Question): Promise<Asked> {
  const { connect } = process.getBuiltinModule("node:net"); // 3 ms to load, and most machines have no daemon
  const whole = message(address, question);
  return new Promise((resolve) => {
    const socket = connect(address.socket ? { path: address.socket } : { port: address.port, host: "127.0.0.1" });
    let received = Buffer.alloc(0);
    let timer = setTimeout(() => conclude(), takenWithin);
    const conclude = (asked = readAnswer(received, address.proof) ?? { is: "untaken" as const }): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(asked);
    };
    socket.on("data", (bytes: Buffer) => {
      if (received.length === 0) {
        clearTimeout(timer);
        timer = setTimeout(() => conclude(), answersWithin);
      }
      received = Buffer.concat([received, bytes]);
      const asked = readAnswer(received, address.proof);
      if (asked && asked.is !== "lost") conclude(asked);
    });
    socket.on("error", () => conclude());
    socket.on("close", () => conclude());
    for (const part of whole) socket.write(part);
  });
}

function message({ port, token }: Address, question: Question): Uint8Array[] {
  const { agent, event, by, cwd, payload, environment, version } = question;
  const sender = Object.entries(environment).map(([name, value]) => `${name}=${value}\0`);
  const variables = Buffer.from(`\0${sender.join("")}`);
  const query = Object.entries({ event, by }).flatMap(([name, value]) =>
    value ? `${name}=${encodeURIComponent(value)}` : [],
  );
  const head = [
    `POST /hook/${encodeURIComponent(agent)}${query.length > 0 ? `?${query.join("&")}` : ""} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${token}`,
    `${versionHeader}: ${version}`,
    `${sentHeader}: ${Date.now()}`,
    `${folderHeader}: ${encodeURIComponent(cwd).replaceAll("%2F", "/")}`,
    `${umaskHeader}: ${process.umask().toString(8)}`,
    `content-type: ${ownType}`,
    `content-length: ${payload.length + variables.length}`,
    "connection: close",
  ];
  return [Buffer.from(`${head.join("\r\n")}\r\n\r\n`), payload, variables];
}

// What the bytes of a daemon mean. Pure, so that every broken answer can be tried.

const blankLine = "\r\n\r\n";
const takenLine = "HTTP/1.1 102";
const answerLine = "HTTP/1.1 200";

/**
 * @param bytes all that has come so far
 * @param proof of the address file: an answer without it is another program's, whatever it says
 * @returns what it would mean if no more came; undefined: nothing has come, so the event is not taken
 */
export function readAnswer(bytes: Buffer, proof: string): Asked | undefined {
  const text = bytes.toString("latin1"); // one letter for each byte
  const isTaken = text.startsWith(takenLine);
  const start = isTaken ? text.indexOf(blankLine) + blankLine.length : 0;
  if (isTaken && start < blankLine.length) return { is: "lost" };
  const end = text.indexOf(blankLine, start);
  const isAnswer = text.startsWith(answerLine, start);
  if (end < 0) return isTaken || isAnswer ? { is: "lost" } : undefined;
  if (!text.slice(start, end + 2).includes(`\r\n${proofHeader}: ${proof}\r\n`)) return { is: "untaken" };
  if (!isAnswer) return { is: isTaken ? "lost" : "untaken" };
  return answerIn(bytes, text, end + blankLine.length) ?? { is: "lost" };
}

function answerIn(bytes: Buffer, text: string, start: number): Asked | undefined {
  const numbers = /^([02]) (\d+) (\d+)\n/.exec(text.slice(start, start + 40));
  if (!numbers) return undefined;
  const [line, code, out, error] = numbers;
  const outStart = start + line.length;
  const errorStart = outStart + Number(out);
  const end = errorStart + Number(error);
  if (bytes.length < end) return undefined;
  return {
    is: "answered",
    exitCode: code === "2" ? 2 : 0,
    out: bytes.subarray(outStart, errorStart),
    error: bytes.subarray(errorStart, end),
  };
}

// For the next event: a daemon where none is running and install has allowed it, and a client that it knows.

/** One that cannot be started is not tried again by each event. */
const notAgainWithin = 10_000;

/** To be called when the answer is written. Never rejects. */
export async function startOnDemand(place: Place, store: string | undefined): Promise<void> {
  const state = stateFolder(place);
  if (place.environment.HOOKLINE_DAEMON === "off" || !existsSync(onDemandFile(state))) return;
  try {
    const files = daemonFilesOf(storePath(place, store));
    if (files.address !== daemonFilesOf(usualStore(place)).address) return; // a person starts that of another one
    if ((isThere(files.address) && !endStopped(files)) || wasStarted(startedFile(state))) return;
    touch(startedFile(state), new Date());
    const { startDaemon } = await import("./daemon/start.ts");
    startDaemon(place);
  } catch {
    // The next event is judged by its own command again, as this one was; `hookline status` says that there is no daemon.
  }
}

/** Of our version, and alive. */
function isThere(file: string): boolean {
  const address = readAddress(file);
  return address !== undefined && address.version === buildVersion() && hasDaemon(address);
}

/**
 * Agents that ask over HTTP wait for a stopped daemon until their limit, at each call, and nobody knows of one that a client
 * started: so another takes its place. One that a person has started is left to that person.
 *
 * @returns whether it is gone
 */
function endStopped(files: DaemonFiles): boolean {
  const daemon = runningDaemon(files);
  if (daemon?.onDemand !== true || readEntry(daemon.pid)?.isStopped !== true) return false;
  process.kill(daemon.pid, "SIGKILL");
  return true;
}

/** A clock that was set back does not keep it from being started. */
function wasStarted(file: string): boolean {
  const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return last !== undefined && Math.abs(Date.now() - last) < notAgainWithin;
}

/** Writes the clients anew after an update: a daemon of the new version refuses the old ones. Never rejects. */
export async function renewClient(place: Place): Promise<void> {
  try {
    const [{ writeNativeClient, writtenNativeClient }, { writeClient, writtenClient }, { writeLaunchers }] =
      await Promise.all([
        import("../../agents/install/client-programs.ts"),
        import("../../agents/install/client-programs.ts"),
        import("../../agents/install/launch.ts"),
      ]);
    const state = stateFolder(place);
    const shell = writtenClient(state);
    const written = writtenNativeClient(state) ?? shell;
    const version = buildVersion();
    if (written === undefined || written.version === version) return; // the agent waits for our end
    const program = [process.execPath, process.env.HOOKLINE_BIN ?? ""] as const;
    const native = writeNativeClient(state, version);
    if (shell) writeClient(state, { ...shell, version, program });
    writeLaunchers(state, { program, ...(native && { native }), ...(shell && { bash: shell.bash }) });
  } catch {
    // The state folder cannot be written: each event starts Node, and is answered.
  }
}
