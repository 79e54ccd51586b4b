/** A question to a model, turn by turn: it calls tools until it answers, and the answer has the form that was asked for. */

import { findObjects, parseJson } from "../../actions/command/protocols/find-answer.ts";
import type { Fields } from "../../engine/event.ts";
import type { ModelAnswer, ModelRequest } from "../../engine/external-services.ts";
import { isRecord } from "../../engine/schema.ts";
import { quote } from "../../engine/words.ts";
import { attempt, type Failure } from "./failure.ts";
import { placeOf } from "./names.ts";
import { type CallOptions, type Generated, kinds } from "./providers.ts";
import {
  answersTo,
  begin,
  callsOf,
  failed,
  fromUser,
  type Question,
  type Reply,
  spokenBy,
  stepOf,
  type Talk,
  textOf,
} from "./talk.ts";

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

// The JSON in what a model said: alone, in a fence, among words, or behind its thoughts.

interface AnswerText {
  /** JSON of the schema's kind; all that was said, where it holds more than one object and only the asker can tell which counts. */
  text: string;
  /** All that was said, where that is more than the text. */
  said?: string;
}

/** undefined: there is no such JSON in it. Never throws. */
function answerText(said: string, schema: Fields): AnswerText | undefined {
  const text = said
    .replace(/^\uFEFF/, "")
    .replace(/^\s*<think>[\s\S]*?<\/think>/, "")
    .trim();
  if (fits(text, schema)) return { text };
  if (schema.type === "object") return amongWords(text);
  const fenced = [...text.matchAll(/```[\w-]*[ \t]*\n([\s\S]*?)\n[ \t]*```/g)].map(([, inside = ""]) => inside.trim());
  const [only, ...others] = fenced.filter((one) => fits(one, schema));
  return only === undefined ? undefined : others.length > 0 ? { text, said: text } : { text: only, said: text };
}

/** What a model quotes looks as its answer does, so none of several objects goes before the others. */
function amongWords(said: string): AnswerText | undefined {
  const { objects, broken } = findObjects(said);
  const [only, ...others] = objects;
  if (only === undefined) return undefined;
  const text = others.length > 0 || broken !== undefined ? said : said.slice(only.start, only.end);
  return { text, said };
}

function fits(text: string, { type }: Fields): boolean {
  const value = parseJson(text);
  if (value === undefined) return false;
  return type === "object" ? isRecord(value) : type === "array" ? Array.isArray(value) : true;
}

// One call of a model: what is sent, what it may cost, and whether what came back is an answer.

/** A model that does not come to an end is not paid for more. A judgement, which has a form, is short. */
const longestOf = ({ schema }: ModelRequest): number => (schema ? 4_096 : 8_192);
/** No provider begins for less. */
const shortestAnswer = 16;

/**
 * `final`: tools are out of reach, and the answer has to come. What a turn of an earlier attempt gave is not paid for
 * again, and its cost counts once. Rejects with model_failed.
 */
async function takeTurn(talk: Talk, number: number, final: boolean): Promise<Reply> {
  const { request, spent } = talk;
  const limit = outputLimit(talk);
  const reply = await stepOf(talk, `turn ${number}`, () => askOnce(talk, final, limit));
  spent.input += reply.cost.input;
  spent.output += reply.cost.output;
  if (reply.cost.estimated) spent.estimated = true;
  const failure = failureIn(reply, request, limit);
  if (failure) throw failed(talk, failure);
  return reply;
}

async function askOnce(talk: Talk, final: boolean, limit: number): Promise<Reply> {
  const { access, clock, forms, patience, request } = talk;
  const isBeside = talk.tools.size > 0 && !final;
  const kind = kinds[access.kind];
  for (let form: Form = forms.get(placeOf(access)) ?? "schema"; ; ) {
    const forced = isBeside && !kind.schemaBesideTools ? "words" : form;
    const options = optionsOf(talk, forced, final, limit);
    const done = await attempt(clock, patience, async () =>
      (await kind.open(access, forced === "schema")).doGenerate(options),
    );
    if ("value" in done) {
      if (request.schema && forced === form) forms.set(placeOf(access), form);
      return replyOf(done.value, talk);
    }
    const next = request.schema && weakerForm(form, done.failure);
    if (!next) throw failed(talk, done.failure);
    form = next;
  }
}

function optionsOf(talk: Talk, form: Form, final: boolean, limit: number): CallOptions {
  const { access, messages, patience, request, tools } = talk;
  const { always, alsoInWords } = kinds[access.kind];
  const { schema } = request;
  const isInWords = schema && (alsoInWords || form !== "schema");
  const strictJsonSchema = isStrict(schema);
  return {
    ...always,
    providerOptions: {
      openai: { ...always.providerOptions?.openai, strictJsonSchema },
      openaiCompatible: { strictJsonSchema },
    },
    prompt: isInWords ? withSystem(messages, inWords(schema)) : messages,
    maxOutputTokens: limit,
    abortSignal: patience.signal,
    ...(schema ? responseFormat(form, schema) : {}),
    ...(tools.size > 0 ? { tools: toolsOf(talk), toolChoice: { type: final ? "none" : "auto" } } : {}),
  };
}

function withSystem(messages: CallOptions["prompt"], words: string): CallOptions["prompt"] {
  const [first, ...rest] = messages;
  return first?.role === "system"
    ? [{ ...first, content: `${first.content}\n\n${words}` }, ...rest]
    : [{ role: "system", content: words }, ...messages];
}

const toolsOf = ({ access, tools }: Talk): NonNullable<CallOptions["tools"]> =>
  [...tools].map(([name, { description, input }]) => ({
    type: "function" as const,
    name,
    description,
    inputSchema: input, // JSON Schema, as the port asks for
    ...kinds[access.kind].ofTools,
  }));

/** What this turn may still say; throws where that is nothing. */
function outputLimit(talk: Talk): number {
  const { maxTokens } = talk.request;
  const longest = longestOf(talk.request);
  if (maxTokens === undefined) return longest;
  const { spent } = talk;
  const needed = estimate(talk);
  const before = spent.input + spent.output;
  const left = maxTokens - before - needed;
  if (left >= shortestAnswer) return Math.min(longest, left);
  throw failed(talk, {
    kind: "budget",
    reason:
      before === 0
        ? `the question and its tools are about ${needed} tokens, and with an answer that is more than the ${maxTokens} that it may use`
        : `another turn would cost more than the ${maxTokens} tokens that it may use`,
  });
}

/** About four characters to a token. */
const inTokens = (characters: number): number => Math.ceil(characters / 4);
const estimate = ({ messages, tools }: Talk): number =>
  inTokens(JSON.stringify(messages).length + JSON.stringify([...tools.values()]).length);

const kept: ReadonlySet<string> = new Set(["text", "reasoning", "tool-call"]);

function replyOf(generated: Generated, talk: Talk): Reply {
  const { content, structuredOutputText, finishReason } = generated;
  return {
    content: content.filter(({ type }) => kept.has(type)),
    finishReason,
    cost: costOf(generated, talk),
    ...(structuredOutputText === undefined ? {} : { structuredOutputText }),
  };
}

function costOf(generated: Generated, talk: Talk): Reply["cost"] {
  const { inputTokens, outputTokens } = generated.usage;
  const [input, output] = [countOf(inputTokens.total), countOf(outputTokens.total)];
  return {
    input: input || estimate(talk),
    output: output ?? inTokens(textOf(generated).length),
    ...(!input || output === undefined ? { estimated: true } : {}),
  };
}

/** undefined for what no count can be: a budget must not grow by what a server claims. */
const countOf = (claimed: unknown): number | undefined =>
  typeof claimed === "number" && claimed >= 0 && claimed <= Number.MAX_SAFE_INTEGER ? Math.ceil(claimed) : undefined;

function failureIn(reply: Reply, request: ModelRequest, limit: number): Failure | undefined {
  const { maxTokens } = request;
  const { unified, raw } = reply.finishReason;
  const said = textOf(reply);
  if (unified === "content-filter") return { kind: "refused", reason: `it refused: ${said || raw}` };
  if (unified === "interrupted") return { kind: "cut", reason: "its answer was interrupted" };
  if (unified === "error") return { kind: "server", reason: `it stopped with an error: ${raw}` };
  if (unified !== "length") return undefined;
  return maxTokens !== undefined && limit < longestOf(request)
    ? { kind: "budget", reason: `its answer was cut off: it may use ${maxTokens} tokens` }
    : { kind: "cut", reason: `its answer was longer than ${limit} tokens` };
}

// The ways to ask for JSON, from the strictest that a provider takes to plain words. Apart because servers refuse
// some of them.

/** schema: the server keeps to it · json: it keeps to JSON · words: only the prompt asks for it. */
export type Form = "schema" | "json" | "words";
const weaker: { readonly [F in Form]?: Form } = { schema: "json", json: "words" };

/** What to try next, if the server refused this form rather than the request. */
const weakerForm = (form: Form, { status, reason }: Failure): Form | undefined =>
  (status === 400 || status === 422) && namesForm.test(reason) ? weaker[form] : undefined;

const namesForm =
  /response_?format|json_?(schema|object|mode)|output_?(format|config)|response_?(json_?)?schema|response_?mime|text\.format|structured[ _]?output/i;

type SchemaOfLibrary = Extract<NonNullable<CallOptions["responseFormat"]>, { type: "json" }>["schema"];

function responseFormat(form: Form, schema: Fields): Pick<CallOptions, "responseFormat"> {
  if (form === "words") return {};
  const given = schema as SchemaOfLibrary; // JSON Schema, as the port asks for
  return { responseFormat: { type: "json", ...(form === "schema" && given ? { schema: given, name: "answer" } : {}) } };
}

const inWords = (schema: Fields): string =>
  `Answer with one JSON object that fits this JSON Schema, and with nothing else around it:\n${JSON.stringify(schema)}`;

/** Whether OpenAI's strict mode takes it: every object closed, and every property required. */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isRecord(schema)) return true;
  const { properties, required, additionalProperties } = schema;
  if (schema.type === "object") {
    const names = isRecord(properties) ? Object.keys(properties) : [];
    if (additionalProperties !== false || !Array.isArray(required)) return false;
    if (!names.every((name) => required.includes(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}
