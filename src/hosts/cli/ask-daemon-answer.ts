/** What a daemon's bytes say to a client of ours. Pure, and apart from the socket, so that every broken answer can be tried. */
import { proofHeader } from "../daemon/hook-wire.ts";
import type { Asked } from "./ask-daemon.ts";

const blankLine = "\r\n\r\n";
const takenLine = "HTTP/1.1 102";
const answerLine = "HTTP/1.1 200";

/**
 * @param bytes all that has come so far
 * @param proof of the address file: an answer without it is another program's, whatever it says
 * @returns what it would mean if no more came; undefined: nothing has come, so nobody has taken the event
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
