/**
 * Appeals: what an agent says against a refusal. It changes nothing; a person reads it beside the guard, and answers it or not. Kept
 * as events, so that automations hear of them.
 */
import type { Fields, HookEvent, Instant, SessionId } from "../engine/event.ts";
import { textField } from "../engine/event.ts";
import { oneLine } from "../engine/one-line.ts";
import type { Claim, Run, Store } from "../engine/record.ts";
import { object, someText } from "../engine/schema.ts";
import { isInside } from "../files/paths.ts";
import { send } from "./event.ts";
import { folderOf, type Operation, refusal } from "./operation.ts";
import { projectFolders } from "./project-folders.ts";
import { recordOf, runNamed } from "./record.ts";
import { kindOfCall } from "./runs/run-words.ts";

const eventName = "guard.appealed";
/** By it an appeal is told from an event of the same name that anybody may emit. */
const sender = "appeal";
const longest = 500;
const mostInSession = 10;
/** So many of the newest runs of a project are looked through for its last refusal. */
const lookedThrough = 500;

interface Filed {
  appeal: string;
  /** The run that refused, and its hook. */
  run: string;
  hook: string;
  why: string;
}

export const appeal: Operation<{ why: string; run?: string }, Filed> = {
  summary: "say why a guard was wrong to refuse a call; a person reads it, and it changes nothing",
  params: object(
    { why: someText("why the call is right, in a sentence or two") },
    { run: someText("the run that refused, by its id or a beginning of it; default: the newest refusal here") },
  ),
  words: ["why"],
  readOnly: false,
  example: 'hookline appeal "this branch is my own"',
  async run({ why, run: named }, asked) {
    const said = oneLine(why, longest);
    if (said === "") throw refusal("no appeal was filed", "it says nothing", "say why the call is right");
    if (why.length > longest)
      throw refusal("no appeal was filed", `it has ${why.length} characters`, `say it in ${longest}`);
    const folders = projectFolders({ cwd: folderOf(asked), home: asked.home });
    const run = named === undefined ? await lastRefusal(asked.store, folders, asked.event?.session) : await namedRun();
    if (!run || !isRefusal(run))
      throw refusal(
        "no appeal was filed",
        named === undefined ? "nothing was refused here lately" : `the run ${oneLine(named)} refused nothing`,
        "`hookline runs --outcome blocked` lists refusals",
      );
    const spent = await asked.store.claim(claimsOf(run, folders), asked.now());
    if (spent) throw refusal("no appeal was filed", spent.refusal, "ask the person");
    const of = await asked.store.event(run.eventId);
    const { event } = await send(eventName, dataOf(said, run, of?.event), asked, {
      sender,
      ...(of && { cwd: of.event.cwd }),
      ...(run.session !== undefined && { session: run.session }),
    });
    return { appeal: event.id, run: run.id, hook: run.hook, why: said };

    async function namedRun(): Promise<Run> {
      return runNamed(await recordOf(asked), named ?? "");
    }
  },
  show: ({ hook }) => [`filed: a person sees it beside ${oneLine(hook)}. The guard stays as it is.`],
};

const isRefusal = ({ outcome }: Run): boolean => outcome?.verdict?.is === "deny" || outcome?.verdict?.is === "ask";

const lastRefusal = async (
  store: Store,
  folders: readonly string[],
  session: SessionId | undefined,
): Promise<Run | undefined> =>
  (await store.runs({ folders, limit: lookedThrough, ...(session !== undefined && { session }) })).find(isRefusal);

const claimsOf = ({ id, session }: Run, [root = ""]: readonly string[]): Claim[] => [
  { key: `appeal:${id}`, max: 1, refusal: "this refusal has its appeal already" },
  {
    key: `appeals:${session ?? root}`,
    max: mostInSession,
    refusal: `this session has filed ${mostInSession} already`,
  },
];

const dataOf = (why: string, { id, hook, hookName, outcome }: Run, event: HookEvent | undefined): Fields => ({
  ...{ why, run: id, hook, hook_name: hookName, call: (event && kindOfCall(event.data)) ?? "" },
  reason: outcome?.verdict?.reason ?? "",
});

/** An appeal as people see it. */
export interface Appeal {
  id: string;
  at: Instant;
  why: string;
  run: string;
  hook: string;
  /** The kind of call, such as `Bash(git push *)`. */
  call: string;
  isAnswered: boolean;
}

const mostShown = 500;

/** Newest first. @param folders of a project; absent: of all */
export async function appealsSince(
  store: Pick<Store, "events" | "peek">,
  since: Instant,
  folders?: readonly string[],
): Promise<Appeal[]> {
  const found: Appeal[] = [];
  for (const { event } of await store.events(mostShown, eventName)) {
    if (event.sender !== sender || event.at < since) continue;
    if (folders && !folders.some((folder) => isInside(folder, event.cwd))) continue;
    const { id, at, data } = event;
    const field = (name: string): string => textField(data, name) ?? "";
    found.push({
      ...{ id, at, why: field("why"), run: field("run"), hook: field("hook"), call: field("call") },
      isAnswered: (await store.peek([answerOf(id)], at)) !== undefined,
    });
  }
  return found;
}

const answerOf = (id: string): Claim => ({ key: `appeal answered:${id}`, max: 1, refusal: "it is answered already" });

/** A person has answered it, whatever the answer: it is shown as open no more. */
export const answerAppeal = async (store: Pick<Store, "claim">, id: string, now: Instant): Promise<boolean> =>
  (await store.claim([answerOf(id)], now)) === undefined;
