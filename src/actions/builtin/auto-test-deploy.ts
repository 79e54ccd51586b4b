/** Deploys with a command, then checks that what was deployed is well, and sends the model a message (specification 003). */

import { messageOf } from "../../engine/error.ts";
import type { Fields, Seconds } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import {
  type Handler,
  type Patterns,
  pause,
  type Scope,
  type StepContext,
  type StepResult,
} from "../../engine/ports.ts";
import { reachOfHook } from "../../engine/reach.ts";
import {
  flag,
  integer,
  isRecord,
  listOf,
  type Mismatch,
  number,
  object,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import { compileTemplate, printValue } from "../../engine/template.ts";
import { counted, plural } from "../../engine/words.ts";
import { firstLine } from "../command/protocols/endings.ts";
import { type ShellParams, shell } from "../rules/shell.ts";
import { failed, handler, withinLimit } from "../step.ts";

interface SmokeCheck {
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
interface CheckEnd {
  ok: boolean;
  /** What was checked, in a few words. */
  name: string;
  attempts: number;
  /** Of the last attempt. */
  reason?: string;
}

const usual = { status: 200, retries: { url: 5, command: 0 }, delay: 1, timeout: { url: 10, command: 30 } } as const;
const answerLimitInBytes = 1 << 20;

const smokeCheck: Schema<SmokeCheck> = object(
  {},
  {
    command: text("a line for bash, or sh, that exits 0 where all is well; or a url instead"),
    url: text("an http or https address that is got; or a command instead"),
    status: say(integer(undefined, 100), "the status that the address has to answer with", usual.status),
    contains: text("a text that has to be in the answer's body"),
    retries: say(
      integer(undefined, 0),
      "how often it is tried again (default: 5 times for a url, never for a command)",
    ),
    delay: say(number(undefined, 0), "seconds between two tries", usual.delay),
    timeout: say(number(undefined, 0.1), "seconds for one try (default: 10 for a url, 30 for a command)"),
  },
);

const kindOf = ({ url }: SmokeCheck): "url" | "command" => (url === undefined ? "command" : "url");
const retriesOf = (check: SmokeCheck): number => check.retries ?? usual.retries[kindOf(check)];
const timeoutOf = (check: SmokeCheck): Seconds => check.timeout ?? usual.timeout[kindOf(check)];

/** How long it takes at most. */
const longestOf = (check: SmokeCheck): Seconds =>
  (retriesOf(check) + 1) * timeoutOf(check) + retriesOf(check) * (check.delay ?? usual.delay);

/** Never rejects. Stops when the step is aborted. */
async function runCheck(check: SmokeCheck, context: StepContext): Promise<CheckEnd> {
  const name = check.url === undefined ? `\`${check.command}\`` : `GET ${check.url}`;
  for (let attempts = 1; ; attempts++) {
    const reason = await (check.url === undefined ? tryCommand(check, context) : tryAddress(check, check.url, context));
    if (reason === undefined) return { ok: true, name, attempts };
    if (attempts > retriesOf(check) || context.signal.aborted) return { ok: false, name, attempts, reason };
    await pause((check.delay ?? usual.delay) * 1000, context.ports, context.signal);
  }
}

async function tryCommand(check: SmokeCheck, context: StepContext): Promise<string | undefined> {
  const { command = "", values } = check;
  const wish: ShellParams = { command, timeout: timeoutOf(check), on_error: "raise", ...(values ? { values } : {}) };
  const result = await shell.run(wish, context);
  return result.ok ? undefined : result.reason;
}

async function tryAddress(
  check: SmokeCheck,
  url: string,
  { hook, ports, signal }: StepContext,
): Promise<string | undefined> {
  if (!ports.fetch) return "nothing here can send requests";
  const { status = usual.status, contains } = check;
  const limit = timeoutOf(check);
  const limited = withinLimit({ ports, signal }, limit);
  const request = {
    ...{ url, method: "GET", headers: { accept: "*/*" }, body: "" },
    ...{ limitInBytes: answerLimitInBytes, reach: reachOfHook(url, hook) },
  };
  try {
    const answer = await ports.fetch(request, limited.signal);
    if (answer.status !== status) return `it answered with status ${answer.status} instead of ${status}`;
    if (contains !== undefined && !answer.body.includes(contains)) return `its answer does not contain "${contains}"`;
    return undefined;
  } catch (error) {
    return limited.isOver() ? `it did not answer within ${limit} s` : messageOf(error);
  } finally {
    limited.end();
  }
}

interface AutoTestDeployParams {
  command: string;
  cwd?: string;
  timeout?: Seconds;
  checks?: SmokeCheck[];
  inject?: boolean;
  values?: ShellParams["values"];
}

const usualLimit: Seconds = 120;
/** For programs that were asked to stop. */
const endingLasts: Seconds = 3;

export const autoTestDeploy: Handler = handler({
  params: object(
    { command: text("a line for bash, or sh, that deploys; placeholders become variables") },
    {
      cwd: say(text(), "where it runs, relative to the folder of the rules (default: the event's folder)"),
      timeout: say(number(undefined, 0.1), "seconds until the deploy is ended, with all that it started", usualLimit),
      checks: say(listOf(smokeCheck), "checks of what was deployed, in order; the first that fails ends them", []),
      inject: say(flag, "reports the result to the model", true),
    },
  ),
  needs: ["spawn", "fetch"],
  action: {
    summary: "Runs a deploy command, then smoke checks by command or HTTP, and reports the result to the model.",
    role: () => "observe",
    limit: longest,
  },
  inspect(params, patterns) {
    const [deploy, ...checks] = commandsOf(params);
    const listed = Array.isArray(params.checks) ? params.checks : [];
    return [
      ...faultsOf(deploy, [], patterns),
      ...checks.flatMap((check, index) => faultsOf(check, ["checks", index], patterns)),
      ...listed.flatMap((check, index) => (isRecord(check) ? wrongCheck(check, ["checks", index]) : [])),
    ];
  },
  async render(params, scope) {
    const [deploy, ...checks] = await Promise.all(
      commandsOf(params).map((command) => command && shell.render?.(command, scope)),
    );
    const { checks: listed, command: _filledAbove, ...others } = params;
    return {
      ...fill(others, scope),
      ...deploy,
      ...(Array.isArray(listed)
        ? { checks: listed.map((check, index) => fillCheck(check, checks[index], scope)) }
        : {}),
    };
  },
  run: deployAndCheck,
});

function longest({ timeout, checks }: Fields): Seconds {
  const deploying = typeof timeout === "number" ? timeout : usualLimit;
  const listed: unknown[] = Array.isArray(checks) ? checks : [];
  return listed.filter(isCheck).reduce((sum, check) => sum + longestOf(check), deploying + endingLasts);
}

const isCheck = (value: unknown): value is SmokeCheck => smokeCheck.check(value).length === 0;

/** The deploy's command, then those of the checks. */
function commandsOf(params: Fields): (Fields | undefined)[] {
  const checks = Array.isArray(params.checks) ? params.checks : [];
  return [params, ...checks].map((one) => commandIn(one));
}

const commandIn = (value: unknown): Fields | undefined =>
  isRecord(value) && typeof value.command === "string" ? { command: value.command } : undefined;

const faultsOf = (command: Fields | undefined, path: Mismatch["path"], patterns?: Patterns): Mismatch[] =>
  (command && shell.inspect?.(command, patterns))?.map((fault) => ({ ...fault, path: [...path, ...fault.path] })) ?? [];

function wrongCheck({ command, url }: Record<string, unknown>, path: Mismatch["path"]): Mismatch[] {
  if ((command === undefined) === (url === undefined))
    return [{ path, expected: "a command or a url", found: command === undefined ? "neither" : "both" }];
  if (typeof url !== "string" || url.includes("{{") || /^https?:\/\/[^/]/.test(url)) return [];
  return [{ path: [...path, "url"], expected: "an http or https address", found: url }];
}

/** Texts stay texts, whatever a placeholder that is the whole of one holds. */
const texts: readonly string[] = ["cwd", "url", "contains"];

function fill(value: Fields, scope: Scope): Fields {
  const filled = compileTemplate(value)(scope) as Fields; // a template keeps the shape of what it fills
  return Object.fromEntries(
    Object.entries(filled).map(([key, one]) => [key, texts.includes(key) ? printValue(one) : one]),
  );
}

function fillCheck(check: unknown, command: Fields | undefined, scope: Scope): Fields {
  const { command: _filledAbove, ...others } = check as Fields; // the schema has looked at it
  return { ...fill(others, scope), ...command };
}

async function deployAndCheck(params: AutoTestDeployParams, context: StepContext): Promise<StepResult> {
  const { command, cwd, timeout = usualLimit, checks = [], values } = params;
  const wish: ShellParams = { command, timeout, on_error: "raise" };
  const deploy = await shell.run({ ...wish, ...(cwd ? { cwd } : {}), ...(values ? { values } : {}) }, context);
  const name = `\`${firstLine(command).slice(0, 120)}\``;
  if (!deploy.ok)
    return { ...deploy, ...messageFor(`The deploy ${name} failed: ${deploy.reason}`, params, deploy.output) };
  const ends: CheckEnd[] = [];
  for (const check of checks) {
    const end = await runCheck(check, context);
    ends.push(end);
    if (!end.ok) break;
  }
  const output: Fields = {
    ...deploy.output,
    passed: ends.every(({ ok }) => ok),
    checks: ends.map((one) => ({ ...one })),
  };
  const failure = ends.find(({ ok }) => !ok);
  const evidence = deploy.evidence ? { evidence: deploy.evidence } : {};
  if (failure) {
    const reason = `${failure.name} failed after ${counted(failure.attempts, "try", "tries")}: ${failure.reason}`;
    const text = `Deployed with ${name}, but the check ${reason}`;
    return { ...failed("error", `the check ${reason}`, output), ...evidence, ...messageFor(text, params) };
  }
  const passed = ends.length === 0 ? "" : ` ${plural(ends.length, "The check", `All ${ends.length} checks`)} passed.`;
  return { ok: true, output, ...evidence, ...messageFor(`Deployed with ${name}.${passed}`, params) };
}

const lastWords = 2_000;

/** @param said what the failed command printed, of which the message holds the end */
function messageFor(
  message: string,
  { inject = true }: AutoTestDeployParams,
  said: Fields = {},
): { outcome?: Outcome } {
  if (!inject) return {};
  const printed = [said.stdout, said.stderr].filter((one) => typeof one === "string" && one.trim() !== "").join("\n");
  const end = printed.length > lastWords ? `…${printed.slice(-lastWords)}` : printed;
  return { outcome: { messages: [{ to: "model", role: "user", text: end === "" ? message : `${message}\n${end}` }] } };
}
