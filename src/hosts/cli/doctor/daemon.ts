/** The daemon: whether one runs and answers, and whether hooks wait for one: clocks, watched files, the queue, agents that call over HTTP. */
import { existsSync } from "node:fs";
import { knownHttpDoors } from "../../../agents/install/client.ts";
import { onDemandFile } from "../../../agents/install/own-call.ts";
import type { Fields } from "../../../engine/event.ts";
import { word } from "../../../engine/program.ts";
import { fieldsIn, isRecord } from "../../../engine/schema.ts";
import { counted, listed } from "../../../engine/words.ts";
import { realOf } from "../../../files/paths.ts";
import { type Unserved, unserved, unservedWords } from "../../../operations/hooks/unserved.ts";
import { type WorkCounts, workCounts } from "../../../storage/sqlite/journal-queues.ts";
import { buildVersion } from "../command.ts";
import { upInBackground } from "../daemon/background.ts";
import { missingDoors } from "../daemon/port.ts";
import { type Area, row } from "./check.ts";
import type { Here } from "./here.ts";

const startIt = "hookline up --background";
const startAnew = "hookline down && hookline up --background";

/** One daemon serves what several findings wait for. */
async function start({ invocation }: Here): Promise<string | undefined> {
  const said: string[] = [];
  const terminal = { ...invocation.terminal, print: (line: string) => void said.push(line), error() {} };
  const code = await upInBackground({ ...invocation, flags: { store: invocation.flags.store }, json: false, terminal });
  return code === 0 ? said.join(" ") : undefined;
}

export const daemon: Area = {
  name: "daemon",
  checks: [
    row("daemon-silent", {
      is: "bad",
      find: async (here) => ofRunning(await here.daemon(), ({ unreachable }) => unreachable !== undefined),
      says: ({ pid, port, unreachable }) => `the daemon (process ${pid}, port ${port}) does not answer: ${unreachable}`,
      run: () => startAnew,
    }),
    row("daemon-of-another-version", {
      is: "note",
      find: async (here) => ofRunning(await here.daemon(), ({ version }) => version !== buildVersion()),
      says: ({ version }) =>
        `the daemon is Hookline ${version}, and this is ${buildVersion()}: they do not work together, so each event starts Node`,
      run: () => startAnew,
    }),
    row("daemon-writes-nothing", {
      is: "bad",
      find: async (here) => ofRunning(await here.daemon(), (status) => Boolean(fieldsIn(status.store).notWrittenSince)),
      says: ({ store }) =>
        `the daemon has recorded nothing since ${String(fieldsIn(store).notWrittenSince)}: ${String(fieldsIn(store).reason)}`,
      run: () => startAnew,
    }),
    row("records-lost", {
      is: "note",
      find: async (here) =>
        ofRunning(await here.daemon(), (status) => Number(fieldsIn(status.store).rowsLost ?? 0) > 0),
      says: ({ store }) =>
        `the daemon has lost ${counted(Number(fieldsIn(store).rowsLost), "record")}, as the store took none for a time`,
      run: () => startAnew,
    }),
    row("clocks-without-daemon", {
      is: "bad",
      find: async (here) => unservedHere(await unservedOf(here), "no daemon"),
      says: (found) => unservedWords(found) ?? "",
      run: () => startIt,
      fix: (_hooks, here) => start(here),
    }),
    row("folder-not-served", {
      is: "bad",
      find: async (here) => unservedHere(await unservedOf(here), "a daemon"),
      says: (found) => unservedWords(found) ?? "",
      run: ({ served = [] }, { places }) =>
        `hookline down && hookline up --background ${[...served, realOf(places.root)].map((one) => `--workspace ${word(one)}`).join(" ")}`,
    }),
    row("queue-without-daemon", {
      is: "bad",
      async find(here) {
        const left = (await here.daemon()) ? 0 : workOf(here).waiting;
        return left > 0 ? [left] : [];
      },
      says: (left) => `${counted(left, "run")} of automations ${left === 1 ? "waits" : "wait"}, and no daemon runs`,
      run: () => startIt,
      fix: (_left, here) => start(here),
    }),
    row("handed-over-unheard", {
      is: "bad",
      async find(here) {
        const left = isRecord((await here.daemon())?.sharing) ? 0 : workOf(here).handedOver;
        return left > 0 ? [left] : [];
      },
      says: (left) =>
        `${counted(left, "run")} ${left === 1 ? "was" : "were"} handed over to other machines, and no daemon here works with their store to hear how ${left === 1 ? "it ends" : "they end"}`,
      run: () => "hookline up --store postgres://…",
    }),
    row("door-closed", {
      is: "bad",
      find: async (here) => ((await here.daemon()) ? [] : some(knownHttpDoors(here.state))),
      says: (doors, { show }) =>
        `${listed(doors.map(({ agent, file }) => `${agent} (${show(file)})`))} ${doors.length === 1 ? "sends" : "send"} events to a daemon over HTTP, and none runs`,
      run: () => startIt,
      fix: (_doors, here) => start(here),
    }),
    row("door-elsewhere", {
      is: "bad",
      async find(here) {
        const running = await here.daemon();
        return missingDoors(here.invocation, here.store, typeof running?.port === "number" ? running.port : undefined);
      },
      says: ({ agent, port, file }, { show }) =>
        `${agent} sends its events to port ${port} (${show(file)}), where this daemon does not listen`,
      run: ({ agent, by }) => `hookline install ${agent} --layer ${by} --http`,
    }),
  ],
  async good(here) {
    const running = await here.daemon();
    if (running) return `process ${running.pid} answers at port ${running.port}, Hookline ${running.version}`;
    if (here.invocation.environment.HOOKLINE_DAEMON === "off")
      return "switched off by HOOKLINE_DAEMON, and nothing needs one";
    return existsSync(onDemandFile(here.state))
      ? "none runs; the next event of an agent starts one"
      : "none runs, and nothing needs one";
  },
};

function workOf(here: Here): WorkCounts {
  const look = here.storeLook();
  if (look.is !== "good") return { waiting: 0, running: 0, handedOver: 0 };
  const store = look.open();
  try {
    return workCounts(store.database);
  } finally {
    store.close();
  }
}

const unservedOf = async (here: Here): Promise<Unserved> => unserved(await here.hooks(), await here.daemon());

const unservedHere = (found: Unserved, where: "a daemon" | "no daemon"): Unserved[] =>
  found.hooks.length > 0 && (found.served === undefined) === (where === "no daemon") ? [found] : [];

const ofRunning = (running: Fields | undefined, holds: (status: Fields) => boolean): Fields[] =>
  running && holds(running) ? [running] : [];
/** One finding for all of them, or none. */
const some = <T>(all: readonly T[]): (readonly T[])[] => (all.length === 0 ? [] : [all]);
