/** What came of a run, in words: for lists of the command line and for pages of the dashboard. */
import { wouldHave } from "../../engine/counting.ts";
import { type Fields, textField } from "../../engine/event.ts";
import type { Message } from "../../engine/outcome.ts";
import type { Run } from "../../engine/record.ts";
import { isRecord } from "../../engine/schema.ts";

/** What came of a run, in a few words: why it did not run, or what it answered. */
export function resultOf({ status, reason, outcome, withheld, steps }: Run): string {
  if (withheld) return wouldHave(withheld);
  if (outcome?.verdict) return `${outcome.verdict.is}: ${outcome.verdict.reason ?? "(no reason)"}`;
  if (reason !== undefined && status !== "completed") return reason;
  if (outcome?.stop) return `stop: ${outcome.stop.reason ?? ""}`;
  if (outcome?.updatedInput) return `rewrote it to ${inputOf(outcome.updatedInput)}`;
  if (outcome?.context) return `added context: ${outcome.context.join("\n")}`;
  if (outcome?.messages?.length) return `said: ${saidIn(outcome.messages)}`;
  const response = steps.at(-1)?.output.response;
  if (typeof response === "string" && response !== "") return `the model said: ${response}`;
  const fields = Object.keys(outcome ?? {});
  if (fields.length > 0) return fields.join(", ");
  return status === "queued" || status === "running" ? status : "no decision";
}

/** Its status too, unless that says no more than the result. */
export function statusAndResult(run: Run): string {
  const result = resultOf(run);
  return run.status === "completed" || run.status === result ? result : `${run.status}: ${result}`;
}

const urgency: ReadonlyMap<string | undefined, number> = new Map(
  ["error", "warn", "info"].map((level, at) => [level, at]),
);
const urgencyOf = ({ level }: Message): number => urgency.get(level) ?? urgency.size;

/** What went wrong first, as a line of a table shows no more than its beginning. */
export const saidIn = (messages: readonly Message[]): string =>
  messages
    .toSorted((one, other) => urgencyOf(one) - urgencyOf(other))
    .map(({ text }) => text)
    .join("\n");

/** The part of a tool's input that a person would name. */
export const inputOf = ({ command, file_path: file, ...rest }: Fields): string =>
  typeof command === "string"
    ? command
    : typeof file === "string" && Object.keys(rest).length === 0
      ? file
      : JSON.stringify({ ...(file === undefined ? {} : { file_path: file }), ...rest });

/** As a pattern in brackets: of a command its program, and what the program is told to do; else the file. */
export function kindOfCall(data: Fields): string | undefined {
  const tool = textField(data, "tool_name");
  const { tool_input: input } = data;
  if (tool === undefined || !isRecord(input)) return undefined;
  const { command, file_path: file } = input;
  if (typeof command === "string") return `${tool}(${startOf(command)})`;
  return typeof file === "string" ? `${tool}(${file})` : tool;
}

const plainWord = /^[A-Za-z][A-Za-z0-9_-]*$/;

function startOf(command: string): string {
  const [program = "", action = ""] = command.trim().split(/\s+/);
  return plainWord.test(action) ? `${program} ${action} *` : `${program} *`;
}
