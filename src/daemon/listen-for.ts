/** Opens a daemon's door: what comes over HTTP reaches its line, its operations and its status. */
import { operations } from "../operations/index.ts";
import { fill } from "../tools/fill.ts";
import type { Daemon } from "./daemon.ts";
import { createInbound } from "./inbound.ts";
import { createLive } from "./live.ts";
import { createOperating } from "./operate.ts";
import { createRoutes } from "./routes.ts";
import { listen, type Server } from "./server.ts";

/** @throws HooklineError port_taken */
export async function listenFor(
  daemon: Daemon,
  { port, token, version }: { port: number; token: string; version: string },
): Promise<Server> {
  const { context, environment, inForce, settings, store, cwd } = daemon;
  const { now, id } = context;
  const live = createLive();
  let isClosing = false;
  const inbound = createInbound({
    emit: daemon.emit,
    store,
    now,
    id,
    cwd,
    workspaceOf: inForce.workspaceOf,
    webhook(name) {
      const { webhooks } = settings();
      return Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
    },
    fill: (written) => fill(written, environment),
  });
  const answer = createRoutes({
    token,
    version,
    inbound,
    live,
    status: daemon.status,
    operating: createOperating(operations, context),
    isClosing: () => isClosing,
  });
  const server = await listen(answer, port);
  const deafen = daemon.listen(live.observe);
  return {
    port: server.port,
    async close() {
      isClosing = true;
      deafen();
      live.close();
      await server.close();
    },
  };
}
