/**
 * hookline hook AGENT: what agents call on every event. It exits 0 or 2 only, because agents read other codes in
 * their own ways (R59), and it loads nothing that its event does not need.
 */

import { existsSync, readSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { AgentAdapter, Reply } from "../../agents/adapter.ts";
import { httpTokenFile } from "../../agents/install/own-call.ts";
import {
  adapterOf,
  type DecodedRequest,
  deadlineOf,
  decideRequest,
  payloadAtMost,
  printed,
  readRequest,
  replyTo,
  unanswerable,
  withWarnings,
} from "../../agents/request.ts";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { HookEvent, SessionId } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { warningAbout } from "../../engine/hook.ts";
import type { LoadedHooks } from "../../loading/load.ts";
import { createIds } from "../../runtime/system.ts";
import { notesAtBegin } from "../compose/session-begin.ts";
import { type Address, daemonFilesOf, hasDaemon, readAddress } from "../daemon/state-file.ts";
import { buildVersion, environmentOf } from "./command.ts";
import { type Asked, askDaemon, renewClient, startOnDemand } from "./daemon-client.ts";
import { openAgentLine } from "./line.ts";
import { loadForOneEvent } from "./loaded.ts";
import { type Place, stateFolder, storePath } from "./place.ts";

interface Words {
  agent: string | undefined;
  event: string | undefined;
  by: string | undefined;
  cwd: string | undefined;
  store: string | undefined;
  /** A guard was active for this event when it was registered. */
  guarded: boolean;
  /** Another client has asked the daemon: the event is not taken, or it was taken and is lost. */
  asked: boolean;
  taken: boolean;
}

/** What is printed, and the exit code. */
interface Said {
  exitCode: 0 | 2;
  out: string | Uint8Array;
  error: string | Uint8Array;
}
const saying = (reply: Reply): Said => ({ exitCode: reply.exitCode, ...printed(reply) });

async function hook(given: readonly string[]): Promise<Said> {
  const words = readWords(given);
  const home = process.env.HOME || homedir();
  const place: Place = { cwd: resolve(folderOr(home), words.cwd ?? ""), home, environment: environmentOf(process.env) };
  afterwards = () => prepareNext(place, words);
  let telling: DecodedRequest | undefined;
  try {
    const payload = readInput();
    const asked = words.taken ? lostOne : words.asked ? undefined : await askHere(payload, words, place);
    if (asked?.is === "answered") return asked;
    telling = readHere(payload, words, place);
    if (asked?.is === "lost") throw diedDeciding();
    return saying(await answer(telling, place, words));
  } catch (error) {
    return saying(await byPolicy(error, { telling, place, words }));
  }
}
const lostOne = { is: "lost" } as const;

const diedDeciding = (): HooklineError =>
  new HooklineError("daemon_unreachable", {
    reason: "it stopped before it answered",
    where: "an event that it had accepted",
    advice: "Hookline decides the next event without it; `hookline status` shows its state",
  });

function readHere(payload: Buffer, words: Words, place: Place): DecodedRequest {
  return readRequest(adapterOf(words.agent), payload.toString("utf8"), {
    where: "standard input",
    at: Date.now(),
    id: createIds(Date.now),
    cwd: place.cwd,
    environment: place.environment,
    stateFolder: stateFolder(place),
    ...(words.event ? { event: words.event } : {}),
    ...(words.by ? { registration: words.by } : {}),
  });
}

/** The daemon of this store, if there is one. Undefined: none was asked. */
async function askHere(payload: Buffer, words: Words, place: Place): Promise<Asked | undefined> {
  if (place.environment.HOOKLINE_DAEMON === "off" || words.agent === undefined) return undefined;
  const address = readAddress(daemonFilesOf(storePath(place, words.store)).address);
  if (!address || !isOurs(address) || !hasDaemon(address) || payload.includes(0)) return undefined; // NUL ends the payload there
  const { agent, event, by } = words;
  return askDaemon(address, { ...place, agent, event, by, payload, version: address.version });
}

/** A daemon of another version would refuse. One that cannot be compared is not asked either. */
function isOurs({ version }: Address): boolean {
  try {
    return version === buildVersion();
  } catch {
    return false;
  }
}

/** Nothing was decided: no answer, or a block where a guard is active. */
async function byPolicy(
  error: unknown,
  { telling, place, words }: { telling: DecodedRequest | undefined; place: Place; words: Words },
): Promise<Reply> {
  const [first] = telling?.events ?? [];
  const here = first ? { ...place, cwd: first.cwd } : place;
  const loaded = await tryToLoad(here);
  return unanswerable(error, {
    agent: telling?.adapter.name ?? words.agent,
    event: first?.name ?? words.event,
    hooks: loaded?.set.hooks,
    guarded: words.guarded,
    places: { ...here, root: loaded?.root ?? here.cwd },
  });
}

/** A daemon for the next event, and clients that the daemon knows. */
async function prepareNext(place: Place, { asked, store }: Words): Promise<void> {
  if (asked) await renewClient(place);
  await startOnDemand(place, store);
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
  const flag = { type: "boolean" } as const;
  const { values, positionals } = parseArgs({
    args: [...given],
    options: { event: text, by: text, cwd: text, store: text, guarded: flag, asked: flag, taken: flag },
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
    guarded: values.guarded === true,
    asked: values.asked === true,
    taken: values.taken === true,
  };
}

async function answer(request: DecodedRequest, place: Place, words: Words): Promise<Reply> {
  const { adapter, events, derived } = request;
  const [event] = events;
  if (!event) return { exitCode: 0 };
  const here: Place = { ...place, cwd: event.cwd };
  const complaints: string[] = [];
  const complain = (reason: string): void => void complaints.push(`hookline: ${reason}`);
  const line = await openAgentLine({
    place: here,
    store: words.store,
    program: [process.execPath, process.env.HOOKLINE_BIN ?? ""],
    only: [...events, ...derived],
    complain,
  });
  const complaint = warningAbout(line.loaded, (path) => path);
  if (complaint) complain(complaint);
  const caller = { environment: place.environment, deadline: deadlineOf(request), signal: stopped() };
  const numbered = (one: HookEvent): HookEvent => ({ ...one, id: line.ports.id() }); // behind what is in the store
  const telling = { derived: derived.map(numbered), events: events.map(numbered) };
  const outcome = await decideRequest(telling, line.engine.emit, caller);
  const reply = replyTo(request, outcome);
  if (rowOf(event.name).beginsSession) {
    const { set, root } = line.loaded;
    const begun = { agent: adapter, place: here, root, hooks: set.hooks, stateFolder: stateFolder(place) };
    for (const note of await notesAtBegin({ ...begun, store: line.ports.store })) complain(note);
    if (event.session !== undefined) await leaveEnvironment(here, adapter, event.session);
  }
  await line.close();
  return withWarnings(reply, complaints);
}

/** For a daemon that gets this session's events over HTTP, or from a mod. */
async function leaveEnvironment(place: Place, { settings: { mod } }: AgentAdapter, session: SessionId): Promise<void> {
  const folder = stateFolder(place);
  const places = { ...place, root: place.cwd };
  if (!existsSync(httpTokenFile(folder)) && !(mod && existsSync(mod.folder(places)))) return;
  try {
    const { leaveSession } = await import("../daemon/session-environments.ts");
    leaveSession(folder, session, { environment: place.environment, umask: process.umask() });
  } catch {
    // Nothing can be written there: the session goes on with a clean environment.
  }
}

async function tryToLoad(place: Place): Promise<LoadedHooks | undefined> {
  try {
    return await loadForOneEvent(place);
  } catch {
    return undefined; // a part of the package is missing
  }
}

const lost = (error: unknown): Said => ({ exitCode: 0, out: "", error: `hookline: ${messageOf(error)}\n` });

/**
 * All of standard input, without the stream machinery: that takes longer to load than all else.
 *
 * @throws HooklineError input_invalid
 */
function readInput(): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const size = readChunk(chunk);
    if (size === 0) return Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, size));
    total += size;
    if (total > payloadAtMost)
      throw new HooklineError("input_invalid", {
        reason: "it is larger than 64 MiB",
        where: "standard input",
        advice: "send less",
      });
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
          { reason: messageOf(error), where: "standard input", advice: "start it with an input that can be read" },
          { cause: error },
        );
      pause(); // a pipe that is not ready yet
    }
  }
}

function writeAll(descriptor: 1 | 2, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return; // nobody reads any more
      pause();
    }
  }
}

const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);

const exit = process.exit.bind(process); // ours, whatever a module of the project does to it
let afterwards: (() => Promise<void>) | undefined;
const said = await hook(process.argv.slice(3)).catch(lost);
writeAll(1, said.out);
writeAll(2, said.error);
await afterwards?.();
exit(said.exitCode);
