/** A question to a model, turn by turn: it calls tools until it answers, and the answer has the form that was asked for. */
import type { ModelAnswer } from "../../engine/reach.ts";
import { type AnswerText, answerText } from "./answer-text.ts";
import { begin, failed, fromUser, type Question, textOf } from "./talk.ts";
import { answersTo, callsOf, spokenBy } from "./tool-calls.ts";
import { takeTurn } from "./turn.ts";

const turnsWithTools = 10;
const answerNow = "Answer now, with the JSON object alone.";

/** `said`: all that it said, where its text is only the JSON in it. */
export type ConverseAnswer = ModelAnswer & Pick<AnswerText, "said">;

/** Rejects with model_failed. On its last turn the model cannot reach the tools: it has to answer. */
export async function converse(question: Question): Promise<ConverseAnswer> {
  const talk = begin(question);
  const { schema, turns = talk.tools.size > 0 ? turnsWithTools : 1 } = question.request;
  let forced = false;
  for (let turn = 1; ; turn++) {
    const isLast = turn >= turns || forced;
    const reply = await takeTurn(talk, turn, isLast);
    const calls = callsOf(reply);
    if (calls.length > 0 && !isLast) {
      talk.messages.push(spokenBy(reply), await answersTo(calls, turn, talk));
      continue;
    }
    const said = reply.structuredOutputText ?? textOf(reply);
    const answer = schema ? answerText(said, schema) : calls.length > 0 ? undefined : { text: said };
    if (answer !== undefined) return { ...answer, model: talk.access.name, tokens: talk.spent, calls: talk.calls };
    if (calls.length > 0)
      throw failed(talk, { kind: "budget", reason: `it wanted tools in each of its ${turn} turns` });
    if (isLast) throw failed(talk, { kind: "unreadable", reason: `its answer is no JSON: ${quote(said)}` });
    forced = true;
    talk.messages.push(spokenBy(reply), fromUser(answerNow));
  }
}

const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
