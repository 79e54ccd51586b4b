/** hookline test --from RUN: a test file of what a recorded event was answered, for a person to keep or to change. */
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { HooklineError } from "../../../engine/error.ts";
import type { Fields } from "../../../engine/event.ts";
import type { Run, StoredEvent } from "../../../engine/record.ts";
import {
  type Expectation,
  type ExpectedRun,
  type ExpectedStatus,
  expectedStatuses,
} from "../../../formats/hook-tests/fields.ts";
import { textOfTests } from "../../../formats/hook-tests/write.ts";
import { isHookTest } from "../../../loading/places.ts";
import { findProject, workspaceOf } from "../../../loading/project.ts";
import { eventMeant } from "../../../operations/why/why.ts";
import { type ExitCode, type Invocation, usageError } from "../command.ts";
import { openStoreToRead } from "../store.ts";
import { shortPath } from "../terminal.ts";
import { hasRun, verdictOf } from "./expected.ts";
import { renamed } from "./scratch.ts";

export async function fromRun(name: string, invocation: Invocation): Promise<ExitCode> {
  const { words, usage, cwd, home, terminal } = invocation;
  const [target, second] = words;
  if (second !== undefined) throw usageError(`unexpected argument "${second}"`, usage);
  if (target !== undefined && !(isHookTest(target) && /\.ya?ml$/i.test(target)))
    throw usageError(`the name of the file ends in .hooktest.yaml, not "${target}"`, usage);
  const path = target === undefined ? undefined : resolve(cwd, target);
  if (path !== undefined && existsSync(path)) throw usageError(`the file ${path} is there already`, usage);
  const store = openStoreToRead(invocation);
  try {
    const { stored } = await eventMeant(store, { id: name }, { event: undefined, cwd, home, store });
    const text = testText(stored, await store.runs({ eventId: stored.event.id }), { home });
    if (path === undefined) terminal.print(text.trimEnd());
    else {
      writeFileSync(path, text, { flag: "wx" });
      terminal.print(`written: ${shortPath(path, cwd, home)}: run it with hookline test ${shortPath(path, cwd, home)}`);
    }
    return 0;
  } finally {
    store.close();
  }
}

/** @throws HooklineError payload_cut */
export function testText(stored: StoredEvent, runs: readonly Run[], { home }: Pick<Invocation, "home">): string {
  const { event, redacted, cut } = stored;
  if (cut) {
    const reason = "the store holds only a part of its payload";
    throw new HooklineError("payload_cut", { name: event.id, reason, where: `event ${event.id}` });
  }
  const project = workspaceOf(findProject(event.cwd, home));
  const { transcript_path: _ofTheSession, ...payload } = event.data;
  const placed = renamed(renamed(JSON.stringify(payload), project, "{{project}}"), home, "{{home}}");
  const data = JSON.parse(placed) as Fields; // it was JSON before the folders' names were replaced
  const agent = event.agent
    ? { agent_id: event.agent.id, ...(event.agent.type ? { agent_type: event.agent.type } : {}) }
    : {};
  const about = [
    `Made of the event ${event.id}, which ${event.sender} sent on ${new Date(event.at).toISOString()}.`,
    ...(event.session
      ? ["What its session did before is not in it: limits such as once and cooldown begin anew."]
      : []),
    ...(redacted ? ["The store redacted secrets in its payload."] : []),
  ];
  const test = {
    name: nameOf(stored),
    event: event.name,
    data: { ...data, ...agent },
    expect: expectationOf(stored, runs),
  };
  return textOfTests({ tests: [test] }, about);
}

function nameOf({ event: { name, data }, outcome = {} }: StoredEvent): string {
  const tool = typeof data.tool_name === "string" ? ` of ${data.tool_name}` : "";
  const verdict = verdictOf(outcome);
  return `${name}${tool} is ${verdict === "none" ? "left to the agent" : `answered with ${verdict}`}`;
}

/** What Hookline adds to a text of a hook is not its own. */
export const ownWords = (text: string): string => text.replaceAll(/\s*\[untrusted: [^\]]*\]/g, "").trim();

function expectationOf({ outcome = {} }: StoredEvent, runs: readonly Run[]): Expectation {
  const { verdict, context, updatedInput } = outcome;
  const by = runs.find(({ hook }) => hook === verdict?.by)?.hookName;
  const ends = runs.flatMap((run): [string, ExpectedStatus | ExpectedRun][] => {
    const status = expectedStatuses.find((one) => one === run.status);
    return status && hasRun(run) ? [[run.hookName, status]] : [];
  });
  return {
    verdict: verdict?.is ?? "none",
    ...(by === undefined ? {} : { by }),
    ...(verdict?.reason ? { reason: ownWords(verdict.reason) } : {}),
    ...(context ? { context: context.map(ownWords) } : {}),
    ...(updatedInput ? { input: updatedInput } : {}),
    ...(ends.length > 0 ? { runs: Object.fromEntries(ends) } : {}),
  };
}
