/** Automations that watch files, and what is found of their rounds. */
import { automation, type Place } from "./started.ts";

export const watching = (name: string, file: string, line: string): string =>
  automation(name, `type: event, event_type: file.changed, watch: { paths: [${file}] }`, line);

export const failed = (place: Place): string[] =>
  place.runs().flatMap(({ status, reason }) => (status === "failed" ? [String(reason)] : []));
export const rounds = (place: Place): number => place.runs().filter(({ status }) => status === "completed").length;
export const linesOf = (place: Place, file: string): number => place.read(`workspace/${file}`).split("\n").length - 1;
