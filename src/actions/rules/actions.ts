/** The plain actions of rules: gate, inject_message, compact_context, log and notify. */
import { agentEventNames, events } from "../../engine/events.ts";
import type { Handler } from "../../engine/ports.ts";
import type { Notice } from "../../engine/reach.ts";
import { flag, integer, object, oneOf, type Schema, say, text } from "../../engine/schema.ts";

interface GateParams {
  reason?: string;
  allow?: boolean;
}

const policy = "Blocked by hook policy";
/** Besides these, application events take a verdict. */
const decided: readonly string[] = [
  ...agentEventNames.filter((name) => events[name].accepts.includes("verdict")),
  "activation",
];

export const gate: Handler<GateParams> = {
  params: object(
    {},
    {
      reason: say(text(), "why, in words for the model and the person", policy),
      allow: say(flag, "true lets it happen without a question; anything else blocks it", false),
    },
  ),
  action: {
    summary: "Blocks what is about to happen, such as a tool call; with allow it is allowed explicitly.",
    role: ({ allow }) => (allow === true ? "observe" : "guard"),
    events: decided,
  },
  run({ reason, allow }, { hook }) {
    const said = reason === undefined || reason.trim() === "" ? undefined : reason;
    const verdict =
      allow === true
        ? { is: "allow" as const, by: hook.id, ...(said === undefined ? {} : { reason: said }) }
        : { is: "deny" as const, by: hook.id, reason: said ?? policy };
    return { ok: true, output: { ...verdict }, outcome: { verdict } };
  },
};

const roles = ["user", "system", "assistant"] as const;
interface InjectMessageParams {
  content: string;
  role?: (typeof roles)[number];
  placeholder?: string;
}

export const injectMessage: Handler<InjectMessageParams> = {
  params: object(
    { content: text("what the model is told") },
    {
      role: say(oneOf(...roles), "who says it to the model", "user"),
      placeholder: text("the named part of the prompt that it goes into, for a host that has such parts"),
    },
  ),
  action: {
    summary: "Tells the model something: a message in the conversation. Several on one event all arrive, in order.",
    role: () => "observe",
  },
  run({ content, role = "user", placeholder }) {
    if (content.trim() === "") return { ok: true, output: {}, notes: ["the message is empty: nothing was injected"] };
    const message = { to: "model" as const, role, text: content, ...(placeholder ? { placeholder } : {}) };
    return { ok: true, output: { role, content }, outcome: { messages: [message] } };
  },
};

const strategies = ["truncate", "summarize"] as const;
interface CompactContextParams {
  strategy?: (typeof strategies)[number];
  keep_last?: number;
}

export const compactContext: Handler<CompactContextParams> = {
  params: object(
    {},
    {
      strategy: say(oneOf(...strategies), "drop the older messages, or put a summary in their place", "truncate"),
      keep_last: integer("messages at the end that stay as they are; the host's own number unless said", 0),
    },
  ),
  action: {
    summary: "Asks for a smaller conversation; where the agent cannot be told so, the person is.",
    role: () => "observe",
  },
  run({ strategy = "truncate", keep_last: keepLast }) {
    const compact = { strategy, ...(keepLast === undefined ? {} : { keepLast }) };
    return { ok: true, output: { ...compact }, outcome: { compact } };
  },
};

type Level = "debug" | "info" | "warn" | "error";
const level: Schema<Level | "warning"> = say(
  oneOf("debug", "info", "warn", "warning", "error"),
  "how urgent it is; warning is warn",
  "info",
);
/** One word for each level. */
const levelOf = (written: Level | "warning" = "info"): Level => (written === "warning" ? "warn" : written);

interface LogParams {
  message: string;
  level?: Level | "warning";
}

export const log: Handler<LogParams> = {
  params: object({ message: text("the line") }, { level }),
  action: { summary: "Writes a line to the log.", role: () => "observe" },
  run({ message, level: written }, { ports, hook, run }) {
    const entry = { level: levelOf(written), message };
    ports.observe?.({ is: "log", ...entry, hook: hook.id, run });
    return { ok: true, output: entry };
  },
};

interface NotifyParams {
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
