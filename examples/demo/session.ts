/**
 * The player of the demo: a recorded session, told event by event to the real line, in a sample workspace that changes as
 * the agent changed it. The recording ends at its first Stop; what hooks then ask for, the player does as an agent would.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { type Fields, type HookEvent, withoutDepth } from "../../src/engine/event.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Run } from "../../src/engine/record.ts";
import { isRecord } from "../../src/engine/schema.ts";
import type { Invocation } from "../../src/hosts/cli/command.ts";
import type { Line } from "../../src/hosts/cli/line.ts";
import type { Place } from "../../src/hosts/cli/place.ts";

/** Where the recording was made; replaced by where the sample lies now. */
const recorded = { repository: "/workspace/repo", home: "/home/dev" };

export interface Told {
  event: HookEvent;
  outcome: Outcome;
  runs: Run[];
}
/** What the agent does when a hook asks for it: by the name of the hook, one file and what is put in place of what. */
type Answers = Readonly<Record<string, { file: string; from?: string; to: string }>>;

export interface Sample {
  place: Place;
  store: string;
  /** How Hookline is started. */
  self: Invocation["self"];
  /** Without git its parts of the story are left out. */
  hasGit: boolean;
}

/** Copies the sample to where it is played, as a repository where there is git. */
export function settle(
  folder: string,
  examples: string,
  { environment, self }: Invocation,
  stage: Readonly<Record<string, string>> = {},
): Sample {
  const workspace = join(folder, "shop-api");
  const home = join(folder, "home");
  const store = join(folder, "hookline.db");
  mkdirSync(home);
  cpSync(join(examples, "workspace"), workspace, { recursive: true });
  renameSync(join(workspace, "gitignore"), join(workspace, ".gitignore")); // npm leaves files of that name out of packages
  const { HOOKLINE_SESSION_ID: _outer, ...rest } = environment;
  const own = {
    HOME: home,
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_STORE: store,
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const person = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" };
  const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" };
  const place: Place = {
    cwd: workspace,
    home,
    environment: { ...withoutDepth(rest), ...own, ...person, ...committer, ...stage },
  };
  const begin = "git init --quiet && git add --all && git commit --quiet --message start";
  return { place, store, self, hasGit: didWork("sh", ["-c", begin], place) };
}

const didWork = (program: string, words: readonly string[], { cwd, environment }: Place): boolean =>
  spawnSync(program, words, { cwd, env: environment, stdio: "ignore" }).status === 0;

/** Called with each event as soon as it was decided. */
export type Hear = (told: Told) => void;

/** The recorded payloads, one after another, through the same adapter and engine that a live agent meets. */
export async function play(line: Line, sample: Sample, examples: string, hear: Hear): Promise<void> {
  const { place } = sample;
  const text = readFileSync(join(examples, "session.jsonl"), "utf8")
    .replaceAll(recorded.repository, place.cwd)
    .replaceAll(recorded.home, place.home);
  const answers: Answers = JSON.parse(readFileSync(join(examples, "answers.json"), "utf8")); // lies beside the recording
  for (const row of text.split("\n").filter((one) => one !== "")) {
    const payload: Fields = JSON.parse(row); // one payload of the agent in each row
    if (payload.hook_event_name === "PostToolUse") takeEffect(payload);
    const last = await tell(line, payload, place, hear);
    if (payload.hook_event_name === "Stop") {
      await goOn(line, payload, { place, answers, last, hear });
      for (const one of await commit(line, sample, answers)) hear(one);
    }
  }
}

/** Writes and edits of the recording reach the sample's files. */
function takeEffect({ tool_name: tool, tool_input: input }: Fields): void {
  if (!isRecord(input) || typeof input.file_path !== "string") return;
  if (tool === "Write" && typeof input.content === "string") put(input.file_path, input.content);
  if (tool === "Edit" && typeof input.old_string === "string" && typeof input.new_string === "string")
    put(
      input.file_path,
      readFileSync(input.file_path, "utf8").replace(input.old_string, () => String(input.new_string)),
    );
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The last event of those that the payload holds. */
async function tell(line: Line, payload: unknown, place: Place, hear: Hear): Promise<Told | undefined> {
  const { now, id } = line.ports;
  const events = claudeCode.decode(payload, { at: now(), id });
  let last: Told | undefined;
  for (const event of events.flatMap((one) => [...(claudeCode.derived?.(one, id) ?? []), one])) {
    last = { event, outcome: await line.engine.emit(event, { environment: place.environment }), runs: [] };
    hear(last);
  }
  return last;
}

/** Stops that one turn may try, whatever hooks say. */
const stopsAtMost = 4;

interface GoingOn {
  place: Place;
  answers: Answers;
  last: Told | undefined;
  hear: Hear;
}

/** A Stop that was denied: the agent does what it was asked for, and stops again. */
async function goOn(line: Line, payload: Fields, { place, answers, hear, ...first }: GoingOn): Promise<void> {
  let { last } = first;
  for (let stops = 1; last?.outcome.verdict?.is === "deny" && stops < stopsAtMost; stops++) {
    const denied = await line.ports.store.runs({ eventId: last.event.id });
    answer(denied.find(({ outcome }) => outcome?.verdict?.is === "deny")?.hookName, place, answers);
    last = await tell(line, { ...payload, stop_hook_active: true }, place, hear);
  }
}

function answer(hook: string | undefined, { cwd }: Place, answers: Answers): boolean {
  const wanted = hook === undefined ? undefined : answers[hook];
  if (!wanted) return false;
  const file = join(cwd, wanted.file);
  const before = readFileSync(file, "utf8");
  put(file, wanted.from === undefined ? `${before}${wanted.to}` : before.replace(wanted.from, () => wanted.to));
  return true;
}

/** A real commit in the sample, with its git hook: refused by its pre-commit script, put right, and made. */
async function commit(line: Line, { place, hasGit, self }: Sample, answers: Answers): Promise<Told[]> {
  if (!hasGit || !didWork(self[0], [self[1], "git", "install"], place)) return [];
  const { store } = line.ports;
  const words = ["-c", "git add --all && git commit --quiet --message 'Add /health endpoint'"];
  if (didWork("sh", words, place)) return await fromGit(line);
  const [refusing] = (await store.runs({ event: "git.pre-commit" })).filter(({ status }) => status !== "completed");
  if (answer(refusing?.hookName, place, answers)) didWork("sh", words, place);
  return await fromGit(line);
}

/** What git's own process has told the line, oldest first. */
async function fromGit({ ports: { store } }: Line): Promise<Told[]> {
  const stored = (await store.events(10)).filter(({ event }) => event.name === "git.pre-commit").reverse();
  const told: Told[] = [];
  for (const { event, outcome = {} } of stored)
    told.push({ event, outcome, runs: await store.runs({ eventId: event.id }) });
  return told;
}
