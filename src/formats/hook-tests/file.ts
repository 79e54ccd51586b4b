/** Files of hook tests: a text, or what a module exports → tests with the places of what they expect, and located problems. Pure; loads the YAML library. */
import type { Fields, Json } from "../../engine/event.ts";
import { eventNames, eventToEmit } from "../../engine/events.ts";
import type { Problem } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { isRecord } from "../../engine/schema.ts";
import { findingsOf, offsetAt, type Path } from "../reading/mismatches.ts";
import { createLocator, jsonOf, type Place } from "../reading/tree.ts";
import { readYaml } from "../reading/yaml-tree.ts";
import { type Expectation, type HookTest, type HookTests, hookTests, type TestedEvent } from "./fields.ts";

/** One event of a test, and where its expectations stand. */
export interface WrittenEvent extends TestedEvent {
  data: Fields;
  placeOf(field: keyof Expectation): Place;
}
/** One test as it is performed. */
export interface WrittenTest {
  name: string;
  place: Place;
  session: string;
  events: readonly WrittenEvent[];
}
export interface WrittenTests extends Pick<HookTests, "hooks" | "files" | "environment"> {
  tests: readonly WrittenTest[];
  /** Where a hook file or folder of `hooks` is named. */
  placeOfHook(index: number): Place;
  /** With an error among them nothing of the file is performed. */
  problems: readonly Problem[];
}

export function readTestsText(text: string, file: string): WrittenTests {
  const locate = createLocator(text);
  const found: Problem[] = [];
  const { root } = readYaml(
    text,
    (offset, finding) => void found.push({ ...finding, file, ...locate(offset) }),
    "not read",
  );
  if (found.length > 0) return { ...none, problems: found };
  if (!root || root.type === "null") return { ...none, problems: [{ ...emptyFile, file, ...top }] };
  return readTests(jsonOf(root), file, (path, part = "value") => locate(offsetAt({ node: root }, path, part)));
}

/** What a module exports has no places: a test stands where its name does, or the beginning of a name that is put together. */
export function readTestsValue(value: Json, text: string, file: string): WrittenTests {
  const locate = createLocator(text);
  return readTests(value, file, ([first, index]) => {
    const name = first === "tests" ? nameAt(value, Number(index)) : undefined;
    for (let length = name?.length ?? 0; name !== undefined && length >= shortestBeginning; length--) {
      const found = text.indexOf(name.slice(0, length));
      if (found >= 0) return locate(found);
    }
    return locate(0);
  });
}
const shortestBeginning = 6;
const top: Place = { line: 1, column: 1 };
const none = { tests: [], placeOfHook: () => top } as const;

function nameAt(value: Json, index: number): string | undefined {
  const tests = isRecord(value) ? value.tests : undefined;
  const test: unknown = Array.isArray(tests) ? tests[index] : undefined;
  return isRecord(test) && typeof test.name === "string" ? test.name : undefined;
}

type PlaceOf = (path: Path, part?: "key" | "value") => Place;
type Said = Pick<Problem, "code" | "message"> & { suggestion?: string };

const emptyFile = {
  severity: "error",
  code: "syntax",
  message: "the file holds no test",
  suggestion: "write tests: and below it - name: …",
} as const;

function readTests(given: Json, file: string, placeOf: PlaceOf): WrittenTests {
  const value = withoutExtras(given);
  const problems: Problem[] = [];
  const report: Report = (path, { code, message, suggestion }, part) => {
    problems.push({
      severity: "error",
      code,
      message,
      ...(suggestion ? { suggestion } : {}),
      file,
      ...placeOf(path, part),
    });
  };
  for (const { path, ofKey, ...said } of findingsOf(hookTests.check(value), { name: "a file of hook tests", value }))
    report(path, said, ofKey ? "key" : "value");
  if (problems.length > 0) return { ...none, problems };
  const read = value as unknown as HookTests; // the schema has looked at all of it
  if (read.tests.length === 0) report(["tests"], emptyFile);
  checkFiles(read, [], report);
  for (const [index, test] of read.tests.entries()) checkTest(test, ["tests", index], report);
  const { tests, ...rest } = read;
  return {
    ...rest,
    tests: tests.flatMap((test, index) => written(test, ["tests", index], placeOf)),
    placeOfHook: (index) => placeOf(["hooks", index]),
    problems,
  };
}

type Report = (path: Path, said: Said, part?: "key" | "value") => void;

/** The copy holds no file that lies outside of it, or that git would run or follow. */
function checkFiles({ files = {} }: Pick<HookTests, "files">, path: Path, report: Report): void {
  for (const name of Object.keys(files)) {
    const parts = name.replace(/^~[/]/, "").split("/");
    const isOutside = parts[0] === "" || parts.includes("..");
    if (!isOutside && !parts.includes(".git")) continue;
    const message = `the file "${name}" ${isOutside ? "lies outside of the project" : "belongs to git: a test writes none of those"}`;
    const suggestion = "write a path below the project, or ~/… for one in the home folder of the copy";
    report([...path, "files", name], { code: "shape", message, suggestion }, "key");
  }
}

/** Keys that begin with x- are their author's own. */
const withoutExtras = (value: Json): Json =>
  value === null || typeof value !== "object" || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith("x-")));

/** What a test is about: exactly one of these. */
const subjects = ["event", "events", "commands"] as const;

function checkTest(test: HookTest, path: Path, report: Report): void {
  const given = subjects.filter((key) => test[key] !== undefined);
  const [first, second] = given;
  if (first === undefined) {
    const message = `the test "${test.name}" sends no event`;
    report(path, { code: "missing-field", message, suggestion: `write one of ${subjects.join(", ")}` });
  }
  for (const key of ["events", "commands"] as const)
    if (test[key]?.length === 0) {
      const message = `the test "${test.name}" sends no event: its ${key} are an empty list`;
      report([...path, key], { code: "missing-field", message, suggestion: `write at least one below ${key}:` });
    }
  if (second !== undefined) {
    const message = `a test has one of ${subjects.join(", ")}: this one has ${given.join(" and ")}`;
    report([...path, second], { code: "shape", message, suggestion: "write a test for each" });
  }
  const events = first === "events" ? (test.events ?? []) : [test];
  if (!events.some(({ expect }) => expect && Object.keys(expect).length > 0)) {
    const message = `the test "${test.name}" expects nothing`;
    report(path, { code: "missing-field", message, suggestion: "write expect: and below it verdict: …" });
  }
  for (const [index, { event, data = {}, files }] of events.entries()) {
    const own = first === "events" ? [...path, "events", index] : path;
    checkFiles(files ? { files } : {}, own, report);
    if (event === undefined || eventToEmit(event, data)) continue;
    const at = [...own, "event"];
    const suggestion = didYouMean(event, eventNames) ?? "application events hold a dot, such as deploy.started";
    report(at, { code: "unknown-event", message: `no event is called "${event}"`, suggestion });
  }
}

function written(test: HookTest, path: Path, placeOf: PlaceOf): WrittenTest[] {
  const { name, session = "test", events, commands, ...own } = test;
  const place = placeOf(path);
  const one = ({ event = "PreToolUse", data = {}, ...rest }: Partial<TestedEvent>, at: Path): WrittenEvent => ({
    ...rest,
    event,
    data,
    placeOf: (field) => placeOf([...at, "expect", field], "key"),
  });
  if (commands)
    return commands.map((command, index) => ({
      name: `${name}: ${command}`,
      place: placeOf([...path, "commands", index]),
      session,
      events: [one({ ...own, data: { tool_name: "Bash", tool_input: { command } } }, path)],
    }));
  const sent = events?.map((event, index) => one(event, [...path, "events", index])) ?? [one(own, path)];
  return [{ name, place, session, events: sent }];
}
