/**
 * Writes down each call of an ability (specification 001, 3.2): a record that people read, a line that programs read, and
 * how often each ability was used.
 */
import { abilityOf } from "../core/ability.ts";
import { messageOf } from "../core/error.ts";
import type { Fields, HookEvent } from "../core/event.ts";
import type { Handler, StepContext, StepResult } from "../core/ports.ts";
import { type Mismatch, object, say, text } from "../core/schema.ts";
import { contextOf } from "../protocols/registry-context.ts";
import { writtenName } from "../protocols/written-name.ts";
import { append, folderParameter, inspectFolder, pathInside, placeToWrite, repositoryOf } from "./repository-place.ts";
import { foldUsage, recorder } from "./usage-cache.ts";

export interface UsageTrackerParams {
  records?: string;
  log?: string;
  cache?: string;
  folder?: string;
}

const usual = {
  records: ".system/logs/tool_call.md",
  log: ".system/logs/hooks.log",
  cache: ".system/cache/ability_usage.json",
} as const;

const places = Object.keys(usual) as (keyof typeof usual)[]; // an object's own keys

export const usageTracker: Handler<UsageTrackerParams> = {
  params: object(
    {},
    {
      records: say(text(), "where each call gets a few lines of Markdown, from the repository's root", usual.records),
      log: say(text(), "where each call gets one line of JSON", usual.log),
      cache: say(text(), "where it stands how often each ability was used; made of the log", usual.cache),
      folder: folderParameter,
    },
  ),
  builtin: {
    summary: "Writes down each call of an ability, and counts how often each was used.",
    role: () => "observe",
    events: ["PostAbilityCall"],
  },
  inspect: (params, _patterns, origin) => [
    ...places.flatMap((name) => inspectPlace(name, params[name])),
    ...inspectFolder(params.folder, origin),
  ],
  async run(params, context) {
    const { event, hook } = context;
    if (!abilityOf(event))
      return { ok: true, output: { usage_recorded: false }, notes: ["the event is about no ability"] };
    try {
      const clean = await withoutSecrets(event, context);
      return recordCall(contextOf(clean, writtenName(hook, event.name), hook), params, context);
    } catch (error) {
      return { ok: false, output: { usage_recorded: false }, failure: "error", reason: messageOf(error) };
    }
  },
};

/** Links are looked at when it is written. */
const inspectPlace = (name: string, path: unknown): Mismatch[] =>
  typeof path === "string" && !pathInside("/repository", path)
    ? [{ path: [name], expected: "a path inside of the repository", found: JSON.stringify(path) }]
    : [];

/** Before anything is cut: of a secret that lies across the cut, a part would stay that nobody knows. */
async function withoutSecrets(event: HookEvent, { ports }: StepContext): Promise<HookEvent> {
  if (!ports.redact) return event;
  const data: Fields = JSON.parse(await ports.redact(JSON.stringify(event.data)));
  return { ...event, data };
}

/** @param call as every hook of specification 001 is told of it, without secrets */
function recordCall(call: Fields, params: UsageTrackerParams, context: StepContext): StepResult {
  const root = repositoryOf(context, params.folder);
  const [records, log, cache] = places.map((name) => placeToWrite(root, params[name] ?? usual[name]));
  if (records === undefined || log === undefined || cache === undefined) throw new Error("no place to write to"); // there are three
  append(records, markdownOf(call));
  append(log, `${JSON.stringify(lineOf(call, context))}\n`);
  foldUsage(log, cache);
  return { ok: true, output: { usage_recorded: true, ability_id: call.ability_id ?? null } };
}

const logged = ["event_type", "status", "duration_ms", "ability_id", "operation_key", "session_id"] as const;

const lineOf = (call: Fields, { hook, run }: StepContext): Fields => ({
  time: call.timestamp ?? null,
  recorded_by: recorder,
  hook_id: hook.name, // as its file calls it
  ...Object.fromEntries(logged.map((name) => [name, call[name] ?? null])),
  run_id: run,
});

const told = [
  ["operation", "operation_key"],
  ["status", "status"],
  ["duration in ms", "duration_ms"],
  ["session", "session_id"],
  ["input", "input_summary"],
  ["output", "output_summary"],
] as const;

function markdownOf(call: Fields): string {
  const lines = told.flatMap(([label, name]) => {
    const value = plainMarkdown(String(call[name] ?? ""));
    return value === "" ? [] : [`- ${label}: ${value}`];
  });
  const heading = [call.timestamp, call.ability_id].map((one) => plainMarkdown(String(one)));
  return `## ${heading.join(" ")}\n\n${lines.join("\n")}\n\n`;
}

const longestField = 400;

/** What Markdown gives a meaning to; at the end, what GitHub makes links of: addresses that begin so, and people. */
const special =
  /[\\`*[\]<>|~#&!]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=\bwww)\.|@|(?<=\b(?:mailto|xmpp)):/giu;

/** A text from elsewhere as one line that Markdown shows as it is: no link, no table, no heading of its own. */
function plainMarkdown(value: string): string {
  const line = (value.length > longestField ? `${value.slice(0, longestField)}…` : value)
    .replaceAll(/\s*[\r\n\u2028\u2029]\s*/gu, " ⏎ ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
  return line.replaceAll(special, "\\$&").trim();
}
