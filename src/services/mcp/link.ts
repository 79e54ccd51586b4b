/** What a connection to a tool server needs of whatever carries its messages. */
import type { Transport } from "@modelcontextprotocol/client";
import type { StartPipedProcess } from "../../engine/program.ts";

export interface Link {
  transport: Transport;
  /** What went wrong at the other end, in a sentence of ours; undefined: nothing that is known. */
  trouble(): string | undefined;
  /** Its own last words, such as stderr. They may hold anything, so they are kept out of every sentence. */
  said?(): string | undefined;
  /** Takes leave, where there is a way to. Never rejects. */
  leave(): Promise<void>;
}

/** What servers are started with. */
export interface Surroundings {
  start: StartPipedProcess;
  /** Fills `${NAME}`. Servers inherit only what every program needs. */
  environment: Readonly<Record<string, string>>;
  cwd: string;
}
