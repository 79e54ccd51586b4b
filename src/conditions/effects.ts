/**
 * shell and effects: what a tool call runs, and what that reads, writes, deletes, sends and starts (R87). All keys of one condition
 * speak of one command: `runs: git *` with `deletes: git` means a git command that deletes there.
 */
import { homedir } from "node:os";
import { type CommandTest, compileCommandPattern, unknownText } from "../engine/command-pattern.ts";
import {
  commandText,
  type Effect,
  effectNames,
  effectText,
  isPlaceName,
  type PlaceName,
  placeNames,
  type Sink,
  type Source,
  sinks,
  sources,
  type Unknown,
} from "../engine/effects.ts";
import { HooklineError } from "../engine/error.ts";
import { type Fields, textField } from "../engine/event.ts";
import { compileFilePattern } from "../engine/file-pattern.ts";
import { compileWildcard } from "../engine/glob.ts";
import { nearest } from "../engine/nearest.ts";
import { compileToolPattern, type ToolPattern } from "../engine/pattern.ts";
import type { ConditionKind, Patterns, Scope } from "../engine/ports.ts";
import type { Found } from "../engine/record.ts";
import { either, flag, listOf, object, oneOf, say, text } from "../engine/schema.ts";
import { askOf, bitOf, codeOf, textOf, type Where } from "./asked-call.ts";
import { compileRuns } from "./command-patterns.ts";

const some = (what: string) => say(either(text(), listOf(text())), what);

const params = object(
  {},
  {
    runs: some("patterns of commands, as in `Bash(…)`: `git push --force *`"),
    not: some("patterns of commands that are left out"),
    words: some("regular expressions, one of which is found in the command's words or in what it is given to read"),
    line: some("regular expressions, one of which is found in the line as it is written"),
    reads: some("places or patterns of files"),
    writes: some("places or patterns of files"),
    deletes: some("places or patterns of files"),
    permits: some("places or patterns of files whose mode or owner is changed"),
    executes: some("places or patterns of files that are run"),
    network: some("hosts, `*` for any; a `!` before one leaves it out"),
    pipes: some("SOURCE → SINK; network, credentials, environment or decoded → shell or network"),
    elevates: say(flag, "true: as another user, such as by sudo"),
    forks: say(flag, "true: a function that starts itself twice"),
    unclear: say(
      oneOf("program", "code"),
      "program: it is not known which program runs; code: it is not known what a known program does",
    ),
    unknown: say(oneOf("deny", "ask", "pass"), "what follows where it is not known what runs", "as the action says"),
  },
);
type Listed = string | string[];
interface Params {
  runs?: Listed;
  not?: Listed;
  words?: Listed;
  line?: Listed;
  reads?: Listed;
  writes?: Listed;
  deletes?: Listed;
  permits?: Listed;
  executes?: Listed;
  network?: Listed;
  pipes?: Listed;
  elevates?: boolean;
  forks?: boolean;
  unclear?: "program" | "code";
  unknown?: "deny" | "ask" | "pass";
}

const list = (listed: Listed | undefined): readonly string[] =>
  listed === undefined ? [] : typeof listed === "string" ? [listed] : listed;

type EffectTest = (effect: Effect, where: Where) => boolean;

const pathKeys = ["reads", "writes", "deletes", "permits", "executes"] as const;

function testsOf(written: Params, patterns: Patterns): ReadonlyMap<Effect["is"], EffectTest> {
  const tests = new Map<Effect["is"], EffectTest>();
  for (const key of pathKeys)
    if (written[key] !== undefined) tests.set(key, anyOf(list(written[key]).map((one) => pathTest(one, patterns))));
  if (written.network !== undefined) tests.set("network", hostsTest(list(written.network)));
  if (written.pipes !== undefined) tests.set("pipes", anyOf(list(written.pipes).map(pipeTest)));
  for (const key of ["elevates", "forks"] as const) if (written[key] === true) tests.set(key, () => true);
  return tests;
}

const anyOf =
  (tests: readonly EffectTest[]): EffectTest =>
  (effect, where) =>
    tests.some((holds) => holds(effect, where));

function pathTest(written: string, patterns: Patterns): EffectTest {
  const name = written.trim();
  if (isPlaceName(name)) return placeTest(name, patterns);
  if (!/[./*~\\]/.test(name)) {
    const near = nearest(name, Object.keys(placeNames));
    throw new HooklineError("pattern_invalid", {
      pattern: name,
      reason: "no place is called so, and a pattern of files has a dot, a slash or a star",
      where: "a place",
      advice: near === undefined ? `places are ${Object.keys(placeNames).join(", ")}` : `did you mean "${near}"?`,
    });
  }
  const holds = compileFilePattern(name, patterns);
  return ({ path = "" }, { cwd, workspace, home }) =>
    !path.startsWith(unknownText) && holds(path, { cwd, root: workspace, home });
}

/** By the path that a link has, and by that which it leads to. A program is what it is called: tools lie behind links everywhere. */
const placeTest =
  (name: PlaceName, { isAt, real, like = () => [] }: Patterns): EffectTest =>
  ({ is, path = "", below }, where) => {
    if (!isAt) return false;
    if (isAt(name, { path, below }, where)) return true;
    if (!real || is === "executes" || path.startsWith(unknownText)) return false;
    const isThere = (one: string): boolean => {
      const led = real(one);
      if (led === one) return false;
      return isAt(name, { path: led, below }, { ...where, workspace: real(where.workspace), home: real(where.home) });
    };
    return isThere(path) || like(path).some((one) => isAt(name, { path: one, below }, where) || isThere(one));
  };

/** `!localhost` is left out of the others. */
function hostsTest(written: readonly string[]): EffectTest {
  const isLeftOut = anyOf(written.flatMap((one) => (one.startsWith("!") ? hostTest(one.slice(1)) : [])));
  const holds = anyOf(written.filter((one) => !one.startsWith("!")).map(hostTest));
  return (effect, where) => holds(effect, where) && !isLeftOut(effect, where);
}

function hostTest(written: string): EffectTest {
  const name = written.trim().toLowerCase();
  if (name === "*") return () => true;
  const holds = compileWildcard(name);
  return ({ host }) => host !== undefined && holds(host.replace(/:\d+$/, ""));
}

function pipeTest(written: string): EffectTest {
  const [from, to, ...more] = written.split(/\s*(?:→|->|=>)\s*/).map((part) => part.trim());
  if (!isOneOf(from, sources) || !isOneOf(to, sinks) || more.length > 0)
    throw new HooklineError("pattern_invalid", {
      pattern: written,
      reason: "it is no pipe",
      where: "pipes",
      advice: `write SOURCE → SINK: ${sources.join(", ")} → ${sinks.join(", ")}`,
    });
  return (effect) => effect.from === from && effect.to === to;
}

const isOneOf = <T extends Source | Sink>(name: string | undefined, all: readonly T[]): name is T =>
  all.some((one) => one === name);

/** At once, so that a load finds what is wrong; where the load has been, when a call first asks. */
function compiler<A, R>(
  { wereChecked }: Patterns,
  compileOne: (source: string) => (asked: A) => R,
): (source: string) => (asked: A) => R {
  if (!wereChecked) return compileOne;
  return (source) => {
    let made: ((asked: A) => R) | undefined;
    return (asked) => {
      made ??= compileOne(source);
      return made(asked);
    };
  };
}

function compile(written: Params, patterns: Patterns, onlyShell: boolean): (scope: Scope) => Found | boolean {
  const tests = [...testsOf(written, patterns)];
  const wanted = tests.reduce((bits, [is]) => bits | bitOf(is), 0);
  const pattern = compiler(patterns, (one): CommandTest => compileCommandPattern(one, patterns.spell).byMeaning);
  const regex = compiler(patterns, patterns.regex);
  const runs = compileRuns(list(written.runs), pattern);
  const not = compileRuns(list(written.not), pattern);
  const words = list(written.words).map(regex);
  const lines = list(written.line).map(regex);
  for (const one of [...list(written.runs), ...list(written.not)]) mustBeCommand(one);
  const asks = tests.length + words.length + lines.length > 0 || runs !== undefined;
  if (!asks && written.unclear === undefined && written.unknown === undefined)
    throw new HooklineError("pattern_invalid", {
      pattern: JSON.stringify(written),
      reason: "it asks for nothing",
      where: "a condition",
      advice: `give one of runs, ${effectNames.join(", ")}`,
    });
  const unclearKind = written.unclear && kindsOfUnknown[written.unclear];
  const ask = askOf(patterns);
  const partOf = createPartOf(list(written.runs), patterns);
  return (scope) => {
    const asked = ask(scope, onlyShell);
    if (!asked) return false;
    // Most rules end here, and need no reason.
    if (asked.isClear && (asked.kinds & wanted) !== wanted) return false;
    const { reading, where } = asked;
    if (lines.length > 0) {
      if (!lines.some((holds) => holds(codeOf(asked)))) return false;
    }
    if (written.unclear) {
      const unclear = reading.unknown.find(({ what }) => what === unclearKind);
      if (unclear || !asks) return unclear ? { unknown: unclear.why } : false;
    }
    if (!asks || (asked.kinds & wanted) !== wanted) return unsureOf(undefined, reading.unknown, written);
    let unsure: string | undefined;
    for (const one of asked.commands) {
      if ((one.kinds & wanted) !== wanted) continue;
      const answer = runs === undefined || (one.words.length > 0 && runs(one.words, one.program));
      if (answer === false || not?.(one.words, one.program) === true) continue;
      if (words.length > 0 && !words.some((holds) => holds(textOf(one, reading)))) continue;
      const found = tests.map(([is, holds]) => one.effects.find((effect) => effect.is === is && holds(effect, where)));
      if (found.some((effect) => effect === undefined)) continue;
      if (answer === true) return { ...foundIn(one.words, found), ...partOf(scope) };
      unsure ??= `cannot tell all words of \`${commandText(one.words)}\``;
    }
    return unsureOf(unsure, reading.unknown, written);
  };
}

const commandForms: readonly [RegExp, string, (written: string) => string][] = [
  [/^\s*$/, "it is empty", () => "write a command such as git push *"],
  [
    /^\s*\w+\((.*)\)\s*$/s,
    "a tool's name stands around it",
    (one) => `write ${one.replace(/^\s*\w+\((.*)\)\s*$/s, "$1")}`,
  ],
  [/^\s*\^/, "it is no regular expression", (one) => `write ${one.replace(/^\s*\^/, "")} *, or use words`],
  [
    /^(?:[^"'\\]|\\.|"[^"]*"|'[^']*')*?(?:&&|\||;)/s,
    "it holds several commands",
    () => "write a list, one pattern for each",
  ],
];

/** What people write who know tool patterns or regular expressions would never match. */
function mustBeCommand(pattern: string): void {
  for (const [form, reason, advice] of commandForms)
    if (form.test(pattern))
      throw new HooklineError("pattern_invalid", { pattern, reason, where: "runs", advice: advice(pattern) });
}

/** `PATH=. npm test` runs another npm. */
const setsVariable = /(?:^|[\s;&|(`])[A-Za-z_]\w*\+?=/;

/** Of a match: whether the line does more than the patterns say by the letter, as an allow must not reach further (R10). */
function createPartOf(runs: readonly string[], patterns: Patterns): (scope: Scope) => Found {
  const home = homedir();
  let whole: ToolPattern[] | undefined;
  return ({ event, names }) => {
    whole ??= runs.map((one) => compileToolPattern(`Bash(${one})`, patterns));
    const call = { names: ["Bash", ...names], input: event.data.tool_input as Fields, cwd: event.cwd, home };
    const line = textField(call.input, "command") ?? "";
    if (setsVariable.test(line)) return { partly: true };
    const { commands } = patterns.commands(line, { cwd: event.cwd, home });
    const writes = commands.some(({ redirects }) =>
      redirects.some(({ how, path }) => how !== "reads" && path !== "/dev/null"),
    );
    return !writes && whole.some((holds) => holds(call, "allow") === true) ? {} : { partly: true };
  };
}

const kindsOfUnknown = { program: "runs", code: "does" } as const;

/** Where it is not known what runs, the rule says what follows; without a word of its own, its action does (R87). */
function unsureOf(
  unsure: string | undefined,
  unknown: readonly Unknown[],
  { unknown: wanted }: Params,
): Found | boolean {
  if (wanted === "pass" || (unsure === undefined && unknown.length === 0)) return false;
  const counted = unknown.find(({ what }) => what === "runs") ?? (wanted === undefined ? undefined : unknown[0]);
  const why = counted?.why ?? unsure;
  return why === undefined ? false : { unknown: why, ...(wanted === undefined ? {} : { answer: wanted }) };
}

function foundIn(words: readonly string[], effects: readonly (Effect | undefined)[]): Found {
  const first = effects.find((one) => one !== undefined);
  return {
    ...(words.length > 0 ? { command: commandText(words) } : {}),
    ...(first?.path === undefined ? {} : { path: first.path.replaceAll(unknownText, "…") }),
    ...(first?.host === undefined ? {} : { host: first.host }),
    ...(first === undefined ? {} : { effect: effectText(first) }),
  };
}

const mostDescribed = 2;

function described({ unknown: _unknown, not: _not, words, line, ...written }: Params): string {
  const asked = Object.entries(written).map(([key, value]) =>
    typeof value === "boolean" ? key : `${key} ${inShort(value)}`,
  );
  const fits = words !== undefined || line !== undefined ? ["with words that fit a pattern"] : [];
  return [...asked, ...fits].join(", ");
}

function inShort(value: Listed): string {
  const all = list(value);
  const more = all.length - mostDescribed;
  return `${all.slice(0, mostDescribed).join(" or ")}${more > 0 ? ` or ${more} more` : ""}`;
}

const kind = (onlyShell: boolean, summary: string): ConditionKind<Params> => ({
  summary,
  params,
  ofCalls: true,
  compile: (written, patterns) => compile(written, patterns, onlyShell),
  describe: (written) => `the call ${described(written)}`,
  explain(written, scope, patterns) {
    const found = compile(written, patterns, onlyShell)(scope);
    const holds = typeof found === "object" ? (found.unknown ?? found.effect ?? found.command) : undefined;
    const asked = described(written);
    return { holds: typeof holds === "string" ? holds : `the call ${asked}`, fails: `no command ${asked}` };
  },
});

export const shell: ConditionKind<Params> = kind(true, "a shell line runs a command, or one that has such effects");
export const effects: ConditionKind<Params> = kind(false, "a tool call of any kind has such effects");
