/** What is read out of transcripts that the real Claude Code wrote, and out of anything else that may lie at such a path. */
import { deepEqual, equal } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contextWindow } from "../../src/agents/claude-code/transcript.ts";
import { figuresOf } from "../../src/agents/index.ts";
import type { Figures } from "../../src/engine/event.ts";
import {
  all,
  answer,
  entry,
  eventOf,
  figuresIn,
  folder,
  prompt,
  recorded,
  session,
  upTo,
  whole,
  written,
} from "./transcripts.ts";

test("[D35, D36, D38] a recorded session gives the tokens of its last answer, its prompts and its messages", (t) => {
  const path = written(t, upTo(/"text":"third done"/));
  deepEqual(figuresIn(path), { tokens: 70_016, window: 1_000_000, number: 3, messages: 12 });
});

test("[D35] after a compaction the tokens are those that are left, and messages are counted anew; prompts are not", (t) => {
  const compacted = written(t, upTo(/Compacted \(ctrl/));
  deepEqual(figuresIn(compacted), { tokens: 2614, window: 1_000_000, number: 3, messages: 4 });
  deepEqual(figuresIn(join(recorded, session)), { tokens: 50_016, window: 1_000_000, number: 4, messages: 8 });
});

test("[D35] while a compaction is reported but not written yet, the old tokens are not taken for those that are left", (t) => {
  const path = written(t, upTo(/"text":"third done"/));
  const needs = new Set(["tokens"]);
  equal(figuresIn(path, { name: "SessionStart", data: { source: "resume" } }, needs)?.tokens, 70_016);
  equal(figuresIn(path, { name: "SessionStart", data: { source: "compact" } }, needs)?.tokens, 0);
  equal(figuresIn(path, { name: "PostCompact" }, needs)?.tokens, 0);
});

test("only figures that are asked for are reported", (t) => {
  const path = written(t, whole);
  const keys = (...needs: string[]): string[] => Object.keys(figuresIn(path, {}, new Set(needs)) ?? {}).sort();
  deepEqual(keys("tokens"), ["tokens", "window"]);
  deepEqual(keys("turns"), ["number"]);
  deepEqual(keys("messages"), ["messages"]);
  deepEqual(keys("changed files"), []);
});

test("all parts of the usage count: what was read from the cache is in the context too", (t) => {
  const usage = { input_tokens: 1, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 4000 };
  const path = written(t, entry({ type: "assistant", message: { id: "m", model: "claude-opus-5", usage } }));
  equal(figuresIn(path)?.tokens, 4321);
});

test("an answer in several parts is one message, also with a tool's result between them", (t) => {
  const result = prompt([{ type: "tool_result", tool_use_id: "t1", content: "a" }]);
  const path = written(t, prompt() + answer({ id: "m" }) + result + answer({ id: "m" }) + result + answer());
  deepEqual(figuresIn(path), { tokens: 10, window: 1_000_000, number: 1, messages: 5 });
});

test("[D36] prompts are what people asked: no results, no summaries, no local commands, no turns of Claude Code's own", (t) => {
  const none = [
    prompt([{ type: "tool_result", tool_use_id: "t1", content: "a" }]),
    prompt("Say hello", { isMeta: true }),
    prompt("This session is being continued", { isCompactSummary: true }),
    prompt("<command-name>/compact</command-name>"),
    prompt("<local-command-stdout>done</local-command-stdout>"),
    prompt("<bash-input>ls</bash-input>"),
    prompt([{ type: "text", text: "[Request interrupted by user]" }]),
    prompt("a build ended", { turnOrigin: "task_notification" }),
    prompt("a part", { isSidechain: true }),
  ];
  const some = [
    prompt("do it"),
    prompt([{ type: "image" }, { type: "text", text: "what is this?" }]),
    prompt("<command-message>greet</command-message>\n<command-name>/greet</command-name>", { turnOrigin: "sdk" }),
    prompt("[Request interrupted by user] is what I saw", { promptSource: "typed" }),
  ];
  equal(figuresIn(written(t, [...none, ...some].join("")))?.number, some.length);
});

test("[D36] at its own event a prompt that is not written yet counts, and one that is counts once", (t) => {
  const path = written(t, prompt("first", { promptId: "p1" }) + answer());
  const submitted = (prompt_id: string): Figures | undefined =>
    figuresIn(path, { name: "UserPromptSubmit", data: { prompt_id } });
  deepEqual([submitted("p2")?.number, submitted("p2")?.messages], [2, 3]);
  deepEqual([submitted("p1")?.number, submitted("p1")?.messages], [1, 2]);
  equal(figuresIn(path)?.number, 1);
});

test("a subagent has its own figures, whether its event names its transcript or not, and none of the session's", (t) => {
  const parts = join(recorded, session.replace(".jsonl", ""), "subagents");
  const [file = ""] = readdirSync(parts);
  const agent_id = file.replace(/^agent-|\.jsonl$/g, "");
  const own = { tokens: 904, window: 1_000_000, messages: 4 };
  deepEqual(figuresIn(join(recorded, session), { data: { agent_id } }), own);
  const named = { agent_id, agent_transcript_path: join(parts, file) };
  deepEqual(figuresIn(written(t, whole), { data: named }), own);
  equal(figuresIn(join(recorded, session), { data: { agent_id: "unknown" } }), undefined);
  equal(figuresIn(join(recorded, session), { data: { agent_id: "../../other" } }), undefined);
});

test("a line that is being written is left out, and so is an error that Claude Code writes in the model's place", (t) => {
  const path = written(t, prompt() + answer({ tokens: 700 }));
  appendFileSync(
    path,
    entry({ type: "assistant", message: { id: "e", model: "<synthetic>", usage: { input_tokens: 0 } } }),
  );
  appendFileSync(path, answer({ tokens: 900 }).slice(0, 60));
  deepEqual(figuresIn(path), { tokens: 700, window: 1_000_000, number: 1, messages: 3 });
});

test("what is no transcript of Claude Code's has no figures, and never throws or hangs", (t) => {
  const place = folder(t);
  const paths: Record<string, string> = { missing: join(place, "none.jsonl"), folder: join(place, "folder.jsonl") };
  mkdirSync(paths.folder ?? "");
  const files: Record<string, string | Buffer> = {
    empty: "",
    newlines: "\n\n\n",
    noise: Buffer.from([0, 255, 10, 13, 0]),
    text: "not JSON at all",
    numbers: '1\n"a"\nnull\n[]\n',
    otherAgent: `${JSON.stringify({ type: "response_item", payload: { type: "message", role: "assistant" } })}\n`,
    otherShape: `${JSON.stringify({ type: "assistant", message: { usage: { input_tokens: 5 } } })}\n`,
    strange: `${JSON.stringify({ type: "assistant", uuid: "u", isSidechain: true, message: 5 })}\n`,
  };
  for (const [name, content] of Object.entries(files)) {
    paths[name] = join(place, `${name}.jsonl`);
    writeFileSync(paths[name], content);
  }
  if (process.platform !== "win32") {
    paths.pipe = join(place, "pipe.jsonl");
    execFileSync("mkfifo", [paths.pipe]);
    paths.device = join(place, "device.jsonl");
    symlinkSync("/dev/zero", paths.device);
  }
  for (const [name, path] of Object.entries(paths)) equal(figuresIn(path), undefined, name);
  for (const path of ["relative.jsonl", "", 5, null, { a: 1 }])
    equal(figuresOf(eventOf({ transcript_path: path }), all, {}), undefined);
  equal(figuresOf(eventOf({}), all, {}), undefined);
});

test("numbers that are none are left out of the sum", (t) => {
  const usage = {
    input_tokens: "many",
    cache_read_input_tokens: -5,
    output_tokens: 7,
    cache_creation_input_tokens: null,
  };
  equal(figuresIn(written(t, entry({ type: "assistant", message: { id: "m", usage } })))?.tokens, 7);
});

test("tokens are looked for in the last 4 MiB alone; what tools gave back there is passed over", (t) => {
  const result = (size: number): string =>
    prompt([{ type: "tool_result", tool_use_id: "t", content: "x".repeat(size) }]);
  equal(figuresIn(written(t, answer() + result(3 * 1024 * 1024)))?.tokens, 10);
  const far = figuresIn(written(t, answer() + result(5 * 1024 * 1024)));
  deepEqual(far, { number: 0, messages: 2 });
});

test("lines are found wherever a block of the file ends", (t) => {
  for (const size of [65_534, 65_535, 65_536, 65_537, 196_608, 1_048_574, 1_048_576]) {
    const last = answer({ tokens: 42 });
    const long = prompt("x".repeat(Math.max(0, size - last.length - prompt("").length)));
    equal(figuresIn(written(t, prompt() + long + last))?.tokens, 42, String(size));
    deepEqual(figuresIn(written(t, prompt() + long + last), {}, new Set(["messages"])), { messages: 3 });
  }
});

test("an event of another sender that names a transcript in Claude Code's form has figures; another agent's has none", (t) => {
  const data = { transcript_path: written(t, whole) };
  for (const sender of ["emit", "embedder"]) equal(figuresOf(eventOf(data, { sender }), all, {})?.number, 4);
  const other = { transcript_path: written(t, `${JSON.stringify({ type: "session_meta", payload: {} })}\n`) };
  equal(figuresOf(eventOf(other, { sender: "emit" }), all, {}), undefined);
});

test("[D35] the window is the model's, the settings override it, and that of an unknown model is unknown", () => {
  const windows: [string, number | undefined][] = [
    ["claude-opus-4-6", 200_000],
    ["claude-sonnet-4-6", 200_000],
    ["claude-sonnet-4-6[1m]", 1_000_000],
    ["claude-haiku-4-5-20251001", 200_000],
    ["claude-opus-4-7", 1_000_000],
    ["claude-opus-5-5", 1_000_000],
    ["us.anthropic.claude-sonnet-5-v1:0", 1_000_000],
    ["claude-3-7-sonnet-20250219", 200_000],
    ["gpt-9", undefined],
    ["", undefined],
    ["<synthetic>", undefined],
  ];
  for (const [model, window] of windows) equal(contextWindow(model, {}), window, model);
  const told = { "claude-": 50, "claude-opus-5": 60, "glm-": 70 };
  equal(contextWindow("claude-opus-5-5", told), 60);
  equal(contextWindow("us.anthropic.claude-sonnet-5", told), 50);
  equal(contextWindow("glm-4.6", told), 70);
});

test("[D35] an unknown model has tokens and no window; the settings give it one", (t) => {
  const message = { id: "m", model: "glm-4.6", usage: { input_tokens: 9 } };
  const event = eventOf({ transcript_path: written(t, entry({ type: "assistant", message })) });
  const needs = new Set(["tokens"]);
  deepEqual(figuresOf(event, needs, {}), { tokens: 9 });
  deepEqual(figuresOf(event, needs, { "glm-4": 128_000 }), { tokens: 9, window: 128_000 });
});

test("the large window is known by the name that was asked for: answers name the model without it", (t) => {
  const message = { id: "m", model: "claude-sonnet-4-6", usage: { input_tokens: 9 } };
  const asked = entry({ type: "assistant", requestedModel: "claude-sonnet-4-6[1m]", message });
  equal(figuresIn(written(t, asked))?.window, 1_000_000);
});
