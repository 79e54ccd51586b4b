/** One real Claude Code in a folder of its own: its home, its git repository, a scripted model, and hooks registered through Hookline. */
import { spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "../../src/hosts/testing/scripted-model.ts";
import { findClaude } from "./installed.ts";

export type Hooks = { [event: string]: { matcher?: string; hooks: Fields[] }[] };
interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
export interface ClaudeSession {
  home: string;
  repository: string;
  model: ScriptedModel;
  /** Runs the agent headless until it ends; `--continue` among the flags goes on with the session. */
  run(options?: { allowedTools?: string; flags?: string[]; prompt?: string }): Promise<Ended>;
  /** Runs `hookline` in the repository with the agent's home. */
  hookline(...words: string[]): Promise<Ended>;
  /** Puts hooks before the agent, through Hookline. */
  register(hooks: Hooks): Promise<void>;
  /** Puts rules before the agent, given as YAML; settings go into the project's hookline.yaml. */
  rule(rules: string, settings?: string): Promise<void>;
  /** Paths are relative to the repository. */
  has(path: string): boolean;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** Waits until a file exists. */
  appears(path: string): Promise<void>;
  /** The messages of one request of the main conversation, as text; "" if it was never sent. */
  heard(turn: number): string;
}

/** The command of this checkout. */
export const bin: string = join(import.meta.dirname, "../../bin/hookline.js");

/** How hooks reach the agent. `plain` leaves Hookline out, to see what Claude Code itself does with the same hooks. */
export const registration: "hookline" | "plain" = process.env.HOOKLINE_AGENT_HOOKS === "plain" ? "plain" : "hookline";

/** @param options daemon: its hooks are answered by a daemon where one is up; else each works by itself, and none is started */
export async function startClaude(
  context: TestContext,
  script: ScriptedModelOptions,
  { daemon = false }: { daemon?: boolean } = {},
): Promise<ClaudeSession> {
  const found = findClaude();
  if ("missing" in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), "hookline-claude-"));
  const model = await startScriptedModel(script);
  context.after(async () => {
    await model.close();
    if (daemon) await hookline("down"); // also one that a hook has started
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const [home, repository, temporary] = ["home", "repository", "temporary"].map((name) => join(folder, name));
  if (!home || !repository || !temporary) throw new Error("three names gave fewer than three paths");
  await Promise.all([home, repository, temporary].map((path) => mkdir(path)));
  const environment = { ...environmentOf(home, temporary, model.url), ...(daemon ? {} : { HOOKLINE_DAEMON: "off" }) };
  const start = (program: string, words: readonly string[]) =>
    run(program, words, repository, environment, context.signal);
  await start("git", ["init", "--quiet"]);
  const at = (path: string) => join(repository, path);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  const hookline = (...words: string[]) => start(process.execPath, [bin, ...words]);
  const mustWork = async (...words: string[]) => {
    const { code, stdout, stderr } = await hookline(...words);
    if (code !== 0) throw new Error(`hookline ${words.join(" ")} exited ${code}: ${stdout}${stderr}`);
  };
  /** As a person who has looked at the repository's hooks as they are now. */
  const trust = async () => {
    const { stdout } = await hookline("trust", "list", "--json");
    for (const { path, hash } of JSON.parse(stdout)) await mustWork("trust", path, "--hash", hash);
  };
  return {
    home,
    repository,
    model,
    write,
    hookline,
    async run({ allowedTools = "Bash,Write,Edit,Read,Agent", flags = [], prompt = "Begin." } = {}) {
      await trust();
      return start(found.program, ["-p", prompt, "--allowedTools", allowedTools, ...flags]);
    },
    async register(hooks) {
      const text = JSON.stringify({ hooks }, null, 2);
      if (registration === "plain") return write(".claude/settings.json", text);
      await write(".hookline/hooks.json", text);
      await mustWork("install", "claude-code");
    },
    async rule(rules, settings) {
      await write(".hookline/rules/test.yaml", rules);
      if (settings !== undefined) await write("hookline.yaml", settings);
      await mustWork("check");
      await mustWork("install", "claude-code");
    },
    has: (path) => existsSync(at(path)),
    read: (path) => readFile(at(path), "utf8"),
    appears: (path) => appears(at(path), context.signal),
    heard: (turn) =>
      messagesOf(
        model
          .conversation()
          .filter((request) => request.turn === turn)
          .at(-1)?.body,
      ),
  };
}

/** Nothing of the surrounding environment but PATH: a session of an agent around the tests must not leak into them. */
const environmentOf = (home: string, temporary: string, url: string): { [name: string]: string } => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
  HOME: home,
  TMPDIR: temporary,
  CLAUDE_CODE_TMPDIR: temporary,
  LANG: "C.UTF-8",
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "none",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  IS_SANDBOX: "1", // lets root run it
});

function run(
  program: string,
  words: readonly string[],
  cwd: string,
  env: { [name: string]: string },
  signal: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, signal, stdio: ["ignore", "pipe", "pipe"] });
    const ended: Ended = { code: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      ended.stdout += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      ended.stderr += piece;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ ...ended, code }));
  });
}

function appears(path: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(path), { signal }, look).on("error", reject);
    signal.addEventListener("abort", () => reject(new Error(`${path} never appeared`)), { once: true });
    look();
  });
}

const messagesOf = (body: unknown): string =>
  typeof body === "object" && body !== null && "messages" in body ? JSON.stringify(body.messages) : "";
