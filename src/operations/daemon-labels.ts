/** What the daemon reports, for people: what it watches, its schedules, its queue and what is broken. */
import type { Fields, Json } from "../engine/event.ts";
import { fieldsIn, isRecord } from "../engine/schema.ts";
import { counted } from "../engine/words.ts";
import type { QueueCounts } from "./machine.ts";
import { ago, type Label, type Tone } from "./shown.ts";

type PathOf = (path: string) => string;

const rowsAtMost = 10;
const slowAtMost = 3;

const phases: Readonly<Record<string, string>> = {
  starting: "starting",
  up: "running",
  once: "running what is due, then stopping",
  ending: "stopping",
};

/** Where it listens, or why it does not. */
export const listensAt = ({ phase, port }: { phase: string; port?: number | null | undefined }): string =>
  typeof port === "number" ? `http://127.0.0.1:${port}` : (phases[phase] ?? phase);

/** @param daemon undefined: none runs */
export function daemonLabels(daemon: Fields | undefined, queue: QueueCounts | undefined, path: PathOf): Label[] {
  if (!daemon) return withoutDaemon(queue);
  const port = typeof daemon.port === "number" ? daemon.port : undefined;
  const head = `${listensAt({ phase: String(daemon.phase), port })}, process ${daemon.pid}, since ${daemon.started}`;
  if (port === undefined) return [["daemon", head]];
  if (daemon.unreachable !== undefined) return [["daemon", `${head}, but it does not answer: ${daemon.unreachable}`]];
  return [["daemon", head], ...selfLabels(daemon), ...workLabels(daemon, path)];
}

function withoutDaemon(
  { waiting, running, handedOver }: QueueCounts = { waiting: 0, running: 0, handedOver: 0 },
): Label[] {
  const left = waiting + running;
  const why =
    left > 0
      ? `no daemon is running and ${counted(left, "run")} ${left === 1 ? "is" : "are"} waiting: run \`hookline up\``
      : "no daemon is running: run `hookline up` to start one";
  const elsewhere = `${counted(handedOver, "run")} handed over to other machines: their ends are written here once it runs`;
  return [
    ["daemon", why],
    ["", handedOver > 0 ? elsewhere : undefined],
  ];
}

/** The process itself, and who speaks to it. */
function selfLabels(daemon: Fields): Label[] {
  const { memoryInBytes, seconds } = fieldsIn(daemon.process);
  const { events, sessions, senders } = fieldsIn(daemon.activity);
  const { notWrittenSince, reason, rowsLost } = fieldsIn(daemon.store);
  const facts = [
    `Hookline ${daemon.version}`,
    ...(typeof seconds === "number" ? [`up ${lasting(seconds)}`] : []),
    ...(typeof memoryInBytes === "number" ? [megabytes(memoryInBytes)] : []),
    ...(daemon.onDemand === true ? ["started on demand"] : []),
  ];
  const heard = listOf(senders).map(({ sender, last }) => `${sender} last ${ago(Date.parse(String(last)))}`);
  const received = `${counted(numberOf(events), "event")}, ${counted(numberOf(sessions), "session")}`;
  const slowest = listOf(daemon.decisions).slice(0, slowAtMost);
  return [
    ["", facts.join(", ")],
    ["store", notWrittenSince ? red(`no writes since ${notWrittenSince}: ${reason}`) : undefined],
    [
      "lost",
      numberOf(rowsLost) > 0
        ? red(`${counted(numberOf(rowsLost), "row")} that could not be written in time`)
        : undefined,
    ],
    ["received", `${received}${heard.length > 0 ? `; ${heard.join(", ")}` : ""}`],
    ...below(
      "times",
      slowest.map(({ event, p50, p95 }) => `${event} ${p50} ms, p95 ${p95} ms`),
    ),
    ...below("programs", listOf(daemon.residents).map(residentLine)),
  ];
}

const residentLine = ({ command, pid, events, restarts, memoryInBytes }: Fields): string =>
  [
    `${command}: ${pid === undefined ? "not running" : `process ${pid}`}`,
    counted(numberOf(events), "event"),
    counted(numberOf(restarts), "restart"),
    ...(typeof memoryInBytes === "number" ? [megabytes(memoryInBytes)] : []),
  ].join(", ");

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`;

function lasting(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/**
 * What it serves and does.
 *
 * @param status as the daemon gives it; another version's may hold less
 */
export function workLabels(status: Fields, path: PathOf): Label[] {
  const { automations, queue, engine } = status;
  const { enabled = 0, active = 0, broken } = fieldsIn(automations);
  const { waiting = 0, running = 0, handedOver } = fieldsIn(queue);
  const whose = isRecord(status.sharing)
    ? "the machines that share the store"
    : "machines whose store this daemon was not given";
  const elsewhere = handedOver ? `, ${handedOver} handed over to ${whose}` : "";
  const isOff = fieldsIn(engine).enabled === false;
  const watches = listOf(status.watches).map((watch) => watchLine(watch, path));
  const mistakes = listOf(broken).map(({ file, message }) => `${path(String(file))}: ${message}`);
  return [
    ...below("folders", textsOf(status.workspaces).map(path)),
    ["", `${enabled} of ${active} automations enabled${isOff ? ", but hook_engine.enabled is false" : ""}`],
    ...below("due", listOf(status.due).map(dueLine)),
    ...below("watching", watches),
    ...below(
      "webhooks",
      textsOf(status.webhooks).map((name) => `POST /webhooks/${name}`),
    ),
    ["queue", `${running} running, ${waiting} waiting${elsewhere}`],
    ["postgres", isRecord(status.shared) ? sharedCell(fieldsIn(status.shared)) : undefined],
    ...(isRecord(status.telemetry) ? telemetryLabels(fieldsIn(status.telemetry)) : []),
    ...below("broken", mistakes, "red"),
  ];
}

/** The Postgres to which the record goes. */
const sharedCell = ({ address, waitsSince, reason }: Fields): Label[1] =>
  typeof waitsSince === "number"
    ? red(`${address}: rows wait since ${new Date(waitsSince).toISOString()}: ${reason}`)
    : String(address);

/** What leaves this machine is shown wherever the daemon is. */
function telemetryLabels({ collector, signals, contents, spans, trouble }: Fields): Label[] {
  const { sent = 0, lost = 0 } = fieldsIn(spans);
  const what = `${textsOf(signals).join(" and ")}${contents === true ? ", with contents," : ""}`;
  const figures = `${sent} spans sent${lost === 0 ? "" : `, ${lost} lost`}`;
  return [
    ["otlp", `${what} to ${collector}; ${figures}`],
    ["", typeof trouble === "string" ? red(`${collector} takes none: ${trouble}`) : undefined],
  ];
}

const dueLine = ({ hook, at, waits }: Fields): string => {
  const when = Date.parse(String(at)) <= Date.now() ? "now" : String(at).replace(/\.\d+Z$/, "Z");
  return `${hook} ${when}${waits ? `, waiting: ${waits}` : ""}`;
};

const watchLine = ({ hook, path, paths, mode }: Fields, pathOf: PathOf): string => {
  const places = (path === undefined ? textsOf(paths) : [String(path)]).map(pathOf).join(", ");
  return `${places} for ${hook}${mode === undefined ? "" : ` (${mode})`}`;
};

/** Lines under one name. */
function below(name: string, texts: readonly string[], tone?: Tone): Label[] {
  const shown = texts
    .slice(0, rowsAtMost)
    .map((text, index): Label => [index === 0 ? name : "", tone ? { text, tone } : text]);
  const more = texts.length - rowsAtMost;
  return more > 0 ? [...shown, ["", `and ${more} more`]] : shown;
}

const red = (text: string): Label[1] => ({ text, tone: "red" });

const listOf = (value: Json | undefined): Fields[] => (Array.isArray(value) ? value.map(fieldsIn) : []);
const textsOf = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
const numberOf = (value: Json | undefined): number => (typeof value === "number" ? value : 0);
