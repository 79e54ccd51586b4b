/** What projects remember, on SQLite: found by words with FTS5, or by vectors that the caller compares; and their notes, which are remembered too. */
import { isBeginning, piecesIn } from "../../services/projects/memory-words.ts";
import {
  type MemoryRecord,
  type MemoryRecords,
  type NoteRecord,
  type NoteRecords,
  type Remembered,
  sourceOfNote,
  type WordHit,
} from "../../services/projects/records.ts";
import type { Database } from "./database.ts";
import { insistOnProject } from "./queries.ts";

/** A part of other writes as well: notes are remembered with what they say. */
export interface MemoryTable extends MemoryRecords {
  add(remembered: Remembered): string;
  /** Forgets what this source said. */
  forget(project: string, source: string): void;
}

const columns = "id, project, source, heading, content, created";
/** Ranked by how well they fit; only these are weighed. */
const candidatesAtMost = 100;

export function createMemoryRecords(database: Database): MemoryTable {
  return {
    add: ({ memory: { id, project, source, heading, content, created }, key }) =>
      database.write(() => {
        const known = database.get<{ id: string }>("select id from memory where key = ?", key);
        if (known) return known.id;
        insistOnProject(database, project);
        database.run(
          `insert into memory (key, ${columns}, pieces) values (?, ?, ?, ?, ?, ?, ?, ?)`,
          key,
          id,
          project,
          source,
          heading,
          content,
          created,
          piecesIn(`${heading}\n${content}`),
        );
        return id;
      }),
    forget(project, source) {
      database.run("delete from memory where project = ? and source = ?", project, source);
    },
    get: (seq) => database.get<MemoryRecord>(`select ${columns} from memory where seq = ?`, seq),
    search: (words, project, limit) => searchWords(database, words, project).slice(0, limit),
    unembedded: (maker, project, limit) =>
      database.all<{ seq: number; text: string }>(
        `select seq, heading || char(10) || content as text from memory
         where (?1 is null or project = ?1) and embedded_by is not ?2 order by seq desc limit ?3`,
        project ?? null,
        maker,
        limit,
      ),
    saveVectors: (maker, vectors) =>
      database.write(() => {
        const sql = "update memory set vector = ?, embedded_by = ? where seq = ?";
        for (const { seq, vector } of vectors) database.run(sql, vector ? bytesOf(vector) : null, maker, seq);
      }),
    vectors: (maker, project) =>
      database
        .all<{ seq: number; vector: Uint8Array }>(
          `select seq, vector from memory
           where (?1 is null or project = ?1) and embedded_by = ?2 and vector is not null`,
          project ?? null,
          maker,
        )
        .map(({ seq, vector }) => ({ seq, vector: numbersOf(vector) })),
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Copied, because a blob may begin where no number may. */
const numbersOf = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer);

const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"${isBeginning(word) ? "*" : ""}`;

/**
 * Candidates by bm25. Its numbers mean nothing by themselves, so each gets the share of the question's words
 * that it holds, rare words counting more.
 */
function searchWords(database: Database, words: readonly string[], project: string | undefined): WordHit[] {
  if (words.length === 0) return [];
  const found = database.all<{ seq: number }>(
    `select memory.seq from memory_text join memory on memory.seq = memory_text.rowid
     where memory_text match ?1 and (?2 is null or memory.project = ?2)
     order by bm25(memory_text, 2.0, 1.0, 1.0), memory.seq desc limit ${candidatesAtMost}`,
    words.map(quoted).join(" OR "),
    project ?? null,
  );
  const candidates = found.map(({ seq }) => seq);
  const shares = sharesOf(database, words, candidates);
  return candidates
    .map((seq) => ({ seq, similarity: shares.get(seq) ?? 0 }))
    .sort((left, right) => right.similarity - left.similarity); // stable: equal ones stay as bm25 has them
}

/** For each candidate the share of the words' weight that it holds: 0 to 1. */
function sharesOf(database: Database, words: readonly string[], candidates: readonly number[]): Map<number, number> {
  const all = database.get<{ n: number }>("select count(*) as n from memory")?.n ?? 0;
  const among = JSON.stringify(candidates);
  const weighed = words.map(quoted).map((word) => {
    const sql = "select count(*) as n from memory_text where memory_text match ?";
    const known = database.get<{ n: number }>(sql, word)?.n ?? 0;
    const holding = database.all<{ seq: number }>(
      "select rowid as seq from memory_text where memory_text match ? and rowid in (select value from json_each(?))",
      word,
      among,
    );
    return { weight: Math.log(1 + (all - known + 0.5) / (known + 0.5)), holding };
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  const shares = new Map<number, number>();
  for (const { weight, holding } of weighed)
    for (const { seq } of holding) shares.set(seq, (shares.get(seq) ?? 0) + weight / total);
  return shares;
}

const noteColumns = "project, name, title, content, created, updated";

/** Its copy on disk changes under the same lock: the last writer's stands in the note, the memory and the copy. */
export function createNoteRecords(database: Database, memory: MemoryTable): NoteRecords {
  const get = (project: string, name: string): NoteRecord | undefined =>
    database.get<NoteRecord>(`select ${noteColumns} from note where project = ? and name = ?`, project, name);
  return {
    get,
    list: (project) =>
      database.all<NoteRecord>(
        `select ${noteColumns} from note where project = ? order by updated desc, name`,
        project,
      ),
    save: ({ project, name, title, content, updated }, memories, copy) =>
      database.write(() => {
        insistOnProject(database, project);
        const isNew = get(project, name) === undefined;
        database.run(
          `insert into note (${noteColumns}) values (?1, ?2, ?3, ?4, ?5, ?5)
           on conflict (project, name) do update
             set title = excluded.title, content = excluded.content, updated = excluded.updated`,
          project,
          name,
          title,
          content,
          updated,
        );
        memory.forget(project, sourceOfNote(name));
        for (const one of memories) memory.add({ memory: one, key: `${one.project}/${one.id}` });
        copy();
        return isNew;
      }),
    remove: (project, name, dropCopy) =>
      database.write(() => {
        const note = get(project, name);
        if (!note) return undefined;
        database.run("delete from note where project = ? and name = ?", project, name);
        memory.forget(project, sourceOfNote(name));
        dropCopy();
        return note;
      }),
    hold: (project, name, work) => database.write(() => work(get(project, name))),
  };
}
