/** hookline up: the daemon of this store, in the foreground, until a person or a signal stops it. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { httpTokenFile } from "../../../agents/install/own-call.ts";
import { HooklineError } from "../../../engine/error.ts";
import { type Seconds, withoutDepth } from "../../../engine/event.ts";
import type { Observation } from "../../../engine/ports.ts";
import { listensAt, workLabels } from "../../../operations/daemon-labels.ts";
import { missingDoorWords } from "../../../operations/machine.ts";
import { pathFrom } from "../../../operations/shown.ts";
import { after } from "../../../runtime/system.ts";
import type { SqliteStore } from "../../../storage/sqlite/sqlite.ts";
import type { Daemon, DaemonOptions, DaemonPlace } from "../../daemon/daemon.ts";
import { type Strays, tagStarted } from "../../daemon/lock.ts";
import type { SharingOptions } from "../../daemon/sharing.ts";
import { type DaemonFiles, type DaemonState, daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { renewBundle } from "../agents/clone-bundle.ts";
import { buildVersion, type ExitCode, type Invocation, textFlag } from "../command.ts";
import { whyAgent } from "../guards/person.ts";
import { createLog, failureIn } from "../log.ts";
import { containModules, outliveErrors } from "../module-output.ts";
import { painted } from "../operations/paint.ts";
import { sharedStore, stateFolder, storeOptions, storePath } from "../place.ts";
import { oneLine } from "../terminal.ts";
import { type DaemonStatus, daemonStatusAt, takePlace } from "./lock.ts";
import { linkLines } from "./open.ts";
import { upOptionsOf } from "./options.ts";
import { missingDoors, portFor, servesAgents } from "./port.ts";

export async function up(invocation: Invocation): Promise<ExitCode> {
  const { flags } = invocation;
  const options = upOptionsOf(invocation);
  const service = textFlag(flags, "service");
  if (service !== undefined) return (await import("./background.ts")).upService(service, invocation);
  if (flags.background === true) return (await import("./background.ts")).upInBackground(invocation);
  const store = storePath(invocation, textFlag(flags, "store"));
  const files = daemonFilesOf(store);
  endInPeace();
  const stale = options.onDemand ? undefined : renewBundle(invocation.self);
  if (stale !== undefined) invocation.terminal.error(`hookline: agents run an older build of this clone: ${stale}`);
  if (options.onDemand && isHomeless(invocation)) return 0;
  const lock = await takePlace(files, options);
  if (!lock) {
    if (options.onDemand) return 0; // that one is as good
    throw running(files);
  }
  const shares = sharedStore(invocation, textFlag(flags, "store")) !== undefined;
  const status = daemonStatusAt(files, { ...options, shares, store, environment: invocation.environment });
  let daemon: Daemon | undefined;
  let door: Door | undefined;
  let strays: Strays | undefined;
  try {
    status.is({ phase: "starting" });
    strays = await tagStarted(files.mark);
    const gone = new AbortController();
    const place = { isGone: status.isGone, gone: () => leave(gone, files, invocation), files: [files.address] };
    daemon = await open(invocation, { store, ...options, place });
    if (flags.once === true) {
      status.is({ phase: "once" });
      await daemon.once(invocation.signal);
    } else if (!options.onDemand || !isHomeless(invocation)) {
      const agentsToken = servesAgents(invocation, store) ? httpTokenFile(stateFolder(invocation)) : undefined;
      const root = dirname(dirname(invocation.self[1]));
      door = await openDoor(
        daemon,
        { ...status, agentsToken, root },
        options.port ?? { atBest: portFor(invocation, store) },
      );
      await daemon.follow();
      outliveErrors((error) => daemon?.complain(`an error that it did not expect, and goes on after: ${error}`));
      say(daemon, invocation, status.listens(door.port, door.socket), options.onDemand ? undefined : door);
      for (const missing of missingDoors(invocation, store, door.port))
        invocation.terminal.error(`hookline: ${oneLine(missingDoorWords(missing, invocation))}`);
      giveBackAtRest(daemon);
      await ended(AbortSignal.any([invocation.signal, gone.signal]), daemon, { ...options, agentsToken });
      invocation.terminal.print(
        invocation.json ? JSON.stringify({ stopping: true }) : "stopping: running hooks get up to 10 s",
      );
    }
  } finally {
    status.ends();
    try {
      await daemon?.close(door?.close());
    } finally {
      await strays?.end();
      status.remove();
      lock.release();
    }
  }
  return flags.once === true && daemon?.missing().includes("postgres") ? 3 : 0; // it has said why
}

/** An end is never silent, also where its folder has gone and there is no log. */
function leave(gone: AbortController, { address }: DaemonFiles, { terminal }: Invocation): void {
  if (gone.signal.aborted) return;
  terminal.error(`hookline: the daemon ends: its store or ${address} was taken away, or is another daemon's`);
  gone.abort();
}

/** The user's home is gone: a daemon would make it anew. */
const isHomeless = ({ home }: Invocation): boolean => !existsSync(home);

/** A second signal must not cut short what is being ended: Node would die by it. */
function endInPeace(): void {
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
}

interface Door {
  port: number;
  socket: string | undefined;
  link(folder: string): string;
  close(): Promise<void>;
}

/** @param wanted the port that a person has named, or the one to be taken if it is free: clients read which one it is */
async function openDoor(
  daemon: Daemon,
  {
    token,
    proof,
    version,
    socketPlace,
    agentsToken,
    root,
  }: DaemonStatus & { agentsToken: string | undefined; root: string },
  wanted: number | { atBest: number },
): Promise<Door> {
  const { listenFor } = await import("../../daemon/listeners.ts");
  const socket = socketPlace();
  const places = {
    ...(socket === undefined ? {} : { socket }),
    ...(agentsToken === undefined ? {} : { httpTokenFile: agentsToken }),
  };
  const own = { token, proof, version, root, ...places };
  const isNamed = typeof wanted === "number";
  const first = listenFor(daemon, { ...own, port: isNamed ? wanted : wanted.atBest });
  const server = await first.catch((error: unknown) => {
    if (isNamed || !(error instanceof HooklineError && error.code === "port_taken")) throw error;
    return listenFor(daemon, { ...own, port: 0 });
  });
  return { port: server.port, socket, link: server.link, close: () => server.close() };
}

/** @param door absent: no person reads what it prints */
function say(daemon: Daemon, invocation: Invocation, state: DaemonState, door: Pick<Door, "link"> | undefined): void {
  const { terminal, json, cwd, home } = invocation;
  const status = daemon.status();
  const { token: _secret, owner: _own, ...shown } = state;
  if (json) {
    terminal.print(JSON.stringify({ ...shown, ...status }));
    return;
  }
  const head = `Hookline ${state.version} is running: http://127.0.0.1:${state.port}, process ${state.pid}`;
  terminal.print(terminal.paint("bold", head));
  // What lets a browser in is no key for a model (R92).
  if (door && whyAgent(invocation) !== undefined)
    terminal.print("browser  for a person, `hookline open` in a terminal");
  else if (door) for (const line of linkLines(door.link(cwd), state.store, invocation)) terminal.print(line);
  const labels = workLabels(status, (path) => pathFrom(path, cwd, home));
  for (const line of painted([{ labels, onOneLine: true }], invocation)) terminal.print(line);
}

/** Resolves when it is to end, or is not needed any more. */
async function ended(
  signal: AbortSignal,
  { quietFor, isNeeded }: Daemon,
  { idle, agentsToken }: { idle: Seconds | undefined; agentsToken: string | undefined },
): Promise<void> {
  const { endWhenIdle } = await import("../../daemon/activity.ts");
  /** An agent that reaches it over HTTP could start no other: a session would go on without its hooks. */
  const isAwaited = (): boolean => agentsToken !== undefined && existsSync(agentsToken);
  const needed = { quietFor, isNeeded: () => isAwaited() || isNeeded() };
  await new Promise<void>((end) => {
    if (signal.aborted) return end();
    const undo = idle === undefined ? () => {} : endWhenIdle({ ...needed, idle, after, end });
    const stop = (): void => {
      undo();
      end();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

interface Opening {
  store: string;
  workspaces: readonly string[];
  onDemand: boolean;
  place: DaemonPlace;
}

async function open(invocation: Invocation, { store, workspaces, onDemand, place }: Opening): Promise<Daemon> {
  const { environment, cwd, home, terminal } = invocation;
  const [{ createDaemon }, { openSqliteStore }, { createLearningRedaction }] = await Promise.all([
    import("../../daemon/daemon.ts"),
    import("../../../storage/sqlite/sqlite.ts"),
    import("../../../storage/redaction/redaction.ts"),
  ]);
  const { redact, learn } = createLearningRedaction({ environment });
  const folder = stateFolder(invocation);
  const { isGone } = place;
  const log = createLog({ file: `${folder}/hookline.log`, now: Date.now, environment, redact, isGone });
  const complain = (message: string): void => {
    log({ is: "log", level: "warn", message, hook: "", run: "" });
    terminal.error(`hookline: ${oneLine(message)}`);
  };
  const options = storeOptions(invocation, store);
  const opened = openSqliteStore({ ...options, redact, groups: true, onNotice: complain, isGone });
  const own = { cwd: workspaces[0] ?? cwd, home, environment: withoutDepth(environment) };
  const observe = (seen: Observation): void => {
    log(seen);
    const failure = failureIn(seen);
    if (failure !== undefined) terminal.error(`hookline: ${oneLine(redact(failure))}`);
  };
  const beforeModules = once(() => containModules(log));
  const url = onDemand ? undefined : sharedStore(invocation, textFlag(invocation.flags, "store"));
  const working = { after, ...own, complain, redact, observe, beforeModules };
  const shared = url === undefined ? {} : await openShared({ ...working, url }, opened, folder);
  return createDaemon({
    ...{ ...own, ...shared },
    version: buildVersion(),
    variables: onDemand ? {} : environment, // an agent's client has started it: a project may have set them
    store: opened,
    storeFile: store,
    place,
    workspaces,
    ...{ observe, complain, redact, beforeModules },
    learnSecrets: learn,
  });
}

/** Loads what only a shared store needs: the record of this machine goes there, and automations are shared with other machines. */
async function openShared(
  options: Omit<SharingOptions, "name">,
  { database }: SqliteStore,
  stateFolder: string,
): Promise<Required<Pick<DaemonOptions, "shared" | "sharing">>> {
  const [{ followStore }, { openSharing }, { takeName }] = await Promise.all([
    import("../../../storage/postgres/following.ts"),
    import("../../daemon/sharing.ts"),
    import("../../worker/name.ts"),
  ]);
  const { url, complain } = options;
  const sharing = openSharing({ ...options, name: takeName(stateFolder) });
  return { sharing, shared: await followStore({ url, database, complain }) };
}

/** What it changes in the process is changed for good. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

function running(files: DaemonFiles): HooklineError {
  const daemon = runningDaemon(files);
  const where = daemon ? `${listensAt(daemon)}, since ${new Date(daemon.started).toISOString()}` : files.lock;
  return new HooklineError("daemon_running", { where, ...(daemon ? { pid: daemon.pid } : {}) });
}

// After a busy time the daemon gives memory back to the system: V8 keeps it until it is asked.

/** A collection takes some 40 ms: only what has left much behind is worth it, and only when no agent waits. */
const worthItAfter = 1_000;
const quietForAtLeast = 3_000;

/** Starting is such a time, too. One timer, and none at rest. Returns its undo. */
export function giveBackAtRest({ listen, quietFor }: Pick<Daemon, "listen" | "quietFor">): () => void {
  let events = 0;
  let timer: NodeJS.Timeout | undefined;
  let collect: (() => void) | undefined;

  function look(): void {
    timer = undefined;
    const left = quietForAtLeast - quietFor();
    if (left > 0) {
      wait(left);
      return;
    }
    events = 0;
    collect ??= collector();
    collect();
  }
  function wait(milliseconds: number): void {
    timer = setTimeout(look, milliseconds);
    timer.unref();
  }

  const deafen = listen(({ is }) => {
    if (is !== "event") return;
    events += 1;
    if (events >= worthItAfter && !timer) wait(quietForAtLeast);
  });
  wait(quietForAtLeast);
  return () => {
    deafen();
    clearTimeout(timer);
  };
}

/** What V8 has for who is short of memory: it looks through all, and gives whole pages back. */
function collector(): () => void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const { runInNewContext } = process.getBuiltinModule("node:vm");
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return () => typeof gc === "function" && gc({ type: "major", flavor: "last-resort" });
}
