/**
 * A persistent program where no process stays that could keep it: it is started for one event, given one line and the end of
 * its input, and ended once it has answered. So the same hook gives the same verdict with and without a daemon.
 */
import type { Seconds } from "../core/event.ts";
import type { StepContext } from "../core/ports.ts";
import type { Detached, Ended } from "../core/program.ts";
import type { Failure } from "../core/record.ts";
import {
  longestLineInBytes,
  type Question,
  questionLine,
  quote,
  type Reply,
  readAnswerLine,
  unsaid,
} from "../core/resident.ts";

/** For going by itself when it has answered. */
const farewell: Seconds = 0.3;
const id = "1";

export async function askOnce(question: Question, { ports, signal, caller, timeout }: StepContext): Promise<Reply> {
  if (!ports.spawn) return failure("launch", "nothing here can start programs");
  const command = question.command();
  if (typeof command === "string") return failure("launch", command);
  let first: string | undefined;
  const ended = await ports.spawn(
    { ...command, input: questionLine(id, question, unsaid(question.environment, command.environment)) },
    {
      signal,
      keptInBytes: 2 * longestLineInBytes + 2, // a line that is too long can be told from one that was cut
      detaches(line) {
        if (typeof readAnswerLine(line) === "string") return false; // noise, or not the whole line yet
        first = line;
        return true;
      },
    },
  );
  if (ended.rest) await goes(ended.rest, ports.after);
  const stderr = ended.stderr === "" ? {} : { stderr: ended.stderr };
  return { ...replyOf(ended, first, caller.signal?.aborted === true, timeout), ...stderr };
}

/** It has had the end of its input: most go by themselves. */
async function goes({ done, end }: Detached, after: StepContext["ports"]["after"]): Promise<void> {
  const undo = after(farewell * 1000, end);
  await done;
  undo();
}

function replyOf(ended: Ended, first: string | undefined, isCancelled: boolean, timeout: Seconds): Reply {
  if (ended.how === "launch") return failure("launch", ended.reason ?? "it did not start");
  if (ended.how === "output") return failure("output", ended.reason ?? "it wrote too much");
  if (ended.how === "aborted")
    return isCancelled
      ? failure("cancelled", "the caller gave up")
      : failure("timeout", `it did not answer within ${timeout} s`);
  const line = first ?? ended.stdout.split("\n").find((one) => one.trim() !== "");
  if (line === undefined) return failure("exit", `${endOf(ended)} before it answered`);
  if (Buffer.byteLength(line) > longestLineInBytes)
    return failure("output", `it wrote a line of more than ${longestLineInBytes} bytes`);
  const answer = readAnswerLine(line);
  if (typeof answer === "string") return failure("output", answer);
  if (answer.id !== id) return failure("output", `it answered what nobody asked: ${quote(line)}`);
  return { is: "answer", fields: answer.fields, line, notes: [] };
}

const endOf = ({ code, signal }: Ended): string =>
  code === undefined ? `it was ended by ${signal}` : `it ended with exit code ${code}`;

const failure = (kind: Failure, reason: string): Reply => ({
  is: "failure",
  failure: kind,
  reason,
  notes: [],
});
