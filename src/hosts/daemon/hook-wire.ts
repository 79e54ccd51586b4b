/** How clients of ours and the daemon speak: what is sent with an event, and how the answer is written. */
import type { Reply } from "../../agents/adapter.ts";
import { printed } from "../../agents/request.ts";

/** The type of a body with the payload, NUL, and the sender's environment. */
export const ownType = "application/x-hookline";

export const versionHeader = "x-hookline-version";
/** When it was sent, in epoch milliseconds of this machine. */
export const sentHeader = "x-hookline-sent";
/** The sender's folder, percent-encoded. */
export const folderHeader = "x-hookline-cwd";
/** The mode bits that its files are made without, in octal. */
export const umaskHeader = "x-hookline-umask";
/** In the answer: what only the daemon of the address file knows. */
export const proofHeader = "x-hookline-proof";

/** The agent's payload, and the entries of the environment; a sender of few words has none. */
export function partsOf(body: Buffer): { payload: Buffer; environment: Buffer } {
  const end = body.indexOf(0);
  return end < 0
    ? { payload: body, environment: body.subarray(body.length) }
    : { payload: body.subarray(0, end), environment: body.subarray(end + 1) };
}

/** One line that says what follows, then standard output and standard error as the command would have written them. */
export function answerOf(reply: Reply): Buffer {
  const { out, error } = printed(reply);
  return Buffer.from(`${reply.exitCode} ${Buffer.byteLength(out)} ${Buffer.byteLength(error)}\n${out}${error}`);
}

/** Undefined: it says none. */
export const umaskIn = (written: unknown): number | undefined =>
  typeof written === "string" && /^0?[0-7]{1,4}$/.test(written) ? Number.parseInt(written, 8) & 0o777 : undefined;

/** Undefined: it says none that can be read. */
export function folderIn(written: unknown): string | undefined {
  if (typeof written !== "string") return undefined;
  try {
    const folder = decodeURIComponent(written);
    return folder.startsWith("/") ? folder : undefined;
  } catch {
    return undefined; // a per cent sign that stands for itself
  }
}
