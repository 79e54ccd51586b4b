/**
 * What a session's begin says about the agent's settings: that a hook wants an event which is not registered, and that a
 * guard's event is registered so that it passes without a daemon. Only install edits settings (R84), so the person is asked.
 */
import { existsSync } from "node:fs";
import { messageOf } from "../../engine/error.ts";
import type { AgentEventName } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import { type AgentAdapter, type InstallLayer, layersOf, type Places } from "../adapter.ts";
import { httpTokenFile, modWords } from "./own-call.ts";
import type { OwnEntry } from "./registration.ts";

export interface Begun {
  agent: AgentAdapter;
  places: Places;
  stateFolder: string;
  /** All hooks that are active where the session works. */
  hooks: readonly Hook[];
}

/** Reads the agent's settings only where a hook gives a reason to. Never rejects. */
export async function registrationNotices({ agent, places, stateFolder, hooks }: Begun): Promise<readonly string[]> {
  const ours = hooks.filter(
    (hook) => hook.enabled && !(hook.origin.file && agent.readsItself(hook.origin.file, places, hook.origin.layer)),
  );
  const { events, onlyWanted } = agent.settings;
  const wanted = onlyWanted.filter((event) => ours.some((hook) => listensTo(hook, event)));
  const guards = existsSync(httpTokenFile(stateFolder)) ? ours.filter(({ onFailure }) => onFailure === "block") : none;
  if (wanted.length === 0 && guards.length === 0) return none;
  try {
    const registered = await registeredLayers(agent, places);
    const guarded = [...events, ...onlyWanted].filter((event) => guards.some((hook) => listensTo(hook, event)));
    return registered.length === 0
      ? none
      : [...missing(wanted, agent, registered), ...passing(guarded, agent, registered)];
  } catch (error) {
    return [messageOf(error)];
  }
}
const none: readonly never[] = [];

interface Registered {
  layer: InstallLayer;
  file: string;
  entries: readonly OwnEntry[];
}

async function registeredLayers(agent: AgentAdapter, places: Places): Promise<Registered[]> {
  const [{ editorOf }, { readText }, { modEntries }] = await Promise.all([
    import("./registration.ts"),
    import("./files.ts"),
    import("./mod.ts"),
  ]);
  return layersOf(agent)
    .map((layer) => ({ layer, file: agent.settings.file(layer, places) }))
    .map((one) => ({
      ...one,
      entries: [
        ...editorOf(agent).read(readText(one.file), one.file),
        ...modEntries({ agent, layer: one.layer, places }),
      ],
    }))
    .filter(({ entries }) => entries.length > 0);
}

function missing(wanted: readonly AgentEventName[], { name, title }: AgentAdapter, layers: Registered[]): string[] {
  const absent = wanted.filter((event) => !layers.some(({ entries }) => entries.some((one) => one.event === event)));
  const [first] = layers;
  if (!first || absent.length === 0) return [];
  return [
    `a hook wants ${absent.join(", ")}, which ${title} does not send yet: run hookline install ${name}${words(first)} again`,
  ];
}

function passing(guarded: readonly AgentEventName[], { name, title }: AgentAdapter, layers: Registered[]): string[] {
  const open = guarded.filter((event) => {
    const there = layers.flatMap(({ entries }) => entries.filter((one) => one.event === event));
    return there.length > 0 && there.every(({ overHttp, blocks }) => overHttp && !blocks);
  });
  const layer = layers.find(({ entries }) => entries.some(({ event }) => open.some((one) => one === event)));
  if (!layer) return [];
  return [
    `a guard is active for ${open.join(", ")}, and ${title} lets it pass where no daemon answers (${layer.file}): run hookline install ${name}${words(layer)} again`,
  ];
}

/** The words that install was given for this layer. */
const words = ({ layer, entries }: Registered): string =>
  [
    ...(layer === "user" ? [] : [` --layer ${layer}`]),
    ...(entries.some(({ overHttp }) => overHttp) ? [" --http"] : []),
    ...modWords(entries).map((flag) => ` ${flag}`),
  ].join("");
