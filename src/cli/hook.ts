/**
 * hookline hook AGENT: what agents call on every event. It exits 0 or 2 only, because agents read other codes in
 * their own ways (R59), and it loads nothing that its event does not need.
 */
import { readSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { AgentAdapter, Reply } from "../agents/adapter.ts";
import { agents } from "../agents/index.ts";
import { HooklineError, messageOf } from "../core/error.ts";
import type { HookEvent } from "../core/event.ts";
import { resolveEvent } from "../core/events.ts";
import { listensTo } from "../core/plan.ts";
import type { Store } from "../core/ports.ts";
import { createDetachedQueue } from "../queues/detached.ts";
import { type LoadedHooks, loadHooks } from "../sources/load.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { unusableStore } from "../stores/unusable.ts";
import { systemPorts } from "../system.ts";
import { environmentOf } from "./command.ts";
import { openLine, type Place, runByAgent, storeOptions, storePath } from "./line.ts";

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
  const place: Place = {
    cwd: resolve(words.cwd ?? process.cwd()),
    home: process.env.HOME || homedir(),
    environment: environmentOf(process.env),
  };
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
    return unanswerable(error, words, place);
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
  const line = await openLine({
    place: here,
    store: openStore(here, words, (complaint) => complaints.push(complaint)),
    queue: createDetachedQueue({
      command: [process.execPath, process.env.HOOKLINE_BIN ?? "", "supervise"],
      store: path,
    }),
    only: event,
  });
  const outcome = await line.engine.emit(event, { environment: place.environment, deadline: event.at + answersWithin });
  const reply = adapter.encode(event, outcome);
  await line.close();
  const stderr = [reply.stderr, ...complaints].filter((part) => part !== undefined).join("\n");
  return stderr ? { ...reply, stderr } : reply;
}

/** Without a store nothing can be asked, and every hook's failure policy answers: the engine sees to it. */
function openStore(place: Place, words: Words, complain: (complaint: string) => void): Store {
  try {
    return openSqliteStore({ ...storeOptions(place, words.store), onNotice: complain });
  } catch (error) {
    complain(`hookline: ${messageOf(error)}`);
    return unusableStore(error);
  }
}

/** Input that cannot be read: nothing to say, or a block where a guard would have judged this event (R59). */
function unanswerable(error: unknown, words: Words, place: Place): Reply {
  const stderr = `hookline: ${messageOf(error)}`;
  const names = words.event === undefined ? undefined : resolveEvent(words.event);
  const loaded = tryToLoad(place);
  const isNews = error instanceof HooklineError && error.code === "event_unknown"; // no hook can be waiting for it
  const guarded =
    !isNews &&
    loaded?.set.hooks.some(
      (one) =>
        one.enabled &&
        one.onFailure === "block" &&
        (names === undefined ? "event" in one.on : names.some((name) => listensTo(one, name))) &&
        !(words.agent && runByAgent(one, { sender: words.agent }, { ...place, root: loaded.root })),
    );
  return {
    exitCode: guarded ? 2 : 0,
    stderr: guarded ? `${stderr} (a guard is in force for this event, so it is blocked)` : stderr,
  };
}

function tryToLoad(place: Place): LoadedHooks | undefined {
  try {
    return loadHooks(place);
  } catch {
    return undefined; // there is no guard to be found where no file can be read
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw new HooklineError("input_invalid", { reason: messageOf(error), where: "standard input" }, { cause: error });
  }
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

const reply = await hook(process.argv.slice(3));
if (reply.body !== undefined)
  writeAll(1, typeof reply.body === "string" ? reply.body : `${JSON.stringify(reply.body)}\n`);
if (reply.stderr) writeAll(2, `${reply.stderr}\n`);
process.exit(reply.exitCode);
