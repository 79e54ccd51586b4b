/** One call of a model: what is sent, what it may cost, and whether what came back is an answer. */
import type { ModelRequest } from "../core/reach.ts";
import { attempt } from "./attempt.ts";
import type { Failure } from "./failure.ts";
import { type Form, inWords, isStrict, responseFormat, weakerForm } from "./form.ts";
import { type CallOptions, type Generated, kinds } from "./providers.ts";
import { failed, type Talk, textOf } from "./talk.ts";

/** A judgement is short; a model that does not come to an end is not paid for more. */
const longestAnswer = 4_096;
/** No provider begins for less. */
const shortestAnswer = 16;

/** `final`: tools are out of reach, and the answer has to come. Rejects with model_failed. */
export async function takeTurn(talk: Talk, final: boolean): Promise<Generated> {
  const { access, clock, forms, patience, request } = talk;
  const limit = outputLimit(talk);
  const isBeside = talk.tools.size > 0 && !final;
  const kind = kinds[access.kind];
  for (let form: Form = forms.get(access.name) ?? "schema"; ; ) {
    const forced = isBeside && !kind.schemaBesideTools ? "words" : form;
    const options = optionsOf(talk, forced, final, limit);
    const done = await attempt(clock, patience, async () =>
      (await kind.open(access, forced === "schema")).doGenerate(options),
    );
    if ("value" in done) {
      if (request.schema && forced === form) forms.set(access.name, form);
      return checked(done.value, talk, limit);
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
  if (maxTokens === undefined) return longestAnswer;
  const { spent } = talk;
  const left = maxTokens - spent.input - spent.output - estimate(talk);
  if (left >= shortestAnswer) return Math.min(longestAnswer, left);
  throw failed(talk, {
    kind: "budget",
    reason: `another turn would cost more than the ${maxTokens} tokens that it may use`,
  });
}

/** About four characters to a token. */
const inTokens = (characters: number): number => Math.ceil(characters / 4);
const estimate = ({ messages, tools }: Talk): number =>
  inTokens(JSON.stringify(messages).length + JSON.stringify([...tools.values()]).length);

function checked(reply: Generated, talk: Talk, limit: number): Generated {
  count(reply, talk);
  const failure = failureIn(reply, talk.request, limit);
  if (failure) throw failed(talk, failure);
  return reply;
}

function count(reply: Generated, talk: Talk): void {
  const { inputTokens, outputTokens } = reply.usage;
  const { spent } = talk;
  const [input, output] = [countOf(inputTokens.total), countOf(outputTokens.total)];
  if (!input || output === undefined) spent.estimated = true;
  spent.input += input || estimate(talk);
  spent.output += output ?? inTokens(textOf(reply).length);
}

/** undefined for what no count can be: a budget must not grow by what a server claims. */
const countOf = (claimed: unknown): number | undefined =>
  typeof claimed === "number" && claimed >= 0 && claimed <= Number.MAX_SAFE_INTEGER ? Math.ceil(claimed) : undefined;

function failureIn(reply: Generated, { maxTokens }: ModelRequest, limit: number): Failure | undefined {
  const { unified, raw } = reply.finishReason;
  const said = textOf(reply);
  if (unified === "content-filter") return { kind: "refused", reason: `it refused: ${said || raw}` };
  if (unified === "interrupted") return { kind: "cut", reason: "its answer was interrupted" };
  if (unified === "error") return { kind: "server", reason: `it stopped with an error: ${raw}` };
  if (unified !== "length") return undefined;
  return maxTokens !== undefined && limit < longestAnswer
    ? { kind: "budget", reason: `its answer was cut off: it may use ${maxTokens} tokens` }
    : { kind: "cut", reason: `its answer was longer than ${limit} tokens` };
}
