/** Which project a step works for, where its parameters name none. */
import { textField } from "../core/event.ts";
import type { StepContext } from "../core/ports.ts";

/** The automation's own, else the one that the event is about. */
export const ownProject = ({ hook, event }: Pick<StepContext, "hook" | "event">): string | undefined =>
  hook.project ?? (textField(event.data, "project_id") || undefined);
