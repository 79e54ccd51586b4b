/** status: the store, the daemon, the active hooks, and the agents that call Hookline. */
import { isAbsolute, join } from "node:path";
import { minuteOf, pausedNames, switchedOff } from "../engine/admit.ts";
import type { Fields } from "../engine/event.ts";
import { type Hook, isBuiltIn } from "../engine/hook.ts";
import { object } from "../engine/schema.ts";
import { counted } from "../engine/words.ts";
import type { LoadedFile } from "../loading/load.ts";
import { coverageHere, coverageWords, isWhole, shortSession } from "./coverage/coverage.ts";
import type { SessionCoverage } from "./coverage/sessions.ts";
import { daemonLabels } from "./daemon-labels.ts";
import {
  countHooks,
  countWords,
  type HookCounts,
  hooksHere,
  untrustedWords,
  waitingForTrust,
  waitingWords,
} from "./hooks/hook-counts.ts";
import { seeDoctor, unserved, unservedWords } from "./hooks/unserved.ts";
import { type GitHookHere, type Machine, missingDoorWords, type Registered } from "./machine.ts";
import { type Asked, folderOf, type Operation } from "./operation.ts";
import { isOfProject, projectFolders } from "./project-folders.ts";
import { type Denials, denialsIn, denialWords } from "./runs/receipt-words.ts";
import { ago, type Label, pathFrom, type Reader, type Shown, type ShownLine } from "./shown.ts";

const largestLimit = 1000;
const week = 7 * 86_400_000;
/** Milliseconds; what agents have written more than can be read in them is read by the next questions. */
const looksFor = 500;

/** What a host does not know of its machine is left out. */
interface Facts extends Partial<Omit<Machine, "store">> {
  store: Partial<Machine["store"]> & { lastEvent: string | null; running: number };
  daemon: Fields | null;
  notServed: string | null;
  root: string;
  hooks: number;
  counts: HookCounts;
  untrusted: number;
  asking: string | null;
  set: string;
  /** Of the last 7 days, in this project. */
  denials: Denials;
  paused: readonly string[];
  switchedOff: readonly { hook: string; until: string }[];
  files: readonly Pick<LoadedFile, "path" | "layer" | "hooks">[];
  /** Of the last session of an agent here; null: none is known. */
  coverage: SessionCoverage | null;
  /** When each agent's registrations last reported a call or a prompt of this project: `AGENT LAYER`. */
  lastReports: Readonly<Record<string, string>>;
}
interface Found {
  facts: Facts;
  hooks: readonly Hook[];
}

export const status: Operation<object, Found> = {
  summary: "show the store, the daemon, the active hooks and the agents",
  params: object({}, {}),
  readOnly: true,
  example: "hookline status",
  run: (_params, asked) => find(asked),
  rows: ({ facts }) => facts,
  show: shown,
};

async function find(asked: Asked): Promise<Found> {
  const { store, home } = asked;
  const folder = folderOf(asked);
  const [{ set, problems = [], files = [], untrusted = [], root = folder }, daemon] = await Promise.all([
    asked.active(folder),
    asked.daemon?.(),
  ]);
  const folders = projectFolders({ cwd: folder, home });
  const hooks = set.hooks.filter((hook) => isOfProject(hook, folders));
  const port = typeof daemon?.port === "number" ? daemon.port : undefined;
  const own = hooks.filter((hook) => !isBuiltIn(hook));
  const now = asked.now();
  const [machine, [last], running, paused, receipts] = await Promise.all([
    asked.machine?.({ folder, root, problems, hooks: own, port }),
    store.events(1),
    store.runs({ status: "running", limit: largestLimit }),
    store.paused(),
    store.receipts({ since: now - week, folders }),
  ]);
  const [session] = await coverageHere(asked, { within: looksFor, most: 1 });
  const reports = await store.lastReports(folders);
  const counts = countHooks(hooks, { paused, now, root });
  const { store: file, ...rest }: Partial<Machine> = machine ?? {};
  const facts = {
    store: {
      ...file,
      lastEvent: last ? new Date(last.event.at).toISOString() : null,
      running: running.length - (file?.interrupted ?? 0),
    },
    daemon: daemon ?? null,
    notServed: (daemon && unservedWords(unserved(hooks, daemon))) ?? null,
    root,
    hooks: hooksHere(counts),
    counts,
    untrusted: untrusted.length,
    asking: untrustedWords({ set, untrusted }) ?? null,
    set: set.id,
    denials: denialsIn(receipts),
    paused: pausedNames(paused),
    switchedOff: set.hooks.flatMap(({ id }) => {
      const until = paused.get(switchedOff(id, root));
      return until !== undefined && until > now ? [{ hook: id, until: new Date(until).toISOString() }] : [];
    }),
    files: files.map(({ path, layer, hooks }) => ({ path, layer, hooks })),
    coverage: session ?? null,
    lastReports: Object.fromEntries([...reports].map(([by, at]) => [by, new Date(at).toISOString()])),
    ...rest,
  };
  return { facts, hooks };
}

function shown({ facts, hooks }: Found, reader: Reader<object>): Shown[] {
  const { path, at } = reader;
  const { git, errors = 0, missing = [], inside = [] } = facts;
  const waiting = waitingForTrust(hooks);
  const broken =
    errors > 0 ? [{ text: `, ${counted(errors, "error")}: run \`hookline check\``, tone: "red" } as const] : [];
  const labels: Label[] = [
    ...storeLabels(facts, reader),
    ...daemonLabels(facts.daemon ?? undefined, facts.queue, path),
    ["project", pathFrom(facts.root, join(facts.root, "below"), at.home)],
    ["hooks", { line: [countWords(facts.counts), ...broken] }],
    ...facts.files.map((file): Label => ["", `${path(file.path)}: ${file.hooks} (${file.layer})`]),
    ["clocks", facts.notServed === null ? undefined : { text: seeDoctor(facts.notServed), tone: "red" }],
    ["trust", facts.asking === null ? undefined : { text: facts.asking, tone: "yellow" }],
    ...facts.switchedOff.map(
      ({ hook, until }): Label => [
        "off",
        `${hook} until ${minuteOf(Date.parse(until))}: \`hookline guard on ${hook}\` ends that`,
      ],
    ),
    ...facts.paused.map((one): Label => ["paused", pausedWords(one, hooks, path)]),
    ["receipts", denialWords(facts.denials)],
    ...agentLabels(facts, reader),
    ...inside.map(
      ({ agent, says, path: file }): Label => ["", { text: `${agent}: ${says} (${path(file)})`, tone: "yellow" }],
    ),
    ["session", coverageLabel(facts.coverage)],
    ...missing.map((door): Label => ["", { text: missingDoorWords(door, at), tone: "red" }]),
    ["git", git ? gitWords(git, path) : undefined],
    ["", git?.hook && waiting > 0 ? { text: waitingWords(waiting), tone: "yellow" } : undefined],
  ];
  return [{ labels, onOneLine: true }];
}

type PathOf = Reader["path"];

function storeLabels({ store }: Facts, { path, at }: Reader<object>): Label[] {
  const last = ago(store.lastEvent === null ? undefined : Date.parse(store.lastEvent), at.now());
  const parts = [
    ...(store.path === undefined ? [] : [path(store.path), `${Math.ceil((store.bytes ?? 0) / 1024)} kB`]),
    `last event ${last}`,
    ...(store.running > 0 ? [`${store.running} running`] : []),
  ];
  const { interrupted = 0 } = store;
  return [
    ["store", parts.join(", ")],
    ["", interrupted > 0 ? `${counted(interrupted, "run")} of a crashed process, interrupted` : undefined],
  ];
}

/** The store knows pauses of other projects too. */
function pausedWords(what: string, hooks: readonly Hook[], path: PathOf): string {
  const hook = hooks.find(({ id }) => id === what);
  if (hook) return `${hook.name}: to resume, run \`hookline resume ${what}\``;
  return isAbsolute(what) ? `${path(what)} but for its guards: to resume, run \`hookline resume\`` : what;
}

function coverageLabel(coverage: SessionCoverage | null): Label[1] {
  if (!coverage) return undefined;
  const words = coverageWords(coverage, "the last session");
  if (isWhole(coverage)) return words;
  return {
    text: `${words}: \`hookline coverage ${shortSession(coverage)}\``,
    tone: coverage.unknown === null ? "red" : "yellow",
  };
}

function agentLabels({ agents = [], lastReports }: Facts, { path, at }: Reader<object>): Label[] {
  const [first] = agents;
  const lines = agents.flatMap((one): (string | ShownLine)[] => {
    const { agent, layer, file } = one;
    const last = lastReports[`${agent} ${layer}`];
    const heard = last === undefined ? "no call of this project yet" : `last ${ago(Date.parse(last), at.now())}`;
    if (one.registered) return [`${agent} calls Hookline (${layer}: ${path(file)}), ${heard}${versionWords(one)}`];
    const text = `${agent} cannot read ${path(file)}: run \`hookline doctor\``;
    return one.unreadable ? [{ line: [{ text, tone: "red" }] }] : [];
  });
  if (lines.length === 0 && first) lines.push(`no agent calls Hookline yet: run \`hookline install ${first.agent}\``);
  return lines.map((line, index) => [index === 0 ? "agents" : "", line]);
}

const versionWords = ({ version, was }: Registered): string =>
  version === undefined || was === undefined || version === was
    ? ""
    : `; it is ${version}, was ${was} at install: run \`hookline doctor --fire\``;

const gitWords = ({ hooks, hook, wasInstalled }: GitHookHere, path: PathOf): string =>
  hook === null
    ? wasInstalled
      ? "runs Hookline no more before commits, another tool has replaced or removed its hook: run `hookline git install`"
      : "does not run Hookline before commits yet: run `hookline git install`"
    : `runs Hookline before each commit (${path(join(hooks, hook))})`;
