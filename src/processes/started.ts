/** What the supervision knows of a program that runs, and how it hears of it: the same, whoever started it. */
import type { Command } from "../core/program.ts";
import type { Tree } from "./tree.ts";

export interface Started {
  pid: number;
  tree: Tree;
  /** Resolves when its input is written, or nobody reads it any more. */
  fed: Promise<void>;
  /** Resolves when all has been told that had happened to it before. Absent: nobody stands between it and us. */
  catchUp?(): Promise<void>;
  /** Closes our ends of its streams. */
  stopReading(): void;
  /** Lets go of it: see Detached in core/program.ts. */
  release(): { stdout: unknown; stderr: unknown };
}

/** Told in this order, output until `closed`, and nothing before the start is answered that could not be told after it. */
export interface Hearing {
  output(stream: "stdout" | "stderr", chunk: Uint8Array): void;
  exit(end: ProgramEnd): void;
  /** It has ended, and so have its streams. */
  closed(): void;
  /** Nobody can say any more what becomes of it. */
  lost(reason: string): void;
}

export interface ProgramEnd {
  code?: number;
  signal?: string;
  /** Nothing was left of its process group when it had ended. Absent: not known. */
  isGroupGone?: boolean;
}

/** Starts the program, in a session of its own, and feeds it. Never rejects; the reason is a sentence for people. */
export type StartProgram = (order: Order, hearing: Hearing) => Promise<Started | { reason: string }>;

export interface Order {
  command: Command;
  /** The command's own, with the cookie in it. */
  environment: Record<string, string>;
  cookie: string;
  /** Resolves when nobody waits for it any more. */
  over: Promise<unknown>;
}
