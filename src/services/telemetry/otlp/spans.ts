/**
 * Spans: one for an event, below it one for each of its hooks, below that one for each step. Their ids are made from the ids of
 * events and runs, so that a run which ends long after its event, or in another process, finds its parent. Without contents they
 * hold ids, names of tools, durations and how things ended: no text that an agent, a person or a program has written.
 */
import { createHash } from "node:crypto";
import { type Fields, type Instant, textField } from "../../../engine/event.ts";
import { shortened } from "../../../engine/one-line.ts";
import type { Run, StepRecord } from "../../../engine/record.ts";
import type { Decision } from "../decisions.ts";
import { type Attributes, attributesOf, nanoseconds } from "./encode.ts";

export interface SpanOptions {
  /** Takes secrets out of contents. Absent: no contents. */
  contents?: (text: string) => string;
}

export interface Spans {
  ofDecision(decision: Decision): Fields[];
  /** Of a run that ended behind its event's answer. */
  ofRun(run: Run): Fields[];
}

const kinds = { internal: 1, server: 2 } as const;
const failed = 2;
const failures: ReadonlySet<Run["status"]> = new Set(["failed", "timeout", "interrupted"]);
/** Characters of one content. */
const contentAtMost = 8_192;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const traceOf = (event: string): string => digestOf(event).slice(0, 32);
const spanOfEvent = (event: string): string => digestOf(event).slice(32, 48);
const spanOfRun = (run: string): string => digestOf(`run ${run}`).slice(0, 16);
const spanOfStep = (run: string, index: number): string => digestOf(`step ${index} of ${run}`).slice(0, 16);

interface Span {
  ids: { traceId: string; spanId: string; parentSpanId?: string };
  name: string;
  kind: keyof typeof kinds;
  from: Instant;
  to: Instant;
  attributes: Attributes;
  /** Why it counts as failed. */
  failure?: string | undefined;
}

const spanOf = ({ ids, name, kind, from, to, attributes, failure }: Span): Fields => ({
  ...ids,
  ...{ name, kind: kinds[kind], startTimeUnixNano: nanoseconds(from), endTimeUnixNano: nanoseconds(to) },
  attributes: attributesOf(attributes),
  status: failure === undefined ? {} : { code: failed, message: failure },
});

const endOf = ({ startedAt, ms = 0 }: Run): Instant => startedAt + ms;

export function createSpans({ contents }: SpanOptions): Spans {
  const content = (text: string | undefined): string | undefined =>
    contents && text ? shortened(contents(text), contentAtMost) : undefined;
  const json = (value: Fields): string | undefined => (contents ? content(JSON.stringify(value)) : undefined);

  function ofRun(run: Run): Fields[] {
    const traceId = traceOf(run.eventId);
    const spanId = spanOfRun(run.id);
    const verdict = (run.outcome ?? run.withheld?.outcome)?.verdict;
    const own = spanOf({
      ids: { traceId, spanId, parentSpanId: spanOfEvent(run.eventId) },
      ...{ name: run.hook, kind: "internal", from: run.startedAt, to: endOf(run) },
      attributes: {
        "hookline.hook.id": run.hook,
        "hookline.run.id": run.id,
        "hookline.run.status": run.status,
        "hookline.run.asked": run.asked,
        "hookline.event.name": run.eventName,
        "hookline.verdict": verdict?.is,
        "hookline.withheld": run.withheld?.because,
        "hookline.tokens": run.tokens,
        "hookline.hook.name": content(run.hookName),
        "hookline.run.reason": content(run.reason),
        "hookline.verdict.reason": content(verdict?.reason),
      },
      failure: failures.has(run.status) ? run.status : undefined,
    });
    return [own, ...ofSteps(run, { traceId, parentSpanId: spanId })];
  }

  /** A run keeps how long each step took; they follow one another. */
  function ofSteps(run: Run, ids: { traceId: string; parentSpanId: string }): Fields[] {
    let from = run.startedAt;
    return run.steps.map((step, index) => {
      const to = from + step.ms;
      const span = spanOf({
        ids: { ...ids, spanId: spanOfStep(run.id, index) },
        ...{ name: step.uses, kind: "internal", from, to },
        attributes: stepAttributes(step, index),
        failure: step.ok ? undefined : (step.failure ?? "error"),
      });
      from = to;
      return span;
    });
  }

  const stepAttributes = ({ uses, ok, evidence, tokens, reason, output }: StepRecord, index: number): Attributes => ({
    "hookline.step.index": index,
    "hookline.step.uses": uses,
    "hookline.step.ok": ok,
    "process.exit.code": evidence?.exitCode,
    "hookline.tokens": tokens,
    "hookline.step.reason": content(reason),
    "hookline.step.output": json(output),
    "hookline.step.stdout": content(evidence?.stdout),
    "hookline.step.stderr": content(evidence?.stderr),
  });

  return {
    ofRun,
    ofDecision({ event, outcome, ms, at, runs }) {
      const { verdict, stop } = outcome;
      const own = spanOf({
        ids: { traceId: traceOf(event.id), spanId: spanOfEvent(event.id) },
        ...{ name: event.name, kind: "server" },
        // Two clocks, of whole milliseconds: what happened within it lies within it.
        from: runs.reduce((from, { startedAt }) => Math.min(from, startedAt), at - ms),
        to: runs.reduce((to, run) => Math.max(to, endOf(run)), at),
        attributes: {
          "hookline.event.id": event.id,
          "hookline.event.name": event.name,
          "hookline.sender": event.sender,
          "session.id": event.session,
          "gen_ai.tool.name": textField(event.data, "tool_name"),
          "hookline.verdict": verdict?.is ?? "none",
          "hookline.verdict.by": verdict?.by,
          "hookline.stop": stop ? true : undefined,
          "hookline.event.data": json(event.data),
          "hookline.verdict.reason": content(verdict?.reason),
        },
      });
      return [own, ...runs.flatMap(ofRun)];
    },
  };
}
