/** What a project remembers, found by words and, where a model makes embeddings, by meaning. */

import { HooklineError, messageOf } from "../../engine/error.ts";
import { present } from "../../engine/event.ts";
import type { MemoryHit } from "../../engine/external-services.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import { wordsOf } from "./memory-words.ts";
import { clean, type MemoryRecords, type Remembered, type ServiceOptions, titleOf } from "./records.ts";

/** Makes numbers of texts, near each other where the texts mean alike. */
export interface Embedder {
  /** Vectors of different makers are never compared. */
  name: string;
  /** One for each text. Rejects. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}
export interface MemoryOptions extends Omit<ServiceOptions, "records"> {
  records: MemoryRecords;
  newId(): string;
  /** What the settings of this project name; undefined: words alone. May reject. */
  embedderOf(project: string | undefined): Promise<Embedder | undefined>;
}
export interface NewMemory {
  project: string;
  source: string;
  heading: string;
  content: string;
}
export interface MemoryQuestion {
  project?: string;
  query: string;
  limit: number;
}
export interface MemoriesFound {
  hits: (MemoryHit & { id: string; project: string })[];
  /** What the person should know: meaning was not looked at. */
  note?: string;
}
export interface Memory {
  /** The same thing is remembered once. */
  add(memory: NewMemory): Promise<{ id: string }>;
  /** How it is remembered, for who writes it beside something else. */
  recordOf(memory: NewMemory): Promise<Remembered>;
  search(asked: MemoryQuestion, signal: AbortSignal): Promise<MemoriesFound>;
}

/** Of each way of looking; more than a search asks for. */
const candidatesAtMost = 100;
/** Those that were added since the last search get their vectors with it: so many, and the rest at the next. */
const embeddedAtMost = 256;
/** What a request gave is saved before the next: what was paid for is not asked for again. */
const textsAtOnce = 64;
/** A search waits no longer for what only later ones need. */
const embeddingInMs = 10_000;
const longestEmbedded = 6_000;

export function createMemory({ records, now, newId, redact, embedderOf }: MemoryOptions): Memory {
  async function recordOf({ project, ...given }: NewMemory): Promise<Remembered> {
    const content = (await redact(clean(given.content))).trim();
    if (content === "") throw new Error("there is nothing to remember: the content is empty");
    const source = titleOf(await redact(given.source));
    const heading = titleOf(await redact(given.heading));
    const key = fingerprint(JSON.stringify([project, source, heading, content]));
    return { memory: { id: newId(), project, source, heading, content, created: now() }, key };
  }

  return {
    recordOf,
    add: async (memory) => ({ id: await records.add(await recordOf(memory)) }),
    async search(asked, signal) {
      const byWords = await records.search(wordsOf(asked.query), asked.project, candidatesAtMost);
      const { ranked: byMeaning, note } = await askMeaning(asked, signal);
      const best = fused(byWords, byMeaning).slice(0, asked.limit);
      const found = await Promise.all(
        best.map(async ({ seq, similarity }) => {
          const memory = await records.get(seq);
          if (!memory) return [];
          const { id, project, source, heading, content } = memory;
          return [{ id, project, source, heading, content, similarity }];
        }),
      );
      return { hits: found.flat(), ...present({ note }) };
    },
  };

  /** Never rejects: words are always there. */
  async function askMeaning(asked: MemoryQuestion, signal: AbortSignal): Promise<ByMeaning> {
    try {
      const embedder = asked.query.trim() === "" ? undefined : await embedderOf(asked.project);
      return embedder ? await nearestTo(asked, embedder, signal) : { ranked: [] };
    } catch (error) {
      return { ranked: [], note: `found by words alone: ${messageOf(error)}` };
    }
  }

  async function nearestTo(
    { query, project }: MemoryQuestion,
    embedder: Embedder,
    signal: AbortSignal,
  ): Promise<ByMeaning> {
    const begun = performance.now();
    const [vector] = await embedder.embed([query.slice(0, longestEmbedded)], signal);
    if (!vector) throw new Error("the model gave no vector for the question");
    const question = unit(vector);
    const note = await embedNew(project, { records, embedder, signal, pace: performance.now() - begun });
    const ranked = (await records.vectors(embedder.name, project))
      .map(({ seq, vector: known }) => ({ seq, similarity: cosine(question, known) }))
      .filter(({ similarity }) => similarity > 0)
      .sort((left, right) => right.similarity - left.similarity)
      .slice(0, candidatesAtMost);
    return { ranked, ...present({ note }) };
  }
}

/** As many as there is time for; what is left then is found by words, and a note says so. Rejects only where the store fails. */
async function embedNew(
  project: string | undefined,
  { records, embedder, signal, pace }: Embedding,
): Promise<string | undefined> {
  const missing = await records.unembedded(embedder.name, project, embeddedAtMost);
  const within = AbortSignal.any([signal, AbortSignal.timeout(embeddingInMs)]);
  const ends = performance.now() + embeddingInMs;
  let each = pace;
  while (missing.length > 0) {
    const started = performance.now();
    const fitting = Math.floor((ends - started) / each / 2); // the next ones may take longer
    if (fitting < 1) return partly("there was no time for the others, which the next search goes on with");
    const batch = missing.splice(0, Math.min(textsAtOnce, fitting));
    const trouble = await embedded(batch, { records, embedder, signal: within });
    if (trouble !== undefined) return partly(trouble);
    each = (performance.now() - started) / batch.length;
  }
  return undefined;
}

/** Asks for them and saves them. What went wrong; undefined: nothing did. */
async function embedded(batch: readonly Text[], means: Omit<Embedding, "pace">): Promise<string | undefined> {
  const { records, embedder, signal } = means;
  let vectors: (Float32Array | undefined)[];
  try {
    vectors = await embedder.embed(
      batch.map(({ text }) => text.slice(0, longestEmbedded)),
      signal,
    );
  } catch (error) {
    if (!isRefusal(error)) return messageOf(error);
    const half = Math.ceil(batch.length / 2);
    if (batch.length > 1) return (await embedded(batch.slice(0, half), means)) ?? embedded(batch.slice(half), means);
    vectors = [undefined]; // this one the model does not take, today or tomorrow
  }
  if (vectors.length !== batch.length) return "the model gave fewer vectors than texts";
  const made = batch.map(({ seq }, index) => ({ seq, vector: vectors[index] && unit(vectors[index]) }));
  await records.saveVectors(embedder.name, made);
  return undefined;
}

interface Embedding {
  records: MemoryRecords;
  embedder: Embedder;
  signal: AbortSignal;
  /** Milliseconds that one text took. */
  pace: number;
}
interface Text {
  seq: number;
  text: string;
}
interface ByMeaning {
  ranked: Ranked[];
  note?: string;
}

const partly = (reason: string): string => `not all were compared by meaning: ${reason}`;

/** It is about what was sent, such as a text that is too long: asked for alone, the others may well be taken. */
const isRefusal = (error: unknown): boolean => error instanceof HooklineError && refusals.has(error.facts.status);
const refusals: ReadonlySet<unknown> = new Set([400, 413, 422]);

interface Ranked {
  seq: number;
  /** 0 to 1. */
  similarity: number;
}

const unit = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((one) => one / length) : vector;
};

/** Of two vectors of length 1. Those of other lengths were made otherwise. */
function cosine(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length) return 0;
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return Math.min(1, Math.max(0, sum));
}

/** How much the first ranks count more than the next; the usual number of rank fusion. */
const flatness = 60;

/** Rank fusion: what both ways find stands before what only one does. The similarity is that of meaning where it is known. */
function fused(byWords: readonly Ranked[], byMeaning: readonly Ranked[]): Ranked[] {
  if (byMeaning.length === 0) return [...byWords];
  const scores = new Map<number, { score: number; similarity: number }>();
  for (const ranked of [byWords, byMeaning])
    for (const [index, { seq, similarity }] of ranked.entries()) {
      const score = (scores.get(seq)?.score ?? 0) + 1 / (flatness + index + 1);
      scores.set(seq, { score, similarity });
    }
  return [...scores]
    .sort(([, left], [, right]) => right.score - left.score || right.similarity - left.similarity)
    .map(([seq, { similarity }]) => ({ seq, similarity }));
}
