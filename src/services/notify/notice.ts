/** What is told of a run, read from the run as it stands. Apart from how it is worded, which differs from place to place. */
import type { Hook } from "../../engine/hook.ts";
import type { Run, RunStatus } from "../../engine/record.ts";
import { isRecord } from "../../engine/schema.ts";
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

/** What the end of a run is told as; undefined: it goes on, or it never began, which is not worth a message. */
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
