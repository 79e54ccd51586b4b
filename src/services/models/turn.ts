/** One call of a model: what is sent, what it may cost, and whether what came back is an answer. */
import type { ModelRequest } from "../../engine/reach.ts";
import { attempt } from "./attempt.ts";
import type { Failure } from "./failure.ts";
import { type Form, inWords, isStrict, responseFormat, weakerForm } from "./form.ts";
import { placeOf } from "./names.ts";
import { type CallOptions, type Generated, kinds } from "./providers.ts";
import { failed, type Reply, stepOf, type Talk, textOf } from "./talk.ts";

/** A model that does not come to an end is not paid for more. A judgement, which has a form, is short. */
const longestOf = ({ schema }: ModelRequest): number => (schema ? 4_096 : 8_192);
/** No provider begins for less. */
const shortestAnswer = 16;

/**
 * `final`: tools are out of reach, and the answer has to come. What a turn of an earlier attempt gave is not paid for
 * again, and its cost counts once. Rejects with model_failed.
 */
export async function takeTurn(talk: Talk, number: number, final: boolean): Promise<Reply> {
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
  const told = schema && (alsoInWords || form !== "schema");
  const strictJsonSchema = isStrict(schema);
  return {
    ...always,
    providerOptions: {
      openai: { ...always.providerOptions?.openai, strictJsonSchema },
      openaiCompatible: { strictJsonSchema },
    },
    prompt: told ? withSystem(messages, inWords(schema)) : messages,
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
