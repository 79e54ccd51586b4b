/** `hookline emit`: one event that the caller describes, decided. Of what it sets off, a host that ends with its answer waits for all. */
import { ignoredByAgent } from "../agents/index.ts";
import type { Fields, HookEvent } from "../engine/event.ts";
import type { Outcome } from "../engine/outcome.ts";
import type { Run } from "../engine/record.ts";
import { anything, mapOf, object, say, someText } from "../engine/schema.ts";
import { describedEvent, sendEvent } from "./event.ts";
import { type Asked, folderOf, type Logged, type Operation } from "./operation.ts";
import { shownOutcome } from "./outcome.ts";
import { oneLine, type Reader, type Shown } from "./shown.ts";

/** What came of an event that a person or a program has sent. */
export interface Sent {
  event: HookEvent;
  outcome: Outcome;
  /** In the order in which they began. */
  runs: readonly Run[];
  logs: readonly Logged[];
}

interface Wanted {
  event: string;
  data?: Fields;
  session?: string;
}

export const emit: Operation<Wanted, Sent> = {
  summary: "try an event and show the decision",
  params: object(
    { event: someText("the event's name; those that applications send hold a dot, such as deploy.started") },
    {
      data: say(mapOf(anything), "its payload, as an agent would send it", {}),
      session: someText("its session; limits such as `once` count per session"),
    },
  ),
  words: ["event"],
  readOnly: false,
  example: `hookline emit PreToolUse --data '{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}'`,
  reportsHooks: true,
  asksTrust: true,
  async run({ event: written, data: given = {}, session }, asked) {
    const own = session ?? asked.event?.session;
    const sender = asked.event ? "hookline" : "emit";
    const facts = { id: asked.id(), at: asked.now(), cwd: folderOf(asked), sender };
    const event = describedEvent({ written, given, session: own, where: "event" }, facts);
    // What is counted per prompt begins anew with some of them, and a hook could go on without end.
    if (asked.event && !event.name.includes("."))
      throw new Error(`only agents send "${written}"; hooks send application events, whose names hold a dot`);
    return decided(event, asked);
  },
  rows: sentRows,
  show: shownSent,
  isNo: ({ outcome }) => isNo(outcome),
};

export const isNo = ({ verdict, stop }: Outcome): boolean => verdict?.is === "deny" || stop !== undefined;

/** Throws what kept it from being written down. */
export async function decided(given: HookEvent, asked: Asked): Promise<Sent> {
  const { event, outcome } = await sendEvent(given, asked);
  const { runs, logs } = (await asked.setOff?.()) ?? {
    runs: (await asked.store.runs({ eventId: event.id })).reverse(),
    logs: [],
  };
  await noteIgnored(runs, event, asked);
  return { event, outcome, runs, logs };
}

/** What the agent whose own file it is would ignore of an answer: Hookline alone obeys it. The table of what was set off shows it, too. */
async function noteIgnored(runs: readonly Run[], event: HookEvent, asked: Asked): Promise<void> {
  const { home, environment = {} } = asked;
  const { set } = await asked.active(event.cwd);
  const hooks = new Map(set.hooks.map((hook) => [hook.id, hook]));
  for (const run of runs) {
    const hook = hooks.get(run.hook);
    const answer = run.steps.at(-1)?.output;
    const places = { home, root: hook?.origin.root ?? event.cwd, environment };
    const ignored = hook && answer && ignoredByAgent(hook, answer, { event: event.name, places });
    if (ignored !== undefined) run.notes.unshift(ignored);
  }
}

export function sentRows({ event, outcome, runs, logs }: Sent): object {
  return { event, outcome, runs: runs.map(brief), ...(logs.length > 0 ? { logs } : {}) };
}

const brief = ({ id, hook, status, reason, ms, notes }: Run): object => ({
  ...{ id, hook, status, reason: reason ?? null, ms: ms ?? null },
  ...(notes.length > 0 ? { notes } : {}),
});

/** The table of its runs stands below, as for all that sets something off. */
export function shownSent({ event, outcome, runs, logs }: Sent, { all }: Pick<Reader, "all">): Shown[] {
  const none = "no hook matched: `hookline explain` shows why, hook by hook";
  return [
    ...shownOutcome(event, outcome),
    ...logs.map(({ level, message }) => `  log      ${level}: ${oneLine(message)}`),
    ...(all ? runs.flatMap(details) : []).map((text) => ({ text, tone: "dim" as const })),
    ...(runs.length === 0 && !event.to ? [{ text: none, tone: "dim" as const }] : []),
  ];
}

/** What a table has no room for: notes, and what the programs said. */
const details = ({ hookName, notes, steps }: Run): string[] => [
  ...notes.map((note) => oneLine(`${hookName}: note: ${note}`)),
  ...steps.flatMap(({ evidence }) =>
    [evidence?.stdout, evidence?.stderr].flatMap((said) => (said ? [oneLine(`${hookName}: said: ${said}`)] : [])),
  ),
];
