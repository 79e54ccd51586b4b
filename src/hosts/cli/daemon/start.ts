/** Starts a daemon in the background, for a client that found none. Apart from `up`, because clients load this and nothing of that. */
import { spawn } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { isOfSession } from "../../../agents/index.ts";
import { depthVariable } from "../../../engine/event.ts";
import { makePrivateFolder } from "../../../files/write.ts";
import { type Place, stateFolder, usualStore } from "../place.ts";

/** What a daemon without a terminal prints, such as why it could not start. */
export const outputFile = (place: Place): string => join(stateFolder(place), "daemon-output.log");
const largestInBytes = 1024 * 1024;

/**
 * Returns at once. One that is there already stays, unless it is an older one that no person has started. Whatever goes wrong
 * goes into the state folder: the caller does its work without a daemon.
 */
export function startDaemon(place: Place): void {
  const { HOOKLINE_STORE: _named, ...environment } = place.environment; // the same store: others do not name it
  const child = launch({ ...place, environment }, ["up", "--on-demand", "--store", usualStore(place)]);
  child.on("error", () => {}); // the system has no room for a process now: the next client tries again
  child.unref();
}

/** A process in a session of its own, without the folder, the terminal and the agent's secrets of its caller. May throw. */
export function launch(place: Place, words: readonly string[], cwd: string = "/"): ReturnType<typeof spawn> {
  const output = openOutput(place);
  try {
    return spawn(process.execPath, [process.env.HOOKLINE_BIN ?? process.argv[1] ?? "", ...words], {
      cwd,
      detached: true,
      stdio: ["ignore", output, output],
      env: environmentFor(place),
      windowsHide: true,
    });
  } finally {
    closeSync(output);
  }
}

function openOutput(place: Place): number {
  const file = outputFile(place);
  makePrivateFolder(dirname(file));
  const output = openSync(file, "a", 0o600);
  if (fstatSync(output).size > largestInBytes) ftruncateSync(output);
  return output;
}

/** It outlives the session that it is started in, and is no hook's program. */
function environmentFor({ environment }: Place): Record<string, string> {
  const isOfCall = (name: string): boolean => name === depthVariable || ofOneCall.test(name) || isOfSession(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOfCall(name)));
}
const ofOneCall =
  /^HOOKLINE_(PROJECT_DIR|SESSION_ID|TOOL_NAME|EVENT|EVENT_TYPE|RUN_ID|HOOK_ID|ENV_FILE|PLUGIN_ROOT|RUN_COOKIE|DAEMON)$/;
