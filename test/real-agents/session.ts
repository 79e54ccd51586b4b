/** One real agent in a folder of its own: its home, its git repository, a scripted model, and hooks registered through Hookline. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, watch } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { packageForTests } from "../../scripts/package-for-tests.ts";
import type { Fields } from "../../src/engine/event.ts";
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "../../testing/scripted-model.ts";
import { type Place, rows, type Tools, toolsOf } from "./agents.ts";
import { type AgentName, findAgent, modulesFolder, pinnedVersions } from "./installed.ts";

export type Hooks = { [event: string]: { matcher?: string; hooks: Fields[] }[] };
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
export interface RunOptions {
  prompt?: string;
  flags?: readonly string[];
  /** Instead of the flags that let it use its tools without a person. */
  allow?: readonly string[];
  /** Goes on with the last session. */
  continued?: boolean;
}
export interface AgentSession {
  name: AgentName;
  home: string;
  repository: string;
  model: ScriptedModel;
  /** Runs the agent headless until it ends. */
  run(options?: RunOptions): Promise<Ended>;
  /** Runs `hookline` in the repository with the agent's home. */
  hookline(...words: string[]): Promise<Ended>;
  /** Puts hooks before the agent, through Hookline. */
  register(hooks: Hooks): Promise<void>;
  /** Puts rules before the agent, given as YAML; settings go into the project's hookline.yaml. */
  rule(rules: string, settings?: string): Promise<void>;
  /** Paths are relative to the repository. */
  has(path: string): boolean;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** Waits until a file exists. */
  appears(path: string): Promise<void>;
  /** Of a file in its home, by the path from there. */
  writeAtHome(path: string, text: string): Promise<void>;
  readAtHome(path: string): Promise<string>;
  /** Takes Hookline away: only for a session with a package of its own. */
  loseHookline(): Promise<void>;
  /** The conversation as one request of it held it, as text; "" if it was never sent. */
  heard(turn: number): string;
}

/** The command of this checkout. */
export const bin: string = join(import.meta.dirname, "../../bin/hookline.js");

/** How hooks reach the agent. `plain` leaves Hookline out, to see what the agent itself does with the same hooks. */
export const registration: "hookline" | "plain" = process.env.HOOKLINE_AGENT_HOOKS === "plain" ? "plain" : "hookline";

/** What the model answers, or how that follows from what the agent's own tools are called. */
export type Script = ScriptedModelOptions | ((tools: Tools) => ScriptedModelOptions);

/**
 * @param options daemon: its hooks are answered by a daemon where one is up; else each works by itself, and none is started.
 * ownPackage: it calls a copy of the package that people install, and not this checkout; installed: the package as npm puts it from its
 * tarball, beside the agent on the PATH, and nobody says for the tests what is trusted. mcp: it is told of `hookline mcp` as `tasks`
 */
export async function startAgent(
  context: TestContext,
  name: AgentName,
  script: Script,
  {
    daemon = false,
    ownPackage = false,
    mcp = false,
  }: { daemon?: boolean; ownPackage?: boolean | "installed"; mcp?: boolean } = {},
): Promise<AgentSession> {
  const found = findAgent(name);
  if ("missing" in found) throw new Error(found.missing);
  const row = rows[name];
  const folder = await mkdtemp(join(tmpdir(), `hookline-${name}-`));
  const [home, repository, temporary] = ["home", "repository", "temporary"].map((part) => join(folder, part));
  if (!home || !repository || !temporary) throw new Error("three names gave fewer than three paths");
  const model = await startScriptedModel(typeof script === "function" ? script(toolsOf(name, repository)) : script);
  context.after(async () => {
    await model.close();
    if (daemon) await hookline("down"); // also one that a hook has started
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await Promise.all([home, repository, temporary].map((path) => mkdir(path)));
  const server = { command: process.execPath, args: [bin, "mcp", "--tools", "task"] };
  const place: Place = { home, repository, temporary, model: model.url, ...(mcp && { server }) };
  const isInstalled = ownPackage === "installed";
  // nothing of the surrounding environment but PATH: a session of an agent around the tests must not leak into them
  const environment = {
    PATH: [...(isInstalled ? [dirname(found.program)] : []), dirname(process.execPath), process.env.PATH].join(":"),
    HOME: home,
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    ...row.environment(place),
    ...(daemon ? {} : { HOOKLINE_DAEMON: "off" }),
  };
  const start = (program: string, words: readonly string[]) =>
    run(program, words, repository, environment, context.signal);
  await start("git", ["init", "--quiet"]);
  for (const [path, text] of Object.entries(row.files?.(place) ?? {})) await put(join(home, path), text);
  const ownFolder = join(folder, "package");
  if (isInstalled) installPackage(ownFolder);
  else if (ownPackage) await cp(packageForTests(), ownFolder, { recursive: true });
  const program = ownPackage ? join(ownFolder, "bin", isInstalled ? "hookline" : "hookline.js") : bin;
  const at = (path: string) => join(repository, path);
  const write = (path: string, text: string) => put(at(path), text);
  const hookline = (...words: string[]) => start(process.execPath, [program, ...words]);
  const mustWork = async (...words: string[]) => {
    const { code, stdout, stderr } = await hookline(...words);
    if (code !== 0) throw new Error(`hookline ${words.join(" ")} exited ${code}: ${stdout}${stderr}`);
  };
  /** As a person who has looked at the repository's hooks as they are now. */
  const trust = async () => {
    const { stdout } = await hookline("trust", "list", "--json");
    for (const { path, hash } of JSON.parse(stdout)) await mustWork("trust", path, "--hash", hash);
  };
  return {
    name,
    home,
    repository,
    model,
    write,
    hookline,
    async run({ prompt = "Begin.", flags = [], allow = row.allow, continued = false } = {}) {
      if (existsSync(program) && !isInstalled) await trust();
      await seed(name, place);
      return start(found.program, [...found.before, ...row.words(prompt, { continued, flags: [...allow, ...flags] })]);
    },
    async register(hooks) {
      const text = JSON.stringify({ hooks }, null, 2);
      if (registration === "hookline") {
        await write(".hookline/hooks.json", text);
        await mustWork("install", name);
      } else if (row.plainHooks) await write(row.plainHooks, text);
      else throw new Error(`${name} reads no hooks in this shape`);
    },
    async rule(rules, settings) {
      await write(".hookline/rules/test.yaml", rules);
      if (settings !== undefined) await write("hookline.yaml", settings);
      await mustWork("check");
      await mustWork("install", name);
    },
    writeAtHome: (path, text) => put(join(home, path), text),
    readAtHome: (path) => readFile(join(home, path), "utf8"),
    async loseHookline() {
      if (!ownPackage) throw new Error("this session runs the checkout");
      await rm(ownFolder, { recursive: true });
    },
    has: (path) => existsSync(at(path)),
    read: (path) => readFile(at(path), "utf8"),
    appears: (path) => appears(at(path), context.signal),
    heard: (turn) =>
      conversationIn(
        model
          .conversation()
          .filter((request) => request.turn === turn)
          .at(-1)?.body,
      ),
  };
}

/** `npm install -g` of the tarball that `npm pack` makes. */
function installPackage(prefix: string): void {
  const npm = (...words: string[]): string =>
    execFileSync("npm", words, { cwd: join(import.meta.dirname, "../.."), encoding: "utf8" });
  mkdirSync(prefix);
  const packed = npm("pack", "--json", "--pack-destination", prefix);
  const [{ filename }] = JSON.parse(packed.slice(packed.search(/^\[/m)));
  npm("install", "--global", "--prefix", prefix, join(prefix, filename), "--no-audit", "--no-fund", "--offline");
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Before each run, because `install` may have made such a folder. The agent takes the lock file's word for what is installed. */
async function seed(name: AgentName, { home, repository }: Place): Promise<void> {
  const { seeds } = rows[name];
  if (!seeds) return;
  const folders = [
    ...seeds.home.map((path) => join(home, path)),
    ...seeds.repository.map((path) => join(repository, path)),
  ];
  for (const folder of folders.filter((path) => existsSync(path))) {
    const link = join(folder, "node_modules", seeds.package);
    if (existsSync(link)) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(modulesFolder, seeds.package), link);
    const dependencies = { [seeds.package]: pinnedVersions()[seeds.package] ?? "" };
    await writeFile(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": { dependencies } } }));
  }
}

/** Its own group of processes, so that a test that is given up leaves none behind: some agents start themselves a second time. */
function run(
  program: string,
  words: readonly string[],
  cwd: string,
  env: { [name: string]: string },
  signal: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const giveUp = () => {
      if (child.pid !== undefined) endGroup(child.pid);
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    const ended: Ended = { code: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      ended.stdout += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      ended.stderr += piece;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      signal.removeEventListener("abort", giveUp);
      resolve({ ...ended, code });
    });
  });
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // it has ended by itself
  }
}

function appears(path: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(path), { signal }, look).on("error", reject);
    signal.addEventListener("abort", () => reject(new Error(`${path} never appeared`)), { once: true });
    look();
  });
}

/** Without the tools, and in most wire forms without the system's words. */
function conversationIn(body: unknown): string {
  if (typeof body !== "object" || body === null) return "";
  for (const field of ["messages", "input", "contents"]) if (field in body) return JSON.stringify(Object(body)[field]);
  return "";
}
