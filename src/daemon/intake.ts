/** A daemon's intake: one lane for all that programs send, over HTTP and over the unix socket. Composition only. */
import type { Socket } from "node:net";
import type { Fields } from "../core/event.ts";
import type { Door } from "./call.ts";
import type { Daemon } from "./daemon.ts";
import { createIngest } from "./ingest.ts";
import { createIngestDoor } from "./ingest-http.ts";
import { createLane } from "./lane.ts";
import { createSocketLines } from "./socket-lines.ts";

export interface Intake {
  door: Door;
  /** Whoever speaks lines on the unix socket. */
  lines(socket: Socket): void;
  /** What it holds just now. */
  facts(): Fields;
  close(): void;
}

type Sending = Pick<Daemon, "environment" | "stopping" | "store" | "cwd" | "listen"> & {
  context: Pick<Daemon["context"], "engine" | "now" | "id">;
};

export function openIntake(daemon: Sending, door: { token: string; isClosing(): boolean }): Intake {
  const { environment, stopping, store, cwd, context } = daemon;
  const { engine, now, id } = context;
  const lane = createLane();
  let ran = ""; // the event that the last run was of
  const deafen = daemon.listen((seen) => {
    if (seen.is === "run") ran = seen.run.eventId;
  });
  const ingest = createIngest({
    ...{ engine, store, cwd, now, id },
    caller: { environment, signal: stopping },
    hasJustRun: (eventId) => ran === eventId,
  });
  const sockets = createSocketLines({ ingest, lane });
  return {
    door: createIngestDoor({ ...door, ingest, lane }),
    lines: sockets.serve,
    facts: () => ({ ...lane.held() }),
    close() {
      deafen();
      sockets.close();
    },
  };
}
