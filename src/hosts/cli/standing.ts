/** What others see of a daemon, from its lock to the lock's release: its state for people's commands, its address for clients. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { ownerOf } from "../../runtime/system.ts";
import { freeSocketPlace, removeSocket, socketPath } from "../daemon/place.ts";
import {
  type DaemonFiles,
  type DaemonState,
  readAddress,
  removeAddress,
  removeState,
  writeAddress,
  writeState,
} from "../daemon/state-file.ts";
import { buildVersion } from "./build-version.ts";

/** What whoever asks shows, and whoever answers. */
export interface Secrets {
  token: string;
  proof: string;
}

export interface Standing extends Secrets {
  readonly version: string;
  /** The place for the unix socket, free; undefined: paths are too long here. May throw what the file system says. */
  socketPlace(): string | undefined;
  /** May throw what the file system says. */
  is(state: Pick<DaemonState, "phase">): void;
  /** It listens: clients may ask. May throw what the file system says. */
  listens(port: number, socket: string | undefined): DaemonState;
  /** Never throws: an end that cannot be told is an end all the same. */
  ends(): void;
  remove(): void;
  /** Since it listens, its store or its address was taken away, or another daemon has written its own. Never throws. */
  isGone(): boolean;
}

/** To be called by whoever holds the lock. Tokens are made anew at each start. */
export function standingAt(
  files: DaemonFiles,
  { store, environment, onDemand }: { store: string; environment: Readonly<Record<string, string>>; onDemand: boolean },
): Standing {
  const { pid } = process;
  const version = buildVersion();
  const own = { pid, owner: ownerOf(pid), started: Date.now(), version, store };
  const [token, proof] = [secret(), secret()];
  let isThere = false;
  const place = socketPath(files.socket, environment);
  const tell = (now: Pick<DaemonState, "phase" | "port" | "token">): DaemonState => {
    const state: DaemonState = { ...own, ...(onDemand ? { onDemand } : {}), ...now };
    writeState(files.state, state);
    return state;
  };
  const isGone = (): boolean => isThere && (readAddress(files.address)?.pid !== pid || !existsSync(store));
  return {
    ...{ token, proof, version },
    socketPlace() {
      if (place === "") return undefined;
      freeSocketPlace(place, files.socket);
      return place;
    },
    is: (state) => void tell(state),
    listens(port, socket = "") {
      const state = tell({ phase: "up", port, token });
      writeAddress(files.address, { port, token, proof, pid, version, socket });
      isThere = true;
      return state;
    },
    isGone,
    ends() {
      if (isGone()) return;
      isThere = false;
      removeAddress(files.address, own);
      try {
        tell({ phase: "ending" });
      } catch {
        // the disk is full, say: then it seems to be up until it is gone
      }
    },
    remove() {
      const hasOther = (readAddress(files.address)?.pid ?? pid) !== pid;
      removeAddress(files.address, own);
      if (place !== "" && !hasOther) removeSocket(place);
      removeState(files.state, own);
    },
  };
}

const secret = (): string => randomBytes(32).toString("base64url");
