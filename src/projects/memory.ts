/** What a project remembers, found by words and, where a model makes embeddings, by meaning. */
import { messageOf } from "../core/error.ts";
import type { Instant, MaybePromise } from "../core/event.ts";
import { fingerprint } from "../core/fingerprint.ts";
import type { MemoryHit } from "../core/reach.ts";
import { wordsOf } from "./memory-words.ts";
import type { MemoryRecords } from "./records.ts";
import { clean, titleOf } from "./text.ts";

/** Makes numbers of texts, near each other where the texts mean alike. */
export interface Embedder {
  /** Vectors of different makers are never compared. */
  name: string;
  /** One for each text. Rejects. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}
export interface MemoryOptions {
  records: MemoryRecords;
  now(): Instant;
  newId(): string;
  redact(text: string): MaybePromise<string>;
  /** What the settings of this project name; undefined: words alone. May reject. */
  embedderOf(project: string | undefined): Promise<Embedder | undefined>;
}
export interface NewMemory {
  project: string;
  source: string;
  heading: string;
  content: string;
}
export interface Asked {
  project?: string;
  query: string;
  limit: number;
}
export interface Found {
  hits: (MemoryHit & { id: string; project: string })[];
  /** What the person should know: meaning was not looked at. */
  note?: string;
}
export interface Memory {
  /** The same thing is remembered once. */
  add(memory: NewMemory): Promise<{ id: string }>;
  search(asked: Asked, signal: AbortSignal): Promise<Found>;
}

/** Of each way of looking; more than anybody asks for. */
const candidatesAtMost = 100;
/** Those that were added since the last search get their vectors with it: so many, and the rest at the next. */
const embeddedAtOnce = 256;
const longestEmbedded = 6_000;

export function createMemory({ records, now, newId, redact, embedderOf }: MemoryOptions): Memory {
  return {
    async add({ project, source, heading, content: given }) {
      const content = (await redact(clean(given))).trim();
      if (content === "") throw new Error("there is nothing to remember: the content is empty");
      const memory = { project, source: titleOf(source), heading: titleOf(await redact(heading)), content };
      const key = fingerprint(JSON.stringify([project, memory.source, memory.heading, content]));
      return { id: await records.add({ ...memory, id: newId(), created: now() }, key) };
    },
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
      return { hits: found.flat(), ...(note === undefined ? {} : { note }) };
    },
  };

  /** Never rejects: words are always there. */
  async function askMeaning(asked: Asked, signal: AbortSignal): Promise<{ ranked: Ranked[]; note?: string }> {
    try {
      const embedder = asked.query.trim() === "" ? undefined : await embedderOf(asked.project);
      return { ranked: embedder ? await nearestTo(asked, embedder, signal) : [] };
    } catch (error) {
      return { ranked: [], note: `found by words alone: ${messageOf(error)}` };
    }
  }

  async function nearestTo({ query, project }: Asked, embedder: Embedder, signal: AbortSignal): Promise<Ranked[]> {
    const missing = await records.unembedded(embedder.name, project, embeddedAtOnce);
    const texts = [query, ...missing.map(({ text }) => text)].map((text) => text.slice(0, longestEmbedded));
    const [question, ...made] = (await embedder.embed(texts, signal)).map(unit);
    if (!question || made.length !== missing.length) throw new Error("the model gave fewer vectors than texts");
    const vectors = missing.flatMap(({ seq }, index) => {
      const vector = made[index];
      return vector ? [{ seq, vector }] : [];
    });
    if (vectors.length > 0) await records.saveVectors(embedder.name, vectors);
    return (await records.vectors(embedder.name, project))
      .map(({ seq, vector }) => ({ seq, similarity: cosine(question, vector) }))
      .filter(({ similarity }) => similarity > 0)
      .sort((left, right) => right.similarity - left.similarity)
      .slice(0, candidatesAtMost);
  }
}

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
