/** A real daemon of one test, with a home and a workspace of its own, and the commands of the same user. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { bin, codeCache, runCommand } from "../../program.ts";

export interface Said {
  status: number | null;
  stdout: string;
  stderr: string;
}
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
export interface Place {
  folder: string;
  workspace: string;
  environment: Record<string, string>;
  write(path: string, text: string): void;
  hookline(...words: string[]): Said;
  /** The same, with this on its standard input. */
  hooklineWith(input: string, ...words: string[]): Said;
  runs(): RunRow[];
  /** What is done at the end of the test, before the folder goes. */
  atEnd(work: () => unknown): void;
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

/** @param files by path: "workspace/…", "home/…" */
export function placeFor(t: Pick<TestContext, "after">, files: Readonly<Record<string, string>> = {}): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-daemon-")));
  const children: ChildProcess[] = [];
  const ends: (() => unknown)[] = [];
  t.after(async () => {
    for (const end of ends) await end();
    for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await Promise.all(
      children.map((child) => child.exitCode !== null || child.signalCode !== null || once(child, "exit")),
    );
    rmSync(folder, { recursive: true, force: true });
  });
  const workspace = join(folder, "workspace");
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    NO_COLOR: "1",
  };
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  mkdirSync(environment.HOME);
  mkdirSync(workspace);
  for (const [path, text] of Object.entries(files)) write(path, text);
  const hooklineWith: Place["hooklineWith"] = (input, ...words) =>
    runCommand(words, { cwd: workspace, environment, input });
  const hookline: Place["hookline"] = (...words) => hooklineWith("", ...words);

  async function up(...words: string[]): Promise<Started> {
    const child = spawn(process.execPath, [bin, "up", "--port", "0", "--json", ...words], {
      cwd: workspace,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
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
    const { token } = JSON.parse(readFileSync(join(environment.XDG_STATE_HOME, "hookline", "daemon.json"), "utf8"));
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

  return {
    folder,
    workspace,
    environment,
    write,
    hookline,
    hooklineWith,
    runs: () => JSON.parse(hookline("runs", "--all", "--json").stdout),
    atEnd: (work) => void ends.push(work),
    up,
  };
}

/** One for several tests of a file, which leave it as it is; called outside of them, so that it ends with the last. */
export function sharedPlace(files: Readonly<Record<string, string>> = {}): Place {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends) await end();
  });
  return placeFor({ after: (work: () => unknown) => void ends.push(work) }, files);
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
