/** The log that hooks write to (action log) and notices go to: JSON lines in the state folder, of bounded size. */
import { appendFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Instant } from "../../engine/event.ts";
import type { Observation } from "../../engine/ports.ts";
import type { RunStatus } from "../../engine/record.ts";
import { makePrivateFolder } from "../../files/write.ts";
import { createRedaction } from "../../storage/redaction/redaction.ts";

/** Then it is renamed to FILE.1, over the one before. */
const largestInBytes = 4 * 1024 * 1024;

/** What is written there; other observations are the store's. */
function lineOf(seen: Observation): object | undefined {
  const failure = failureIn(seen);
  if (failure !== undefined && seen.is === "run")
    return { level: "error", message: failure, hook: seen.run.hook, run: seen.run.id };
  if (seen.is === "log") return { level: seen.level, message: seen.message, hook: seen.hook, run: seen.run };
  if (seen.is === "notice") return { ...seen.notice, notice: true, hook: seen.hook, run: seen.run };
  return undefined;
}

const failed: ReadonlySet<RunStatus> = new Set<RunStatus>(["failed", "timeout", "interrupted"]);

/** What a person should know of a run of an automation that went wrong (A19): no agent shows its answer. */
export function failureIn(seen: Observation): string | undefined {
  if (seen.is !== "run" || !seen.hook?.durable || !failed.has(seen.run.status)) return undefined;
  const { hookName, id, status, reason = status } = seen.run;
  const how = reason.startsWith(status) || status === "failed" ? "" : `${status}: `;
  return `the automation ${hookName} failed: ${how}${reason} (hookline runs show ${id})`;
}

interface LogOptions {
  file: string;
  now(): Instant;
  /** Whose secrets are left out of it (SAFETY D12). */
  environment: Readonly<Record<string, string>>;
  /** Instead of that: what knows of others' secrets, too. */
  redact?(text: string): string;
  /** Where its folder was taken away: true, and none is made anew. */
  isGone?(): boolean;
}

/** Never throws: a log that cannot be written must not cost a decision, and the run keeps the message too. */
export function createLog({ file, now, environment, redact: given, isGone }: LogOptions): (seen: Observation) => void {
  let redact: ((text: string) => string) | undefined;
  return (seen) => {
    const line = lineOf(seen);
    if (!line || isGone?.()) return;
    try {
      makePrivateFolder(dirname(file));
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largestInBytes) renameSync(file, `${file}.1`);
      redact ??= given ?? createRedaction({ environment });
      const text = redact(JSON.stringify({ at: new Date(now()).toISOString(), ...line }));
      appendFileSync(file, `${text}\n`, { mode: 0o600 });
    } catch {
      // a full disk, a read-only home
    }
  };
}
