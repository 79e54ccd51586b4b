/** What holds for the answers of every agent, checked against a schema that is written from the agent's manual and not from the code. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AgentAdapter, Reply } from "../../src/agents/adapter.ts";
import { HooklineError } from "../../src/engine/error.ts";
import type { AgentEventName, Fields, HookEvent, Json } from "../../src/engine/event.ts";
import { agentEventNames } from "../../src/engine/events.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { outcomes } from "./generated-outcomes.ts";
import { rounds } from "./rounds.ts";

/** The keys that an agent reads in an answer to one event. */
export interface Allowed {
  top?: readonly string[];
  /** Those of hookSpecificOutput. */
  specific?: readonly string[];
  /** The agent's own name for the event. */
  is?: string;
  /** Exit 2 with the reason on standard error may be the answer. */
  exits?: true;
  /** The answer is plain text. */
  plain?: true;
}
type Kinds = Readonly<Record<string, (value: unknown) => boolean>>;
export interface AgentCase {
  schema: { readonly [N in AgentEventName]?: Allowed };
  /** What the values of keys may be, where that differs from what most agents take. */
  kinds?: Kinds;
  /** What the agent itself would say of an answer beside that. */
  faults?(top: Fields, specific: Fields, name: AgentEventName): string[];
  /** How a deny with the reason "no" is said, event by event; of an exit code, its reply. */
  denied: { readonly [N in AgentEventName]?: Json };
  /** What cannot be judged is refused as a deny but on these events, where a refusal would make the agent go on. Absent: by exit 2. */
  passes?: readonly AgentEventName[];
  /** The key of a rewritten input: a call that is denied has none. */
  rewrite: string;
  /** Recorded payloads, and the event that each was registered for. */
  recorded: readonly { wire: Fields; event?: string }[];
  /** The call that answers are made for. */
  call?: Fields;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTrue = (value: unknown): boolean => value === true;
const oneOf =
  (...all: string[]) =>
  (value: unknown): boolean =>
    all.some((one) => one === value);
const usual: Kinds = {
  continue: (value) => value === false,
  decision: (value) => value === "block" || value === "deny" || isRecord(value),
  suppressOutput: isTrue,
  permissionDecision: oneOf("deny", "ask", "allow", "defer"),
  behavior: oneOf("deny", "allow"),
  interrupt: isTrue,
  updatedInput: isRecord,
  tool_input: isRecord,
  modifiedArgs: isRecord,
  modifiedResult: (value) => value !== undefined,
  watchPaths: Array.isArray,
  reloadSkills: isTrue,
  suppressOriginalPrompt: isTrue,
  retry: isTrue,
  action: oneOf("accept", "decline", "cancel"),
  content: isRecord,
  updatedToolOutput: (value) => value !== undefined,
};

export function agentSuite(agent: AgentAdapter, own: AgentCase): void {
  const { schema, denied, rewrite } = own;
  const kinds: Kinds = { ...usual, ...own.kinds };
  const call = own.call ?? { tool_name: "Bash", tool_input: { command: "ls" } };
  const reply = (name: AgentEventName, outcome: Outcome): Reply => agent.encode(eventOf(agent, name), outcome, call);
  const strange = (fields: Fields, allowed: readonly string[] = []): string[] =>
    Object.entries(fields).flatMap(([key, value]) =>
      allowed.includes(key) && (kinds[key] ?? isText)(value) ? [] : [key],
    );

  /** What is wrong with a reply. */
  function faults(name: AgentEventName, { body, exitCode, stderr }: Reply): string[] {
    const { top: known, specific: inner, is = name, exits, plain } = schema[name] ?? {};
    if (exitCode === 2) return exits && stderr && body === undefined ? [] : ["exit 2"];
    if (exitCode !== 0 || stderr !== undefined) return ["an exit code"];
    if (body === undefined) return [];
    if (typeof body === "string") return plain && body !== "" ? [] : ["plain text"];
    if (!isRecord(body) || Object.keys(body).length === 0) return ["no object"];
    const { hookSpecificOutput, ...top } = body as Fields; // an adapter made it
    const { hookEventName, ...specific } = (hookSpecificOutput ?? {}) as Fields; // the same
    const isMisnamed = hookSpecificOutput !== undefined && (hookEventName !== is || Object.keys(specific).length === 0);
    return [
      ...(isMisnamed ? ["hookSpecificOutput"] : []),
      ...strange(top, known),
      ...strange(specific, inner),
      ...("decision" in top && isBlank(top.reason) ? ["a decision without a reason"] : []),
      ...("reason" in top && top.decision === undefined ? ["a reason without a decision"] : []),
      ...(isBareDeny({ ...top, ...specific }) ? ["a deny without a reason"] : []),
      ...(own.faults?.(top, specific, name) ?? []),
    ];
  }

  test(`${agent.title}: whatever hooks answer, a reply holds the keys of its event and no other`, () => {
    deepEqual(
      Object.keys(agent.capabilities)
        .filter((name) => agent.capabilities[name as AgentEventName]?.length)
        .sort(), // its keys
      Object.keys(schema).sort(),
      "every event that takes an answer is in both tables",
    );
    fc.assert(
      fc.property(fc.constantFrom(...agentEventNames), outcomes, (name, outcome) => {
        deepEqual(faults(name, reply(name, outcome)), [], name);
      }),
      { numRuns: rounds(3000) },
    );
    for (const name of agentEventNames) deepEqual(reply(name, {}), { exitCode: 0 }, name);
  });

  const deciding = agentEventNames.filter((name) => agent.capabilities[name]?.includes("verdict"));
  const deny = (reason: string): Outcome => ({ verdict: { is: "deny", reason, by: "h" } });
  const told = (name: AgentEventName): Json | undefined =>
    agent.capabilities[name]?.includes("messages") ? { systemMessage: "no" } : undefined;
  const said = ({ body, stderr }: Reply): Json => stderr ?? body ?? null;

  test(`${agent.title}: a deny is said in the form that blocks, beside whatever else, and with a reason where the hook gave none`, () => {
    for (const name of deciding) {
      deepEqual(said(reply(name, deny("no"))), denied[name], name);
      const usual = reply(name, deny(""));
      deepEqual([usual, faults(name, usual)], [reply(name, deny("  ")), []], name);
    }
    fc.assert(
      fc.property(fc.constantFrom(...deciding), outcomes, (name, { stop: _none, ...outcome }) => {
        const answer = said(reply(name, { ...outcome, ...deny("no") }));
        ok(holds(answer, denied[name] ?? null), `${name}: ${JSON.stringify(answer)}`);
        ok(!JSON.stringify(answer).includes(`"${rewrite}":`), `${name}: a call that is denied has no other input`);
      }),
      { numRuns: rounds(1000) },
    );
  });

  test(`${agent.title}: what cannot be judged is refused in the form that blocks, and never so that the agent goes on for ever`, () => {
    for (const name of Object.keys(agent.capabilities) as AgentEventName[]) {
      const body = deciding.includes(name) && !own.passes?.includes(name) ? denied[name] : told(name);
      const refused = body === undefined ? { stderr: "no", exitCode: 0 } : { body, exitCode: 0 };
      deepEqual(agent.refuse("no", name), own.passes ? refused : { stderr: "no", exitCode: 2 }, name);
    }
    deepEqual(agent.refuse("no", undefined), { stderr: "no", exitCode: 2 });
  });

  test(`${agent.title}: a payload with fields missing or of another kind is judged by the rest, or said to be unreadable`, () => {
    const junk = fc.jsonValue() as fc.Arbitrary<Json>; // the library's own word for it
    fc.assert(
      fc.property(fc.constantFrom(...own.recorded), fc.array(fc.nat()), junk, ({ wire, event }, which, value) => {
        const broken = brokenAt(wire, which, value);
        try {
          const options = { at: 1000, id: () => "e1", registration: `${agent.name} user`, cwd: "/w" };
          for (const one of agent.decode(broken, { ...options, ...(event === undefined ? {} : { event }) }))
            equal(agent.encode(one, { updatedInput: {}, context: ["x"] }, broken).exitCode, 0);
        } catch (error) {
          ok(error instanceof HooklineError, String(error));
        }
      }),
      { numRuns: rounds(1000) },
    );
  });
}

/** Every other place that is named loses its field, and the others hold the value. */
function brokenAt(wire: Fields, which: readonly number[], value: Json): Fields {
  const keys = Object.keys(wire);
  const broken = { ...wire };
  for (const [index, at] of which.entries()) {
    const key = keys[at % keys.length] ?? "";
    if (index % 2 === 0) delete broken[key];
    else broken[key] = value;
  }
  return broken;
}

const isBlank = (value: Json | undefined): boolean => typeof value !== "string" || value.trim() === "";
const isBareDeny = ({ permissionDecision: is, permissionDecisionReason: reason }: Fields): boolean =>
  is === "deny" && isBlank(reason);

/** Whether an answer says this beside whatever else: a text begins with the first line, and ends with the last of several. */
function holds(found: Json | undefined, expected: Json): boolean {
  if (isRecord(expected))
    return (
      isRecord(found) && Object.entries(expected as Fields).every(([key, one]) => holds((found as Fields)[key], one))
    ); // both are JSON
  if (typeof expected !== "string" || typeof found !== "string") return found === expected;
  const [first = "", ...others] = expected.split("\n");
  return found.startsWith(first) && found.endsWith(others.at(-1) ?? "");
}

export const eventOf = (agent: AgentAdapter, name: AgentEventName, data: Fields = {}): HookEvent => ({
  ...{ id: "e", name, at: 0, cwd: "/w", session: "s", sender: agent.name, data },
  accepts: agent.capabilities[name] ?? [],
});
