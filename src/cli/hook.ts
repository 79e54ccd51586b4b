/**
 * hookline hook AGENT: what agents call on every event. It exits 0 or 2 only, because agents read other codes in
 * their own ways (R59), and it loads nothing that its event does not need.
 */
import { readSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { AgentAdapter, Reply } from "../agents/adapter.ts";
import { anyConsent } from "../agents/git-consent.ts";
import { agents, runByAgent } from "../agents/index.ts";
import { HooklineError, messageOf } from "../core/error.ts";
import type { HookEvent } from "../core/event.ts";
import { resolveEvent } from "../core/events.ts";
import { listensTo } from "../core/plan.ts";
import type { Store } from "../core/record.ts";
import { createDetachedQueue } from "../queues/detached.ts";
import type { LoadedHooks } from "../sources/load.ts";
import { storeWithFallback } from "../stores/fallback.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { systemPorts } from "../system.ts";
import { environmentOf } from "./command.ts";
import { openLine } from "./line.ts";
import { complaintAbout, loadForOneEvent } from "./loaded.ts";
import { type Place, stateFolder, storeOptions, storePath } from "./place.ts";

/** Registered as 660 s with the agent (R50): we answer before it gives up on us. */
const answersWithin = 650_000;
const inputAtMost = 64 * 1024 * 1024;

interface Words {
  agent: string | undefined;
  event: string | undefined;
  by: string | undefined;
  cwd: string | undefined;
  store: string | undefined;
}

async function hook(given: readonly string[]): Promise<Reply> {
  const words = readWords(given);
  const home = process.env.HOME || homedir();
  const place: Place = { cwd: resolve(folderOr(home), words.cwd ?? ""), home, environment: environmentOf(process.env) };
  try {
    const adapter = adapterOf(words.agent);
    const { id, now } = systemPorts();
    const event = adapter.decode(parse(readInput()), {
      at: now(),
      id: id(),
      cwd: place.cwd,
      ...(words.event ? { event: words.event } : {}),
      ...(words.by ? { registration: words.by } : {}),
    });
    return await answer(event, adapter, place, words);
  } catch (error) {
    return await unanswerable(error, words, place);
  }
}

/** An agent that ends us ends the hooks too: their trees are not left to run alone. */
function stopped(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** The folder may be gone while its agent still works in it. */
function folderOr(otherwise: string): string {
  try {
    return process.cwd();
  } catch {
    process.chdir("/"); // else every path that is resolved fails
    return otherwise;
  }
}

function readWords(given: readonly string[]): Words {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: [...given],
    options: { event: text, by: text, cwd: text, store: text },
    allowPositionals: true,
    strict: false, // an agent that adds a word must not lose its guard
  });
  const word = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return {
    agent: positionals[0],
    event: word(values.event),
    by: word(values.by),
    cwd: word(values.cwd),
    store: word(values.store),
  };
}

function adapterOf(name: string | undefined): AgentAdapter {
  const adapter = name !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (adapter) return adapter;
  throw new HooklineError("agent_unknown", {
    name: name ?? "",
    where: "hookline hook",
    known: Object.keys(agents).join(", "),
  });
}

async function answer(event: HookEvent, adapter: AgentAdapter, place: Place, words: Words): Promise<Reply> {
  const here: Place = { ...place, cwd: event.cwd };
  const path = storePath(here, words.store);
  const complaints: string[] = [];
  const complain = (reason: string): void => void complaints.push(`hookline: ${reason}`);
  const beside = adapter.beside?.(event, systemPorts().id) ?? [];
  const line = await openLine({
    place: here,
    store: storeWithFallback(
      () => openSqliteStore({ ...storeOptions(here, words.store, complain), onNotice: complain }),
      complain,
    ),
    queue: createDetachedQueue({
      command: [process.execPath, process.env.HOOKLINE_BIN ?? "", "supervise"],
      store: path,
    }),
    handsOver: true,
    only: [event, ...beside],
  });
  const complaint = complaintAbout(line.loaded, (path) => path);
  if (complaint) complain(complaint);
  const caller = { environment: place.environment, deadline: event.at + answersWithin, signal: stopped() };
  for (const one of beside) await line.engine.emit(one, caller); // the agent can be told nothing of these
  const outcome = await line.engine.emit(event, caller);
  const reply = adapter.encode(event, outcome);
  if (event.name === "SessionStart") for (const note of await refreshGit(here, line.ports.store)) complain(note);
  await line.close();
  // With exit 2 standard error is the reason that the model reads: nothing else may stand there.
  return reply.exitCode === 2 || complaints.length === 0 ? reply : { ...reply, stderr: complaints.join("\n") };
}

/** Where a person has put our hook into git: back in its place. Elsewhere one look at a folder. */
async function refreshGit(here: Place, store: Store): Promise<string[]> {
  if (!anyConsent(stateFolder(here))) return [];
  const { refreshGitHooks } = await import("./git-hooks.ts");
  const program = [process.execPath, process.env.HOOKLINE_BIN ?? ""] as const;
  return refreshGitHooks({ place: here, program, store }, { because: "session" });
}

/** Input that cannot be read: nothing to say, or a block where a guard would have judged this event (R59). */
async function unanswerable(error: unknown, words: Words, place: Place): Promise<Reply> {
  const stderr = `hookline: ${messageOf(error)}`;
  const names = words.event === undefined ? undefined : resolveEvent(words.event);
  const loaded = await tryToLoad(place);
  const isNews = error instanceof HooklineError && error.code === "event_unknown"; // no hook can be waiting for it
  const guarded =
    !isNews &&
    loaded?.set.hooks.some(
      (one) =>
        one.enabled &&
        one.onFailure === "block" &&
        (names === undefined ? "event" in one.on : names.some((name) => listensTo(one, name))) &&
        !(words.agent && runByAgent(one, words.agent, { ...place, root: loaded.root })),
    );
  return {
    exitCode: guarded ? 2 : 0,
    stderr: guarded ? `${stderr} (a guard is in force for this event, so it is blocked)` : stderr,
  };
}

async function tryToLoad(place: Place): Promise<LoadedHooks | undefined> {
  try {
    return await loadForOneEvent(place);
  } catch {
    return undefined; // there is no guard to be found where no file can be read
  }
}

const lost = (error: unknown): Reply => ({ exitCode: 0, stderr: `hookline: ${messageOf(error)}` });

/** Deeper input than any agent sends would exhaust the stack of those who read it. */
const nestingAtMost = 2_000;

function parse(text: string): unknown {
  if (nestingOf(text) > nestingAtMost)
    throw new HooklineError("input_invalid", { reason: "it is nested too deeply", where: "standard input" });
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw new HooklineError("input_invalid", { reason: messageOf(error), where: "standard input" }, { cause: error });
  }
}

/** An upper bound: brackets inside strings count too, where they hardly ever go so deep. */
function nestingOf(text: string): number {
  if (text.split("[").length + text.split("{").length < nestingAtMost) return 0; // hardly any payload holds so many
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index) | 32; // [ and { differ in this bit, and so do ] and }
    if (unit === 123) deepest = Math.max(deepest, ++depth);
    else if (unit === 125) depth -= 1;
  }
  return deepest;
}

/** All of standard input, without loading the stream machinery. */
function readInput(): string {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const size = readChunk(chunk);
    if (size === 0) return Buffer.concat(chunks, total).toString("utf8");
    chunks.push(chunk.subarray(0, size));
    total += size;
    if (total > inputAtMost)
      throw new HooklineError("input_invalid", { reason: "it is larger than 64 MiB", where: "standard input" });
  }
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN")
        throw new HooklineError(
          "input_invalid",
          { reason: messageOf(error), where: "standard input" },
          { cause: error },
        );
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // a pipe that is not ready yet
    }
  }
}

function writeAll(descriptor: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return; // nobody reads any more
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

const exit = process.exit.bind(process); // ours, whatever a module of the project does to it
const reply = await hook(process.argv.slice(3)).catch(lost);
if (reply.body !== undefined)
  writeAll(1, typeof reply.body === "string" ? reply.body : `${JSON.stringify(reply.body)}\n`);
if (reply.stderr) writeAll(2, `${reply.stderr}\n`);
exit(reply.exitCode);
