/** Many patterns of commands, asked about one command: a rule may list hundreds, and thousands stand beside it. */
import { type Answer, type CommandTest, unknownText } from "../engine/command-pattern.ts";

/** @param program without folders */
type RunsTest = (command: readonly string[], program: string) => Answer;

/** Of many patterns only those are tried whose program it is. Undefined: there are none. */
export function compileRuns(
  patterns: readonly string[],
  compilePattern: (pattern: string) => CommandTest,
): RunsTest | undefined {
  if (patterns.length === 0) return undefined;
  const byProgram = new Map<string, CommandTest[]>();
  const any: CommandTest[] = [];
  for (const one of patterns) {
    const [, program] = /^\s*([\w.+-]+)(?::|\s|$)/.exec(one) ?? [];
    const holds = compilePattern(one);
    if (program === undefined) any.push(holds);
    else byProgram.set(program, [...(byProgram.get(program) ?? []), holds]);
  }
  for (const own of byProgram.values()) own.push(...any);
  const all = [...new Set([...byProgram.values(), any].flat())];
  return (words, program) => {
    const tried = byProgram.get(program) ?? (program.includes(unknownText) ? all : any);
    return strongest(tried, words);
  };
}

function strongest(tests: readonly CommandTest[], words: readonly string[]): Answer {
  let answer: Answer = false;
  for (const holds of tests) {
    const one = holds(words);
    if (one === true) return true;
    if (one !== false) answer = one;
  }
  return answer;
}
