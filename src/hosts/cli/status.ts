/** hookline status: the store, the hooks in force here, and which agents call us. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { installLayers } from "../../agents/adapter.ts";
import { agents } from "../../agents/index.ts";
import { editorOf } from "../../agents/install/registration.ts";
import type { Hook } from "../../engine/hook.ts";
import { workCounts } from "../../storage/sqlite/journal-lanes.ts";
import type { ExitCode, Invocation } from "./command.ts";
import { daemonHere, daemonRows } from "./daemon-lines.ts";
import { missingDoors, missingDoorWords } from "./daemon-port.ts";
import { type GitHookHere, gitHookHere } from "./git-hooks.ts";
import { ago, shortPath } from "./list.ts";
import { loadInForce } from "./loaded.ts";
import { openStoreToRead } from "./store.ts";
import { oneLine } from "./terminal.ts";

interface Registered {
  agent: string;
  layer: string;
  file: string;
  registered: boolean;
}

export async function status(invocation: Invocation): Promise<ExitCode> {
  const { terminal, cwd, home } = invocation;
  const store = await openStoreToRead(invocation);
  const { set, problems, files, root } = await loadInForce(invocation, store);
  const repaired = await store.repair();
  const [last] = await store.events(1);
  const running = (await store.runs({ status: "running", limit: 1000 })).length;
  const paused = [...(await store.paused())];
  const queue = workCounts(store.database);
  store.close();
  const daemon = await daemonHere(store.path);
  const registrations = registrationsOf(invocation, root);
  const missing = missingDoors(invocation, store.path, typeof daemon?.port === "number" ? daemon.port : undefined);
  const git = gitHookHere(invocation);
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const facts = {
    store: {
      path: store.path,
      bytes: statSync(store.path).size,
      lastEvent: last ? new Date(last.event.at).toISOString() : null,
      running,
      repaired,
    },
    daemon: daemon ?? null,
    queue,
    root,
    hooks: set.hooks.length,
    set: set.id,
    paused,
    files: files.map(({ path, layer, hooks }) => ({ path, layer, hooks })),
    errors,
    agents: registrations,
    missing,
    git,
  };
  if (invocation.json) {
    terminal.print(JSON.stringify(facts));
    return 0;
  }
  const row = (name: string, text: string): void => terminal.print(`${terminal.paint("dim", name.padEnd(9))}${text}`);
  row(
    "store",
    `${shortPath(store.path, cwd, home)}, ${Math.ceil(facts.store.bytes / 1024)} kB, last event ${ago(last?.event.at)}${running > 0 ? `, ${running} running` : ""}`,
  );
  if (repaired > 0) row("", `${repaired} runs of a process that is gone were closed as interrupted`);
  for (const line of daemonRows(daemon, facts.queue, terminal, (path) => shortPath(path, cwd, home)))
    terminal.print(line);
  row("project", shortPath(root, cwd, home));
  row(
    "hooks",
    `${set.hooks.length} in force${errors > 0 ? terminal.paint("red", `, ${errors} broken: hookline check`) : ""}`,
  );
  for (const file of files) row("", `${shortPath(file.path, cwd, home)}: ${file.hooks} (${file.layer})`);
  for (const one of paused)
    row(
      "paused",
      pausedWords(one, set.hooks, (path) => shortPath(path, cwd, home)),
    );
  const here = registrations.filter((one) => one.registered);
  row("agents", here.length === 0 ? `none calls Hookline yet: hookline install ${Object.keys(agents)[0]}` : "");
  for (const one of here) row("", `${one.agent} calls Hookline (${one.layer}: ${shortPath(one.file, cwd, home)})`);
  for (const door of missing) row("", terminal.paint("red", oneLine(missingDoorWords(invocation, door))));
  if (git)
    row(
      "git",
      gitWords(git, (path) => shortPath(path, cwd, home)),
    );
  return 0;
}

const gitWords = ({ hooks, hook }: GitHookHere, show: (path: string) => string): string =>
  hook === null
    ? `does not ask Hookline before commits: hookline git install`
    : `asks Hookline before each commit (${show(join(hooks, hook))})`;

/** The store knows pauses of other projects too. */
function pausedWords(what: string, hooks: readonly Hook[], show: (path: string) => string): string {
  const hook = hooks.find(({ id }) => id === what);
  if (hook) return oneLine(`${hook.name}: hookline resume ${what}`);
  return isAbsolute(what) ? `${show(what)} but for its guards: hookline resume` : oneLine(what);
}

function registrationsOf({ home, environment }: Invocation, root: string): Registered[] {
  return Object.values(agents).flatMap((agent) =>
    installLayers.map((layer) => {
      const file = agent.settings.file(layer, { home, root, environment });
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      return { agent: agent.name, layer, file, registered: editorOf(agent).isOurs(text) };
    }),
  );
}
