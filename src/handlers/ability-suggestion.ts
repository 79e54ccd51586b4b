/** Suggests abilities of the repository that fit what the user asks for (specification 001, 3.1). A hint: it runs nothing. */
import { type Fields, textField } from "../core/event.ts";
import { oneLine, shortened } from "../core/one-line.ts";
import type { Outcome, Suggestion } from "../core/outcome.ts";
import type { Handler, StepContext, StepResult } from "../core/ports.ts";
import { either, flag, integer, listOf, type Mismatch, number, object, say, text } from "../core/schema.ts";
import { type Choice, chooseAbilities } from "./ability-choice.ts";
import { createFindAbilities, type FindAbilities } from "./ability-files.ts";
import { type Ability, type Scored, scoreAbilities } from "./ability-scores.ts";
import { folderParameter, inspectFolder, repositoryOf } from "./repository-place.ts";

export interface AbilitySuggestionParams {
  limit?: number;
  threshold?: number;
  abilities?: { id: string; description: string; keywords?: string[] }[];
  search?: boolean;
  tell_user?: boolean;
  model?: boolean | string;
  folder?: string;
}

const usual = { limit: 3, threshold: 0.5 } as const;
/** A model is asked about so many at most. */
const mostCandidates = 12;

export const abilitySuggestion: Handler<AbilitySuggestionParams> = createAbilitySuggestion();

function createAbilitySuggestion(): Handler<AbilitySuggestionParams> {
  const find = createFindAbilities();
  return {
    params: object(
      {},
      {
        limit: say(integer(undefined, 1), "at most so many suggestions", usual.limit),
        threshold: say(
          number(undefined, 0),
          "the confidence that a suggestion needs, between 0 and 1",
          usual.threshold,
        ),
        abilities: say(
          listOf(object({ id: text("its name"), description: text("what it does") }, { keywords: listOf(text()) })),
          "abilities beside those that are found in the repository",
          [],
        ),
        search: say(flag, "looks for abilities in the repository's files", true),
        tell_user: say(flag, "tells the person too", false),
        model: say(
          either(flag, text()),
          "true, or a model's name: it chooses among those that share words with the prompt",
          false,
        ),
        folder: folderParameter,
      },
    ),
    builtin: {
      summary: "Suggests abilities whose descriptions fit what the user asks for.",
      role: () => "observe",
      events: ["UserPromptSubmit"],
    },
    inspect: ({ threshold, folder }: Fields, _patterns, origin): Mismatch[] => [
      ...(typeof threshold === "number" && threshold > 1
        ? [{ path: ["threshold"], expected: "a number between 0 and 1", found: String(threshold) }]
        : []),
      ...inspectFolder(folder, origin),
    ],
    run: (params, context) => suggest(params, context, find),
  };
}

async function suggest(
  params: AbilitySuggestionParams,
  context: StepContext,
  find: FindAbilities,
): Promise<StepResult> {
  const { data } = context.event;
  const prompt = textField(data, "prompt") ?? textField(data, "user_message") ?? "";
  const { abilities, notes } = await abilitiesFor(params, context, find);
  const called = /^\/\S+/.exec(prompt.trim())?.[0];
  const scored = scoreAbilities(prompt, abilities).filter(({ ability }) => ability.id !== called);
  const choice = await choiceFor(scored.slice(0, mostCandidates), prompt, params, context);
  const { limit = usual.limit, threshold = usual.threshold } = params;
  const suggestions = (choice && "chosen" in choice ? choice.chosen : scored.map(suggestionOf))
    .filter(({ confidence }) => confidence >= threshold)
    .slice(0, limit);
  const told = [...notes, ...(choice && "failed" in choice ? [`chosen without the model: ${choice.failed}`] : [])];
  return {
    ok: true,
    output: { suggested_abilities: suggestions.map((one) => ({ ...one })), considered: abilities.length },
    ...(suggestions.length > 0 ? { outcome: outcomeOf(suggestions, abilities, params) } : {}),
    ...(told.length > 0 ? { notes: told } : {}),
    ...(choice?.tokens === undefined ? {} : { tokens: choice.tokens }),
  };
}

async function abilitiesFor(
  { abilities: given = [], search = true, folder }: AbilitySuggestionParams,
  context: StepContext,
  find: FindAbilities,
): Promise<{ abilities: Ability[]; notes: string[] }> {
  const own = given.map((one) => ({ ...one, from: "the hook's own list" }));
  if (!search) return { abilities: own, notes: [] };
  const { abilities, notes } = await find(repositoryOf(context, folder), context.signal);
  const names = new Set(own.map(({ id }) => id));
  return { abilities: [...own, ...abilities.filter(({ id }) => !names.has(id))], notes };
}

async function choiceFor(
  candidates: readonly Scored[],
  prompt: string,
  { model = false }: AbilitySuggestionParams,
  context: StepContext,
): Promise<Choice | undefined> {
  if (model === false || candidates.length === 0) return undefined;
  return chooseAbilities(prompt, candidates, model === true ? undefined : model, context);
}

const suggestionOf = ({ ability, confidence, words }: Scored): Required<Suggestion> => ({
  id: ability.id,
  reason: oneLine(`matches ${words.map((word) => `"${word}"`).join(", ")}`),
  confidence,
});

function outcomeOf(
  suggestions: readonly Suggestion[],
  abilities: readonly Ability[],
  { tell_user: telling = false }: AbilitySuggestionParams,
): Outcome {
  const outcome: Outcome = { suggestions: [...suggestions] };
  if (!telling) return outcome;
  const texts = suggestions.map(({ id }) => sentenceOf(id, abilities.find((one) => one.id === id)?.description ?? ""));
  return { ...outcome, messages: texts.map((one) => ({ to: "person", text: one })) };
}

const longestSentence = 160;

function sentenceOf(id: string, description: string): string {
  const line = description.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  const first = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
  const short = shortened(first, longestSentence);
  return `You can use ${oneLine(id)}${short === "" ? "." : `: ${short}`}`;
}
