/** What a file of hook tests may hold, in one table: it makes the checks, the JSON Schema and the types of the TypeScript form. */
import type { Fields } from "../../engine/event.ts";
import { anything, either, listOf, mapOf, number, object, oneOf, type Schema, say, text } from "../../engine/schema.ts";
import { remarks, schemaDocument } from "../reading/fields.ts";

export const expectedVerdicts = ["deny", "ask", "allow", "defer", "none"] as const;
export type ExpectedVerdict = (typeof expectedVerdicts)[number];

/** How a run ended, or `not matched`: the hook has no run for the event. */
export const expectedStatuses = [
  "completed",
  "skipped",
  "failed",
  "timeout",
  "cancelled",
  "interrupted",
  "not matched",
] as const;
export type ExpectedStatus = (typeof expectedStatuses)[number];

export interface ExpectedRun {
  status: ExpectedStatus;
  reason?: string;
}

/** Each field that is left out is not looked at. */
export interface Expectation {
  verdict?: ExpectedVerdict;
  by?: string;
  reason?: string | string[];
  context?: string | string[];
  message?: string | string[];
  input?: Fields | "none";
  runs?: string[] | { [hook: string]: ExpectedStatus | ExpectedRun };
}
export type ExpectedField = keyof Expectation;

/** One event, and what the hooks should answer to it. */
export interface TestedEvent {
  event: string;
  data?: Fields;
  files?: { [path: string]: string };
  after?: number;
  expect?: Expectation;
}

/** One test: one event, several events of one session, or several shell commands that all get the same answer. */
export interface HookTest extends Partial<TestedEvent> {
  name: string;
  session?: string;
  events?: TestedEvent[];
  commands?: string[];
}

export interface HookTests {
  hooks?: string[];
  files?: { [path: string]: string };
  environment?: { [name: string]: string };
  tests: HookTest[];
}

const texts: Schema<string | string[]> = either(text(), listOf(text()));
const fields: Schema<Fields> = { ...mapOf(anything), json: { type: "object" } };
const files: Schema<{ [path: string]: string }> = mapOf(text());

const run: Schema<ExpectedStatus | ExpectedRun> = either(
  oneOf(...expectedStatuses),
  object(
    { status: say(oneOf(...expectedStatuses), "how the run ended") },
    { reason: say(text(), "a text that the reason contains") },
  ),
);

export const expectationFields: { readonly [F in ExpectedField]-?: Schema<Expectation[F]> } = {
  verdict: say(oneOf(...expectedVerdicts), "what the hooks decide together; none: they decide nothing"),
  by: say(text(), "the name or id of the hook that gives the verdict"),
  reason: say(texts, "a text, or several, that the reason of the verdict contains"),
  context: say(texts, "a text, or several, that the context for the model contains; []: there is no context"),
  message: say(texts, "a text, or several, that messages contain; []: there is no message"),
  input: say(
    either(fields, oneOf("none")),
    "fields of the rewritten input: those that are left out are not looked at; none: no hook rewrites it",
  ),
  runs: say(
    either(listOf(text()), mapOf(run)),
    "a list: the hooks that run, all of them, in their order. A map: how the run of each named hook ends, by name or id",
  ),
};

const eventFields = {
  event: say(text(), "the event, such as PreToolUse"),
  data: say(fields, "the payload, as `hookline emit --data` takes it"),
  files: say(files, "files that are written into the copy before the event: a path, and the text"),
  after: say(number(undefined, 0), "seconds that pass before the event, for cooldowns; the test does not wait", 0),
  expect: say(object({}, expectationFields), "what the hooks answer"),
};
const { event, ...besideEvent } = eventFields;

export const hookTest: Schema<HookTest> = object(
  { name: say(text(), "what the test says, in a sentence") },
  {
    ...eventFields,
    session: say(text(), "the session of the events", "test"),
    events: say(listOf(object({ event }, besideEvent)), "several events of one session, one after the other"),
    commands: say(
      listOf(text()),
      "instead of an event: each is a test of its own, a PreToolUse of the tool Bash with this command",
    ),
  },
);

export const hookTests: Schema<HookTests> = object(
  { tests: say(listOf(hookTest), "the tests, in their order") },
  {
    hooks: say(
      listOf(text()),
      "the hook files or folders that are tested, beside this file; default: all hooks of the project that the file lies in",
    ),
    files: say(
      files,
      "files that are in the copy before each test: a path in the project, or ~/… in the home folder, and the text",
    ),
    environment: say(mapOf(text()), "environment variables of the hooks' programs"),
  },
);

/** For editors. Keys that begin with x- are their author's own. */
export const testsSchema = (): Fields => schemaDocument("hook tests", { ...hookTests.json, ...remarks });
