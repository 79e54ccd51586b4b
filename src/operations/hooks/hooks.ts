/** `hookline list`: the active hooks in running order, or by how long they took. */
import { codeInside, insideWords } from "../../agents/inside.ts";
import { pauseOf } from "../../engine/admit.ts";
import type { HookId, Instant } from "../../engine/event.ts";
import { nameOf } from "../../engine/explain.ts";
import { type Hook, isBuiltIn } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import { flag, object, say, someText } from "../../engine/schema.ts";
import { isUntrusted } from "../../loading/trust/untrusted.ts";
import { offUntil, stateOf } from "../guards.ts";
import { type ActiveHooks, type Asked, folderOf, type Operation } from "../operation.ts";
import { isOfProject, projectFolders } from "../project-folders.ts";
import { eventsMeant } from "../runs/filter.ts";
import { ago, placeOf, type Reader, type Shown, type ShownTable } from "../shown.ts";
import { gathered, whereAll } from "./crowds.ts";
import { eachHook, type Pausing } from "./hook-counts.ts";
import type { Slowness } from "./slowness.ts";
import { seeDoctor, unserved, unservedWords, waitingForDaemon } from "./unserved.ts";

interface Wanted {
  event?: string;
  slow?: boolean;
  all?: boolean;
}

/** A hook in a list. */
export interface HookRow extends Partial<ReturnType<Slowness["fieldsOf"]>> {
  id: HookId;
  name: string;
  on: string;
  uses: string[];
  layer: Hook["origin"]["layer"];
  dialect: string;
  file: string | null;
  line: number | null;
  mode: Hook["mode"];
  role: Hook["role"];
  onFailure: Hook["onFailure"];
  priority: number;
  enabled: boolean;
  report: boolean;
  trusted: boolean;
  tags: readonly string[];
  when: string;
  lastFired: string | null;
  paused: boolean;
  offUntil: string | null;
}

interface Found {
  hooks: readonly Hook[];
  /** Automations of other projects, which are left out. */
  left: number;
  active: ActiveHooks;
  fired: ReadonlyMap<HookId, Instant>;
  pausing: Pausing;
  slow: Slowness | undefined;
  whenOf(hook: Hook): string;
}

export const hooks: Operation<Wanted, Found> = {
  summary: "list the active hooks, in running order",
  command: "list",
  params: object(
    {},
    {
      event: someText("only hooks that listen to this event"),
      slow: say(
        flag,
        "slowest first, by the 95th percentile of each hook's runs in the last 30 days (at most 500), with its budget",
        false,
      ),
      all: say(flag, "also the automations that the store keeps for other projects", false),
    },
  ),
  readOnly: true,
  example: "hookline list --event PreToolUse",
  reportsHooks: true,
  async run({ event, slow: bySlowness = false, all = false }, asked) {
    const names = event === undefined ? undefined : eventsMeant(event);
    const folders = projectFolders({ cwd: folderOf(asked), home: asked.home });
    const [active, { whenOf }] = await Promise.all([
      asked.active(folderOf(asked)),
      import("../../conditions/index.ts"),
    ]);
    const every = eachHook(active.set.hooks);
    const own = every.filter((hook) => all || isOfProject(hook, folders));
    const listening = own.filter((hook) => names === undefined || names.some((name) => listensTo(hook, name)));
    const slow = bySlowness ? await slownessOf(active, asked) : undefined;
    return {
      hooks: slow ? slow.slowestFirst(listening) : listening,
      left: every.length - own.length,
      active,
      fired: await asked.store.lastFired(),
      pausing: { paused: await asked.store.paused(), now: asked.now(), root: active.root },
      slow,
      whenOf,
    };
  },
  rows: (found) => found.hooks.map((hook) => rowOf(hook, found)),
  show: shown,
};

async function slownessOf(active: ActiveHooks, asked: Asked): Promise<Slowness> {
  if (!asked.timings) throw new Error("nothing here keeps how long hooks took: ask without slow");
  return (await import("./slowness.ts")).slownessOf(await asked.timings(), active, asked.now());
}

function rowOf(hook: Hook, { fired, pausing, slow, whenOf }: Found): HookRow {
  const { id, name, mode, role, onFailure, priority, enabled, tags, origin } = hook;
  return {
    ...{ id, name, on: nameOf(hook.on), uses: hook.steps.map(({ uses }) => uses) },
    ...{ layer: origin.layer, dialect: origin.dialect, file: origin.file ?? null, line: origin.line ?? null },
    ...{ mode, role, onFailure, priority, enabled, report: hook.report === true, trusted: !isUntrusted(hook), tags },
    ...{ when: whenOf(hook), lastFired: timeOf(fired.get(id)) },
    ...slow?.fieldsOf(hook),
    paused: pauseOf(hook, pausing.paused, pausing) !== undefined,
    offUntil: timeOf(offUntil(hook, pausing)),
  };
}

const timeOf = (at: Instant | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

async function shown(found: Found, reader: Reader<Wanted>): Promise<Shown[]> {
  const { hooks: listed, left, slow } = found;
  return [
    ...(listed.every(isBuiltIn) ? nothingOf(found, reader) : []),
    ...(listed.length > 0 ? [tableOf(found, reader)] : []),
    ...(waitingForDaemon(listed).length > 0 ? unservedLines(listed, await reader.at.daemon?.()) : []),
    ...(slow ? slow.decisionTable() : []),
    ...(slow || reader.asked.event !== undefined ? [] : insideLines(found, reader)),
    ...(left === 1 ? ["1 automation of other projects is left out: --all lists them"] : []),
    ...(left > 1 ? [`${left} automations of other projects are left out: --all lists them`] : []),
  ];
}

function insideLines({ active }: Found, { at, path }: Reader<Wanted>): Shown[] {
  const places = { home: at.home, root: active.root ?? folderOf(at), environment: at.environment ?? {} };
  return codeInside(places).map((one) => `${one.agent.title}: ${insideWords(one)} (${path(one.path)})`);
}

function unservedLines(...[listed, daemon]: Parameters<typeof unserved>): Shown[] {
  const words = unservedWords(unserved(listed, daemon));
  return words === undefined ? [] : [`Hookline: ${seeDoctor(words)}`];
}

function nothingOf({ hooks: listed, active }: Found, { asked, all, path }: Reader<Wanted>): Shown[] {
  const what = asked.event === undefined ? "no hook is active here" : "no hook that is active here listens to it";
  return [
    `${what}${listed.length > 0 ? " but what is built in" : ""}. Next:`,
    ...nextSteps,
    ...(all ? (active.watched ?? []).map((one) => `  looked at: ${path(one)}`) : []),
    ...(listed.length > 0 ? [""] : []),
  ];
}

const nextSteps: readonly string[] = [
  "  hookline init            sets up this project: a guard, recipes, and the agents that are here",
  "  hookline add guard       adds rules that ask before what is hard to undo",
  "  hookline list --verbose  shows every place that Hookline looked at",
];

function tableOf({ hooks: listed, fired, pausing, slow, whenOf }: Found, reader: Reader<Wanted>): ShownTable {
  const one = (hook: Hook): string[] => [
    hook.name,
    stateOf(hook, pausing),
    nameOf(hook.on),
    whenOf(hook),
    hook.origin.layer,
    hook.mode === "sync" ? "" : hook.mode,
    ...(slow ? slow.cellsOf(hook) : [ago(fired.get(hook.id))]),
    isBuiltIn(hook) ? "built in" : placeOf(hook.origin, reader),
  ];
  const crowd = (file: string, all: readonly Hook[]): string[] => {
    const last = Math.max(...all.map(({ id }) => fired.get(id) ?? 0));
    const states = Map.groupBy(all, (hook) => stateOf(hook, pausing));
    states.delete("");
    const inState = [...states].map(([state, { length }]) => (length < all.length ? `${length} ${state}` : state));
    const on = [...new Set(all.map((hook) => nameOf(hook.on)))].join(", ");
    const when = ago(last === 0 ? undefined : last);
    return [
      ...[`${all.length} hooks`, inState.join("; "), on, "", all[0]?.origin.layer ?? "", ""],
      ...[when, whereAll(file, reader)],
    ];
  };
  const rows = slow ? listed.map((hook) => ({ one: hook })) : gathered(listed, ({ origin }) => origin.file, reader);
  return {
    titles: [
      { title: "hook", fills: true },
      { title: "state", ifAny: true },
      "on",
      { title: "when", fills: true, ifWide: true },
      "layer",
      { title: "mode", ifAny: true },
      ...(slow ? slow.titles : ["fired"]),
      { title: "where", fills: true },
    ],
    rows: rows.map((row) => ("one" in row ? one(row.one) : crowd(row.file, row.all))),
  };
}
