/**
 * Asks a daemon about an agent's event, as the command does before it does the work itself. Apart from the command, because it
 * must not decide: it says what the daemon answered, that nobody has taken the event, or that it was taken and got lost (R60).
 */
import { answersWithin } from "../../agents/telling.ts";
import { folderHeader, ownType, sentHeader, umaskHeader, versionHeader } from "../daemon/hook-wire.ts";
import type { Address } from "../daemon/state-file.ts";
import { readAnswer } from "./ask-daemon-answer.ts";

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
  /** Nobody has judged it, so the command does. */
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
