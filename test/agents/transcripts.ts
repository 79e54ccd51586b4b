/** Transcripts of Claude Code, recorded and written by the tests, and what is read out of them. */
import { ok } from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { figuresOf } from "../../src/agents/index.ts";
import type { Fields, Figures, HookEvent } from "../../src/engine/event.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export const recorded: string = join(import.meta.dirname, "../fixtures/transcripts/claude-code");
export const session: string = readdirSync(recorded).find((name) => name.endsWith(".jsonl")) ?? "";
export const whole: string = readFileSync(join(recorded, session), "utf8");
export const lines: string[] = whole.trimEnd().split("\n");
export const all: ReadonlySet<string> = new Set(["tokens", "turns", "messages"]);

export const eventOf = (data: Fields, more: Partial<HookEvent> = {}): HookEvent => ({
  id: "e1",
  name: "Stop",
  at: 0,
  cwd: "/workspace/repo",
  sender: "claude-code",
  data,
  ...more,
});
export const figuresIn = (
  path: string,
  more: Partial<HookEvent> = {},
  needs: ReadonlySet<string> = all,
): Figures | undefined =>
  figuresOf(
    eventOf({ transcript_path: path, ...more.data }, { ...more, data: { transcript_path: path, ...more.data } }),
    needs,
    {},
  );

export function folder(t: TestContext): string {
  const path = temporaryFolder(t);
  return path;
}
export function written(t: TestContext, text: string | Buffer, name = "session.jsonl"): string {
  const path = join(folder(t), name);
  writeFileSync(path, text);
  return path;
}
/** The recording up to the first line that fits, and that line. */
export const upTo = (fits: RegExp, nth = 0): string => {
  const found = lines.flatMap((line, index) => (fits.test(line) ? [index] : []))[nth];
  ok(found !== undefined, String(fits));
  return `${lines.slice(0, found + 1).join("\n")}\n`;
};

export interface Said {
  tokens?: number;
  id?: string;
  more?: Fields;
}
let serial = 0;
export const entry = (fields: Fields): string =>
  `${JSON.stringify({ parentUuid: null, isSidechain: false, uuid: `u${serial++}`, ...fields })}\n`;
export const answer = ({ tokens = 10, id = `msg_${serial}`, more = {} }: Said = {}): string =>
  entry({ type: "assistant", message: { id, model: "claude-opus-5", usage: { input_tokens: tokens } }, ...more });
export const prompt = (content: Fields["content"] = "do it", more: Fields = {}): string =>
  entry({ type: "user", message: { role: "user", content: content ?? null }, ...more });
