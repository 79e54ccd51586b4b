/**
 * hookline doctor: for each agent, whether it calls Hookline, whether what is registered is what the hooks need today, and, with
 * --fire, whether each line that the agent would run arrives. It starts nothing but these lines, which install wrote.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { type AgentAdapter, type InstallLayer, layersOf, type Places } from "../../../agents/adapter.ts";
import { newCanary } from "../../../agents/canary.ts";
import { agents } from "../../../agents/index.ts";
import { httpToken } from "../../../agents/install/client.ts";
import { readJournal, readText } from "../../../agents/install/files.ts";
import { guardedEvents } from "../../../agents/install/guarded.ts";
import { ownAddress } from "../../../agents/install/own-call.ts";
import { editorOf, type OwnEntry } from "../../../agents/install/registration.ts";
import { type FoundAgent, findAgent } from "../../../agents/install/version.ts";
import { messageOf } from "../../../engine/error.ts";
import type { AgentEventName } from "../../../engine/event.ts";
import type { Hook } from "../../../engine/hook.ts";
import { listensTo } from "../../../engine/plan.ts";
import { loadAll } from "../../../loading/loading.ts";
import { trusting } from "../../compose/trust.ts";
import { daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { loadingFor } from "../loaded.ts";
import { stateFolder, storePath } from "../place.ts";
import { openStore } from "../store.ts";
import { safeText, shortPath } from "../terminal.ts";

/** One thing that a person should know. */
interface Finding {
  agent: string;
  is: "good" | "note" | "bad";
  says: string;
  /** The command that mends it. */
  run?: string;
}

export async function doctor(invocation: Invocation): Promise<ExitCode> {
  const { set, root } = await loadAll({ ...invocation, ...trusting(invocation) }, loadingFor(invocation));
  const places = { home: invocation.home, root, environment: invocation.environment };
  const findings: Finding[] = [];
  for (const agent of Object.values(agents))
    findings.push(...(await findingsOf(agent, { invocation, places, hooks: set.hooks })));
  if (findings.every(({ is }) => is === "note"))
    findings.push({
      agent: "",
      is: "note",
      says: "no agent calls Hookline yet",
      run: `hookline install ${Object.keys(agents)[0]}`,
    });
  print(findings, invocation);
  return findings.some(({ is }) => is === "bad") ? 1 : 0;
}

interface Here {
  invocation: Invocation;
  places: Places;
  hooks: readonly Hook[];
}

interface Registered {
  layer: InstallLayer;
  file: string;
  entries: readonly OwnEntry[];
}

async function findingsOf(agent: AgentAdapter, here: Here): Promise<Finding[]> {
  const found = findAgent(agent, here.invocation.environment);
  const finding = (is: Finding["is"], says: string, run?: string): Finding => ({
    ...{ agent: agent.name, is, says },
    ...(run === undefined ? {} : { run }),
  });
  const layers: Registered[] = [];
  const findings: Finding[] = [];
  for (const layer of layersOf(agent)) {
    const file = agent.settings.file(layer, here.places);
    try {
      const entries = editorOf(agent).read(readText(file), file);
      if (entries.length > 0 && !layers.some((one) => one.file === file)) layers.push({ layer, file, entries });
    } catch (error) {
      findings.push(finding("bad", messageOf(error)));
    }
  }
  if (layers.length === 0)
    return found
      ? [...findings, finding("note", `it is here and does not call Hookline`, `hookline install ${agent.name}`)]
      : findings;
  const show = (file: string): string => shortPath(file, here.invocation.cwd, here.invocation.home);
  for (const one of layers) {
    findings.push(...registrationFindings(agent, one, { ...here, found, finding, place: show(one.file) }));
    if (here.invocation.flags.fire === true)
      findings.push(...(await fired(agent, one, { ...here, finding, place: show(one.file) })));
  }
  if (layers.length > 1)
    findings.push(
      finding(
        "note",
        `it is registered in ${layers.length} layers: events without an id, such as Stop, reach Hookline twice`,
        `hookline uninstall ${agent.name} --layer ${layers[1]?.layer}`,
      ),
    );
  if (!found) findings.push(finding("note", `${agent.title} is not on the PATH`));
  return findings;
}

interface Looked extends Here {
  finding(is: Finding["is"], says: string, run?: string): Finding;
  place: string;
}

/** What the file says, against what the hooks need and the version of the agent. */
function registrationFindings(
  agent: AgentAdapter,
  { layer, file, entries }: Registered,
  { invocation, places, hooks, found, finding, place }: Looked & { found: FoundAgent | undefined },
): Finding[] {
  const again = `hookline install ${agent.name}${layer === "user" ? "" : ` --layer ${layer}`}`;
  const there = new Set(entries.map(({ event }) => event));
  const ours = hooks.filter(
    ({ enabled, origin: { file: of, layer: its } }) => enabled && !(of && agent.readsItself(of, places, its)),
  );
  const { events, onlyWanted } = agent.settings;
  const missing = [...events, ...onlyWanted.filter((event) => ours.some((hook) => listensTo(hook, event)))].filter(
    (event) => !there.has(event),
  );
  const guarded = new Set<string>(guardedEvents(agent, ours, places));
  const open = entries.filter(({ event, overHttp, blocks }) => guarded.has(event) && overHttp && !blocks);
  const before = readJournal(stateFolder(invocation), agent.name, file)?.agentVersion;
  const now = found?.version;
  const { measured } = agent.program;
  return [
    finding(
      "good",
      `${agent.title}${now ? ` ${now}` : ""} calls Hookline on ${there.size} events (${layer}: ${place})`,
    ),
    ...(missing.length > 0 ? [finding("bad", `it is not registered for ${missing.join(", ")}`, again)] : []),
    ...(open.length > 0
      ? [
          finding(
            "bad",
            `a guard waits for ${open.map(({ event }) => event).join(", ")}, and the call passes where no daemon answers`,
            again,
          ),
        ]
      : []),
    ...(before && now && before !== now
      ? [
          finding(
            "note",
            `${agent.title} was ${before} when it was installed and is ${now} now`,
            "hookline doctor --fire",
          ),
        ]
      : []),
    ...(now && now !== measured ? [finding("note", `Hookline was measured with ${agent.title} ${measured}`)] : []),
    ...(agent.settings.afterInstall ? [finding("note", agent.settings.afterInstall)] : []),
  ];
}

// The canary: each line is run as the agent would run it, and the store says whether the event came.

interface Shot {
  event: string;
  /** Whether it arrived is seen in the store; this is why it may not have. */
  why?: string;
}

const answersWithin = 20_000;

async function fired(
  agent: AgentAdapter,
  { layer, entries }: Registered,
  { invocation, finding, place }: Looked,
): Promise<Finding[]> {
  const canary = newCanary(stateFolder(invocation));
  try {
    const shots: Shot[] = [];
    for (const entry of entries) shots.push(await shoot(agent, entry, { invocation, session: canary.session, layer }));
    const came = await arrivals(invocation, canary.session);
    const silent = shots.filter(({ event }) => !came.has(event));
    return [
      ...(silent.length < shots.length
        ? [finding("good", `${shots.length - silent.length} of ${shots.length} events arrived (${place})`)]
        : []),
      ...silent.map(({ event, why }) =>
        finding(
          "bad",
          `${event} did not arrive: ${why ?? "nothing was recorded"}`,
          `hookline install ${agent.name}${layer === "user" ? "" : ` --layer ${layer}`}`,
        ),
      ),
    ];
  } finally {
    canary.end();
  }
}

async function arrivals(invocation: Invocation, session: string): Promise<ReadonlySet<string>> {
  const store = openStore(invocation);
  try {
    const events = await store.events(500);
    return new Set(events.flatMap(({ event }) => (event.session === session ? [event.name] : [])));
  } finally {
    store.close();
  }
}

interface Shooting {
  invocation: Invocation;
  session: string;
  layer: InstallLayer;
}

async function shoot(
  agent: AgentAdapter,
  { event, command, overHttp, by }: OwnEntry,
  { invocation, session, layer }: Shooting,
): Promise<Shot> {
  const payload = JSON.stringify(agent.canary(event as AgentEventName, { session, cwd: invocation.cwd })); // as it was registered
  if (overHttp) return { event, ...(await posted(payload, { agent, event, by: by ?? layer, invocation })) };
  if (command === undefined) return { event, why: "its line cannot be read" };
  return { event, ...(await performed(command, payload, invocation)) };
}

async function posted(
  payload: string,
  { agent, event, by, invocation }: { agent: AgentAdapter; event: string; by: string; invocation: Invocation },
): Promise<Omit<Shot, "event">> {
  const daemon = runningDaemon(daemonFilesOf(storePath(invocation, undefined)));
  if (daemon?.port === undefined) return { why: "no daemon is running: run `hookline up`" };
  try {
    // biome-ignore lint/style/noRestrictedGlobals: it asks the daemon of this machine, as the agent does
    const response = await fetch(ownAddress(daemon.port, { agent: agent.name, event, by }), {
      method: "POST",
      body: payload,
      headers: { "content-type": "application/json", authorization: `Bearer ${httpToken(stateFolder(invocation))}` },
      signal: AbortSignal.timeout(answersWithin),
    });
    return response.ok ? {} : { why: `the daemon answered ${response.status}` };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

/** As the agent runs it: by sh, in the project, with the payload on standard input. */
function performed(
  command: string,
  payload: string,
  { cwd, environment, signal }: Invocation,
): Promise<Omit<Shot, "event">> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], {
      cwd: existsSync(cwd) ? cwd : "/",
      env: environment,
      signal: AbortSignal.any([signal, AbortSignal.timeout(answersWithin)]),
      stdio: ["pipe", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(0, 2_000);
    });
    child.stdin.on("error", () => {}); // it did not read: its end says why
    child.on("error", (error) => resolve({ why: messageOf(error) }));
    child.on("close", (code) => resolve({ why: `it ended with code ${code}${said === "" ? "" : `: ${said.trim()}`}` }));
    child.stdin.end(payload);
  });
}

const signs: Readonly<Record<Finding["is"], string>> = { good: "✓", note: "·", bad: "✗" };
const colours = { good: "green", note: "dim", bad: "red" } as const;

function print(findings: readonly Finding[], { terminal, json }: Invocation): void {
  if (json) terminal.print(JSON.stringify(findings));
  else
    for (const { agent, is, says, run } of findings) {
      terminal.print(`${terminal.paint(colours[is], signs[is])} ${agent.padEnd(12)} ${safeText(says)}`);
      if (run !== undefined) terminal.print(`  ${"".padEnd(12)} run \`${run}\``);
    }
}
