/** Opens a daemon's listeners: what agents and programs send reaches its engine, its operations and its status. */
import { cleanEnvironment } from "../../actions/command/environment.ts";
import type { Fields } from "../../engine/event.ts";
import { findProject } from "../../loading/project.ts";
import { after, stateFolderOf, uptime } from "../../runtime/system.ts";
import { fill } from "../../services/variables.ts";
import { notesAtBegin } from "../compose/session-begin.ts";
import { type AgentRequests, createAgentRequests } from "./agent-requests.ts";
import { type Call, createBearer, createHttpToken } from "./call.ts";
import type { Daemon } from "./daemon.ts";
import type { DashboardOptions } from "./dashboard/dashboard.ts";
import { createEntrance } from "./dashboard/entrance.ts";
import { createHookRoute } from "./hook-route.ts";
import { createIngest } from "./ingest.ts";
import { createIntake, type Intake } from "./intake.ts";
import { createLive, type Live } from "./live.ts";
import type { RoutesOptions } from "./routes.ts";
import { listen, type Server } from "./server.ts";
import { createBegunSessions, createSessionEnvironments } from "./session-environments.ts";

interface ListenForOptions {
  port: number;
  /** The path of the unix socket, whose place is free; absent: there is none. */
  socket?: string;
  /** Its holder may send any request. */
  token: string;
  /** The file with the token of agents' own HTTP hooks; absent: they ask another daemon. */
  httpTokenFile?: string;
  /** Which build this is: clients of another one are refused. */
  version: string;
  /** Shown to clients with each answer. */
  proof: string;
  /** The folder of the package, where the dashboard and the documentation lie. */
  root: string;
}

interface Door extends Server {
  /** A link to the dashboard, for a person who works in this folder. */
  link(folder: string): string;
}

/** @throws HooklineError port_taken */
export async function listenFor(daemon: Daemon, options: ListenForOptions): Promise<Door> {
  const { environment, cwd, context } = daemon;
  const { port, socket, httpTokenFile } = options;
  const live = createLive({ store: daemon.store, after });
  const agentRequests = agentRequestsOf(daemon);
  const entrance = createEntrance(uptime);
  const link = (folder: string): string => entrance.link(server.port, folder);
  let isClosing = false;
  const admits = {
    isClosing: () => isClosing,
    token: options.token,
    version: options.version,
  };
  const holdsOwn = createBearer(options.token);
  const holdsHttp = httpTokenFile === undefined ? undefined : createHttpToken(httpTokenFile, uptime);
  const hookRoute = createHookRoute({
    ...admits,
    agentRequests,
    ...(holdsHttp ? { holdsHttpToken: holdsHttp } : {}),
    proof: options.proof,
    environment,
    cwd,
    now: context.now,
  });
  const intake = openIntake(daemon, admits);
  const server: Server = await listen({
    port,
    ...(socket === undefined ? {} : { socket }),
    listeners: [hookRoute, intake.listener],
    holdsToken: (authorization) => holdsOwn(authorization) || holdsHttp?.(authorization) === true,
    lines: intake.lines,
    routes: () =>
      routesOf(daemon, {
        ...{ ...admits, live, intake, link, root: options.root },
        dashboard: { root: options.root, port: () => server.port, entrance, live },
      }),
  });
  const stopListening = daemon.listen(live.observe);
  return {
    port: server.port,
    link,
    async close() {
      isClosing = true;
      stopListening();
      live.close();
      intake.close();
      await server.close(agentRequests.close());
    },
  };
}

function agentRequestsOf({ context, source, environment, home, store, learnSecrets }: Daemon): AgentRequests {
  const folder = stateFolderOf(home, environment);
  const { engine, now, id } = context;
  return createAgentRequests({
    emit: engine.emit,
    committed: () => store.committed(),
    source,
    sessions: createSessionEnvironments(createBegunSessions(folder)),
    environment: cleanEnvironment(environment),
    ...{ home, stateFolder: folder, now, id, learnSecrets },
    async sessionBegan({ cwd }, { agent, environment: given }) {
      const known = await source?.at(cwd);
      const place = { cwd, home, environment: given };
      const here = { agent, place, root: known?.root ?? cwd, hooks: known?.set.hooks ?? [] };
      const notes = await notesAtBegin({ ...here, stateFolder: folder, store });
      return notes.map((note) => `hookline: ${note}`); // as the command writes it on standard error, where others write too
    },
  });
}

/** All that is no agent request and no event. Most daemons are never asked for any of it, so it is loaded when they are. */
async function routesOf(
  daemon: Daemon,
  given: Pick<RoutesOptions, "isClosing" | "token" | "version" | "link" | "root"> & {
    live: Live;
    intake: Pick<OpenIntake, "facts">;
    dashboard: Pick<DashboardOptions, "root" | "port" | "entrance" | "live">;
  },
): Promise<(call: Call) => void> {
  const [{ createRoutes }, { createWebhooks }, { operations }] = await Promise.all([
    import("./routes.ts"),
    import("./webhooks.ts"),
    import("../../operations/index.ts"),
  ]);
  const { context, environment, active, settings, store, cwd, emit, status, telemetry } = daemon;
  const { now } = context;
  const webhooks = createWebhooks({
    ...{ emit, store, now, cwd },
    workspaceOf: active.workspaceOf,
    webhook(name) {
      const { webhooks: known } = settings();
      return Object.hasOwn(known, name) ? known[name] : undefined;
    },
    fill: (written) => fill(written, environment),
  });
  return createRoutes({
    ...given,
    webhooks,
    status: () => ({ ...status(), intake: given.intake.facts() }),
    missing: daemon.missing,
    measures: telemetry.read,
    scrapeToken: telemetry.scrapeToken,
    operations,
    context,
    async dashboard(bodyOf) {
      const [{ createDashboard }, { dashboardOperations }] = await Promise.all([
        import("./dashboard/dashboard.ts"),
        import("./dashboard/operations.ts"),
      ]);
      const projectAt = (folder: string): string => findProject(folder, daemon.home).root;
      const shown = dashboardOperations(daemon, operations);
      return createDashboard({ ...given.dashboard, operations: shown, context, bodyOf, projectAt });
    },
  });
}

interface OpenIntake extends Pick<Intake, "listener" | "lines" | "close"> {
  /** What it holds just now. */
  facts(): Fields;
}

function openIntake(daemon: Daemon, admits: { token: string; isClosing(): boolean }): OpenIntake {
  const { environment, stopping, store, cwd, context, telemetry } = daemon;
  const { engine, now, id } = context;
  let ran = ""; // the event that the last run was of
  const stopListening = daemon.listen((seen) => {
    if (seen.is === "run") ran = seen.run.eventId;
  });
  const ingest = createIngest({
    ...{ engine, store, cwd, now, id },
    caller: { environment, signal: stopping },
    hasJustRun: (eventId) => ran === eventId,
  });
  const { listener, lines, held, close } = createIntake({ ...admits, ingest });
  telemetry.measures.gauge(
    { name: "hookline.intake.events", help: "Events that programs have sent and that are not answered yet." },
    [],
    () => [{ labels: [], value: held().events }],
  );
  return {
    listener,
    lines,
    facts: () => ({ ...held() }),
    close() {
      stopListening();
      close();
    },
  };
}
