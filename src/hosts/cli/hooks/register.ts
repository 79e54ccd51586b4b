/** hookline register: the repository hooks, as JSON for other tools. */

import type { Fields, Json } from "../../../engine/event.ts";
import type { Hook, Problem } from "../../../engine/hook.ts";
import { matchOf } from "../../../formats/registry/match.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { loadActive } from "../loaded.ts";
import { openStore } from "../store.ts";
import { reportProblems, shortPath } from "../terminal.ts";
import { findingLine, inspect } from "./check.ts";

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
  if (invocation.flags.validate === true) return validate([...found, ...inspect(own, invocation)], invocation);
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
