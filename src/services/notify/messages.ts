/** Notices of runs, and their sentences (specification 000, section 13) in the marks of the place that gets them. */

import type { Hook } from "../../engine/hook.ts";
import type { Run, RunStatus } from "../../engine/record.ts";
import { isRecord } from "../../engine/schema.ts";
import { counted } from "../../engine/words.ts";
import type { NoticeKind } from "../../formats/config/config.ts";

export interface Notice {
  kind: NoticeKind;
  run: Run;
  hook: Hook;
  /** The tools that its model has called, in order. */
  tools: readonly string[];
  /** What its model answered. */
  summary?: string;
  /** Why it was skipped, or what went wrong. */
  reason?: string;
}

const endings: { readonly [S in RunStatus]?: NoticeKind } = {
  completed: "completed",
  skipped: "skipped",
  failed: "failed",
  timeout: "failed",
  cancelled: "failed",
  interrupted: "failed",
};

/** What kind of notice the end of a run is; undefined: it goes on, or it never began, which is not worth a message. */
export const endingOf = ({ status, asked }: Run): NoticeKind | undefined =>
  status === "skipped" && asked === 0 ? undefined : endings[status];

export const hasEnded = ({ status }: Run): boolean => endings[status] !== undefined;

/** Whatever step has asked a model says whom it called: at its end, and meanwhile. */
export const toolsOf = ({ steps }: Run): string[] =>
  steps.flatMap(({ output: { calls } }) =>
    Array.isArray(calls)
      ? calls.flatMap((one) =>
          isRecord(one) && typeof one.tool === "string" ? `${one.tool}${one.refused === true ? " (refused)" : ""}` : [],
        )
      : [],
  );

export function endedNotice(kind: NoticeKind, run: Run, hook: Hook): Notice {
  const response = kind === "completed" ? run.steps.at(-1)?.output.response : undefined;
  return {
    kind,
    run,
    hook,
    tools: toolsOf(run),
    ...(typeof response === "string" && response.trim() !== "" ? { summary: response } : {}),
    ...(kind === "completed" ? {} : { reason: run.reason ?? run.status }),
  };
}

/** How a place marks text, and how it is kept from reading marks that others wrote. */
export interface Marks {
  bold(text: string): string;
  code(text: string): string;
  /** Text from elsewhere: names, reasons, what a model said. */
  plain(text: string): string;
}

export interface Wording {
  marks: Marks;
  /** Characters of what a model answered. */
  summaryLength: number;
  /** Characters that the place takes at most. */
  longest: number;
  /** How many notices were given up before this one. */
  dropped?: number;
}

export const usualSummaryLength = 200;
const longestReason = 1000;
const longestChain = 600;

type Sentence = (notice: Notice, name: string, wording: Wording) => string;

const sentences: { readonly [K in Notice["kind"]]: Sentence } = {
  started: ({ run }, name, { marks }) => `🪝 Hook ${name} is running (trigger: ${marks.code(run.cause)}).`,
  tools: ({ tools }, name, { marks }) => `🪝 Hook ${name} 🔧 ${chainOf(tools, marks)}`,
  completed: ({ tools, summary }, name, { marks, summaryLength }) =>
    [
      `🪝 Hook ${name} completed.`,
      ...(tools.length > 0 ? [`🔧 ${chainOf(tools, marks)}`] : []),
      ...(summary === undefined ? [] : [marks.plain(cut(summary.trim(), summaryLength))]),
    ].join("\n"),
  skipped: ({ reason = "" }, name, { marks }) => `🪝 Hook ${name} skipped: ${reasonOf(reason, marks)}`,
  failed: ({ reason = "" }, name, { marks }) => `🪝 Hook ${name} failed: ${reasonOf(reason, marks)}`,
};

export function messageText(notice: Notice, wording: Wording): string {
  const { marks, longest, dropped = 0 } = wording;
  const name = marks.bold(marks.plain(onOneLine(notice.hook.name)));
  const sentence = sentences[notice.kind](notice, name, wording);
  return cut(dropped === 0 ? sentence : `${sentence}\n(${lost(dropped)})`, longest);
}

const lost = (count: number): string =>
  `${counted(count, "notice before this one was", "notices before this one were")} left out`;

const reasonOf = (reason: string, marks: Marks): string => marks.plain(cut(onOneLine(reason), longestReason));

/** Of a long chain its end, which is what is going on. */
function chainOf(tools: readonly string[], marks: Marks): string {
  const links = tools.map((tool) => marks.code(onOneLine(tool)));
  let length = 0;
  const kept = links.findLastIndex((link) => {
    length += link.length + arrow.length;
    return length > longestChain;
  });
  return [...(kept === -1 ? [] : ["…"]), ...links.slice(kept + 1)].join(arrow);
}
const arrow = " → ";

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Cuts between characters, so that none is halved. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join("")}…`;
}

/** For programs. */
export const noMarks: Marks = { bold: (text) => text, code: (text) => text, plain: (text) => text };

const inCode = (text: string): string => `\`${text.replaceAll("`", "'")}\``;

/** What a person did not write must not ping people, hide where a link leads, or end the marks around it. */
export const discordMarks: Marks = {
  bold: (text) => `**${text}**`,
  code: inCode,
  plain: (text) =>
    text
      .replaceAll(/[\\`*~|[\]<]/g, "\\$&")
      .replaceAll(/(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/gu, "\\_")
      .replaceAll(/^([ \t]*)([#>-])/gm, "$1\\$2"),
};

/** Slack reads these three characters alone as the beginning of something; `<!channel>` would call everybody. */
export const slackMarks: Marks = {
  bold: (text) => `*${text.replaceAll("*", "∗")}*`,
  code: (text) => inCode(slackText(text)),
  plain: (text) => slackText(text),
};
const slackText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
