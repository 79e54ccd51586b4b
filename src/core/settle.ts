/** From the answers of all hooks to the one outcome: stale answers fall out, the inbox joins, and new rounds are paid for. */
import type { Counter } from "./event.ts";
import { type Flow, wait } from "./flow.ts";
import { accept, merge, type Outcome } from "./outcome.ts";
import type { Answer, Passage } from "./passage.ts";
import type { Ports } from "./ports.ts";
import { isRecord } from "./schema.ts";

/** Notices of rewake hooks that reach the model per user prompt (R8). */
const noticesPerPrompt = 3;

export function* settle(ports: Ports, passage: Passage): Flow<Outcome> {
  let outcome: Outcome = {};
  for (const answer of passage.answers.values()) outcome = merge(outcome, current(answer, passage));
  const { updatedInput } = passage.row.rewrites ?? {};
  const written = updatedInput && passage.version > 0 ? passage.event.data[updatedInput] : undefined;
  if (isRecord(written)) outcome = { ...outcome, updatedInput: written };
  outcome = yield* addInbox(ports, passage, outcome);
  return yield* payForRound(ports, passage, outcome);
}

/** An allow counts only if it was given about the final input. */
function current({ outcome, version, run }: Answer, passage: Passage): Outcome {
  const kind = outcome.verdict?.is;
  if ((kind !== "allow" && kind !== "defer") || version === passage.version) return outcome;
  run.notes.push(`its ${kind} does not count: the input was rewritten after it`);
  const { verdict: _stale, ...rest } = outcome;
  return rest;
}

/** What waited for an event that takes context. Notices of rewake hooks hold a Stop open, within their cap (R8, R61). */
function* addInbox(ports: Ports, passage: Passage, outcome: Outcome): Flow<Outcome> {
  const { event, acceptance, row } = passage;
  if (!event.session || !acceptance.fields.has("context") || passage.denied || outcome.stop) return outcome;
  let merged = outcome;
  for (const { outcome: waiting, counter } of yield* wait(ports.store.collect(event.session))) {
    const words = (waiting.context ?? []).join("\n");
    if (counter && !(yield* spend(ports, passage, counter, noticesPerPrompt))) {
      const text = `${words}\n(not shown to the model: it has had ${noticesPerPrompt} notices since the last prompt)`;
      merged = merge(merged, accept({ messages: [{ to: "person", text }] }, acceptance, false).now);
    } else if (counter && counter === row.holdsOpenFor) {
      const held = merged.verdict?.by === inbox ? `${merged.verdict.reason}\n${words}` : words;
      merged = { ...merged, verdict: { is: "deny", reason: held, by: inbox } };
    } else merged = merge(merged, accept(waiting, acceptance, false).now);
  }
  return merged;
}
const inbox = "inbox";

function* spend(ports: Ports, passage: Passage, counter: Counter, max: number): Flow<boolean> {
  const { session } = passage.event;
  return session ? yield* wait(ports.store.spend(session, counter, max)) : true;
}

/** An answer that starts a new round of the conversation is paid for; past the cap it becomes a message (R8). */
function* payForRound(ports: Ports, passage: Passage, outcome: Outcome): Flow<Outcome> {
  const { costs } = passage.row;
  if (!costs || outcome.stop || !costs.fields.some((field) => outcome[field] !== undefined)) return outcome;
  if (outcome.verdict?.by === inbox) return outcome; // notices have paid their own counter
  if (yield* spend(ports, passage, costs.counter, costs.max)) return outcome;
  const { verdict, context, ...rest } = outcome;
  const why = verdict?.reason ?? (context ?? []).join("\n");
  const text = `${verdict?.by ?? "a hook"} would go on, but ${costs.max} continuations per prompt were reached: ${why}`;
  for (const { run, outcome: own } of passage.answers.values()) {
    if (!costs.fields.some((field) => own[field] !== undefined)) continue;
    run.notes.push(
      `the cap of ${costs.max} ${costs.counter} per prompt was reached: the turn ends, and the person is told`,
    );
    yield* wait(ports.store.saveRun(run));
  }
  return merge(rest, accept({ messages: [{ to: "person", text }] }, passage.acceptance, false).now);
}
