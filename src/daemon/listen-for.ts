/** Opens a daemon's doors: what agents and programs say reaches its line, its operations and its status. */

import { anyConsent } from "../agents/git-consent.ts";
import { agents } from "../agents/index.ts";
import { registerWanted } from "../agents/wanted-events.ts";
import { cleanEnvironment } from "../handlers/command/environment.ts";
import { stateFolderOf, uptime } from "../system.ts";
import { fill } from "../tools/fill.ts";
import type { Daemon } from "./daemon.ts";
import { createHookRoute } from "./hook-route.ts";
import { createHttpToken } from "./http-token.ts";
import { createInbound } from "./inbound.ts";
import { type Intake, openIntake } from "./intake.ts";
import { createLive, type Live } from "./live.ts";
import { listen, type Server } from "./server.ts";
import { createBegunSessions } from "./session-begun.ts";
import { createSessionEnvironments } from "./session-environments.ts";
import { createTellings, type Tellings } from "./tellings.ts";

export interface ListenForOptions {
  port: number;
  /** The path of the unix socket, whose place is free; absent: there is none. */
  socket?: string;
  /** Whoever has it may ask for anything. */
  token: string;
  /** The file with the token of agents' own HTTP hooks; absent: it is another daemon that they tell. */
  httpTokenFile?: string;
  /** Which build this is: clients of another one are sent away. */
  version: string;
  /** Shown to clients with each answer. */
  proof: string;
}

/** @throws HooklineError port_taken */
export async function listenFor(daemon: Daemon, options: ListenForOptions): Promise<Server> {
  const { environment, cwd, context } = daemon;
  const { port, socket, httpTokenFile } = options;
  const live = createLive();
  const tellings = tellingsOf(daemon);
  let isClosing = false;
  const door = {
    isClosing: () => isClosing,
    token: options.token,
    version: options.version,
  };
  const hookRoute = createHookRoute({
    ...door,
    tellings,
    ...(httpTokenFile === undefined ? {} : { holdsHttpToken: createHttpToken(httpTokenFile, uptime) }),
    proof: options.proof,
    environment,
    cwd,
    now: context.now,
  });
  const intake = openIntake(daemon, door);
  const server = await listen({
    port,
    ...(socket === undefined ? {} : { socket }),
    doors: [hookRoute, intake.door],
    lines: intake.lines,
    routes: () => routesOf(daemon, { ...door, live, intake }),
  });
  const deafen = daemon.listen(live.observe);
  return {
    port: server.port,
    async close() {
      isClosing = true;
      deafen();
      live.close();
      intake.close();
      await server.close(tellings.close());
    },
  };
}

function tellingsOf({ context, source, environment, home, store, learnSecrets }: Daemon): Tellings {
  const folder = stateFolderOf(home, environment);
  const { engine, now, id } = context;
  return createTellings({
    emit: engine.emit,
    committed: () => store.committed(),
    source,
    sessions: createSessionEnvironments(createBegunSessions(folder)),
    environment: cleanEnvironment(environment),
    ...{ home, now, id, learnSecrets },
    /** What hooks came to want of their agent, and where a person has put our hook into git: back in its place. */
    async sessionBegan({ cwd, sender }, { environment: given, by }) {
      const known = await source?.at(cwd);
      const agent = Object.hasOwn(agents, sender) ? agents[sender] : undefined;
      const places = { home, root: known?.root ?? cwd, environment: given };
      const wanting = agent && { agent, places, stateFolder: folder, by, hooks: known?.set.hooks ?? [] };
      const notes = wanting ? await registerWanted(wanting) : [];
      if (!anyConsent(folder)) return notes;
      const { refreshGitHooks } = await import("../cli/git-hooks.ts");
      const program = [process.execPath, process.env.HOOKLINE_BIN ?? ""] as const;
      const place = { cwd, home, environment: given };
      return [...notes, ...(await refreshGitHooks({ place, program, store }, { because: "session" }))];
    },
  });
}

/** All that is no telling. Most daemons are never asked for any of it, so it is loaded when they are. */
async function routesOf(
  daemon: Daemon,
  door: { isClosing(): boolean; token: string; version: string; live: Live; intake: Pick<Intake, "facts"> },
): Promise<(request: Request) => Promise<Response>> {
  const [{ createRoutes }, { createOperating }, { operations }] = await Promise.all([
    import("./routes.ts"),
    import("./operate.ts"),
    import("../operations/index.ts"),
  ]);
  const { context, environment, inForce, settings, store, cwd, emit, status } = daemon;
  const { now } = context;
  const inbound = createInbound({
    ...{ emit, store, now, cwd },
    workspaceOf: inForce.workspaceOf,
    webhook(name) {
      const { webhooks } = settings();
      return Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
    },
    fill: (written) => fill(written, environment),
  });
  return createRoutes({
    ...door,
    inbound,
    status: () => ({ ...status(), intake: door.intake.facts() }),
    operating: createOperating(operations, context),
  });
}
