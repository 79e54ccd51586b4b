/**
 * Sends people notices of runs that no caller waits for. It looks at runs as they are observed, so whatever becomes of a notice, no
 * run ever waits for one or fails by one.
 */

import { webFetch } from "../../actions/http/web-fetch.ts";
import { dropOldest } from "../../engine/drop-oldest.ts";
import { messageOf } from "../../engine/error.ts";
import type { Instant, MaybePromise, Seconds } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import { nearest } from "../../engine/nearest.ts";
import type { Observation } from "../../engine/ports.ts";
import type { NoticeChannel } from "../../formats/config/config.ts";
import { unlessAborted } from "../until-aborted.ts";
import { type Channel, createChannel } from "./channel.ts";
import { endedNotice, endingOf, hasEnded, type Notice, toolsOf } from "./messages.ts";
import { createTransport } from "./transports.ts";

export interface NoticeSettings {
  /** By name. */
  channels: Readonly<Record<string, NoticeChannel>>;
  /** Those that get notices where neither a hook nor its project names any. */
  notify: readonly string[];
}

export interface NotifierOptions {
  /** As they are now: when they change, the next notice goes by what they are then. */
  settings(): NoticeSettings;
  /** The channels that a project names; undefined: it names none. May throw or reject: then the settings' own hold. */
  projectChannels?(project: string): MaybePromise<readonly string[] | undefined>;
  /** Fills `${NAME}` in the settings. */
  environment: Readonly<Record<string, string>>;
  fetch?: typeof globalThis.fetch;
  now(): Instant;
  after(milliseconds: number, callback: () => void): () => void;
  /** Takes secrets out of notices. */
  redact?(text: string): MaybePromise<string>;
  /** Called with what could not be sent, in a sentence without secrets. */
  complain(reason: string): void;
  /** Where Discord's own interface is, for tests. */
  discord?: string;
}

export interface Notifier {
  /** Never throws, and never waits. */
  observe(observation: Observation): void;
  /** Waits until all is sent, at most so long; the rest is given up. Never rejects. Safe to call twice. */
  close(within?: Seconds): Promise<void>;
}

const discordAddress = "https://discord.com/api/v10";
const usualClosing: Seconds = 5;
const followedAtMost = 10_000;

/** What is known of a run that goes on. */
interface Followed {
  names: Promise<readonly string[]>;
  /** How many tools the last notice named. */
  tools: number;
}

export function createNotifier(options: NotifierOptions): Notifier {
  const { settings, complain } = options;
  const followed = new Map<string, Followed>();
  const channels = createChannels(options);
  const pending = new Set<Promise<void>>();
  let closing: AbortController | undefined;

  async function namesFor({ notify, project }: Hook): Promise<readonly string[]> {
    if (notify) return notify;
    try {
      const own = project === undefined ? undefined : await options.projectChannels?.(project);
      if (own) return own;
    } catch (error) {
      complain(`the channels of project ${project} cannot be read: ${messageOf(error)}`);
    }
    return settings().notify;
  }

  async function tell(names: Followed["names"], given: Notice): Promise<void> {
    try {
      const [chosen, notice] = await Promise.all([names, withoutSecrets(given, options.redact)]);
      if (closing?.signal.aborted) return; // given up, as close has said
      for (const name of new Set(chosen)) channels.called(name)?.add(notice);
    } catch (error) {
      complain(`a notice of run ${given.run.id} was lost: ${messageOf(error)}`);
    }
  }

  /** Notices of a run leave in the order in which they were made: each takes as many turns to be made ready. */
  function send(names: Followed["names"], notice: Notice): void {
    const sending = tell(names, notice);
    pending.add(sending);
    void sending.finally(() => pending.delete(sending)); // it never rejects
  }

  function observeRun({ run, hook, resumed }: Extract<Observation, { is: "run" }>): void {
    if (!hook?.durable || run.status === "queued") return;
    const known = followed.get(run.id);
    const names = known?.names ?? namesFor(hook);
    if (hasEnded(run)) {
      followed.delete(run.id);
      const ending = endingOf(run);
      if (ending) send(names, endedNotice(ending, run, hook));
      return;
    }
    const tools = toolsOf(run);
    followed.set(run.id, { names, tools: tools.length });
    dropOldest(followed, followedAtMost); // another worker has taken it, and will report its end
    if (!known && !resumed) send(names, { kind: "started", run, hook, tools: [] });
    if (tools.length > (known?.tools ?? 0)) send(names, { kind: "tools", run, hook, tools });
  }

  return {
    observe(seen) {
      if (seen.is === "run" && !closing) observeRun(seen);
    },
    async close(within = usualClosing) {
      const limit = closing ?? new AbortController();
      closing = limit;
      const undo = options.after(within * 1000, () => limit.abort());
      await unlessAborted(Promise.all(pending), limit.signal).catch(() =>
        complain(`notices that could not be made ready in time were given up: ${pending.size}`),
      );
      await channels.close(limit.signal);
      undo();
    },
  };
}

async function withoutSecrets(notice: Notice, redact: NotifierOptions["redact"]): Promise<Notice> {
  if (!redact) return notice;
  const { hook, reason = "", summary = "" } = notice;
  const texts = [hook.name, reason, summary, ...notice.tools];
  const [name = "", because = "", answer = "", ...tools] = await Promise.all(texts.map((text) => redact(text)));
  return {
    ...notice,
    hook: { ...hook, name },
    tools,
    ...(notice.reason === undefined ? {} : { reason: because }),
    ...(notice.summary === undefined ? {} : { summary: answer }),
  };
}

interface Channels {
  /** As the settings say now. */
  called(name: string): Channel | undefined;
  /** Resolves when all of them have sent what they had, or the signal aborts. */
  close(signal: AbortSignal): Promise<void>;
}

function createChannels(options: NotifierOptions): Channels {
  const { settings, environment, complain } = options;
  const channels = new Map<string, { written: string; channel: Channel | undefined }>();
  const unknown = new Set<string>();
  const closings = new Set<Promise<void>>();
  const ending = new AbortController();

  function called(name: string): Channel | undefined {
    const { channels: all } = settings();
    const written = Object.hasOwn(all, name) ? all[name] : undefined;
    const key = JSON.stringify(written ?? null);
    const known = channels.get(name);
    if (known?.written === key) return known.channel;
    if (known?.channel) leave(known.channel);
    const channel = written ? open(name, written) : undefined;
    if (written) channels.set(name, { written: key, channel });
    else tellUnknown(name, Object.keys(all));
    return channel;
  }

  function tellUnknown(name: string, known: readonly string[]): void {
    channels.delete(name);
    if (unknown.has(name)) return;
    unknown.add(name);
    const near = nearest(name, known);
    const advice = near === undefined ? `known: ${known.join(", ") || "none"}` : `did you mean "${near}"?`;
    complain(`no channel for notices is called "${name}"; ${advice}`);
  }

  function open(name: string, written: NoticeChannel): Channel | undefined {
    try {
      const transport = createTransport(written, { environment, discord: options.discord ?? discordAddress });
      const fetch = options.fetch ?? webFetch("internal"); // only a person's own file names channels
      const { now, after } = options;
      const sentence = (reason: string): void => complain(`notices to ${reason}`);
      const kinds = new Set(written.events ?? transport.usual);
      return createChannel({ name, transport, kinds, fetch, now, after, complain: sentence });
    } catch (error) {
      complain(`notices to ${name} cannot be sent: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** It goes on sending what it has been given. */
  function leave(channel: Channel): void {
    const limit = new AbortController();
    const undo = options.after(usualClosing * 1000, () => limit.abort());
    const left = channel.close(AbortSignal.any([limit.signal, ending.signal])).finally(undo);
    closings.add(left);
    void left.finally(() => closings.delete(left)); // it never rejects
  }

  return {
    called,
    async close(signal) {
      const left = [...channels.values()].flatMap(({ channel }) => channel ?? []);
      channels.clear();
      if (signal.aborted) ending.abort();
      else signal.addEventListener("abort", () => ending.abort(), { once: true });
      await Promise.all([...closings, ...left.map((channel) => channel.close(signal))]);
    },
  };
}
