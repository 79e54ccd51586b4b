/** What a person is told of a daemon: what it watches, when what is due, what waits and what is broken. */
import { messageOf } from "../../engine/error.ts";
import type { Fields, Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { type DaemonState, daemonFilesOf, runningDaemon } from "../daemon/state-file.ts";
import { ago } from "./list.ts";
import { oneLine, type Style, type Terminal } from "./terminal.ts";

const rowsAtMost = 10;

/** The daemon of this store, as it tells of itself; undefined: none is there. */
export async function daemonHere(store: string): Promise<Fields | undefined> {
  const daemon = runningDaemon(daemonFilesOf(store));
  if (!daemon) return undefined;
  const { pid, phase, port, token, started, version, onDemand = false } = daemon;
  const known = { pid, phase, port: port ?? null, started: new Date(started).toISOString(), version, onDemand };
  if (port === undefined || token === undefined) return known;
  return { ...known, ...(await statusOf({ port, token })) };
}

const phases: Readonly<Record<DaemonState["phase"], string>> = {
  starting: "it is starting",
  up: "it is up",
  once: "it does what is due, and ends",
  ending: "it is ending",
};

/** Where it listens, or why it does not. */
export const placeOf = ({ phase, port }: Pick<DaemonState, "phase" | "port">): string =>
  port === undefined ? phases[phase] : `http://127.0.0.1:${port}`;

export function daemonRows(
  daemon: Fields | undefined,
  queue: { waiting: number; running: number },
  terminal: Terminal,
  show: (path: string) => string,
): string[] {
  const row = (text: string): string => `${terminal.paint("dim", "daemon".padEnd(9))}${oneLine(text)}`;
  if (!daemon) {
    const left = queue.waiting + queue.running;
    return [row(`none runs${left > 0 ? `, and ${left} runs wait for one` : ""}: hookline up`)];
  }
  const known = `process ${daemon.pid}, since ${daemon.started}`;
  if (daemon.port === null) return [row(`${phases[daemon.phase as DaemonState["phase"]]}, ${known}`)]; // as daemonHere gives it
  const head = `http://127.0.0.1:${daemon.port}, ${known}`;
  if (daemon.unreachable !== undefined) return [row(`${head}, does not answer: ${daemon.unreachable}`)];
  return [row(head), ...selfLines(daemon, terminal), ...daemonLines(daemon, terminal, show)];
}

/** The process itself, and who speaks to it. */
function selfLines(daemon: Fields, terminal: Terminal): string[] {
  const row = (name: string, text: string): string => `${terminal.paint("dim", name.padEnd(9))}${oneLine(text)}`;
  const { memoryInBytes, seconds } = fieldsOf(daemon.process);
  const { events = 0, sessions = 0, senders } = fieldsOf(daemon.activity);
  const facts = [
    `Hookline ${daemon.version}`,
    ...(typeof seconds === "number" ? [`up ${lasting(seconds)}`] : []),
    ...(typeof memoryInBytes === "number" ? [`${Math.round(memoryInBytes / 1024 ** 2)} MB`] : []),
    ...(daemon.onDemand === true ? ["started on demand"] : []),
  ];
  const heard = listOf(senders).map(({ sender, last }) => `${sender} last ${ago(Date.parse(String(last)))}`);
  const slowest = listOf(daemon.decisions).slice(0, slowAtMost);
  const { notWrittenSince, reason, rowsLost } = fieldsOf(daemon.store);
  return [
    row("", facts.join(", ")),
    ...(notWrittenSince
      ? [row("store", terminal.paint("red", `not written since ${notWrittenSince}: ${reason}`))]
      : []),
    ...(typeof rowsLost === "number" && rowsLost > 0
      ? [row("lost", terminal.paint("red", `${counted(rowsLost, "row")} that the store could not take in time`))]
      : []),
    row(
      "heard",
      `${counted(events, "event")}, ${counted(sessions, "session")}${heard.length > 0 ? `; ${heard.join(", ")}` : ""}`,
    ),
    ...slowest.map(({ event, p50, p95 }, index) => row(index === 0 ? "took" : "", `${event} ${p50} ms, p95 ${p95} ms`)),
    ...listOf(daemon.residents).map((one, index) => row(index === 0 ? "resident" : "", residentLine(one))),
  ];
}
const slowAtMost = 3;

const counted = (count: Json | undefined, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const residentLine = ({ command, pid, events, restarts, memoryInBytes }: Fields): string =>
  [
    `${command}: ${pid === undefined ? "does not run now" : `process ${pid}`}`,
    counted(events, "event"),
    counted(restarts, "restart"),
    ...(typeof memoryInBytes === "number" ? [`${Math.round(memoryInBytes / 1024 ** 2)} MB`] : []),
  ].join(", ");

function lasting(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** @param status as the daemon tells it; another version's may hold less */
export function daemonLines(status: Fields, terminal: Terminal, show: (path: string) => string): string[] {
  const row = (name: string, text: string, style?: Style): string =>
    `${terminal.paint("dim", name.padEnd(9))}${style ? terminal.paint(style, oneLine(text)) : oneLine(text)}`;
  const rows = (name: string, texts: readonly string[], style?: Style): string[] => {
    const shown = texts.slice(0, rowsAtMost).map((text, index) => row(index === 0 ? name : "", text, style));
    const more = texts.length - rowsAtMost;
    return more > 0 ? [...shown, row("", `and ${more} more`)] : shown;
  };
  const { automations, queue, engine } = status;
  const { enabled, active, broken } = fieldsOf(automations);
  const { waiting, running } = fieldsOf(queue);
  const isOff = fieldsOf(engine).enabled === false;
  return [
    ...rows("folders", textsOf(status.workspaces).map(show)),
    row(
      "",
      `${enabled ?? 0} of ${active ?? 0} automations enabled${isOff ? ", but hook_engine.enabled is false" : ""}`,
    ),
    ...rows("due", listOf(status.due).map(dueLine)),
    ...rows(
      "watching",
      listOf(status.watches).map((watch) => watchLine(watch, show)),
    ),
    ...rows(
      "webhooks",
      textsOf(status.webhooks).map((name) => `POST /webhooks/${name}`),
    ),
    row("queue", `${running ?? 0} running, ${waiting ?? 0} waiting`),
    ...rows(
      "broken",
      listOf(broken).map(({ file, message }) => `${show(String(file))}: ${message}`),
      "red",
    ),
  ];
}

const dueLine = ({ hook, at, waits }: Fields): string => {
  const when = Date.parse(String(at)) <= Date.now() ? "now" : String(at).replace(/\.\d+Z$/, "Z");
  return `${hook} ${when}${waits ? `, waits: ${waits}` : ""}`;
};

const watchLine = ({ hook, path, paths, mode }: Fields, show: (path: string) => string): string => {
  const places = (path === undefined ? textsOf(paths) : [String(path)]).map(show).join(", ");
  return `${places} for ${hook}${mode === undefined ? "" : ` (${mode})`}`;
};

const fieldsOf = (value: Json | undefined): Fields => (isRecord(value) ? (value as Fields) : {}); // it is JSON
const listOf = (value: Json | undefined): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textsOf = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

const answersWithin = 2_000;

/** What `GET /status` says, or why it says nothing. Never rejects. */
async function statusOf({ port, token }: Pick<DaemonState, "port" | "token">): Promise<Fields> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/status`, {
      headers: { authorization: `Bearer ${token}`, connection: "close" },
      signal: AbortSignal.timeout(answersWithin),
      redirect: "error",
    });
    const status: unknown = await response.json();
    if (response.ok && isRecord(status)) return status as Fields; // it came as JSON
    return { unreachable: `it answers ${response.status}` };
  } catch (error) {
    return { unreachable: error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error) };
  }
}
