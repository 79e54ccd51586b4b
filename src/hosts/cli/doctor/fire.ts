/** The canary of --fire: each registered line is run as the agent would run it, and the store says whether the event came. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { InstallLayer } from "../../../agents/adapter.ts";
import { newCanary } from "../../../agents/canary.ts";
import { httpToken } from "../../../agents/install/client.ts";
import { guardedEvents } from "../../../agents/install/guarded.ts";
import { goneFile, ownAddress } from "../../../agents/install/own-call.ts";
import type { OwnEntry } from "../../../agents/install/registration.ts";
import { messageOf } from "../../../engine/error.ts";
import type { AgentEventName } from "../../../engine/event.ts";
import { counted } from "../../../engine/words.ts";
import { findOutside } from "../../../files/paths.ts";
import { patience } from "../../../runtime/system.ts";
import { daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { storePath } from "../place.ts";
import { openStore } from "../store.ts";
import { type Area, row } from "./check.ts";
import type { Here, Registered } from "./here.ts";
import { installAgain } from "./reinstall.ts";

const answersWithin = 20_000;

interface Shot {
  one: Registered;
  event: string;
  why: string;
}

export const fire: Area = {
  name: "fire",
  checks: [
    row<Shot>("event-lost", {
      is: "bad",
      find: lost,
      says: ({ one, event, why }) => `${event} of ${one.agent.title} did not arrive: ${why}`,
      run: ({ one }) => installAgain(one),
      agent: ({ one }) => one.agent.name,
    }),
    row<Shot>("guard-passes", {
      is: "bad",
      find: passing,
      says: ({ one, event, why }) =>
        `a guard waits for ${event} of ${one.agent.title}, and the call would pass where Hookline is gone: ${why}`,
      run: ({ one }) => installAgain(one),
      agent: ({ one }) => one.agent.name,
    }),
  ],
  good({ registrations: look }) {
    const { registered } = look();
    const shots = registered.reduce((sum, { entries }) => sum + entries.length, 0);
    return registered.length === 0
      ? "no agent calls Hookline, so nothing was sent"
      : `${shots} of ${counted(shots, "event")} arrived, and guarded ones are blocked where Hookline is gone`;
  },
};

async function lost(here: Here): Promise<Shot[]> {
  const shots: Shot[] = [];
  for (const one of here.registrations().registered) shots.push(...(await lostOf(one, here)));
  return shots;
}

async function lostOf(one: Registered, here: Here): Promise<Shot[]> {
  const canary = newCanary(here.state);
  try {
    const shots: Shot[] = [];
    for (const entry of one.entries)
      shots.push({ one, event: entry.event, why: await shoot(one, entry, { here, session: canary.session }) });
    const came = await arrivals(here, canary.session);
    return shots.filter(({ event }) => !came.has(event));
  } finally {
    canary.end();
  }
}

async function arrivals({ invocation }: Here, session: string): Promise<ReadonlySet<string>> {
  const store = openStore(invocation);
  try {
    const events = await store.events(500);
    return new Set(events.flatMap(({ event }) => (event.session === session ? [event.name] : [])));
  } finally {
    store.close();
  }
}

interface Shooting {
  here: Here;
  session: string;
}

/** Whether it arrived is seen in the store; this is why it may not have. */
async function shoot(
  { agent, layer }: Registered,
  { event, command, overHttp, by }: OwnEntry,
  { here, session }: Shooting,
): Promise<string> {
  const payload = payloadOf(agent, event, { here, session });
  if (overHttp) return posted(payload, { agent: agent.name, event, by: by ?? layer }, here);
  if (command === undefined) return "its line cannot be read";
  const { code, said, failed } = await performed(["-c", command], payload, here);
  return failed ?? `it ended with code ${code}${said === "" ? "" : `: ${said}`}`;
}

const payloadOf = ({ canary }: Registered["agent"], event: string, { here, session }: Shooting): string =>
  JSON.stringify(canary(event as AgentEventName, { session, cwd: here.invocation.cwd })); // as it was registered

async function posted(
  payload: string,
  call: { agent: string; event: string; by: string },
  here: Here,
): Promise<string> {
  const daemon = runningDaemon(daemonFilesOf(storePath(here.invocation, undefined)));
  if (daemon?.port === undefined) return "no daemon is running";
  try {
    // biome-ignore lint/style/noRestrictedGlobals: it asks the daemon of this machine, as the agent does
    const response = await fetch(ownAddress(daemon.port, call), {
      method: "POST",
      body: payload,
      headers: { "content-type": "application/json", authorization: `Bearer ${httpToken(here.state)}` },
      signal: AbortSignal.timeout(patience(answersWithin)),
    });
    return response.ok ? "nothing was recorded" : `the daemon answered ${response.status}`;
  } catch (error) {
    return messageOf(error);
  }
}

interface Performed {
  code: number | null;
  out: string;
  said: string;
  failed?: string;
}

/** As the agent runs it: by sh, in the project, with the payload on standard input. */
function performed(words: readonly string[], payload: string, { invocation }: Here): Promise<Performed> {
  const { cwd, environment, signal } = invocation;
  return new Promise((resolve) => {
    const child = spawn(findOutside("sh", environment, cwd) ?? "/bin/sh", words, {
      cwd: existsSync(cwd) ? cwd : "/",
      env: environment,
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience(answersWithin))]),
      stdio: "pipe",
    });
    const texts = { out: "", said: "" };
    const keep = (name: keyof typeof texts) => (text: string) => {
      texts[name] = (texts[name] + text).slice(0, 2_000);
    };
    child.stdout.setEncoding("utf8").on("data", keep("out"));
    child.stderr.setEncoding("utf8").on("data", keep("said"));
    child.stdin.on("error", () => {}); // it did not read: its end says why
    child.on("error", (error) => resolve({ code: null, ...texts, failed: messageOf(error) }));
    child.on("close", (code) => resolve({ code, out: texts.out, said: texts.said.trim() }));
    child.stdin.end(payload);
  });
}

/** What answers where nothing can be started is asked about each guarded event, by the words that its line would pass on. */
async function passing(here: Here): Promise<Shot[]> {
  const hooks = await here.hooks();
  const shots: Shot[] = [];
  for (const one of here.registrations().registered) {
    const guarded = new Set<string>(guardedEvents(one.agent, hooks, here.places));
    for (const entry of one.entries)
      if (guarded.has(entry.event) && !entry.overHttp) shots.push(...(await passesGone(one, entry, here)));
  }
  return shots;
}

async function passesGone(one: Registered, { event, by, command = "" }: OwnEntry, here: Here): Promise<Shot[]> {
  const layer: InstallLayer | string = by ?? one.layer;
  const words = ["hook", one.agent.name, "--event", event, "--by", layer];
  const mark = command.includes(" --guarded;") ? ["--guarded"] : [];
  const because = "--because=this is a test by hookline doctor";
  const payload = payloadOf(one.agent, event, { here, session: "none" });
  const { code, out, said } = await performed([goneFile(here.state), ...words, ...mark, because], payload, here);
  return code === 2 || out.trim() !== "" ? [] : [{ one, event, why: said === "" ? `exit ${code}` : said }];
}
