/** What sets an automation off (specification 000, 3.1): its trigger as the engine's, checked. */
import { isAbsolute, resolve } from "node:path";
import type { Fields, Instant, Json, Seconds } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import type { Trigger, WatchRule } from "../../engine/hook.ts";
import { didYouMean, meantOrKnown, nearest } from "../../engine/nearest.ts";
import { isRecord, kindOf } from "../../engine/schema.ts";
import type { Path } from "../reading/mismatches.ts";
import type { CronReading } from "./cron.ts";
import {
  type AutomationTrigger,
  type AutomationWatch,
  isTriggerType,
  type TriggerType,
  triggerKinds,
  triggerTypes,
} from "./fields.ts";
import { type Findings, reportMismatches } from "./findings.ts";
import { readMoment } from "./moment.ts";

/** Handed in, because the library behind it costs a start. */
export type ReadCron = (pattern: string, zone: string | undefined) => CronReading;
export interface TriggerContext {
  findings: Findings;
  /** Absent: cron patterns were read when the automation was made. */
  readCron?: ReadCron;
  now?: Instant;
  mayBePast?(moment: Instant): boolean;
  /** The project's folder. */
  workspace?: string;
  cooldown: Seconds;
}
export interface ReadTrigger {
  trigger: AutomationTrigger;
  on: Trigger;
}

const path: Path = ["trigger"];

/** Undefined: it is missing or invalid, which is reported. */
export function readTrigger(written: Json | undefined, context: TriggerContext): ReadTrigger | undefined {
  const { findings } = context;
  if (written === undefined) return undefined;
  if (!isRecord(written)) {
    const message = `the trigger is a map with a type, not ${kindOf(written)}`;
    return void findings.error(path, {
      code: "wrong-type",
      message,
      suggestion: "write { type: event, event_type: … }",
    });
  }
  const { type, ...fields } = written as Fields; // it is JSON
  const kind = readType(type, fields, findings);
  if (!kind) return undefined;
  const before = findings.all.length;
  const wrong = triggerKinds[kind].params.check(fields);
  reportMismatches(wrong, { name: `a trigger of type ${kind}`, at: path, value: fields, elsewhere }, findings);
  if (findings.all.length > before) return undefined;
  const on = readers[kind](fields, context);
  // of the shape that its schema has passed, and a moment is kept as the one that it was read as
  return on && { on, trigger: { type: kind, ...asKept(fields, on) } as AutomationTrigger };
}

/** A delay is over once; what is kept is the moment. */
function asKept(fields: Fields, on: Trigger): Fields {
  if (!("at" in on)) return fields;
  const { in: _delay, ...rest } = fields;
  return { ...rest, at: new Date(on.at).toISOString() };
}

/** Words of other formats for a trigger's fields. */
const elsewhere: { readonly [word: string]: string } = {
  event: "event_type",
  interval: "interval_seconds",
  every: "interval_seconds",
  seconds: "interval_seconds",
  timezone: "zone",
  tz: "zone",
  schedule: "cron",
  expression: "cron",
  delay: "in",
  after: "in",
  time: "at",
};
const otherTypes: { readonly [word: string]: TriggerType } = {
  interval: "periodic",
  every: "periodic",
  schedule: "cron",
  once: "at",
  in: "at",
  delay: "at",
  watch: "event",
  file: "event",
};
/** A field that only one type has. */
const onlyOf: { readonly [word: string]: TriggerType } = {
  event_type: "event",
  watch: "event",
  interval_seconds: "periodic",
  cron: "cron",
  zone: "cron",
  at: "at",
  in: "at",
};

function readType(type: Json | undefined, fields: Fields, findings: Findings): TriggerType | undefined {
  if (typeof type === "string" && isTriggerType(type)) return type;
  if (type === undefined || type === null) {
    const meant = Object.keys(fields).flatMap((key) => (Object.hasOwn(onlyOf, key) ? onlyOf[key] : []))[0];
    const suggestion = `write type: ${meant ?? triggerTypes.join(", or ")}`;
    return void findings.error(path, { code: "missing-field", message: 'the trigger needs a "type"', suggestion });
  }
  const word = String(type);
  const other = Object.hasOwn(otherTypes, word) ? `write type: ${otherTypes[word]}` : undefined;
  const suggestion = other ?? meantOrKnown(word, triggerTypes);
  const message = `no trigger is of type ${kindOf(type)}`;
  return void findings.error([...path, "type"], { code: "unknown-type", message, suggestion });
}

type TriggerReader = (fields: Fields, context: TriggerContext) => Trigger | undefined;

const defaultInterval: Seconds = 3600;

const readers: { readonly [T in TriggerType]: TriggerReader } = {
  event: readEventTrigger,
  periodic({ interval_seconds: written }, { findings, cooldown }) {
    const every = typeof written === "number" ? written : defaultInterval;
    warnOfCooldown("it is due", every, cooldown, findings);
    return { every };
  },
  cron: readCronTrigger,
  at(fields, context) {
    const at = readMoment(fields, { ...context, path });
    return at === undefined ? undefined : { at };
  },
};

/** A17a: what is due more often than it may run runs as often as it may. */
function warnOfCooldown(what: string, gap: Seconds, cooldown: Seconds, findings: Findings): void {
  if (gap >= cooldown) return;
  findings.warn(["cooldown_seconds"], {
    code: "ignored-field",
    message: `${what} every ${gap} s, and may run only every ${cooldown} s (cooldown_seconds)`,
    suggestion: `write cooldown_seconds: 0, or at most ${gap}`,
  });
}

function readCronTrigger(
  { cron, zone }: Fields,
  { readCron, findings, cooldown }: TriggerContext,
): Trigger | undefined {
  const pattern = String(cron).trim();
  const place = zone === undefined ? undefined : String(zone).trim();
  if (place !== undefined && !isZone(place)) {
    const near = didYouMean(place, Intl.supportedValuesOf("timeZone")) ?? "write one such as Europe/Berlin, or UTC";
    const message = `no time zone is called "${place}"`;
    return void findings.error([...path, "zone"], { code: "wrong-type", message, suggestion: near });
  }
  const { fault, gap } = readCron?.(pattern, place) ?? {};
  if (fault !== undefined) {
    const message = `"${pattern}" is no cron pattern: ${fault}`;
    const suggestion = "write minute, hour, day, month and weekday, such as 0 3 * * 1-5";
    return void findings.error([...path, "cron"], { code: "expression-invalid", message, suggestion });
  }
  if (gap !== undefined) warnOfCooldown("it is due as often as", gap, cooldown, findings);
  return place === undefined ? { cron: pattern } : { cron: pattern, zone: place };
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** The events of the watcher, and what each is about. */
const watchKinds: { readonly [name: string]: WatchRule["kind"] } = {
  "file.changed": "file",
  "folder.changed": "folder",
};

function readEventTrigger({ event_type: name, watch }: Fields, context: TriggerContext): Trigger | undefined {
  const { findings } = context;
  const written = String(name).trim();
  const kind = Object.hasOwn(watchKinds, written) ? watchKinds[written] : undefined;
  if (kind && watch !== undefined) return readWatch(watch as unknown as AutomationWatch, kind, context); // its schema has passed it
  if (watch !== undefined) {
    const message = `"watch" is for file.changed and folder.changed, and this is ${written}`;
    const suggestion = "remove it, or write event_type: file.changed";
    return void findings.error([...path, "watch"], { code: "shape", message, suggestion, ofKey: true });
  }
  if (kind) {
    const message = `it has no "watch", so nothing looks for changes: it runs only on a ${written} that a program sends`;
    findings.warn(path, { code: "missing-field", message, suggestion: "write watch: { paths: [ … ] }" });
  }
  const events = resolveEvent(written);
  if (!events) {
    const known = [...eventNames, ...Object.keys(applicationEvents)];
    const suggestion = didYouMean(written, known) ?? "see docs/events.md; an event of your own holds a dot";
    const message = `no event is called "${written}"`;
    return void findings.error([...path, "event_type"], { code: "unknown-event", message, suggestion });
  }
  warnOfLikeness(written, findings);
  return { event: events, as: [written] };
}

/** Any name with a dot may be an application's event; one that is nearly ours is most likely a slip. */
function warnOfLikeness(written: string, findings: Findings): void {
  const known = Object.keys(applicationEvents);
  const near = written.includes(".") && !known.includes(written) ? nearest(written, known) : undefined;
  if (near === undefined) return;
  const message = `"${written}" is no event of Hookline, but nearly "${near}"`;
  findings.warn([...path, "event_type"], { code: "unknown-event", message, suggestion: `did you mean "${near}"?` });
}

const watchPath: Path = [...path, "watch"];

function readWatch(written: AutomationWatch, kind: WatchRule["kind"], context: TriggerContext): Trigger | undefined {
  const { findings, workspace } = context;
  const { paths, project_id: project, base_dir: folder, recursive, extensions, poll } = written;
  if (paths.length === 0) {
    const message = '"paths" of the watch is empty, so nothing is watched';
    const suggestion = "write paths: [src/]";
    return void findings.error([...watchPath, "paths"], { code: "missing-field", message, suggestion });
  }
  for (const name of ["recursive", "extensions"] as const)
    if (kind === "file" && written[name] !== undefined) {
      const message = `"${name}" is for folders: it means nothing for file.changed`;
      const suggestion = "remove it, or write event_type: folder.changed";
      findings.warn([...watchPath, name], { code: "ignored-field", message, suggestion, ofKey: true });
    }
  const base =
    folder === undefined ? workspace : isAbsolute(folder) || !workspace ? folder : resolve(workspace, folder);
  const isLost = (base === undefined || !isAbsolute(base)) && paths.some((one) => !isAbsolute(one));
  if (isLost) {
    const message = "the project has no folder, so it is not known where relative paths start";
    const suggestion = "write whole paths, or an absolute base_dir";
    return void findings.error([...watchPath, "paths"], { code: "missing-field", message, suggestion });
  }
  const ofFolder = { ...(recursive ? { recursive } : {}), ...(extensions ? { extensions } : {}) };
  return {
    watch: {
      kind,
      paths,
      ...(base === undefined ? {} : { base }),
      ...(project === undefined ? {} : { project }),
      ...(kind === "folder" ? ofFolder : {}),
      ...(poll ? { poll } : {}),
    },
  };
}

/** An application event that Hookline itself sends, and what it carries. */
interface ApplicationEvent {
  /** When it happens. */
  when: string;
  /** The fields of its payload. */
  fields: readonly string[];
}

const task = ["task_id", "project_id", "title", "status"] as const;
const note = ["project_id", "note_name", "note_path", "title", "operation"] as const;

export const applicationEvents: Readonly<Record<string, ApplicationEvent>> = {
  "task.created": { when: "a task was created", fields: task },
  "task.started": { when: "work on a task began", fields: task },
  "task.completed": { when: "a task was done", fields: task },
  "task.failed": { when: "a task could not be done", fields: ["task_id", "project_id", "title", "error"] },
  "note.created": { when: "a note was created", fields: note },
  "note.updated": { when: "a note was changed", fields: note },
  "note.deleted": { when: "a note was deleted", fields: note },
  "guard.disobeyed": {
    when: "an agent ran a call that was refused, asked about or rewritten, and not as it was told",
    fields: ["event_id", "session_id", "agent", "verdict", "because", "hook", "reason", "tool_name", "tool_input"],
  },
  "file.changed": {
    when: "a file that an automation watches was created, modified or deleted",
    fields: ["path", "relative_path", "project_id", "operation", "old_mtime", "new_mtime", "size", "watch_id"],
  },
  "folder.changed": {
    when: "files below a folder that an automation watches have changed, and it has been quiet for a while",
    fields: ["path", "project_id", "changes", "count", "truncated", "watch_id"],
  },
  "schedule.due": {
    when: "an automation is due: the event goes to that one alone",
    fields: [
      "current_time",
      "current_time_epoch",
      "last_run_time",
      "last_run_time_epoch",
      "seconds_since_last_run",
      "scheduled_for",
    ],
  },
  "automation.fired": { when: "a person ran an automation by hand: the event goes to that one alone", fields: [] },
};
