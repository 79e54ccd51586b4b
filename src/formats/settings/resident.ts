/** `resident` of a settings hook: which hooks may say it, and what it may hold. */
import type { Fields, Json } from "../../engine/event.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { type ResidentLimits, usualLimits } from "../../engine/resident.ts";
import { kindOf } from "../../engine/schema.ts";
import type { Flavour } from "./entries.ts";
import type { EntryReader } from "./entry-reader.ts";

const limitNames = Object.keys(usualLimits);
/** The others may be fractions: they are seconds. */
const whole: ReadonlySet<string> = new Set<keyof ResidentLimits>(["memory", "concurrency", "events"]);

/** True, or limits; undefined: it is started for each event. */
export function residentOf(reader: EntryReader, type: string, flavour: Flavour): true | Fields | undefined {
  const value = reader.entry.fields.get("resident")?.value;
  if (value === undefined || value === null || value === false) return undefined;
  const refused = whyRefused(reader, type);
  if (refused) {
    reader.fault("resident", "resident-refused", ...refused);
    return undefined;
  }
  if (!flavour.isOurs) warnOfAgents(reader);
  if (value === true) return true;
  if (typeof value === "object" && !Array.isArray(value)) return limitsIn(reader, value);
  reader.fault("resident", "wrong-type", `"resident" needs true or an object of limits but is ${kindOf(value)}`);
  return undefined;
}

function whyRefused(reader: EntryReader, type: string): [message: string, suggestion: string] | undefined {
  if (type !== "command")
    return [`"resident" is for commands: a hook of type ${type} starts no program`, 'remove "resident"'];
  const key = ["async", "asyncRewake"].find((one) => reader.entry.fields.get(one)?.value === true);
  if (key === undefined) return undefined;
  const message = `a hook cannot be both "resident" and "${key}": its program answers each event before it gets the next`;
  return [message, `remove "${key}" or "resident"`];
}

/** They hand the program the event alone, and read no ids. */
function warnOfAgents({ report, entry }: EntryReader): void {
  report(entry.fields.get("resident")?.at ?? entry.at, {
    severity: "warning",
    code: "ignored-field",
    message:
      '"resident": Hookline keeps this program, but an agent that reads the file itself ignores the key and starts it for each event',
    suggestion: "move the hook to .hookline/hooks.json",
  });
}

function limitsIn(reader: EntryReader, limits: { [key: string]: Json }): Fields {
  for (const [name, value] of Object.entries(limits)) {
    if (!limitNames.includes(name)) {
      const advice = didYouMean(name, limitNames) ?? `known: ${limitNames.join(", ")}`;
      reader.fault("resident", "unknown-field", `nothing reads "${name}" in "resident"`, advice);
    } else if (typeof value !== "number" || value < 1 || (whole.has(name) && !Number.isSafeInteger(value))) {
      const expected = whole.has(name) ? "a whole number of at least 1" : "seconds, at least 1";
      reader.fault("resident", "wrong-type", `"${name}" in "resident" needs ${expected} but is ${kindOf(value)}`);
    }
  }
  return limits;
}
