/** hookline up --background: starts the daemon apart from this terminal, and says where it is once it is up. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type DaemonState, daemonFilesOf, runningDaemon } from "../daemon/state-file.ts";
import { type ExitCode, type Invocation, textFlag, textsFlag } from "./command.ts";
import { placeOf } from "./daemon-lines.ts";
import { missingDoors, missingDoorWords } from "./daemon-port.ts";
import { storePath } from "./place.ts";
import { launch, outputFile } from "./start-daemon.ts";

const look = 50;

export async function upInBackground(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, signal, flags } = invocation;
  const store = storePath(invocation, textFlag(flags, "store"));
  const files = daemonFilesOf(store);
  const before = sizeOf(outputFile(invocation));
  const child = launch(invocation, wordsOf(invocation, store));
  const end: { code?: number } = {};
  child.on("error", () => (end.code = 3));
  child.on("exit", (code) => (end.code = code ?? 3));
  for (;;) {
    const daemon = runningDaemon(files);
    if (daemon?.pid === child.pid && daemon?.phase === "up") {
      child.unref();
      terminal.print(
        json
          ? JSON.stringify(shown(daemon))
          : `Hookline ${daemon.version} is up: ${placeOf(daemon)}, process ${daemon.pid}`,
      );
      for (const missing of missingDoors(invocation, store, daemon.port))
        terminal.error(`hookline: ${missingDoorWords(invocation, missing)}`);
      return 0;
    }
    if (end.code !== undefined) {
      const said = readFileSync(outputFile(invocation)).subarray(before).toString("utf8").trimEnd();
      terminal.error(said === "" ? `hookline: the daemon ended with code ${end.code}` : said);
      return end.code === 2 ? 2 : 3;
    }
    if (signal.aborted) child.kill("SIGTERM");
    await wait(look);
  }
}

const shown = ({ pid, phase, port, started, version, store }: DaemonState): object => ({
  ...{ pid, phase, port, started: new Date(started).toISOString(), version, store },
});

/** The same wish, with paths that hold wherever it is started. */
function wordsOf({ flags, cwd }: Invocation, store: string): string[] {
  const folders = textsFlag(flags, "workspace").map((folder) => resolve(cwd, folder));
  const [port, idle] = [textFlag(flags, "port"), textFlag(flags, "idle-exit")];
  return [
    "up",
    ...["--store", store, "--cwd", cwd, "--quiet"],
    ...folders.flatMap((folder) => ["--workspace", folder]),
    ...(port === undefined ? [] : ["--port", port]),
    ...(idle === undefined ? [] : ["--idle-exit", idle]),
  ];
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
