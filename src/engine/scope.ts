/** What conditions are made of: the scope that they look at, their kinds, and the libraries behind patterns. */
import type { HookEvent, Json, Turn } from "./event.ts";
import type { Found, StepRecord } from "./record.ts";
import type { Schema } from "./schema.ts";

/** All that a condition or a template may look at. */
export interface Scope {
  event: HookEvent;
  turn: Turn;
  /** What matchers see: the canonical and the native name; empty where the event has no match field. */
  names: readonly string[];
  /** Results of the earlier steps of this run. */
  results: readonly StepRecord[];
  /** What the hook's condition found. */
  match?: Found;
  /** Where a test says that it could not be made, such as an expression that compares a text with a number. */
  faults?: string[];
}

export interface StrangeName {
  reason: string;
  advice: string;
  /** Counts from 1, in the text of the parameter. */
  column: number;
}

/** Pure; never throws. */
export type Test = (scope: Scope) => Found | boolean;

export interface ConditionKind<P = Json> {
  params: Schema<P>;
  /** One sentence, for the documentation and the schema. */
  summary?: string;
  /** What the hook keeps of its parameters: costly reading is done once, when the file is read. Throws as compile. */
  prepare?(params: P, patterns: Patterns): P;
  /** May throw HooklineError: the hook is then invalid. */
  compile(params: P, patterns: Patterns): Test;
  /** What enrich has to add to the event first. */
  needs?: string;
  /** The same, where it depends on the parameters. Never throws. */
  needsOf?(params: P): readonly string[];
  /** A name in them that nothing is called, told when a file is read: at run time it is only missing. */
  strangeName?(params: P): StrangeName | undefined;
  /** "match": the answer depends on the event's name and match value alone, so it is remembered. */
  reads?: "match";
  /** What it asks for in a person's words, for lists. */
  describe?(params: P): string;
  /** What is so about this event, in the words of a person: where the condition holds, and where it does not. */
  explain?(params: P, scope: Scope, patterns: Patterns): { holds: string; fails: string };
}

/** Regular expressions, globs and shell analysis, from libraries chosen outside (R65). regex and glob throw at load. */
/** A shell line whose placeholders have become variables (R18). */
export interface ShellTemplate {
  /** The line with variables in the place of placeholders. */
  line: string;
  /** What the variables hold. Throws HooklineError parameters_invalid where a value may not be given to a program. */
  values(scope: Scope): Record<string, string>;
}

/** Why a value cannot be given to a shell line. */
export interface TemplateFault {
  /** The placeholder as it was written. */
  placeholder: string;
  /** Where it stands, or why nobody can tell. */
  where: string;
}

export interface Patterns {
  regex(source: string): (text: string) => boolean;
  glob(source: string): (path: string) => boolean;
  /** The simple commands of a shell line, or undefined if it cannot be analysed (R10). Never throws. */
  commands(line: string): readonly (readonly string[])[] | undefined;
  /** What a shell line with placeholders becomes; undefined: it holds none. Absent: lines are not looked at. Never throws. */
  shellTemplate?(line: string): ShellTemplate | TemplateFault[] | undefined;
  /** The tree of a Python-like expression, as JSON (R64). Throws HooklineError pattern_invalid with the column. */
  expression(source: string): Json;
}
