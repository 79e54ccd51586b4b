/** hookline status: the store, the daemon, the active hooks, and the agents that call Hookline. */
import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { layersOf } from "../../../agents/adapter.ts";
import { agents } from "../../../agents/index.ts";
import { readJournal } from "../../../agents/install/files.ts";
import { isReadable, isRegistered } from "../../../agents/install/registration.ts";
import { findAgent } from "../../../agents/install/version.ts";
import { minuteOf, pausedNames, switchedOff } from "../../../engine/admit.ts";
import type { Fields, Json } from "../../../engine/event.ts";
import { type Hook, isBuiltIn } from "../../../engine/hook.ts";
import { isRecord } from "../../../engine/schema.ts";
import { textAt } from "../../../files/regular-file.ts";
import { countHooks, countWords, hooksHere, untrustedWords } from "../../../operations/hooks/hook-counts.ts";
import { seeDoctor, unserved, unservedWords } from "../../../operations/hooks/unserved.ts";
import { isOfProject, projectFolders } from "../../../operations/project-folders.ts";
import { ago } from "../../../operations/shown.ts";
import { type WorkCounts, workCounts } from "../../../storage/sqlite/journal-queues.ts";
import type { DaemonState } from "../../daemon/state-file.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { type GitHookHere, gitHookHere } from "../git/hooks.ts";
import { waitingForTrust, waitingWords } from "../git/worktrees.ts";
import { findingsOf } from "../hooks/check.ts";
import { loadActive } from "../loaded.ts";
import { stateFolder } from "../place.ts";
import { openStoreToRead } from "../store.ts";
import { oneLine, type Style, shortPath, type Terminal } from "../terminal.ts";
import { daemonHere } from "./here.ts";
import { missingDoors, missingDoorWords } from "./port.ts";

interface Registered {
  agent: string;
  layer: string;
  file: string;
  registered: boolean;
  /** Its text cannot be read, by the agent neither. */
  unreadable?: true;
  /** Of the agent: today's, and that at install. */
  version?: string;
  was?: string;
}

export async function status(invocation: Invocation): Promise<ExitCode> {
  const { facts, hooks } = await factsOf(invocation);
  if (invocation.json) invocation.terminal.print(JSON.stringify(facts));
  else for (const line of statusLines(facts, hooks, invocation)) invocation.terminal.print(line);
  return 0;
}

async function factsOf(invocation: Invocation) {
  const store = openStoreToRead(invocation);
  const loaded = await loadActive(invocation, store);
  const { set, problems, files, root } = loaded;
  const folders = projectFolders(invocation);
  const hooks = set.hooks.filter((hook) => isOfProject(hook, folders));
  const repaired = await store.repair();
  const [last] = await store.events(1);
  const running = (await store.runs({ status: "running", limit: 1000 })).length;
  const held = await store.paused();
  const paused = pausedNames(held);
  const queue = workCounts(store.database);
  store.close();
  const daemon = await daemonHere(store.path);
  const findings = findingsOf({ problems, hooks: hooks.filter((hook) => !isBuiltIn(hook)) }, invocation);
  const counts = countHooks(hooks, { paused: held, now: Date.now(), root });
  const left = daemon && unservedWords(unserved(hooks, daemon));
  const facts = {
    store: {
      path: store.path,
      bytes: statSync(store.path).size,
      lastEvent: last ? new Date(last.event.at).toISOString() : null,
      running,
      repaired,
    },
    daemon: daemon ?? null,
    queue,
    notServed: left ?? null,
    root,
    hooks: hooksHere(counts),
    counts: { ...counts },
    untrusted: loaded.untrusted.length,
    asking: untrustedWords(loaded) ?? null,
    set: set.id,
    paused,
    switchedOff: set.hooks.flatMap(({ id }) => {
      const until = held.get(switchedOff(id, root));
      return until !== undefined && until > Date.now() ? [{ hook: id, until: new Date(until).toISOString() }] : [];
    }),
    files: files.map(({ path, layer, hooks }) => ({ path, layer, hooks })),
    errors: findings.filter(({ severity }) => severity === "error").length,
    agents: registrationsOf(invocation, root),
    missing: missingDoors(invocation, store.path, typeof daemon?.port === "number" ? daemon.port : undefined),
    git: gitHookHere(invocation),
  };
  return { facts, hooks };
}
type Facts = Awaited<ReturnType<typeof factsOf>>["facts"];

function statusLines(facts: Facts, hooks: readonly Hook[], invocation: Invocation): string[] {
  const { terminal, cwd, home } = invocation;
  const show = (path: string): string => shortPath(path, cwd, home);
  const row = (name: string, text: string): string => titled(terminal, name, text);
  const { store, errors, git } = facts;
  const waiting = waitingForTrust(hooks);
  const last = ago(store.lastEvent === null ? undefined : Date.parse(store.lastEvent));
  const running = store.running > 0 ? `, ${store.running} running` : "";
  const broken = errors > 0 ? terminal.paint("red", `, ${counted(errors, "error")}: run \`hookline check\``) : "";
  const here = facts.agents.filter((one) => one.registered);
  const unreadable = facts.agents.filter((one) => one.unreadable);
  const noAgent = `no agent calls Hookline yet: run \`hookline install ${Object.keys(agents)[0]}\``;
  const agentRows = [
    ...here.map((one) => `${one.agent} calls Hookline (${one.layer}: ${show(one.file)})${versionWords(one)}`),
    ...unreadable.map((one) =>
      terminal.paint("red", `${one.agent} cannot read ${show(one.file)}: run \`hookline doctor\``),
    ),
    ...(here.length + unreadable.length === 0 ? [noAgent] : []),
  ];
  return [
    row("store", `${show(store.path)}, ${Math.ceil(store.bytes / 1024)} kB, last event ${last}${running}`),
    ...(store.repaired > 0
      ? [row("", `${counted(store.repaired, "run")} of a crashed process marked as interrupted`)]
      : []),
    ...daemonRows(facts.daemon ?? undefined, facts.queue, terminal, show),
    row("project", shortPath(facts.root, join(facts.root, "below"), home)),
    row("hooks", `${countWords(facts.counts)}${broken}`),
    ...facts.files.map((file) => row("", `${show(file.path)}: ${file.hooks} (${file.layer})`)),
    ...(facts.notServed !== null ? [row("clocks", terminal.paint("red", oneLine(seeDoctor(facts.notServed))))] : []),
    ...(facts.asking !== null ? [row("trust", terminal.paint("yellow", facts.asking))] : []),
    ...facts.switchedOff.map(({ hook, until }) =>
      row("off", oneLine(`${hook} until ${minuteOf(Date.parse(until))}: \`hookline guard on ${hook}\` ends that`)),
    ),
    ...facts.paused.map((one) => row("paused", pausedWords(one, hooks, show))),
    ...agentRows.map((text, index) => row(index === 0 ? "agents" : "", text)),
    ...facts.missing.map((door) => row("", terminal.paint("red", oneLine(missingDoorWords(invocation, door))))),
    ...(git ? [row("git", gitWords(git, show))] : []),
    ...(git?.hook && waiting > 0 ? [row("", terminal.paint("yellow", waitingWords(waiting)))] : []),
  ];
}

const titled = (terminal: Terminal, name: string, text: string): string =>
  `${terminal.paint("dim", name.padEnd(9))}${text}`;

const gitWords = ({ hooks, hook, wasInstalled }: GitHookHere, show: (path: string) => string): string =>
  hook === null
    ? wasInstalled
      ? "runs Hookline no more before commits, another tool has replaced or removed its hook: run `hookline git install`"
      : "does not run Hookline before commits yet: run `hookline git install`"
    : `runs Hookline before each commit (${show(join(hooks, hook))})`;

/** The store knows pauses of other projects too. */
function pausedWords(what: string, hooks: readonly Hook[], show: (path: string) => string): string {
  const hook = hooks.find(({ id }) => id === what);
  if (hook) return oneLine(`${hook.name}: to resume, run \`hookline resume ${what}\``);
  return isAbsolute(what) ? `${show(what)} but for its guards: to resume, run \`hookline resume\`` : oneLine(what);
}

function registrationsOf(place: Invocation, root: string): Registered[] {
  const { home, environment } = place;
  return Object.values(agents).flatMap((agent) =>
    layersOf(agent).map((layer) => {
      const file = agent.settings.file(layer, { home, root, environment });
      const text = textAt(file) ?? "";
      const one = { agent: agent.name, layer, file, registered: isRegistered(agent, text) };
      if (!one.registered) return isReadable(agent, text) ? one : { ...one, unreadable: true as const };
      const version = findAgent(agent, environment)?.version;
      const was = readJournal(stateFolder(place), agent.name, file)?.agentVersion;
      return { ...one, ...(version !== undefined && { version }), ...(was !== undefined && { was }) };
    }),
  );
}

const versionWords = ({ version, was }: Registered): string =>
  version === undefined || was === undefined || version === was
    ? ""
    : `; it is ${version}, was ${was} at install: run \`hookline doctor --fire\``;

// The daemon for people: what it watches, its schedules, its queue and what is broken.

const rowsAtMost = 10;

const phases: Readonly<Record<DaemonState["phase"], string>> = {
  starting: "starting",
  up: "running",
  once: "running what is due, then stopping",
  ending: "stopping",
};

/** Where it listens, or why it does not. */
export const placeOf = ({ phase, port }: Pick<DaemonState, "phase" | "port">): string =>
  port === undefined ? phases[phase] : `http://127.0.0.1:${port}`;

export function daemonRows(
  daemon: Fields | undefined,
  queue: WorkCounts,
  terminal: Terminal,
  show: (path: string) => string,
): string[] {
  const row = (text: string): string => titled(terminal, "daemon", oneLine(text));
  if (!daemon) {
    const left = queue.waiting + queue.running;
    const { handedOver } = queue;
    return [
      row(
        left > 0
          ? `no daemon is running and ${counted(left, "run")} ${left === 1 ? "is" : "are"} waiting: run \`hookline up\``
          : "no daemon is running: run `hookline up` to start one",
      ),
      ...(handedOver > 0
        ? [
            titled(
              terminal,
              "",
              `${counted(handedOver, "run")} handed over to other machines: their ends are written here once it runs`,
            ),
          ]
        : []),
    ];
  }
  const known = `process ${daemon.pid}, since ${daemon.started}`;
  if (daemon.port === null) return [row(`${phases[daemon.phase as DaemonState["phase"]]}, ${known}`)]; // as daemonHere gives it
  const head = `http://127.0.0.1:${daemon.port}, ${known}`;
  if (daemon.unreachable !== undefined) return [row(`${head}, but it does not answer: ${daemon.unreachable}`)];
  return [row(head), ...selfLines(daemon, terminal), ...daemonLines(daemon, terminal, show)];
}

/** The Postgres to which the record goes. */
function sharedRow(
  { address, waitsSince, reason }: Fields,
  row: (name: string, text: string, style?: Style) => string,
): string {
  if (typeof waitsSince !== "number") return row("postgres", String(address));
  return row("postgres", `${address}: rows wait since ${new Date(waitsSince).toISOString()}: ${reason}`, "red");
}

/** The process itself, and who speaks to it. */
function selfLines(daemon: Fields, terminal: Terminal): string[] {
  const row = (name: string, text: string): string => titled(terminal, name, oneLine(text));
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
    ...(notWrittenSince ? [row("store", terminal.paint("red", `no writes since ${notWrittenSince}: ${reason}`))] : []),
    ...(typeof rowsLost === "number" && rowsLost > 0
      ? [row("lost", terminal.paint("red", `${counted(rowsLost, "row")} that could not be written in time`))]
      : []),
    row(
      "received",
      `${counted(events, "event")}, ${counted(sessions, "session")}${heard.length > 0 ? `; ${heard.join(", ")}` : ""}`,
    ),
    ...slowest.map(({ event, p50, p95 }, index) =>
      row(index === 0 ? "times" : "", `${event} ${p50} ms, p95 ${p95} ms`),
    ),
    ...listOf(daemon.residents).map((one, index) => row(index === 0 ? "programs" : "", residentLine(one))),
  ];
}
const slowAtMost = 3;

const counted = (count: Json | undefined, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const residentLine = ({ command, pid, events, restarts, memoryInBytes }: Fields): string =>
  [
    `${command}: ${pid === undefined ? "not running" : `process ${pid}`}`,
    counted(events, "event"),
    counted(restarts, "restart"),
    ...(typeof memoryInBytes === "number" ? [`${Math.round(memoryInBytes / 1024 ** 2)} MB`] : []),
  ].join(", ");

function lasting(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** @param status as the daemon gives it; another version's may hold less */
export function daemonLines(status: Fields, terminal: Terminal, show: (path: string) => string): string[] {
  const row = (name: string, text: string, style?: Style): string =>
    titled(terminal, name, style ? terminal.paint(style, oneLine(text)) : oneLine(text));
  const rows = (name: string, texts: readonly string[], style?: Style): string[] => {
    const shown = texts.slice(0, rowsAtMost).map((text, index) => row(index === 0 ? name : "", text, style));
    const more = texts.length - rowsAtMost;
    return more > 0 ? [...shown, row("", `and ${more} more`)] : shown;
  };
  const { automations, queue, engine } = status;
  const { enabled, active, broken } = fieldsOf(automations);
  const { waiting, running, handedOver } = fieldsOf(queue);
  const whose = isRecord(status.sharing)
    ? "the machines that share the store"
    : "machines whose store this daemon was not given";
  const elsewhere = handedOver ? `, ${handedOver} handed over to ${whose}` : "";
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
    row("queue", `${running ?? 0} running, ${waiting ?? 0} waiting${elsewhere}`),
    ...(isRecord(status.shared) ? [sharedRow(fieldsOf(status.shared), row)] : []),
    ...(isRecord(status.telemetry) ? telemetryRows(fieldsOf(status.telemetry), row) : []),
    ...rows(
      "broken",
      listOf(broken).map(({ file, message }) => `${show(String(file))}: ${message}`),
      "red",
    ),
  ];
}

/** What leaves this machine is shown wherever the daemon is. */
function telemetryRows(
  { collector, signals, contents, spans, trouble }: Fields,
  row: (name: string, text: string, style?: Style) => string,
): string[] {
  const { sent = 0, lost = 0 } = fieldsOf(spans);
  const what = `${textsOf(signals).join(" and ")}${contents === true ? ", with contents," : ""}`;
  const figures = `${sent} spans sent${lost === 0 ? "" : `, ${lost} lost`}`;
  return [
    row("otlp", `${what} to ${collector}; ${figures}`),
    ...(typeof trouble === "string" ? [row("", `${collector} takes none: ${trouble}`, "red")] : []),
  ];
}

const dueLine = ({ hook, at, waits }: Fields): string => {
  const when = Date.parse(String(at)) <= Date.now() ? "now" : String(at).replace(/\.\d+Z$/, "Z");
  return `${hook} ${when}${waits ? `, waiting: ${waits}` : ""}`;
};

const watchLine = ({ hook, path, paths, mode }: Fields, show: (path: string) => string): string => {
  const places = (path === undefined ? textsOf(paths) : [String(path)]).map(show).join(", ");
  return `${places} for ${hook}${mode === undefined ? "" : ` (${mode})`}`;
};

const fieldsOf = (value: Json | undefined): Fields => (isRecord(value) ? (value as Fields) : {}); // it is JSON
const listOf = (value: Json | undefined): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textsOf = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
