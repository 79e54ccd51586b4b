/**
 * What stands in the place of a guard whose entry is invalid, in every format: a hook that fails, so that its failure policy
 * answers. Where the guard had a good form, loading puts that in its place (R46).
 */
import type { EventName } from "../engine/event.ts";
import { guardableEvents } from "../engine/events.ts";
import { fingerprint } from "../engine/fingerprint.ts";
import type { Condition, FailurePolicy, Hook, Origin, Problem, Role } from "../engine/hook.ts";
import type { Events } from "./reading/event-names.ts";
import type { Node } from "./reading/tree.ts";
import type { YamlFile } from "./reading/yaml-tree.ts";

export interface InvalidGuard {
  id: string;
  /** As its author named it. */
  name?: string | undefined;
  /** None: nothing says for which events it was, so it fails on all that a guard can deny. */
  events: readonly EventName[];
  written: readonly string[];
  when?: Condition | undefined;
  role: Role;
  onFailure: FailurePolicy;
  priority?: number;
  enabled: boolean;
  report?: true;
  reason: string;
  origin: Origin;
}

export function invalidGuard(guard: InvalidGuard): Hook {
  const { id, name, events, written, when, role, onFailure, report, priority = 100, enabled, reason, origin } = guard;
  const event = events.length > 0 ? [...new Set(events)] : [...guardableEvents];
  const as = written.length > 0 ? [...written] : event;
  return {
    id,
    name: name || (written.length > 0 ? `invalid guard (${written.join(", ")})` : "invalid guard"),
    on: { event, as },
    ...(when ? { when } : {}),
    steps: [
      {
        uses: "invalid",
        with: { reason: `the entry of this guard is invalid: ${reason}` },
        timeout: 1,
        onError: "stop",
      },
    ],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role,
    onFailure,
    ...(report ? { report } : {}),
    priority,
    enabled,
    tags: [],
    origin,
  };
}

/** Which form of it answers only a store can tell, and files are read without one. */
export const guardInvalid = (
  { onFailure }: Pick<InvalidGuard, "onFailure">,
  part: "entry" | "rule" | "hook",
): Omit<Problem, "file" | "line" | "column"> => ({
  severity: "note", // what is wrong is an error of its own
  code: "guard-invalid",
  message: `until this ${part} is corrected its last good form stays active or, where it never had one, its failure policy (${onFailure}) answers`,
});

/** Where an entry of a YAML file stands, and what its hooks are called. */
interface Place {
  file: YamlFile;
  node: Node;
  part: "rule" | "hook";
  idOf(name: string): string;
}

/** The invalid guard of an entry in a YAML file, reported. Without a name it is called by its text. */
export function guardOfEntry(
  { events, name = "", ...guard }: Omit<InvalidGuard, "id" | "events" | "written"> & { events: Events },
  { file, node, part, idOf }: Place,
): Hook {
  file.report(node.offset, guardInvalid(guard, part));
  const text = file.text.slice(node.offset, node.offset + node.length);
  return invalidGuard({
    ...guard,
    id: idOf(name.trim() || `invalid-${fingerprint(text).slice(0, 8)}`),
    name: name.trim(),
    events: [...events.events, ...events.meant],
    written: events.written,
  });
}
