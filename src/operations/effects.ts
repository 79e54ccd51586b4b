/** What a tool call does, for a person: each command with its effects, and what nobody can tell. */
import { ownTemporary } from "../conditions/asked-call.ts";
import { commandText, type Effect, effectText, isPlaceName, type PlaceName } from "../engine/effects.ts";
import { type Fields, type HookEvent, textField } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import type { Patterns } from "../engine/ports.ts";
import { isRecord } from "../engine/schema.ts";
import { findProject, workspaceOf } from "../loading/project.ts";
import { oneLine, type Shown } from "./shown.ts";

/** Beyond that nobody reads it. */
const mostCommands = 30;

interface EffectRows {
  /** A command, or the tool's name, with what it does: empty if that is nothing. */
  rows: [what: string, does: string][];
  unclear: string[];
}

/** None for an event without a tool, and for a call that does nothing that is known. */
export function effectRows(event: HookEvent, home: string, patterns: Patterns): EffectRows {
  const tool = textField(event.data, "tool_name");
  const { tool_input: input } = event.data;
  if (!rowOf(event.name).matchTool || tool === undefined || !isRecord(input)) return { rows: [], unclear: [] };
  const workspace = workspaceOf(findProject(event.cwd, home));
  const call = { tool, input: input as Fields, cwd: event.cwd, home }; // payloads are JSON
  const reading = patterns.effects?.(call, { workspace, home });
  if (!reading) return { rows: [], unclear: [] };
  const { commands, effects, unknown } = reading;
  const where = { workspace, home, own: ownTemporary(event, reading, workspace) };
  const is = (name: PlaceName, { path = "", below }: Effect): boolean =>
    patterns.isAt?.(name, { path, below }, where) === true;
  /** Rules about what is outside of the repository leave these out, and a reader would wonder why. */
  const isExempt = (one: Effect): boolean =>
    (one.is === "deletes" || one.is === "writes") &&
    one.path !== undefined &&
    is("temporary", one) &&
    !["workspace", "whole workspace", "outside workspace"].some((name) => isPlaceName(name) && is(name, one));
  const textOf = (one: Effect): string =>
    `${effectText(one)}${isExempt(one) ? " (a temporary file of the session: not counted as outside of the repository)" : ""}`;
  const of = (index: number | undefined): string =>
    effects.flatMap((one) => (one.command === index ? textOf(one) : [])).join("; ");
  const more = commands.length - mostCommands;
  return {
    rows: [
      ...(of(undefined) === "" ? [] : [[tool, of(undefined)] as [string, string]]),
      ...commands.slice(0, mostCommands).map(({ words }, index): [string, string] => [commandText(words), of(index)]),
      ...(more > 0 ? [[`and ${more} more commands`, ""] as [string, string]] : []),
    ],
    unclear: unknown.map(({ why }) => why),
  };
}

/** The same for a person. What reads shell lines is loaded for this alone. */
export async function shownEffects(event: HookEvent, home: string): Promise<Shown[]> {
  const { loadPatterns } = await import("../conditions/patterns.ts");
  const { rows, unclear } = effectRows(event, home, await loadPatterns({ shell: true, glob: true }));
  return [
    ...(rows.length === 0 ? [] : [{ text: "what the call does, as far as its text tells", tone: "bold" } as const]),
    ...rows.map(([what, does]) => `  ${oneLine(what)}${does === "" ? "" : `: ${oneLine(does)}`}`),
    ...unclear.map((why) => ({ line: ["  ", { text: "unclear", tone: "yellow" } as const, `: ${oneLine(why)}`] })),
  ];
}
