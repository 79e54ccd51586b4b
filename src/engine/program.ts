/** A program that a hook runs: what it is given, how it ended, and the port of whoever runs it. */

export interface Command {
  program: string;
  args: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  input: string;
  /** Stands in the environment of its whole tree, so that others find it when this process is gone. */
  mark?: string;
  /** The user that it runs as; absent: ours. Only root can run others. */
  user?: { uid: number; gid: number };
  /** The mode bits that its files are made without; absent: ours. */
  umask?: number;
}

export interface Ended {
  /** exit: by itself. aborted: by the signal. output: over the limit. launch: never started. detached: goes on alone. */
  how: "exit" | "aborted" | "output" | "launch" | "detached";
  code?: number;
  /** The signal that ended it. */
  signal?: string;
  stdout: string;
  stderr: string;
  /** Why, where `how` alone does not tell. */
  reason?: string;
  /** Bytes of output that were not kept. */
  dropped: number;
  containment: string;
  /** Processes of its tree that were seen alive and could not be ended. */
  survivors: number;
  /** Processes that it had left in the background and that were ended after its own exit. */
  leftovers?: number;
  /** The rest of a detached program. */
  rest?: Detached;
}

export interface Detached {
  pid: number;
  /** Resolves when the program has ended, as long as this process lives. */
  done: Promise<Ended>;
  /** Ends its tree; `done` then says "aborted". The signal that it was started with no longer does. */
  end(): void;
  /**
   * Lets go of it, so that this process may end first; gives what a supervisor needs. The streams are handed over
   * as `stdio` of the supervisor in the same tick, else what is read meanwhile is lost.
   */
  release(): {
    pid: number /** Stands in the environment of its whole tree. */;
    tag: string;
    stdout: unknown;
    stderr: unknown;
  };
}

export interface SpawnOptions {
  signal: AbortSignal;
  /** Asked with the first line of stdout; before its line break too, where it may be one that never gets any. */
  detaches?: (line: string) => boolean;
  /** What becomes of processes that it leaves in its group when it ends by itself; ended, unless said (SAFETY F3). */
  leftovers?: "end" | "keep";
  /** Kept of each stream, half from its head and half from its tail; 1 MiB unless said. */
  keptInBytes?: number;
}

/** Runs a program and settles when it and its drain are over (R54). Never rejects: a failure is an Ended. */
export type Spawn = (command: Command, options: SpawnOptions) => Promise<Ended>;

/** A program that stays and is spoken to, such as a language server or a tool server. */
export interface PipedProcess {
  readonly pid: number;
  write(text: string | Uint8Array): void;
  onOutput(listener: (chunk: Uint8Array) => void): void;
  /** The end of what it said on stderr, for messages. */
  complaints(): string;
  /** Hears what it says on stderr. */
  onComplaint(listener: (said: string) => void): void;
  /** Resolves when it has ended, by itself or because it was told to, with a sentence that says how. */
  readonly ended: Promise<string>;
  /** Ends its whole tree; resolves when that is done. Safe to call twice. */
  end(): Promise<void>;
}

/** Rejects with an Error whose message says why the program could not be started. */
export type StartPipedProcess = (command: Omit<Command, "input">) => Promise<PipedProcess>;
