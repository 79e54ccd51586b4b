/** Writes the shell's client anew after Hookline was updated: a daemon of the new version refuses the old client. */
import { writeClient, writtenClient } from "../../agents/install/shell-client.ts";
import { buildVersion } from "./build-version.ts";
import { type Place, stateFolder } from "./place.ts";

/** Called by the command that such a client became. Never rejects. */
export async function renewClient(place: Place): Promise<void> {
  try {
    const state = stateFolder(place);
    const written = writtenClient(state);
    const version = buildVersion();
    if (written === undefined || written.version === version) return; // the agent waits for our end
    writeClient(state, { ...written, version, program: [process.execPath, process.env.HOOKLINE_BIN ?? ""] });
  } catch {
    // The state folder cannot be written: each event starts Node, and is answered.
  }
}
