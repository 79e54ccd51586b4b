/**
 * hookline allow-once: a person chooses one call that a guard has just refused, and lets it happen once; or answers what an agent says
 * against a refusal. Nothing names a refusal but the screen (R92).
 */
import { statSync } from "node:fs";
import { loadPatterns } from "../../../conditions/patterns.ts";
import { allowedOnce, type RefusedJust, refusedFor, refusedIn } from "../../../engine/admit.ts";
import type { Fields, HookEvent } from "../../../engine/event.ts";
import { textField } from "../../../engine/event.ts";
import { decidingEvents } from "../../../engine/events.ts";
import { compileExempt } from "../../../engine/exception.ts";
import type { Hook } from "../../../engine/hook.ts";
import type { Run, Store } from "../../../engine/record.ts";
import { isRecord } from "../../../engine/schema.ts";
import { textAt } from "../../../files/regular-file.ts";
import { writeWhole } from "../../../files/write.ts";
import type { Loaded } from "../../../loading/loading.ts";
import { type Appeal, answerAppeal, appealsSince } from "../../../operations/appeals.ts";
import { projectFolders } from "../../../operations/project-folders.ts";
import { inputOf } from "../../../operations/runs/run-words.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { loadActive } from "../loaded.ts";
import { openStore } from "../store.ts";
import { askForKey, oneLine, shortPath } from "../terminal.ts";
import { refuseWithoutPerson } from "./person.ts";

/** As many as there are keys. */
const mostShown = 9;
const minute = 60_000;
const minutes = refusedFor / 60;
/** So long an appeal waits for its answer here. */
const appealsFor = 86_400_000;

/** One call, and all that has refused it: who sees them all may lift them all. Without calls, it can no longer be allowed. */
interface Refused {
  calls: string[];
  runs: Run[];
  /** Runs of each time that the agent tried, by their ids. */
  tries: string[];
  appeal?: Appeal;
}

export async function allowOnce(invocation: Invocation): Promise<ExitCode> {
  if (refuseWithoutPerson("nothing was allowed", invocation)) return 1;
  const store = openStore(invocation);
  try {
    const { root } = await loadActive(invocation, store);
    const refused = await refusedOf(refusedIn(root, await store.paused(), Date.now()), store);
    return await choose(await withAppeals(refused, store, invocation), store, invocation);
  } finally {
    store.close();
  }
}

async function choose(refused: readonly Refused[], store: Store, invocation: Invocation): Promise<ExitCode> {
  const { terminal, signal } = invocation;
  if (refused.length === 0) {
    terminal.print(`nothing was refused here in the last ${minutes} minutes that a person can allow`);
    return 1;
  }
  for (const [index, one] of refused.entries())
    for (const line of await linesAbout(one, index + 1, store)) terminal.print(line);
  terminal.print("");
  const allowable = refused.filter(({ calls }) => calls.length > 0);
  const appealed = refused.find(({ appeal }) => appeal !== undefined);
  const pressed = await askForKey(questionOf(allowable.length, appealed && refused.indexOf(appealed) + 1), invocation);
  const key = signal.aborted ? undefined : pressed;
  if (appealed?.appeal && (key === "e" || key === "n")) return answered(appealed, key, { store, invocation });
  const chosen = key === undefined || !/^\d$/.test(key) ? undefined : allowable[Number(key) - 1];
  if (!chosen) {
    terminal.print("nothing was allowed");
    return 1;
  }
  await allow(chosen, store);
  if (chosen.appeal) await answerAppeal(store, chosen.appeal.id, Date.now());
  terminal.print("allowed: exactly this call passes once, in the same session and folder; ask the agent to try again");
  return 0;
}

function questionOf(count: number, appealed: number | undefined): string {
  const keys = count === 0 ? [] : [count === 1 ? "1" : `1-${count}`];
  const answers = appealed === undefined ? [] : [`e makes ${appealed} an exception`, `n says no to ${appealed}`];
  const what = count === 0 ? "What is the answer to the appeal?" : `Allow which one, once, for ${minutes} minutes?`;
  return `${what} [${[...keys, ...answers, "q leaves"].join(", ")}] `;
}

interface Answering {
  store: Store;
  invocation: Invocation;
}

async function answered(
  { appeal, runs }: Refused,
  key: "e" | "n",
  { store, invocation }: Answering,
): Promise<ExitCode> {
  const { terminal, cwd, home } = invocation;
  if (appeal === undefined) return 1;
  if (key === "n") {
    await answerAppeal(store, appeal.id, Date.now());
    terminal.print("no: the guard stays as it is, and this appeal is shown as answered");
    return 0;
  }
  const run = runs.find(({ hook }) => hook === appeal.hook);
  const stored = run && (await store.event(run.eventId));
  const hook = (await loadActive(invocation, store)).set.hooks.find(({ id }) => id === appeal.hook);
  const made = stored
    ? await writeException(hook, { event: stored.event, home: invocation.home }, () => loadActive(invocation, store))
    : { because: "the call is no longer recorded" };
  if ("because" in made) {
    terminal.error(`hookline: no exception was written — ${oneLine(made.because)}`);
    return 1;
  }
  await answerAppeal(store, appeal.id, Date.now());
  terminal.print(`written: unless: ${made.pattern}, in ${shortPath(made.file, cwd, home)}:${made.line}`);
  if (hook?.foreign) terminal.print("the rule has changed, so it counts once you trust it: hookline trust");
  return 0;
}

async function allow({ calls }: Refused, store: Store): Promise<void> {
  const now = Date.now();
  for (const call of calls)
    for (const event of decidingEvents) await store.pause(allowedOnce(call, event), now, now + refusedFor * 1000);
  await store.committed();
}

/** An agent that tries again is refused again: the newest of each counts. Refusals of one event stand together. */
async function refusedOf(kept: readonly RefusedJust[], store: Store): Promise<Refused[]> {
  const byEvent = new Map<string, Refused>();
  for (const [call, tries] of Map.groupBy(kept, (one) => one.call)) {
    const run = await store.run(tries[0]?.run ?? "");
    if (!run) continue;
    const one = byEvent.get(run.eventId) ?? { calls: [], runs: [], tries: [] };
    one.calls.push(call);
    one.runs.push(run);
    one.tries.push(...tries.map((each) => each.run));
    byEvent.set(run.eventId, one);
  }
  return [...byEvent.values()].slice(0, mostShown);
}

/** The newest appeals that nobody has answered stand beside what they are about; those of earlier refusals behind it. */
async function withAppeals(refused: readonly Refused[], store: Store, place: Invocation): Promise<Refused[]> {
  const open = (await appealsSince(store, Date.now() - appealsFor, projectFolders(place))).filter(
    ({ isAnswered }) => !isAnswered,
  );
  const isOf = ({ tries }: Refused, appeal: Appeal): boolean => tries.includes(appeal.run);
  const beside = refused.map((one) => {
    const appeal = open.find((each) => isOf(one, each));
    return appeal ? { ...one, appeal } : one;
  });
  const earlier = await Promise.all(
    open
      .filter((appeal) => !refused.some((one) => isOf(one, appeal)))
      .map(async (appeal): Promise<Refused> => {
        const run = await store.run(appeal.run);
        return { calls: [], runs: run ? [run] : [], tries: [appeal.run], appeal };
      }),
  );
  return [...beside, ...earlier.filter(({ runs }) => runs.length > 0)].slice(0, mostShown);
}

async function linesAbout({ runs, appeal }: Refused, number: number, store: Store): Promise<string[]> {
  const [first] = runs;
  const data: Fields = (first && (await store.event(first.eventId))?.event.data) ?? {};
  const input = isRecord(data.tool_input) ? inputOf(data.tool_input as Fields) : "";
  const ago = first ? Math.floor((Date.now() - first.startedAt) / minute) : 0;
  const when = ago < 1 ? "just now" : `${ago} ${ago === 1 ? "minute" : "minutes"} ago`;
  return [
    `${number}  ${oneLine(`${String(data.tool_name ?? "the call")} ${input}`)}  (${when})`,
    ...runs.map(
      ({ hookName, outcome }) => `   ${oneLine(hookName)}: ${oneLine(outcome?.verdict?.reason ?? "(no reason)")}`,
    ),
    ...(appeal ? [`   the agent says: ${oneLine(appeal.why)}`] : []),
  ];
}

interface Exception {
  pattern: string;
  file: string;
  line: number;
}

/** Why none can be written, for a person. */
interface NoException {
  because: string;
}

/** A call by the letter. Undefined: no pattern means this call and no other. */
async function patternOf({ data, cwd }: HookEvent, home: string): Promise<string | undefined> {
  const tool = textField(data, "tool_name");
  const input = isRecord(data.tool_input) ? (data.tool_input as Fields) : undefined; // payloads are JSON
  if (tool === undefined || input === undefined) return undefined;
  const said = textField(input, "command") ?? textField(input, "file_path");
  if (said === undefined || /[\n\r]/.test(said)) return undefined;
  const pattern = `${tool}(${said.replaceAll("*", "\\*")})`;
  try {
    const isExempt = compileExempt([pattern], await loadPatterns());
    return isExempt({ names: [tool], input, cwd, root: cwd, home }) ? pattern : undefined;
  } catch {
    return undefined; // no pattern can be made of such a text
  }
}

/**
 * Writes the exception into the rule's file, and takes it back where the file then no longer reads as before.
 *
 * @param reload what is active, as the files are now
 */
async function writeException(
  hook: Hook | undefined,
  { event, home }: { event: HookEvent; home: string },
  reload: () => Promise<Pick<Loaded, "problems">>,
): Promise<Exception | NoException> {
  const { file, line, dialect } = hook?.origin ?? {};
  if (hook === undefined || file === undefined || line === undefined || dialect !== "rules")
    return { because: "the guard is in no rules file" };
  const byHand = `write it by hand, as unless: in ${file}:${line}`;
  const pattern = await patternOf(event, home);
  if (pattern === undefined) return { because: `no pattern means this call alone: ${byHand}` };
  const before = textAt(file);
  if (before === undefined) return { because: `it cannot be read: ${byHand}` };
  const lines = before.split("\n");
  const [, dash, name] = /^(\s*-\s+)(id:\s+[\w.-]+\s*)$/.exec(lines[line - 1] ?? "") ?? [];
  const end = lines.findIndex((text, at) => at >= line && /\S/.test(text) && indentOf(text) < (dash ?? "").length);
  const own = lines.slice(line, end < 0 ? undefined : end);
  if (dash === undefined || name === undefined || own.some((text) => /^\s*unless:/.test(text)))
    return { because: `the rule is not written so that a line could be added: ${byHand}` };
  lines.splice(line, 0, `${" ".repeat(dash.length)}unless: ${JSON.stringify(pattern)}`);
  const mode = statSync(file).mode & 0o777;
  writeWhole(file, lines.join("\n"), { mode });
  const isWorse = (await reload()).problems.some((one) => one.file === file && one.severity === "error");
  if (!isWorse) return { pattern, file, line: line + 1 };
  writeWhole(file, before, { mode });
  return { because: `the file would no longer be valid: ${byHand}` };
}

const indentOf = (text: string): number => text.length - text.trimStart().length;
