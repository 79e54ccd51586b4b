/** One check of what was just deployed: a command or an address, tried until it is well or the tries are used up. */
import { messageOf } from "../core/error.ts";
import type { Seconds } from "../core/event.ts";
import type { Ports, StepContext } from "../core/ports.ts";
import { integer, number, object, type Schema, say, text } from "../core/schema.ts";
import { type ShellParams, shell } from "./shell.ts";

export interface SmokeCheck {
  command?: string;
  /** What the variables hold that stand in the place of the command's placeholders. */
  values?: ShellParams["values"];
  url?: string;
  status?: number;
  contains?: string;
  retries?: number;
  delay?: Seconds;
  timeout?: Seconds;
}
export interface CheckEnd {
  ok: boolean;
  /** What was checked, in a few words. */
  name: string;
  attempts: number;
  /** Of the last attempt. */
  reason?: string;
}

const usual = { status: 200, retries: { url: 5, command: 0 }, delay: 1, timeout: { url: 10, command: 30 } } as const;
const answerLimitInBytes = 1 << 20;

export const smokeCheck: Schema<SmokeCheck> = object(
  {},
  {
    command: text("a line for bash, or sh, that exits 0 where all is well; or a url instead"),
    url: text("an http or https address that is got; or a command instead"),
    status: say(integer(undefined, 100), "the status that the address has to answer with", usual.status),
    contains: text("a text that has to be in the answer's body"),
    retries: say(
      integer(undefined, 0),
      "how often it is tried again; unless said 5 times for a url, never for a command",
    ),
    delay: say(number(undefined, 0), "seconds between two tries", usual.delay),
    timeout: say(number(undefined, 0.1), "seconds for one try; unless said 10 for a url, 30 for a command"),
  },
);

const kindOf = ({ url }: SmokeCheck): "url" | "command" => (url === undefined ? "command" : "url");
const retriesOf = (check: SmokeCheck): number => check.retries ?? usual.retries[kindOf(check)];
const timeoutOf = (check: SmokeCheck): Seconds => check.timeout ?? usual.timeout[kindOf(check)];

/** How long it takes at most. */
export const longestOf = (check: SmokeCheck): Seconds =>
  (retriesOf(check) + 1) * timeoutOf(check) + retriesOf(check) * (check.delay ?? usual.delay);

/** Never rejects. Stops when the step is told to. */
export async function runCheck(check: SmokeCheck, context: StepContext): Promise<CheckEnd> {
  const name = check.url === undefined ? `\`${check.command}\`` : `GET ${check.url}`;
  for (let attempts = 1; ; attempts++) {
    const reason = await (check.url === undefined ? tryCommand(check, context) : tryAddress(check, check.url, context));
    if (reason === undefined) return { ok: true, name, attempts };
    if (attempts > retriesOf(check) || context.signal.aborted) return { ok: false, name, attempts, reason };
    await pause(check.delay ?? usual.delay, context.ports, context.signal);
  }
}

async function tryCommand(check: SmokeCheck, context: StepContext): Promise<string | undefined> {
  const { command = "", values } = check;
  const wish: ShellParams = { command, timeout: timeoutOf(check), on_error: "raise", ...(values ? { values } : {}) };
  const result = await shell.run(wish, context);
  return result.ok ? undefined : result.reason;
}

async function tryAddress(check: SmokeCheck, url: string, { ports, signal }: StepContext): Promise<string | undefined> {
  if (!ports.fetch) return "nothing here can send requests";
  const { status = usual.status, contains } = check;
  const limit = timeoutOf(check);
  const late = new AbortController();
  const forget = ports.after(limit * 1000, () => late.abort());
  const request = { url, method: "GET", headers: { accept: "*/*" }, body: "", limitInBytes: answerLimitInBytes };
  try {
    const answer = await ports.fetch(request, AbortSignal.any([signal, late.signal]));
    if (answer.status !== status) return `it answered with status ${answer.status} instead of ${status}`;
    if (contains !== undefined && !answer.body.includes(contains)) return `its answer does not contain "${contains}"`;
    return undefined;
  } catch (error) {
    return late.signal.aborted ? `it did not answer within ${limit} s` : messageOf(error);
  } finally {
    forget();
  }
}

/** Ends early when the signal aborts. */
function pause(time: Seconds, { after }: Ports, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      forget();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const forget = after(time * 1000, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
