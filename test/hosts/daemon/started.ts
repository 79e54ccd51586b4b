/** A real daemon of one test, with a home and a workspace of its own, and the commands of the same user. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { bin } from "../../program.ts";
import { type World, world } from "../../world.ts";

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what was answered is looked at by the test
  body: any;
}
export interface RunRow {
  id: string;
  hook: string;
  status: string;
  reason: string | null;
  cause: string;
}
export interface Place extends World {
  runs(): RunRow[];
  /** Starts a daemon and waits until it says that it is up. It is killed with the test, if it still runs. */
  up(...words: string[]): Promise<Started>;
}
export interface Started {
  child: ChildProcess;
  port: number;
  token: string;
  /** What it said when it was up. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  said: any;
  call(
    path: string,
    request?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answered>;
  emit(event: string, data?: object): Promise<Answered>;
  /** Ends it as a person does, with Ctrl-C; gives its exit code. */
  stop(): Promise<number | null>;
}

/** @param t as that of a world */
export function placeFor(...given: Parameters<typeof world>): Place {
  const place = world(...given);
  const { workspace, environment, json, atEnd } = place;

  async function up(...words: string[]): Promise<Started> {
    const child = spawn(process.execPath, [bin, "up", "--port", "0", "--json", ...words], {
      cwd: workspace,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    atEnd(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    });
    let complaints = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      complaints += chunk.toString();
    });
    assert.ok(child.stdout);
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout }), "line"),
      once(child, "exit").then(() => assert.fail(`it ended: ${complaints}`)),
    ]);
    const said = JSON.parse(line);
    const { token } = JSON.parse(place.read("state/hookline/daemon.json"));
    const call = callsTo(said.port, token);
    return {
      child,
      port: said.port,
      token,
      said,
      call,
      emit: (event, data = {}) => call("/events", { body: { event, data } }),
      async stop() {
        child.kill("SIGINT");
        const [code] = await once(child, "exit");
        return code;
      },
    };
  }

  return { ...place, runs: () => json("runs", "--all"), up };
}

/** Requests of who holds the daemon's token. */
export const callsTo =
  (port: number, token: string): Started["call"] =>
  async (path, { method, body, headers = {} } = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };

/** Looks until it is so: what others do shows only afterwards. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
  const deadline = Date.now() + 600_000; // only where it never comes
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) assert.fail(`it did not come: ${what}`);
    await wait(100);
  }
}

/** A file with one automation that runs a command and asks no model. */
export const automation = (name: string, trigger: string, command: string, more = ""): string =>
  `name: ${name}\ntrigger: { ${trigger}, skip_llm: true }\ncooldown_seconds: 0\ncontext_steps:\n  - { type: shell, command: ${JSON.stringify(command)} }\n${more}`;
