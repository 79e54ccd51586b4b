/** hookline register and schema: what other tools read, as JSON. */

import { agentVariables } from "../../../agents/index.ts";
import { HooklineError } from "../../../engine/error.ts";
import type { Fields, Json } from "../../../engine/event.ts";
import type { Hook, Problem } from "../../../engine/hook.ts";
import { nearest } from "../../../engine/nearest.ts";
import type { Registry } from "../../../engine/ports.ts";
import { testsSchema } from "../../../formats/hook-tests/fields.ts";
import { inspectHooks } from "../../../formats/inspect.ts";
import { automationSchema, rulesSchema } from "../../../formats/json-schema.ts";
import { matchOf } from "../../../formats/registry/match.ts";
import { hooksSchema } from "../../../formats/settings/schema.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { loadActive, registryAt } from "../loaded.ts";
import { openStore } from "../store.ts";
import { reportProblems, shortPath } from "../terminal.ts";
import { findingLine } from "./check.ts";
/** The repository hooks by event (specification 001, 2.2). */
export async function register(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const store = openStore(invocation);
  const { set, files, problems } = await loadActive(invocation, store);
  store.close();
  const own = set.hooks.filter(({ origin }) => origin.dialect === "registry");
  terminal.print(JSON.stringify(registrationOf(own), null, 2));
  const paths = new Set(files.flatMap(({ format, path }) => (format === "registry" ? [path] : [])));
  const found = problems.filter(({ file }) => paths.has(file));
  if (invocation.flags.validate === true)
    return validate([...found, ...inspectHooks(own, { ...invocation, variables: agentVariables })], invocation);
  reportProblems({ problems: found }, invocation);
  return 0;
}

function validate(problems: readonly Problem[], { terminal, cwd, home }: Invocation): ExitCode {
  for (const problem of problems) terminal.error(findingLine(problem, terminal, shortPath(problem.file, cwd, home)));
  return problems.some(({ severity }) => severity === "error") ? 1 : 0;
}

/** By the event's name as it was written; hooks that are not to run are left out. */
export function registrationOf(hooks: readonly Hook[]): { [event: string]: Fields[] } {
  const byEvent: { [event: string]: Fields[] } = {};
  for (const hook of hooks) {
    if (!hook.enabled || hook.steps[0].uses === "invalid" || !("event" in hook.on)) continue;
    for (const name of hook.on.as ?? hook.on.event) {
      byEvent[name] ??= [];
      byEvent[name].push(registered(hook));
    }
  }
  return byEvent;
}

const usualTimeout = 600;

function registered({ name, summary, steps: [step], when, onFailure, priority }: Hook): Fields {
  const match = matchOf(when);
  return {
    id: name,
    handler: handlerOf(step),
    ...(match ? { match } : {}),
    ...(onFailure === "block" ? { blocking: true } : {}),
    ...(step.timeout === usualTimeout ? {} : { timeout: step.timeout }),
    ...(priority === 100 ? {} : { priority }),
    ...(summary === undefined ? {} : { summary }),
  };
}

function handlerOf({ uses, with: params }: Hook["steps"][0]): Json {
  if (uses === "command") return { kind: "script", command: params.command ?? "" };
  return { kind: "builtin", name: uses, ...(Object.keys(params).length > 0 ? { with: params } : {}) };
}

// hookline schema: the JSON Schema of a format, with what this project has registered.

interface Format {
  make(registry: Registry): Fields;
  files: string;
}

/** Each format by its name on the command line, and what its files are. */
export const formats: Readonly<Record<string, Format>> = {
  rules: { make: (registry) => rulesSchema(registry, "rules"), files: ".hookline/rules/*.yaml" },
  app: { make: (registry) => rulesSchema(registry, "app"), files: ".hookline/app.yaml and those that `apps` names" },
  config: { make: (registry) => rulesSchema(registry, "config"), files: "hookline.yaml" },
  automation: { make: automationSchema, files: ".hookline/automations/*.yaml" },
  hooks: { make: hooksSchema, files: ".hookline/hooks.json" },
  tests: { make: testsSchema, files: "*.hooktest.yaml" },
};

export async function schema(invocation: Invocation): Promise<ExitCode> {
  const [written = ""] = invocation.words;
  const format = Object.hasOwn(formats, written) ? formats[written] : undefined;
  if (!format) {
    const near = nearest(written, Object.keys(formats));
    throw new HooklineError("usage", {
      what: written === "" ? "missing argument FORMAT" : `no format is called "${written}"`,
      where: `hookline ${invocation.usage}`,
      advice: near ? `did you mean "${near}"?` : `choose ${Object.keys(formats).join(", ")}`,
    });
  }
  invocation.terminal.print(JSON.stringify(format.make(await registryAt(invocation)), null, 2));
  return 0;
}
