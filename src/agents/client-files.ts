/** What install leaves in the state folder for the clients of the daemon. Apart from the clients, because each of them looks there. */
import { join } from "node:path";

/** The client for shells. */
export const clientFile = (stateFolder: string): string => join(stateFolder, "client.sh");

/** While it is there, a client that finds no daemon starts one for the next event, at the port that it names, if it names one. */
export const onDemandFile = (stateFolder: string): string => join(stateFolder, "daemon-on-demand");

/** When a client last started one. */
export const startedFile = (stateFolder: string): string => join(stateFolder, "daemon-started");

/** What sessions that began without a daemon leave for the one that their agent tells of the rest. */
export const sessionsFolder = (stateFolder: string): string => join(stateFolder, "sessions-begun");

/** What an agent's own HTTP hooks send; it outlives the daemon, and opens nothing but the door of their events. */
export const httpTokenFile = (stateFolder: string): string => join(stateFolder, "http-token");
