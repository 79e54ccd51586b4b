/** The store and the state folder around it: that they can be read and written, by their owner alone, and that there is room. */
import { chmodSync, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { word } from "../../../engine/program.ts";
import { isOwn } from "../../../files/write.ts";
import { ago } from "../../../operations/shown.ts";
import { type Area, row } from "./check.ts";
import type { Here } from "./here.ts";
import type { StoreTrouble } from "./store-look.ts";

/** What mends each trouble. A file that is moved away is replaced by a new one at the next event. */
const mends: Readonly<Record<StoreTrouble, (file: string) => string>> = {
  damaged: (file) => `mv ${word(file)} ${word(`${file}.damaged`)}`,
  foreign: (file) => `mv ${word(file)} ${word(`${file}.other`)}`,
  newer: () => "npm install --global hookline@latest",
  locked: () => "hookline down",
  unwritable: (file) => `chmod u+rwX ${word(file)}`,
  full: (file) => `df -h ${word(dirname(file))}`,
  "read-only": (file) => `findmnt --target ${word(file)}`,
  "no SQLite": () => "nvm install 24",
};

const faults: Readonly<Record<StoreTrouble, string>> = {
  damaged: "is damaged",
  foreign: "is not Hookline's",
  newer: "is of a newer Hookline",
  locked: "is locked",
  unwritable: "is not yours to write",
  full: "has no room",
  "read-only": "cannot be written",
  "no SQLite": "needs another Node",
};

/** Larger ones make each look through the records slow. */
const largeInBytes = 1024 ** 3;
const roomInBytes = 200 * 1024 ** 2;
const month = 30 * 86_400_000;

const purgeOlder = (): string => `hookline purge --before ${new Date(Date.now() - month).toISOString().slice(0, 10)}`;

export const store: Area = {
  name: "store",
  checks: [
    row("store-unusable", {
      is: "bad",
      find({ storeLook }) {
        const look = storeLook();
        return look.is === "good" || look.is === "missing" ? [] : [look];
      },
      says: ({ is, reason, path }, { show, store: file }) =>
        `no event can be recorded: ${show(path ?? file)} ${faults[is]}: ${reason}`,
      run: ({ is, path }, { store: file }) => mends[is](path ?? file),
      fix: ({ is, path }, { store: file }) => (is === "unwritable" ? ownRights(path ?? file) : undefined),
    }),
    row("state-open", {
      is: "bad",
      find: ({ state }) => (isOpenToOthers(state) ? [state] : []),
      says: (folder, { show }) =>
        `other users of this machine can look into ${show(folder)}, which holds records and tokens`,
      run: (folder) => `chmod 700 ${word(folder)}`,
      fix(folder) {
        chmodSync(folder, 0o700);
        return "only you can open it now (mode 700)";
      },
    }),
    row("store-large", {
      is: "note",
      find({ storeLook }) {
        const look = storeLook();
        return look.is === "good" && look.bytes > largeInBytes ? [look.bytes] : [];
      },
      says: (bytes, { show, store: file }) => `the store has ${inBytes(bytes)} (${show(file)})`,
      run: purgeOlder,
    }),
  ],
  good({ storeLook, store: file, show }) {
    const look = storeLook();
    if (look.is !== "good") return `none yet: the first event makes ${show(file)}`;
    return `${show(file)} takes records: schema ${look.version}, ${inBytes(look.bytes)}, last event ${ago(look.lastEvent)}`;
  },
};

export const room: Area = {
  name: "room",
  checks: [
    row("disk-full", {
      is: "bad",
      find: (here) => (freeAt(here) < roomInBytes ? [freeAt(here)] : []),
      says: (bytes, { show, state }) => `only ${inBytes(bytes)} are free where ${show(state)} lies`,
      run: purgeOlder,
    }),
  ],
  good: (here) => (Number.isFinite(freeAt(here)) ? `${inBytes(freeAt(here))} free where the store lies` : "not known"),
};

function freeAt({ store: file }: Here): number {
  const { bavail, bsize, blocks } = statfsSync(nearestOf(dirname(file)));
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize; // a file system that does not say
}

/** The folder, or what there is of the way to it. */
function nearestOf(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestOf(dirname(folder));
}

const isOpenToOthers = (folder: string): boolean => {
  const found = statSync(folder, { throwIfNoEntry: false });
  return process.platform !== "win32" && found?.isDirectory() === true && (found.mode & 0o077) !== 0;
};

/** Rights that its owner has taken from itself. */
function ownRights(path: string): string | undefined {
  const { uid, mode } = statSync(path);
  const wanted = statSync(path).isDirectory() ? 0o700 : 0o600;
  if (!isOwn(uid) || (mode & wanted) === wanted) return undefined;
  chmodSync(path, wanted);
  return `you can write ${path} again`;
}

const units = ["bytes", "kB", "MB", "GB", "TB"] as const;

function inBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${units[step]}`;
}
