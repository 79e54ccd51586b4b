/** hookline up: the daemon of this store, in the foreground, until somebody ends it. */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { withoutDepth } from "../core/depth.ts";
import { HooklineError } from "../core/error.ts";
import type { Daemon } from "../daemon/daemon.ts";
import { takeLock } from "../daemon/lock.ts";
import {
  type DaemonFiles,
  type DaemonState,
  daemonFilesOf,
  removeState,
  runningDaemon,
  writeState,
} from "../daemon/state-file.ts";
import { ownerOf } from "../system.ts";
import { type ExitCode, type Invocation, textFlag, textsFlag, usageError } from "./command.ts";
import { daemonLines, placeOf } from "./daemon-lines.ts";
import { version } from "./help.ts";
import { shortPath } from "./list.ts";
import { createLog } from "./log.ts";
import { divertOutput, outlive } from "./module-output.ts";
import { stateFolder, storeOptions, storePath } from "./place.ts";
import { oneLine } from "./terminal.ts";

const usualPort = 4665;

export async function up(invocation: Invocation): Promise<ExitCode> {
  const { flags, cwd } = invocation;
  const port = portOf(invocation);
  const workspaces = foldersOf(invocation);
  const store = storePath(invocation, textFlag(flags, "store"));
  const files = daemonFilesOf(store);
  endInPeace();
  const lock = takeLock(files.lock);
  if (!lock) throw running(files);
  const standing = standingAt(files.state, store);
  let daemon: Daemon | undefined;
  try {
    standing.is({ phase: "starting" });
    daemon = await open(invocation, { store, workspaces: workspaces.length > 0 ? workspaces : [cwd] });
    if (flags.once === true) {
      standing.is({ phase: "once" });
      await daemon.once(invocation.signal);
    } else await serve(daemon, invocation, { standing, port });
  } finally {
    standing.ends();
    try {
      await daemon?.close();
    } finally {
      standing.remove();
      lock.release();
    }
  }
  return 0;
}

/** Whoever asks again for its end must not cut short what is being ended: by a second one of these signals Node would die. */
function endInPeace(): void {
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
}

/** What others see of this daemon, from its lock to the lock's release. */
interface Standing {
  /** May throw what the file system says. */
  is(state: Pick<DaemonState, "phase" | "port" | "token">): DaemonState;
  /** Never throws: an end that cannot be told is an end all the same. */
  ends(): void;
  remove(): void;
}

function standingAt(file: string, store: string): Standing {
  const { pid } = process;
  const own = { pid, owner: ownerOf(pid), started: Date.now(), version: version(), store };
  const is: Standing["is"] = (now) => {
    const state = { ...own, ...now };
    writeState(file, state);
    return state;
  };
  return {
    is,
    ends() {
      try {
        is({ phase: "ending" });
      } catch {
        // the disk is full, say: then it seems to be up until it is gone
      }
    },
    remove: () => removeState(file, own),
  };
}

/** Says what it watches, then serves until it is told to end. */
async function serve(
  daemon: Daemon,
  invocation: Invocation,
  { standing, port }: { standing: Standing; port: number },
): Promise<void> {
  const token = randomBytes(32).toString("base64url");
  const { listenFor } = await import("../daemon/listen-for.ts");
  const server = await listenFor(daemon, { port, token, version: version() });
  try {
    const state = standing.is({ phase: "up", port: server.port, token });
    await daemon.follow();
    say(daemon, invocation, state);
    await ended(invocation.signal);
    invocation.terminal.print(
      invocation.json ? JSON.stringify({ stopping: true }) : "ending: runs in progress get up to 10 s",
    );
  } finally {
    standing.ends();
    await server.close();
  }
}

function say(daemon: Daemon, { terminal, json, cwd, home }: Invocation, state: DaemonState): void {
  const status = daemon.status();
  const { token: _secret, owner: _own, ...shown } = state;
  if (json) {
    terminal.print(JSON.stringify({ ...shown, ...status }));
    return;
  }
  const head = `Hookline ${state.version} is up: http://127.0.0.1:${state.port}, process ${state.pid}`;
  terminal.print(terminal.paint("bold", head));
  for (const line of daemonLines(status, terminal, (path) => shortPath(path, cwd, home))) terminal.print(line);
}

/** When somebody wants it to end. */
const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => (signal.aborted ? done() : signal.addEventListener("abort", () => done(), { once: true })));

async function open(
  invocation: Invocation,
  { store, workspaces }: { store: string; workspaces: readonly string[] },
): Promise<Daemon> {
  const { environment, cwd, home, terminal } = invocation;
  const [{ createDaemon }, { openSqliteStore }] = await Promise.all([
    import("../daemon/daemon.ts"),
    import("../stores/sqlite.ts"),
  ]);
  const folder = stateFolder(invocation);
  const log = createLog({ file: `${folder}/hookline.log`, now: Date.now, environment });
  const complain = (message: string): void => {
    log({ is: "log", level: "warn", message, hook: "", run: "" });
    terminal.error(`hookline: ${oneLine(message)}`);
  };
  const options = storeOptions(invocation, store);
  return createDaemon({
    cwd: workspaces[0] ?? cwd,
    home,
    environment: withoutDepth(environment),
    store: openSqliteStore({ ...options, onNotice: complain }),
    workspaces,
    observe: log,
    complain,
    beforeModules: once((): void => {
      const write = (level: string, message: string): void =>
        log({ is: "log", level, message, hook: "module", run: "" });
      divertOutput(write);
      outlive(write);
    }),
  });
}

/** What it changes in the process is changed for good. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

function portOf({ flags, usage }: Invocation): number {
  const written = textFlag(flags, "port");
  if (written === undefined) return usualPort;
  const port = Number(written);
  if (/^\d+$/.test(written) && port <= 65_535) return port;
  throw usageError(`"${written}" is no port`, usage);
}

/** Those that are there: a folder that is missing now would be watched in vain. */
function foldersOf({ flags, cwd, usage }: Invocation): string[] {
  return textsFlag(flags, "workspace").map((written) => {
    const folder = resolve(cwd, written);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
    throw usageError(`there is no folder ${folder}`, usage);
  });
}

function running(files: DaemonFiles): HooklineError {
  const daemon = runningDaemon(files);
  const where = daemon ? `${placeOf(daemon)}, since ${new Date(daemon.started).toISOString()}` : files.lock;
  return new HooklineError("daemon_running", { where, ...(daemon ? { pid: daemon.pid } : {}) });
}
