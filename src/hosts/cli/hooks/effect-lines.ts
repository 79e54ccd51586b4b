/** What a tool call does, for a person: each command with its effects, and what nobody can tell. */
import { loadPatterns } from "../../../conditions/patterns.ts";
import { commandText, effectText } from "../../../engine/effects.ts";
import { type Fields, type HookEvent, textField } from "../../../engine/event.ts";
import { rowOf } from "../../../engine/events.ts";
import { isRecord } from "../../../engine/schema.ts";
import { findProject, workspaceOf } from "../../../loading/project.ts";
import type { Place } from "../place.ts";
import { oneLine, type Terminal } from "../terminal.ts";

/** Beyond that nobody reads it. */
const mostCommands = 30;

/** None for an event without a tool, and for a call that does nothing that is known. */
export async function effectLines(event: HookEvent, { home }: Place, terminal: Terminal): Promise<string[]> {
  const tool = textField(event.data, "tool_name");
  const { tool_input: input } = event.data;
  if (!rowOf(event.name).matchTool || tool === undefined || !isRecord(input)) return [];
  const patterns = await loadPatterns({ shell: true, glob: true });
  const workspace = workspaceOf(findProject(event.cwd, home));
  const call = { tool, input: input as Fields, cwd: event.cwd, home };
  const reading = patterns.effects?.(call, { workspace, home });
  if (!reading) return [];
  const { commands, effects, unknown } = reading;
  const of = (index: number | undefined): string =>
    effects.flatMap((one) => (one.command === index ? effectText(one) : [])).join("; ");
  const rows = [
    ...(of(undefined) === "" ? [] : [[tool, of(undefined)]]),
    ...commands.slice(0, mostCommands).map(({ words }, index) => [commandText(words), of(index)]),
  ];
  const more = commands.length > mostCommands ? [`and ${commands.length - mostCommands} more commands`] : [];
  return [
    ...(rows.length === 0 ? [] : [terminal.paint("bold", "what the call does, as far as its text tells")]),
    ...rows.map(([what = "", does = ""]) => `  ${oneLine(what)}${does === "" ? "" : `: ${oneLine(does)}`}`),
    ...more.map((line) => `  ${line}`),
    ...unknown.map(({ why }) => `  ${terminal.paint("yellow", "unclear")}: ${oneLine(why)}`),
  ];
}
