/** Many patterns of commands, asked about one command: a rule may list hundreds, and thousands stand beside it. */
import { type Answer, baseName, type CommandTest, unknownText } from "../engine/command-pattern.ts";

/** Of many patterns only those are tried whose program it is. Undefined: there are none. */
export function compileRuns(
  patterns: readonly string[],
  compilePattern: (pattern: string) => CommandTest,
): CommandTest | undefined {
  if (patterns.length === 0) return undefined;
  const byProgram = new Map<string, CommandTest[]>();
  const any: CommandTest[] = [];
  for (const one of patterns) {
    const [, program] = /^\s*([\w.+-]+)(?::|\s|$)/.exec(one) ?? [];
    const holds = compilePattern(one);
    if (program === undefined) any.push(holds);
    else byProgram.set(program, [...(byProgram.get(program) ?? []), holds]);
  }
  const all = [...[...byProgram.values()].flat(), ...any];
  return (words) => {
    const program = baseName(words[0] ?? "");
    const own = byProgram.get(program);
    if (own === undefined && any.length === 0 && !program.includes(unknownText)) return false;
    const tried = program.includes(unknownText) ? all : [...(own ?? []), ...any];
    return strongest(tried.map((holds) => holds(words)));
  };
}

const strongest = (answers: readonly Answer[]): Answer =>
  answers.includes(true) ? true : answers.includes("unknown") ? "unknown" : false;
