/** Deploys with a command, then checks that what was deployed is well, and tells the model (specification 003). */
import type { Fields, Seconds } from "../core/event.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Handler, Patterns, Scope, StepContext, StepResult } from "../core/ports.ts";
import { flag, isRecord, listOf, type Mismatch, number, object, say, text } from "../core/schema.ts";
import { compileTemplate, printValue } from "../core/template.ts";
import { firstLine } from "../protocols/launch-failure.ts";
import { type ShellParams, shell } from "./shell.ts";
import { type CheckEnd, longestOf, runCheck, type SmokeCheck, smokeCheck } from "./smoke-check.ts";

interface AutoTestDeployParams {
  command: string;
  cwd?: string;
  timeout?: Seconds;
  checks?: SmokeCheck[];
  inject?: boolean;
  values?: ShellParams["values"];
}

const usualLimit: Seconds = 120;
/** For programs that were told to stop. */
const endingLasts: Seconds = 3;

export const autoTestDeploy: Handler<AutoTestDeployParams> = createAutoTestDeploy();

function createAutoTestDeploy(): Handler<AutoTestDeployParams> {
  return {
    params: object(
      { command: text("a line for bash, or sh, that deploys; placeholders become variables") },
      {
        cwd: say(text(), "where it runs, from the folder of the rules; the event's folder unless said"),
        timeout: say(number(undefined, 0.1), "seconds until the deploy is ended, with all that it started", usualLimit),
        checks: say(listOf(smokeCheck), "checks of what was deployed, in order; the first that fails ends them", []),
        inject: say(flag, "tells the model how it went", true),
      },
    ),
    needs: ["spawn", "fetch"],
    action: {
      summary: "Runs a deploy command, then smoke checks by command or HTTP, and tells the model how it went.",
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
  };
}

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
  if (!deploy.ok) return { ...deploy, ...told(`The deploy ${name} failed: ${deploy.reason}`, params, deploy.output) };
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
    const reason = `${failure.name} failed after ${times(failure.attempts)}: ${failure.reason}`;
    const text = `Deployed with ${name}, but the check ${reason}`;
    return { ok: false, failure: "error", reason: `the check ${reason}`, output, ...evidence, ...told(text, params) };
  }
  const passed = ends.length === 0 ? "" : ` ${ends.length === 1 ? "The check" : `All ${ends.length} checks`} passed.`;
  return { ok: true, output, ...evidence, ...told(`Deployed with ${name}.${passed}`, params) };
}

const times = (count: number): string => (count === 1 ? "1 try" : `${count} tries`);

const lastWords = 2_000;

/** @param said what the failed command printed, of which the end is told too */
function told(message: string, { inject = true }: AutoTestDeployParams, said: Fields = {}): { outcome?: Outcome } {
  if (!inject) return {};
  const printed = [said.stdout, said.stderr].filter((one) => typeof one === "string" && one.trim() !== "").join("\n");
  const end = printed.length > lastWords ? `…${printed.slice(-lastWords)}` : printed;
  return { outcome: { messages: [{ to: "model", role: "user", text: end === "" ? message : `${message}\n${end}` }] } };
}
