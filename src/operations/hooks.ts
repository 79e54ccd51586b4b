/** Operations that show which hooks are in force, and why each would run. */
import type { Fields } from "../engine/event.ts";
import { eventToEmit } from "../engine/events.ts";
import { nameOf } from "../engine/explain.ts";
import type { Hook } from "../engine/hook.ts";
import { listensTo } from "../engine/plan.ts";
import { anything, mapOf, object, say, text } from "../engine/schema.ts";
import { eventOf, knownEvent } from "./event.ts";
import { type Operation, plain } from "./operation.ts";

export const hooks: Operation<{ event?: string }> = {
  summary: "The hooks that are in force, in running order.",
  params: object({}, { event: text("only those that listen to this event") }),
  readOnly: true,
  async run({ event: written }, { hooks: inForce, event }) {
    const set = await inForce(event);
    const name = written === undefined ? undefined : knownEvent(eventToEmit(written, {}), written);
    return set.hooks.filter((hook) => name === undefined || listensTo(hook, name)).map(hookRow);
  },
};

/** What a list tells of a hook, for scripts. */
export const hookRow = (hook: Hook): Fields => ({
  id: hook.id,
  name: hook.name,
  on: nameOf(hook.on),
  uses: hook.steps.map(({ uses }) => uses),
  layer: hook.origin.layer,
  dialect: hook.origin.dialect,
  file: hook.origin.file ?? null,
  line: hook.origin.line ?? null,
  mode: hook.mode,
  role: hook.role,
  onFailure: hook.onFailure,
  priority: hook.priority,
  enabled: hook.enabled,
  tags: hook.tags,
});

export const explain: Operation<{ event: string; data?: Fields }> = {
  summary: "For every hook, whether it would run on such an event, and why. Nothing runs.",
  params: object(
    { event: text("the event's name") },
    { data: say(mapOf(anything), "its payload, as an agent would send it", {}) },
  ),
  readOnly: true,
  async run({ event: written, data = {} }, asked) {
    const name = knownEvent(eventToEmit(written, data), written);
    const explanations = await asked.engine.explain(eventOf(name, data, asked));
    return explanations.map(plain);
  },
};
