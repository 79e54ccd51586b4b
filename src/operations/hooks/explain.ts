/** `hookline explain`: which hooks would run on an event that the caller describes, and why. Nothing runs. */
import type { MeantLine } from "../../agents/skill-lines.ts";
import type { Fields, HookEvent } from "../../engine/event.ts";
import { type Explanation, isOwnEvent } from "../../engine/explain.ts";
import type { Hook } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import { anything, flag, mapOf, object, say, someText } from "../../engine/schema.ts";
import { counted } from "../../engine/words.ts";
import { describedEvent } from "../event.ts";
import { type Asked, folderOf, type Operation } from "../operation.ts";
import { isOfProject, projectFolders } from "../project-folders.ts";
import { oneLine, placeOf, type Reader, type Shown } from "../shown.ts";
import { gathered, whereAll } from "./crowds.ts";
import { unserved, waitingForDaemon } from "./unserved.ts";

interface Wanted {
  event: string;
  data?: Fields;
  session?: string;
  all?: boolean;
}

/** A hook, and whether it would run. */
export interface ExplainedRow extends Explanation {
  /** It is set off by events of this name. */
  listens: boolean;
  /** Files of the hook that were written since its last run. */
  changed?: string[];
}

interface Found {
  event: HookEvent;
  explained: readonly ExplainedRow[];
}

export const explain: Operation<Wanted, Found> = {
  summary: "show which hooks would run on an event, and why; nothing runs",
  params: object(
    { event: someText("the event's name") },
    {
      data: say(mapOf(anything), "its payload, as an agent would send it", {}),
      session: someText("its session; limits such as `once` count per session"),
      all: say(flag, "also the automations that the store keeps for other projects", false),
    },
  ),
  words: ["event"],
  readOnly: true,
  example: `hookline explain PreToolUse --data '{"tool_name":"Write","tool_input":{"file_path":"a.ts"}}'`,
  reportsHooks: true,
  asksTrust: true,
  async run({ event: written, data = {}, session, all = false }, asked) {
    const cwd = folderOf(asked);
    const named = { written, given: data, session: session ?? asked.event?.session, where: "event" };
    const event = describedEvent(named, { id: asked.id(), at: asked.now(), cwd, sender: "emit" });
    const explanations = await asked.engine.explain(event);
    const { set } = await asked.active(cwd);
    const known = new Map(set.hooks.map((hook) => [hook.id, hook]));
    const folders = projectFolders({ cwd, home: asked.home });
    const said = explanations.filter(({ hook: id }) => {
      const hook = known.get(id);
      return all || hook === undefined || isOfProject(hook, folders);
    });
    const rowOf = await rowing(event, known, asked);
    return { event, explained: said.map(rowOf) };
  },
  rows: ({ explained }) => explained,
  show: shown,
};

async function rowing(
  event: HookEvent,
  known: ReadonlyMap<string, Hook>,
  asked: Asked,
): Promise<(one: Explanation) => ExplainedRow> {
  const [fired, { changedSince }] = await Promise.all([asked.store.lastFired(), import("./changed-since.ts")]);
  const neverSetOff = await unservedBy(event, [...known.values()], asked);
  return (one) => {
    const hook = known.get(one.hook);
    const at = fired.get(one.hook);
    const changed = hook && at !== undefined ? changedSince(hook, at, { cwd: event.cwd, home: asked.home }) : [];
    return {
      ...one,
      because: neverSetOff.has(one.hook) ? `${notServed}; ${one.because}` : one.because,
      listens: hook !== undefined && (listensTo(hook, event.name) || isOwnEvent(hook, event.name)),
      ...(changed.length > 0 && { changed }),
    };
  };
}

const notServed = "the daemon does not serve its folder, so it never fires: see `hookline doctor`";

/** For a question about clocks: the hooks that a clock would set off, if the daemon that runs served their folder. */
async function unservedBy(event: HookEvent, hooks: readonly Hook[], { daemon }: Asked): Promise<ReadonlySet<string>> {
  if (event.name !== "schedule.due" || waitingForDaemon(hooks).length === 0) return new Set();
  const left = unserved(hooks, await daemon?.());
  return new Set(left.served ? left.hooks.map(({ id }) => id) : []);
}

async function shown({ event, explained }: Found, reader: Reader<Wanted>): Promise<Shown[]> {
  const { shownEffects } = await import("../effects.ts");
  const does = [
    ...(await shownEffects(event, reader.at.home)),
    ...broughtLines((await reader.at.linesOf?.(event)) ?? [], reader),
  ];
  return [...does, ...(does.length > 0 ? [""] : []), ...explanationsOf(explained, reader)];
}

/** Hooks judge these lines as they judge calls. */
const broughtLines = (lines: readonly MeantLine[], { path }: Reader<Wanted>): Shown[] =>
  lines.length === 0
    ? []
    : [
        { text: "lines that an agent would run by itself, judged with the call", tone: "bold" },
        ...lines.map(({ line, file }) => `  ${oneLine(line)}: in ${oneLine(path(file))}`),
      ];

function explanationsOf(explained: readonly ExplainedRow[], reader: Reader<Wanted>): Shown[] {
  if (explained.length === 0) return ["no hook is active here: `hookline list` says what to do next"];
  const listening = explained.filter(({ listens, would }) => reader.all || listens || would === "run");
  const rows = gathered(listening, ({ would, file }) => (would === "run" ? null : file), reader).map((row) =>
    "all" in row
      ? [skip, `${row.all.length} hooks`, "none of them would run", whereAll(row.file, reader)]
      : [row.one.would === "run" ? run : skip, row.one.name, row.one.because, placeOf(row.one, reader)],
  );
  const titles = ["would", ...["hook", "because", "where"].map((title) => ({ title, fills: true as const }))];
  const others = explained.length - listening.length;
  return [
    ...(rows.length > 0 ? [{ titles, rows }] : []),
    ...(others > 0 ? [otherEvents(others, rows.length > 0)] : []),
    ...explained.flatMap(({ name, changed = [] }) =>
      changed.map((file) => oneLine(`${name}: ${reader.path(file)} has changed since its last run`)),
    ),
  ];
}

const run = { text: "run", tone: "green" } as const;
const skip = { text: "skip", tone: "dim" } as const;

const otherEvents = (count: number, isMore: boolean): string =>
  `${counted(count, isMore ? "other hook" : "hook")} ${count === 1 ? "listens" : "listen"} to other events (--verbose shows them)`;
