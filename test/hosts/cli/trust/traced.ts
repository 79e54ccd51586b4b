/**
 * Hookline under strace in a stranger's repository: what it starts, connects to and opens, judged line by line against the short
 * list of what it may. Whatever is not on the list is a leak, also where it failed.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { CommandAnswer, CommandRequest } from "../../../standing-command.ts";
import { type HostileRepository, writeRepository } from "./hostile-repositories.ts";

/** Why a trace cannot be taken on this machine. */
export function whyNoTrace(): string | undefined {
  const { error, status } = spawnSync("strace", ["-f", "-e", "trace=execve", "-o", "/dev/null", "/bin/true"]);
  if (error) return "there is no strace";
  return status === 0 ? undefined : "strace may not trace here";
}

export interface Calls {
  execve: number;
  connect: number;
  openat: number;
  /** Of the execve: git, with the words that keep it from running anything. */
  git: number;
}
export interface Toll {
  calls: Calls;
  commands: number;
  events: number;
  /** Each with what was asked when it happened. */
  leaks: string[];
}

interface Place {
  folder: string;
  repository: string;
  environment: Record<string, string>;
  /** The bin of the package. */
  bin: string;
}

export interface Visit {
  bin: string;
  /** Words of commands that are run in the repository. */
  commands: readonly (readonly string[])[];
  /** Payloads of agents by their file's name: a daemon is started where it gets some, the others get a process of their own. */
  payloads: { toDaemon: readonly string[]; toCommand: readonly string[] };
  codeCache: string;
}

/** @param folder empty; home, state and repository are put there */
export async function visit(repository: HostileRepository, folder: string, given: Visit): Promise<Toll> {
  const place = placeIn(folder, given);
  writeRepository(place.repository, repository);
  const known = new Set([...Object.keys(repository.files), ...boundByHooks, ...ofTests]);
  const toll: Toll = { calls: { execve: 0, connect: 0, openat: 0, git: 0 }, commands: 0, events: 0, leaks: [] };
  const judgeAll = (trace: string, what: string): void => {
    const found = judge(readFileSync(trace, "utf8"), { ...place, known, port: daemon?.port });
    for (const key of Object.keys(toll.calls) as (keyof Calls)[]) toll.calls[key] += found.calls[key];
    toll.leaks.push(...found.leaks.map((leak) => `${repository.name}: ${what}: ${leak}`));
  };
  const daemon = given.payloads.toDaemon.length > 0 ? await startDaemon(place) : undefined;
  try {
    for (const name of given.payloads.toDaemon) await daemon?.send(payload(name, place.repository));
    judgeAll(await runCommands(place, given.commands), "commands");
    for (const name of given.payloads.toCommand) judgeAll(await hookCommand(place, name), `hook ${name}`);
  } finally {
    if (daemon) judgeAll(await daemon.stop(), "the daemon");
  }
  for (const name of ["stranger-was-here", "stolen"])
    if (existsSync(join(place.repository, name))) toll.leaks.push(`${repository.name}: there is a file ${name}`);
  toll.commands += given.commands.length;
  toll.events += given.payloads.toDaemon.length + given.payloads.toCommand.length;
  return toll;
}

/** Read while loading, so that trust can be bound to them. */
const boundByHooks = ["stranger.sh", "stranger.mjs", "package.json", "a.ts"];
/** Read as data, and copied. */
const ofTests = ["stranger.hooktest.yaml", "own.hooktest.yaml", "stranger.hooktest.mjs", ".env"];

function placeIn(folder: string, { bin, codeCache }: Visit): Place {
  const root = realpathSync(folder);
  const home = join(root, "home");
  mkdirSync(join(root, "outside"), { recursive: true });
  mkdirSync(join(home, ".config", "hookline", "rules"), { recursive: true });
  writeFileSync(join(root, "outside", "hooks.json"), "{}");
  // The person's own hooks ask git about the stranger's repository.
  writeFileSync(join(home, ".config", "hookline", "rules", "own.yaml"), ownRules);
  writeFileSync(join(home, ".config", "hookline", "hooks.json"), ownHooks);
  const environment = {
    ...{ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, XDG_STATE_HOME: join(root, "state"), NO_COLOR: "1" },
    ...{ NODE_COMPILE_CACHE: codeCache, SECRET_TOKEN: "a secret of the person" },
  };
  return { folder: root, repository: join(root, "repository"), environment, bin };
}
const ownRules = `hooks:
  - id: own changes
    on: turn_end
    condition: { type: changed_files, patterns: ["**"] }
    action: { type: inject_message, content: "look at what changed" }
`;
const ownHooks = JSON.stringify({
  hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "true # of the person" }] }] },
});

const strace = [
  "-f",
  "--seccomp-bpf",
  "-qq",
  "-y",
  "-s",
  "2000",
  "-e",
  "trace=execve,connect,openat",
  "-e",
  "signal=none",
  "-o",
];
let traces = 0;
const traceFile = (folder: string): string => join(folder, `trace-${(traces += 1)}`);

// Commands, one after the other in a process that stays.

async function runCommands(
  { folder, bin, repository, environment }: Place,
  commands: Visit["commands"],
): Promise<string> {
  const trace = traceFile(folder);
  await performed(
    commands.map((words) => ({ bin, words, cwd: repository, environment })),
    { folder, environment, under: ["strace", ...strace, trace] },
  );
  return trace;
}

/**
 * One command after the other in a process that stays. It is asked without blocking this one, which may be a server that a command
 * speaks to. A command whose words are wrong is a mistake of the test.
 *
 * @param under words that start the process, such as those of strace
 */
export async function performed(
  requests: readonly CommandRequest[],
  {
    folder,
    environment,
    under = [],
  }: { folder: string; environment: Readonly<Record<string, string>>; under?: string[] },
): Promise<CommandAnswer[]> {
  const standing = join(import.meta.dirname, "..", "..", "..", "standing-command.ts");
  const written = ["said", "complained"].map((name) => join(folder, name));
  const [stdout, stderr] = written.map((path) => openSync(path, "a"));
  const [file = "", ...words] = [...under, process.execPath, standing, ...written];
  const stdio = ["ignore", stdout, stderr, "pipe", "pipe"] as const;
  const child = spawn(file, words, { cwd: folder, env: environment, stdio: [...stdio] });
  for (const descriptor of [stdout, stderr]) if (descriptor !== undefined) closeSync(descriptor);
  const [, , , asked, answered] = child.stdio;
  if (!asked || !("write" in asked) || !answered || !("read" in answered)) throw new Error("it has no pipes");
  const lines = createInterface({ input: answered })[Symbol.asyncIterator]();
  const answers: CommandAnswer[] = [];
  for (const request of requests) {
    asked.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    const called = `hookline ${request.words.join(" ")}`;
    if (done) throw new Error(`the process of the commands ended in: ${called}`);
    const answer: CommandAnswer = JSON.parse(value);
    if (answer.stderr.includes("— usage: ")) throw new Error(`${called}: ${answer.stderr}`);
    answers.push(answer);
  }
  asked.end();
  if (child.exitCode === null) await once(child, "exit");
  return answers;
}

// What agents send.

const fixtures = join(import.meta.dirname, "..", "..", "..", "fixtures", "agents", "claude-code");
export const payloadNames: readonly string[] = readdirSync(fixtures).filter((name) => !name.startsWith("http-request"));

export const payload = (name: string, repository: string): string =>
  readFileSync(join(fixtures, name), "utf8").replaceAll("/workspace/repo", repository);

async function hookCommand({ folder, bin, repository, environment }: Place, name: string): Promise<string> {
  const trace = traceFile(folder);
  const child = spawn("strace", [...strace, trace, process.execPath, bin, "hook", "claude-code"], {
    cwd: repository,
    env: { ...environment, HOOKLINE_DAEMON: "off", CLAUDE_PROJECT_DIR: repository },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end(payload(name, repository));
  await once(child, "exit");
  return trace;
}

interface TracedDaemon {
  port: number;
  send(body: string): Promise<void>;
  /** Its trace. */
  stop(): Promise<string>;
}

async function startDaemon({ folder, bin, repository, environment }: Place): Promise<TracedDaemon> {
  const trace = traceFile(folder);
  const words = ["up", "--port", "0", "--json", "--workspace", repository];
  const child: ChildProcess = spawn("strace", [...strace, trace, process.execPath, bin, ...words], {
    cwd: repository,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (!child.stdout) throw new Error("it has no output");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { port } = JSON.parse(line);
  const state = join(environment.XDG_STATE_HOME ?? "", "hookline", "daemon.json");
  const { token } = JSON.parse(readFileSync(state, "utf8"));
  return {
    port,
    async send(body) {
      const { hook_event_name } = JSON.parse(body);
      await fetch(`http://127.0.0.1:${port}/hook/claude-code?event=${hook_event_name}&by=user`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      }).then((response) => response.arrayBuffer());
    },
    async stop() {
      spawnSync(process.execPath, [bin, "down"], { cwd: folder, env: environment });
      if (child.exitCode === null) await once(child, "exit");
      return trace;
    },
  };
}

// The judgement.

interface Judging extends Place {
  /** Of our own daemon, where there is one. */
  port: number | undefined;
  /** Files of the repository that loading may read. */
  known: ReadonlySet<string>;
}

function judge(trace: string, place: Judging): Pick<Toll, "calls" | "leaks"> {
  const calls: Calls = { execve: 0, connect: 0, openat: 0, git: 0 };
  const leaks: string[] = [];
  const gits = new Set<string>();
  for (const line of trace.split("\n")) {
    const [, pid = "", name = "", rest = ""] = /^(\d+) +(execve|connect|openat)\((.*)$/s.exec(line) ?? [];
    if (!(name in calls)) continue;
    calls[name as keyof Calls] += 1;
    if (name === "execve" && isSafeGit(rest)) {
      calls.git += 1;
      gits.add(pid);
    }
    if (name === "openat" && gits.has(pid)) continue; // it compares the content of files that it knows
    const allowed = allowances[name as keyof typeof allowances];
    if (!allowed(rest, place)) leaks.push(`${name}(${rest.slice(0, 400)}`);
  }
  return { calls, leaks };
}

/** The person's own hook, and what `install` asks bash that it is going to register. */
const ownShells = ["true # of the person", "hides() { local +x HOOKLINE_TRIES", '"[[ $HOOKLINE_TRIES == yes ]]"'];
/** Where that bash tries whether it can connect at all. */
const triedPort = 'sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")';
/** Enough for the few words with which `git install` asks where hooks lie; all others carry more. */
const gitFlags = ["core.fsmonitor=false", "core.pager=cat", "diff.external="];
const moreGitFlags = ["core.hooksPath=/dev/null", "safe.bareRepository=explicit"];
const harmless = /"(?:rev-parse|config|worktree|ls-files|diff|symbolic-ref|for-each-ref)"/;

const isSafeGit = (rest: string): boolean =>
  /^"\/[^"]*\/git", /.test(rest) &&
  gitFlags.every((flag) => rest.includes(`"${flag}"`)) &&
  (harmless.test(rest) || moreGitFlags.every((flag) => rest.includes(`"${flag}"`)));

const allowances: Readonly<Record<"execve" | "connect" | "openat", (rest: string, place: Judging) => boolean>> = {
  execve(rest, { repository, bin }) {
    const [, path = ""] = /^"([^"]*)"/.exec(rest) ?? [];
    if (path.startsWith(`${repository}/`) || !path.startsWith("/")) return false;
    if (isSafeGit(rest)) return true;
    if (path.endsWith("/bash") && ownShells.some((words) => rest.includes(words))) return true;
    if (
      ["hookline-spawner", "hookline-client"].some(
        (name) => path === join(bin, "..", "..", "native", "linux-x64", name),
      )
    )
      return true;
    const own = [bin, "standing-command.ts"].some((word) => rest.includes(word));
    return own && path === process.execPath;
  },
  connect: (rest, { folder, port }) =>
    rest.includes(`sun_path="${folder}/state/`) ||
    rest.includes(`sin_port=htons(${port}), sin_addr=inet_addr("127.0.0.1")`) ||
    rest.includes(triedPort) ||
    /sa_family=AF_UNIX, sun_path="\/var\/run\/nscd/.test(rest),
  openat(rest, { repository, known }) {
    const [, opened = ""] = /= \d+<([^>]*)>$/.exec(rest) ?? []; // where it ended, after all links
    if (/^\/dev\/(?!null|urandom|random|tty|shm)/.test(opened)) return false;
    if (!opened.startsWith(`${repository}/`)) return true;
    const path = opened.slice(repository.length + 1);
    if (path.startsWith(".git/") || path === ".git") return true;
    if (/O_WRONLY|O_RDWR|O_CREAT/.test(rest)) return false;
    return /O_DIRECTORY/.test(rest) || known.has(path);
  },
};
