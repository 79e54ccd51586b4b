/**
 * What becomes of hooks that are not trusted (R86): rules that only refuse or ask count, because they only tighten; the model is given our
 * own sentence instead of theirs. All others stay in the set, and never run.
 */
import type { EventName } from "../../engine/event.ts";
import type { Hook, Origin } from "../../engine/hook.ts";

/** Where a refusal of an untrusted folder counts. */
const tightened: readonly EventName[] = ["PreToolUse", "PreSkillShellCommand", "PermissionRequest"];

/** After all others: a refusal stops later hooks, and those of the user's layers shall have run. */
const afterAllOthers = 900_000;

export const untrustedTag = "untrusted";

/** What no person has trusted: a hook of the set, or something else, such as settings, a module, and an entry that is no hook here. */
export interface UntrustedItem {
  hash: string;
  is: "hook" | "other";
}

/** It does not run as it is written: not at all, or only what of it refuses. */
export const isUntrusted = ({ untrusted, tags }: Hook): boolean =>
  untrusted !== undefined || tags.includes(untrustedTag);

export const notTrusted = "its folder is not trusted: hookline trust shows what it would run";
const changedSince = "it is new, or not what was trusted: hookline trust shows what has changed";
const sentence =
  "Refused by a rule of this repository. Its rules are not trusted yet, so the rule's own words are not shown: hookline trust shows them to a person.";

const askSentence =
  "A rule of this repository asks about this. Its rules are not trusted yet, so the rule's own words are not shown: hookline trust shows them to a person.";

/** @param isKnown something of the folder has been trusted before */
export function withoutTrust(hook: Hook, isKnown: boolean): Hook {
  if (isKnown && hook.steps[0].uses === "invalid") return hook; // of a folder that a person knows, its policy answers (R46)
  const events = "event" in hook.on ? hook.on.event.filter((name) => tightened.includes(name)) : [];
  if (!("event" in hook.on) || events.length === 0 || !onlyRefuses(hook))
    return { ...hook, untrusted: isKnown ? changedSince : notTrusted };
  const { as: _as, ...on } = hook.on;
  const [first] = hook.steps;
  const asks = hook.steps.every((step) => step.with.ask === true || step.with.decision === "ask");
  return {
    ...hook,
    on: { ...on, event: events },
    steps: [
      {
        uses: "gate",
        with: { reason: asks ? askSentence : sentence, ...(asks ? { ask: true } : {}) },
        timeout: first.timeout,
        onError: "stop",
      },
    ],
    mode: "sync",
    onFailure: "continue",
    priority: afterAllOthers,
    tags: [...hook.tags, untrustedTag],
  };
}

/** All of a hook but where it is. */
export type TrustedForm = Omit<Hook, "id" | "origin" | "project">;

/**
 * A trusted guard does not lapse by a change of its file: its trusted form stays where it is a plain refusal, else it fails
 * where it would have judged, and its policy answers (R46).
 */
export function guardBefore(before: TrustedForm, id: string, origin: Origin): Hook {
  const form = { ...before, id, origin, tags: [...before.tags, untrustedTag] };
  return onlyRefuses(before) ? { ...form, foreign: true } : failing(form, notAsTrusted);
}

const notAsTrusted = "this guard is not what was trusted: hookline trust shows a person what has changed";

/** It cannot run as it is: where it would have judged it fails, so that its policy answers. */
export const failing = (hook: Hook, reason: string): Hook => ({
  ...hook,
  mode: "sync",
  steps: [{ uses: "invalid", with: { reason }, timeout: 1, onError: "stop" }],
});

/** Each of its steps plainly refuses or asks: it runs nothing, sends nothing and allows nothing. */
const onlyRefuses = ({ steps, durable }: TrustedForm): boolean =>
  durable !== true &&
  steps.every(
    ({ uses, skipIf, with: { allow, decision } }) =>
      uses === "gate" && !skipIf && decision !== "allow" && (allow === undefined || allow === false),
  );
