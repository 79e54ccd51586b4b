/** tool_calls and message_count: a count of the turn has reached a threshold (D37, D38). One shape, two rows. */
import type { Turn } from "../engine/event.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { integer, object, say } from "../engine/schema.ts";
import { orNothing } from "./parameters.ts";

interface Counted {
  summary: string;
  /** What is counted, as a person says it after a number. */
  one: string;
  many: string;
  usual: number;
  read(turn: Turn): number;
  needs?: string;
}
type Params = { threshold?: number } | null;

function reached({ summary, one, many, usual, read, needs }: Counted): ConditionKind<Params> {
  const limitOf = (params: Params): number => params?.threshold ?? usual;
  const counted = (count: number): string => `${count} ${count === 1 ? one : many}`;
  return {
    summary,
    params: orNothing(object({}, { threshold: say(integer(undefined, 0), `at least so many ${many}`, usual) })),
    ...(needs === undefined ? {} : { needs }),
    compile(params) {
      const limit = limitOf(params);
      return ({ turn }) => read(turn) >= limit;
    },
    describe: (params) => `at least ${counted(limitOf(params))}`,
    explain: (params, { turn }) => ({
      holds: `${counted(read(turn))}, at or above ${limitOf(params)}`,
      fails: `${counted(read(turn))}, fewer than ${limitOf(params)}`,
    }),
  };
}

export const toolCalls: ConditionKind<Params> = reached({
  summary: "the turn has come to so many tool calls",
  one: "tool call in this turn",
  many: "tool calls in this turn",
  usual: 20,
  read: (turn) => turn.toolCalls,
});

export const messageCount: ConditionKind<Params> = reached({
  summary: "the conversation has come to so many messages",
  one: "message in this conversation",
  many: "messages in this conversation",
  usual: 50,
  read: (turn) => turn.messages,
  needs: "messages",
});
