/** Tells the person something: a notice for whoever observes the engine, and a message in the agent (specification 003, D59). */
import type { Handler } from "../core/ports.ts";
import type { Notice } from "../core/reach.ts";
import { object, text } from "../core/schema.ts";
import { type Level, level, levelOf } from "./log.ts";

export interface NotifyParams {
  message: string;
  title?: string;
  level?: Level | "warning";
  tag?: string;
}

export const notify: Handler<NotifyParams> = {
  params: object(
    { message: text("what the person is told") },
    {
      title: text("what stands above it"),
      level,
      tag: text("what kind of notice it is, so that a newer one can take the place of an older one"),
    },
  ),
  action: { summary: "Tells the person something.", role: () => "observe" },
  run({ message, title, level: written, tag }, { ports, hook, run }) {
    const about = { ...(title ? { title } : {}), level: levelOf(written), ...(tag ? { tag } : {}) };
    const notice: Notice = { ...about, message };
    ports.observe?.({ is: "notice", notice, hook: hook.id, run });
    return {
      ok: true,
      output: { ...about, message },
      outcome: { messages: [{ to: "person", text: message, ...about }] },
    };
  },
};
