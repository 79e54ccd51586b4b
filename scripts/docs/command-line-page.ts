/** docs/command-line.md: the table of commands as a person reads it. */

import { readFileSync } from "node:fs";
import { commands, internalCommands } from "../../src/hosts/cli/commands.ts";
import { actionsOf, commandOf, type Param, paramsOf } from "../../src/hosts/cli/operations/actions.ts";
import { sourceFiles } from "../imports.ts";

/** What each flag does: the only thing about flags that the table of commands does not know. */
const flags: Readonly<Record<string, string>> = {
  "demo --once": "exits when the replay is over (it does so anyway until there is a dashboard)",
  "emit --data": "the payload: JSON, `@FILE`, or `-` for standard input; `{}` if left out",
  "emit --session": "the session that the event belongs to; limits such as `once` count in it",
  "explain --data": "as for `emit`",
  "explain --session": "as for `emit`",
  "run --data": "as for `emit`; the event is the first that the hook listens to",
  "run --session": "the session that it runs in; what that waits for is paid when it passes",
  "run --all": "for hooks that look at changed files: as if every file of the repository had changed",
  "list --event": "only hooks that listen to this event",
  "list --slow":
    "slowest first, by the 95th percentile of each hook's runs of the last 30 days (500 at most), beside its budget",
  "register --validate":
    "also looks at every mistake, with file and line on standard error, and exits 1 if one is an error",
  "runs --hook": "only runs of the hook with this id",
  "runs --session": "only runs of this session",
  "runs --event": "only runs of this event",
  "runs --status": "queued, running, completed, skipped, failed, timeout, cancelled or interrupted",
  "runs --limit": "how many; 30 unless said",
  "follow-ups --all": "those that are done too",
  "follow-ups --yes": "runs a command without a question; needed where nobody can be asked",
  "install --layer": "`user` (unless said), `project` or `local`: which of the agent's settings files",
  "install --http":
    "the agent tells the [daemon](daemon.md#clients) itself, of all events that can be answered so; not for `project`, as a token stands in the file",
  "install --take-over": "moves hooks that the agent runs itself into Hookline's file; uninstall moves them back",
  "install --dry-run": "shows the file as it would be and writes nothing",
  "uninstall --layer": "as for `install`",
  "uninstall --dry-run": "shows the file as it would be and writes nothing",
  "git --dry-run": "says what would be done and writes nothing",
  "git --by": "the file that git started, which calls `git run`",
  "git --renew": "that file has seen that hooks may have changed, and is written anew",
  "up --port":
    "where it listens, on this machine alone; 0 for any that is free. Unless said: where agents' own HTTP hooks look for it, else 4665, and any that is free where that is taken",
  "up --workspace":
    "a folder whose automation files are in force; may be given more than once; the current folder unless said",
  "up --once": "does what is due and queued now, waits for it and exits: for a clock of your own, or a test",
  "up --background": "starts it apart from this terminal, and answers once it is up or why it is not",
  "up --idle-exit":
    "ends when it has been told of nothing for so many minutes, unless a clock, a watch or a run needs it; it stays unless said",
  "up --service":
    "starts nothing: prints what `systemd` (as a user unit) or `launchd` takes to run it with these words from login on",
  "up --on-demand":
    "as clients start it: silent where one is there, replaced by any that a person starts, ends after an hour without a telling",
  "mcp --read-only": "only the tools that change nothing",
  "mcp --tools": "only these, with commas between: names of operations, or groups such as `task`; `task_*` is the same",
  "purge --before": "a date such as 2026-01-01; everything older is forgotten",
  "hook --event": "the event, for payloads that do not name it themselves",
  "hook --by": "which registration calls, so that one event told twice is known as one",
};

/** What a person should know beyond usage and flags. */
const remarks: Readonly<Record<string, string>> = {
  demo: "Copies a sample workspace to a temporary folder and replays a recorded session of a real agent through it. It says where the folder is and how to ask about what happened; nothing of yours is touched.",
  emit: 'Exits 1 when the verdict is deny or the conversation is to stop, 3 where the event could not be written down. JSON: `{"event": …, "outcome": {…}, "runs": [{"id", "hook", "status", "reason", "ms", "notes"?}]}`. Background hooks are waited for.',
  explain: 'JSON: a list of `{"hook", "name", "file", "line", "would": "run" | "skip", "because"}`.',
  run: "HOOK is an id, a name, the name of a file such as `go-fmt.sh`, or a path. Limits, `enabled` and pauses do not count; trust and the hook's condition do: a script whose files have not changed says so, and exits 0. Nothing reaches an agent: the answer is printed, as `emit` prints it. Exits 1 when the hook failed, denied or was refused. JSON: as for `emit`, with `because` where it did not run, and `owed` where a session is named.",
  rerun:
    "With the event as it was recorded, its turn and changed files included, and the hook as it is today: a new run. Exits 1 when the hook failed or denied; one that passes is no longer owed. Where the store does not hold the whole event it says so.",
  pause:
    'Without HOOK the whole project, but for its guards: those are paused by name. Runs that a pause prevents are recorded as skipped, and what scripts owe stays owed. JSON: `{"hook" | "project", "paused", "changed"}`.',
  resume:
    "Says which hooks sessions wait for: they run at the end of the next turn. JSON: as for `pause`, with `owed` and `still`.",
  list: "Where no hook is in force it lists the places that it looked at.",
  check:
    "Each finding is `file:line:column severity code message (suggestion)`; exits 1 if one is an error. What each code means: [errors/findings.md](errors/findings.md).",
  register:
    'Always JSON: `{EVENT: [{"id", "handler": {"kind", "command" | "name"}, "match"?, "blocking"?, "timeout"?, "summary"?}]}`, with the events as they are written; `{}` without hooks. Those that are disabled, or for another environment, are left out; a guard whose file is broken stands in its last good form: [repository-hooks.md](repository-hooks.md).',
  schema:
    "JSON Schema 2020-12, with the conditions and actions that this project registers. In a rules file, `# yaml-language-server: $schema=../rules.schema.json` as the first line makes editors use it.",
  runs: '`show` tells all of one run, its output included; `tail` follows until Ctrl-C. JSON: a list of `{"id", "hook", "event", "eventId", "session", "status", "reason", "cause", "startedAt", "ms"}`. Events that no hook matched have no run: `why` speaks of those.',
  "follow-ups":
    'What hooks have asked for afterwards: nothing of it happens by itself. `list` looks through the newest 1,000 runs, and says so where there are as many; `run` takes `RUN.N`, or `RUN` where that has but one, and does each once: a file opens in `$VISUAL` or `$EDITOR` on a terminal and is named elsewhere, a command is shown first and runs in the repository\'s root. Exits 1 when the command failed, or nothing was done. JSON: a list of `{"id", "run", "number", "kind", "payload", "hook", "hookName", "event", "session", "at", "done"}`; of `run` `{"id", "kind", "done", …}`. More: [repository-hooks.md](repository-hooks.md#follow-ups).',
  why: "Takes the id of a run or of an event. Hooks that did not match are spoken of too: [store.md](store.md) says how that is known.",
  install:
    "Agents: `claude-code`. It can be run twice, and it notes what it did, so that uninstall is exact: [claude-code.md](claude-code.md).",
  uninstall: "Back to the same bytes, unless somebody else edited the file since; then only Hookline's entries go.",
  up: "In the foreground until Ctrl-C or `hookline down`, or with `--background`; one for each store. JSON: one line when it is up, with `pid`, `port`, `workspaces`, `automations`, `due`, `watches` and `queue`. All of it: [daemon.md](daemon.md).",
  down: 'Waits until it has ended, within ten seconds: runs of automations go on at the next start. Without a daemon it says so, and exits 0. JSON: `{"stopped": PID | null}`.',
  status:
    "Also closes runs that a crash left open. Of a daemon it tells its version, age and memory, who has spoken to it and when, how long decisions took, what is watched, when what is due, what waits and which automations are broken. Agents whose HTTP hooks go to another port are named, with what to do.",
  git: "`install` and `uninstall` for a person; `git run pre-commit` is what git's hook calls, and its exit code is that of the first script that fails. All of it: [git.md](git.md).",
  automation:
    "Automations of the store; ID is the automation's own, or `PROJECT/ID`. `fire` waits for the run that it started, unless a daemon has it, and exits 1 where that fails. What the fields mean: [automations.md](automations.md).",
  project: "A folder without a project gets one with the first thing that is kept for it: [projects.md](projects.md).",
  task: "In the project of this folder, unless `--project` names another. Each change is told as an event such as `task.completed`: [projects.md](projects.md).",
  note: "Each change is told as an event such as `note.updated`; a copy of each note is a readable file: [projects.md](projects.md).",
  memory: "Found by words, and by meaning where `memory.embeddings` names a model: [projects.md](projects.md).",
  mcp: "Not for people: an agent starts it, and asks in this folder's project until it closes standard input. How agents are told of it, and what their models may do: [mcp.md](mcp.md).",
  purge: "What is older than the retention goes without it: [store.md](store.md).",
  hook: "Not for people: the agent's settings name it. It exits 0 or 2 only, as agents read other codes in their own ways.",
};

const shown = Object.entries(commands).filter(([name]) => !internalCommands.has(name));

export const commandLinePage = (): string => `# The command line

\`hookline\` is the package's command: \`npx hookline\`, or \`node CLONE/bin/hookline.js\` from any folder. Everything prints for
people, and exact JSON with \`--json\`. Errors go to standard error as \`hookline: what — where — what to do\`; what each
means is in [errors/](errors/README.md).

| code | means |
|---|---|
| 0 | done |
| 1 | the answer is no: a deny, or an error in a hook file |
| 2 | wrong use, or a block in an agent's own contract |
| 3 | the environment: no store, a file that cannot be read or written |

Everywhere: \`--cwd DIR\` (instead of this folder), \`--json\`, \`--store FILE\`, \`--help\`. \`--quiet\` prints
nothing but errors; \`--verbose\` makes \`emit\` also print notes and what the programs said. They may stand before the command too.

Commands with actions, such as \`task create\`, take the same as the tools of [mcp.md](mcp.md). Objects and lists are JSON; a flag
for a list of texts may also be given several times. \`@FILE\` as a flag's value is what the file holds (a regular one), \`-\` what standard input
holds, and \`@@\` begins a text with an @. \`null\` takes back what may be left out. They exit 1 where they are refused.

| variable | does |
|---|---|
| \`HOOKLINE_STORE\` | the store's file, where \`--store\` does not say |
| \`HOOKLINE_DAEMON\` | \`off\`: no [daemon](daemon.md#clients) is asked, none is started, and \`install\` registers the command in Node |
| \`HOOKLINE_MODEL\` | the model that is asked where a hook and the settings name none, as \`provider/model\` |
| \`HOOKLINE_RECORD\` | what is kept: \`redacted\` (unless said), \`full\` or \`none\` |
| \`HOOKLINE_RETENTION_DAYS\` | for how many days; 30 unless said |
| \`HOOKLINE_SESSION_ID\` | the agent's session that a commit belongs to; hooks' programs are given it |
| \`HOOKLINE_DEPTH\` | set for hooks' programs: automations that they set off are written down, and not waited for |
| \`HOOKLINE_ENV\` | which environment this is, for repository hooks that are for some only; without it \`ci\` where \`CI\` is set, else \`dev\` |
| \`XDG_STATE_HOME\` | the store is \`$XDG_STATE_HOME/hookline/hookline.db\`; without it \`~/.local/state/hookline/hookline.db\` |
| \`XDG_CONFIG_HOME\` | your own hooks are \`$XDG_CONFIG_HOME/hookline/hooks.json\`; without it \`~/.config/hookline/hooks.json\` |
| \`CLAUDE_CONFIG_DIR\` | Claude Code's folder, where it is not \`~/.claude\` |
| \`NO_COLOR\` | no colours, also on a terminal |
| \`HOOKLINE_DEBUG\` | errors with their stack |

${shown.map(section).join("\n")}`;

function section([name, { summary, usage, example, flags: own }]: (typeof shown)[number]): string {
  const rows = Object.keys(own).map((flag) => `| \`--${flag}\` | ${flags[`${name} --${flag}`] ?? ""} |`);
  const table = rows.length > 0 ? `\n| flag | does |\n|---|---|\n${rows.join("\n")}\n` : "";
  const remark = remarks[name] ? `\n${remarks[name]}\n` : "";
  const sentence = `${summary[0]?.toUpperCase()}${summary.slice(1)}.`;
  return `## ${name}\n\n${sentence}\n\n\`\`\`sh\nhookline ${usage}\n${example}\n\`\`\`\n${table}${remark}${commands[name]?.choose ? actionTables(name) : ""}`;
}

/** Commands whose actions the table of operations names: each with its example, and with what it takes. */
const actionTables = (group: string): string =>
  actionsOf(group)
    .map((action) => {
      const params = paramsOf(action.operation);
      const { summary, usage, example } = commandOf(group, action, params);
      const rows = params.map((param) => `| \`${writtenAs(param)}\` | ${cell(param.description)} |`);
      const table = rows.length > 0 ? `\n| word or flag | is |\n|---|---|\n${rows.join("\n")}\n` : "";
      return `\n### ${group} ${action.name}\n\n${summary}\n\n\`\`\`sh\nhookline ${usage}\n${example}\n\`\`\`\n${table}`;
    })
    .join("");

const writtenAs = ({ isWord, isSwitch, title, flag }: Param): string =>
  isWord ? title : isSwitch ? `--${flag}, --no-${flag}` : `--${flag}`;
const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The variables that the command reads, but for the one that its own bin sets. */
const variables = (): string[] => {
  const text = sourceFiles()
    .filter((file) => file.startsWith("src/hosts/cli/"))
    .map((file) => readFileSync(file, "utf8"))
    .join("");
  return [...new Set(text.match(/\bHOOKLINE_[A-Z_]+/g))].filter((name) => name !== "HOOKLINE_BIN");
};

/** Flags and commands that nobody has described here, and descriptions of what is gone. */
export function commandComplaints(): string[] {
  const real = shown.flatMap(([name, { flags: own }]) => Object.keys(own).map((flag) => `${name} --${flag}`));
  const place = "scripts/docs/command-line-page.ts";
  const page = commandLinePage();
  return [
    ...variables()
      .filter((name) => !page.includes(`\`${name}\``))
      .map((name) => `${place}: nothing is said about ${name}`),
    ...real.filter((one) => !flags[one]).map((one) => `${place}: nothing describes ${one}`),
    ...Object.keys(flags)
      .filter((one) => !real.includes(one))
      .map((one) => `${place}: there is no ${one} any more`),
    ...shown.filter(([name]) => !remarks[name]).map(([name]) => `${place}: nothing is said about the command ${name}`),
  ];
}
