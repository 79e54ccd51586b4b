/** The libraries behind Patterns (R65), each loaded only if a hook asks for it: together they cost a start 30 ms. */
import type { Spelling } from "../engine/command-pattern.ts";
import type { CallEffects, CallToRead, ShellPlace, ShellReading } from "../engine/effects.ts";
import { HooklineError, messageOf } from "../engine/error.ts";
import type { HookEvent } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import { compilePlainExpression, compilePlainGlob } from "../engine/glob.ts";
import type { Condition, Hook } from "../engine/hook.ts";
import { comparisonsOf, isNameList, needsEngine, readToolPattern } from "../engine/pattern.ts";
import type { Patterns } from "../engine/ports.ts";
import { isRecord } from "../engine/schema.ts";
import { realOf } from "../files/paths.ts";
import { textAt } from "../files/regular-file.ts";
import { needsShellForLines } from "./brings-lines.ts";
import { pathsLike } from "./found-by-pattern.ts";
import { gitAlias } from "./git/other-names.ts";
import { needsShellToLoosen } from "./loosens.ts";
import type { OwnFolders } from "./own-places.ts";
import { needsShell } from "./writes-to.ts";

export interface PatternNeeds {
  regex?: boolean;
  glob?: boolean;
  shell?: boolean;
  /** Shell lines with placeholders, as files hold them: only where files are read. */
  lines?: boolean;
  expression?: boolean;
}

const longest = 1000;
/** What hooks may need where they are compiled and tested. */
type HookNeeds = Required<Omit<PatternNeeds, "lines">>;
const everyNeed: HookNeeds = { regex: true, glob: true, shell: true, expression: true };
const everything: PatternNeeds = { ...everyNeed, lines: true };

/** What is not wanted throws on use. Without an argument, all. */
export async function loadPatterns(wanted: PatternNeeds = everything): Promise<Patterns> {
  const [expressions, globs, shell, spelling, effects, written, loosening, templates, python] = await Promise.all([
    wanted.regex ? import("re2js") : undefined,
    wanted.glob ? import("picomatch") : undefined,
    wanted.shell ? import("../shell/read.ts") : undefined,
    wanted.shell ? import("../shell/spelling.ts") : undefined,
    wanted.shell ? import("../shell/effects/read.ts") : undefined,
    wanted.shell ? import("../shell/effects/written.ts") : undefined,
    wanted.shell ? import("../shell/loosening/loosening.ts") : undefined,
    wanted.lines ? import("../shell/template.ts") : undefined,
    wanted.expression ? import("./expressions/read.ts") : undefined,
  ]);
  const { spell, forget } = spellOnce(spelling?.createSpell());
  const readShell = readOnce(shell?.readShell ?? (() => notLoadedReading), forget);
  return {
    regex(source) {
      if (!expressions) throw notLoaded(source, "regex");
      if (source.length > longest) throw invalid(source, `it is longer than ${longest} characters`);
      try {
        const compiled = expressions.RE2JS.compile(source);
        return (text) => compiled.test(text);
      } catch (error) {
        throw invalid(source, messageOf(error), error);
      }
    },
    real: createReal(),
    like: createLike(),
    glob(source) {
      const plain = source.length > longest ? undefined : compilePlainGlob(source);
      if (plain) return plain;
      if (!globs) throw notLoaded(source, "glob");
      const fault = globFault(source);
      if (fault) throw invalid(source, fault);
      const holds = globs.default(source, { nonegate: true, maxLength: longest });
      return (path) =>
        path.length <= longestPath && path.split("/").every((name) => name.length <= longestName) && holds(path);
    },
    commands(line, place) {
      if (!shell) throw notLoaded(line, "shell");
      return readShell(line, place);
    },
    ...(written && spell ? { writes: (reading, isCautious) => written.writes(reading, isCautious, spell) } : {}),
    ...(loosening && spell
      ? {
          loosens: (line, place, own) =>
            loosening.loosensIn(readShell(line, place), { own, workspace: place.cwd, spell }),
        }
      : {}),
    ...(spell ? { spell } : {}),
    ...(shell && spell && effects ? effectsBy(effects, { readShell, spell }) : {}),
    ...(templates ? { shellTemplate: templates.compileShellTemplate } : {}),
    expression(source) {
      if (!python) throw notLoaded(source, "expression");
      return python.readExpression(source);
    },
  };
}

const notLoadedReading: ShellReading = { commands: [], unknown: [] };

/**
 * Every rule about a program asks for the same words. They are forgotten with their line: in one table of all words that are still
 * in memory, a new entry costs as much as reading it.
 */
function spellOnce(read: Patterns["spell"]): { spell: Patterns["spell"]; forget(): void } {
  let spelled = new WeakMap<readonly string[], Spelling>();
  const forget = (): void => {
    spelled = new WeakMap();
  };
  if (!read) return { spell: undefined, forget };
  return {
    spell(words) {
      const known = spelled.get(words);
      if (known) return known;
      const made = read(words);
      spelled.set(words, made);
      return made;
    },
    forget,
  };
}

/** The hooks of an event ask one after another about the same few paths: each is looked up once, until the engine waits for something. */
function lookedUpOnce<T>(look: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    if (known.size === 0) queueMicrotask(() => known.clear());
    const found = look(path);
    known.set(path, found);
    return found;
  };
}
const createReal = (): ((path: string) => string) => lookedUpOnce(realOf);
const createLike = (): ((path: string) => readonly string[]) => lookedUpOnce(pathsLike);

/** All hooks of an event ask about one line. @param begin before another one is read */
function readOnce(read: Patterns["commands"], begin: () => void): Patterns["commands"] {
  let last: { line: string; place: ShellPlace; reading: ShellReading } | undefined;
  return (line, place) => {
    const isSame =
      last?.line === line &&
      last.place.cwd === place.cwd &&
      last.place.home === place.home &&
      last.place.runsOthers === place.runsOthers;
    if (!last || !isSame) {
      begin();
      const { cwd, home, runsOthers } = place;
      const own: ShellPlace = { cwd, home, textAt, gitAlias, ...(runsOthers ? { runsOthers } : {}) };
      last = { line, place: own, reading: read(line, own) };
    }
    return last.reading;
  };
}

/** One reading for all rules of an event: they ask one after another about the same call. */
function effectsBy(
  { readEffects, isAt }: typeof import("../shell/effects/read.ts"),
  readers: Parameters<typeof readEffects>[2],
): Pick<Patterns, "effects" | "isAt"> {
  let last: { call: CallToRead; workspace: string; effects: CallEffects } | undefined;
  return {
    isAt,
    effects(call, { workspace, home }) {
      const { tool, input, cwd } = call;
      const isSame =
        last?.call.input === input &&
        last.call.tool === tool &&
        last.call.cwd === cwd &&
        last.call.runsOthers === call.runsOthers;
      if (last && isSame && last.workspace === workspace) return last.effects;
      last = { call, workspace, effects: readEffects(call, { workspace, home }, readers) };
      return last.effects;
    },
  };
}

/** No file system holds longer ones, and a glob's time grows with the power of its stars. */
const longestPath = 4096;
const longestName = 255;

/** The subset that stays fast (SAFETY.md, D6). */
function globFault(source: string): string | undefined {
  if (source.length > longest) return `it is longer than ${longest} characters`;
  if ((source.match(/\*\*/g)?.length ?? 0) > 2) return "it has more than two **";
  if (/[@!+*?]\([^)]*[@!+*?]\(/.test(source)) return "it has an extended glob inside another";
  if (/[+*]\(/.test(source)) return "it repeats a group";
  if (source.split("/").some((part) => (part.replaceAll("**", "").match(/\*/g)?.length ?? 0) > 3)) {
    return "one of its segments has more than three *";
  }
  return undefined;
}

const invalid = (pattern: string, reason: string, cause?: unknown): HooklineError =>
  new HooklineError("pattern_invalid", { pattern, reason, where: "a pattern" }, { cause });

const notLoaded = (pattern: string, what: string): HooklineError =>
  new HooklineError("pattern_invalid", {
    pattern,
    reason: `the ${what} library was not loaded`,
    where: "loadPatterns",
    advice: "load what patternNeeds names",
  });

/**
 * What these hooks need loaded. A condition of a kind that is not ours may need anything.
 *
 * @param events all that happens; absent: any may
 */
export function patternNeeds(hooks: readonly Hook[], events?: readonly HookEvent[]): HookNeeds {
  const needs = { regex: false, glob: false, shell: false, expression: false };
  for (const hook of hooks) {
    const filesOnly = "event" in hook.on && hook.on.event.every((name) => rowOf(name).matchFile);
    for (const condition of [hook.when, ...hook.steps.map((step) => step.skipIf)]) {
      if (condition) addNeeds(condition, { filesOnly, events }, needs);
    }
    if (hook.steps.some(({ uses }) => matchingHandlers.has(uses))) Object.assign(needs, everyNeed);
  }
  return needs;
}

/** Handlers that compile patterns of their own when they run. */
const matchingHandlers: ReadonlySet<string> = new Set(["soft_guardrail", "build_check"]);

/** What is known of the events that a hook listens to. */
interface Heard {
  filesOnly: boolean;
  events: readonly HookEvent[] | undefined;
}

function addNeeds(condition: Condition, heard: Heard, needs: HookNeeds): void {
  const inner =
    "all" in condition ? condition.all : "any" in condition ? condition.any : "not" in condition ? [condition.not] : [];
  for (const one of inner) addNeeds(one, heard, needs);
  if (!("is" in condition)) return;
  const source = isRecord(condition.with) ? condition.with.pattern : condition.with;
  if (condition.is === "match" && typeof source === "string") {
    if (needsEngine(source) && !(heard.filesOnly && isNameList(source.trim(), "file"))) needs.regex = true;
  } else if (condition.is === "tool") for (const one of toolPatternsIn(condition.with)) addToolNeeds(one, needs);
  else if (condition.is === "error_type") needs.regex ||= !isPlainExpression(condition.with);
  else if (condition.is === "expression") needs.expression ||= !isRead(condition.with);
  else if (condition.is === "changed_files") needs.glob ||= !arePlainGlobs(condition.with);
  else if (condition.is === "writes_to") addNeedsOfFiles(condition.with, heard, needs);
  else if (condition.is === "brings_lines") addNeedsOfLines(condition.with, heard, needs);
  else if (condition.is === "loosens") addNeedsToLoosen(condition.with, heard, needs);
  else if (!plainKinds.has(condition.is)) Object.assign(needs, everyNeed);
}

/** These need no library, whatever their parameters. */
const plainKinds: ReadonlySet<string> = new Set(
  "agent always never context_pressure turn_count tool_calls message_count tool_name tool_failed content_contains of_project skip_flags reroutes".split(
    " ",
  ),
);

const isPlainExpression = (params: unknown): boolean =>
  isRecord(params) && typeof params.match === "string" && compilePlainExpression(params.match) !== undefined;

/** What the condition makes of a glob is the glob, but for a slash before it. */
const arePlainGlobs = (params: unknown): boolean =>
  isRecord(params) &&
  Array.isArray(params.patterns) &&
  params.patterns.every(
    (one) => typeof one === "string" && compilePlainGlob(one.trim().replace(/^(\.?\/)+/, "")) !== undefined,
  );

/** An expression was read when its file was. */
const isRead = (params: unknown): boolean => isRecord(params) && params.tree !== undefined;

function addNeedsOfFiles(params: unknown, { events }: Heard, needs: HookNeeds): void {
  const files =
    isRecord(params) && Array.isArray(params.files) ? params.files.filter((one) => typeof one === "string") : [];
  needs.glob ||= !files.every(isPlain);
  needs.shell ||= !events || events.some(needsShell({ files }));
}

function addNeedsOfLines(params: unknown, { events }: Heard, needs: HookNeeds): void {
  const folders = params as Parameters<typeof needsShellForLines>[0]; // the built-in guard is its one user
  needs.shell ||= !events || events.some(needsShellForLines(folders));
}

function addNeedsToLoosen(params: unknown, { events }: Heard, needs: HookNeeds): void {
  const folders = params as OwnFolders; // the built-in guard is its one user
  needs.shell ||= !events || events.some(needsShellToLoosen(folders, { real: createReal(), like: createLike() }));
}

/** With the exceptions to them. */
function toolPatternsIn(params: unknown): string[] {
  const parts = isRecord(params) ? [params.pattern, params.not] : [params];
  return parts.flat().filter((one) => typeof one === "string");
}

function addToolNeeds(source: string, needs: HookNeeds): void {
  try {
    const { name, content } = readToolPattern(source);
    const comparisons = content === undefined ? [] : comparisonsOf(name);
    if (comparisons.includes("command")) needs.shell = true;
    if (comparisons.includes("file") && /[[\]{}()!+@\\*?]/.test(content ?? "")) needs.glob ||= !isPlain(content ?? "");
  } catch {
    // No tool pattern: compiling it says so, and needs no library for that.
  }
}

/** Errs towards loading: what file-pattern makes of the text is a little more than the text. */
const isPlain = (content: string): boolean =>
  !/[[\]{}()!+@\\]/.test(content) &&
  (!content.includes("/") || compilePlainGlob(content.replace(/^(\/\/|~\/|\/|(\.\/)+)/, "")) !== undefined);
