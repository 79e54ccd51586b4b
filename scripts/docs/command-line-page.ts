/** docs/command-line.md: the table of commands as a person reads it. */

import { readFileSync } from "node:fs";
import { type Command, globalFlags } from "../../src/hosts/cli/command.ts";
import { groups, headings, internalCommands } from "../../src/hosts/cli/commands.ts";
import { actionsOf, everyCommand, firstNames } from "../../src/hosts/cli/find.ts";
import { sentence } from "../../src/operations/serve.ts";
import { sourceFiles } from "../imports.ts";

/** What a person should know beyond usage and flags. */
const remarks: Readonly<Record<string, string>> = {
  demo: "Copies a sample workspace to a temporary folder and replays a recorded session of a real agent through it. It prints where the folder is and which commands to try there. It changes nothing of yours.",
  emit: 'Exits 1 when the verdict is deny or a hook stops the agent, 3 when the event could not be stored. JSON: `{"event": …, "outcome": {…}, "runs": [{"id", "hook", "status", "reason", "ms", "notes"?}]}`. The command waits for background hooks. The route and the tool of `mcp` do not; a hook\'s own tool sends application events only, whose names hold a dot.',
  explain:
    'JSON: a list of `{"hook", "name", "file", "line", "would": "run" | "skip", "because", "changed"?, "of"?}`; `of` is the file and the shell line, written or named by the call, on whose account the hook would run; `changed` names the hook\'s files that were written since its last run.',
  run: "HOOK is an id, a name, the name of a file such as `go-fmt.sh`, or a path. The hook's limits, `enabled` and pauses are ignored. Its condition counts: for a script without changed files the command says so and exits 0. No agent gets the answer: it is printed as by `emit`. Exits 1 when the hook failed, denied or was refused. JSON: as for `emit`, with `because` where it did not run, and `owed` where a session is named.",
  rerun:
    "Makes a new run: the recorded event, with its turn and changed files, against the hook as it is today. Exits 1 when the hook failed or denied. When it passes, a pending check of it is done. An event that the store holds only in part cannot be replayed.",
  replay:
    'A run, an event or `last`, a session, or a day such as `today` or `2026-11-24`. It prints only what changes, as `-` for then and `+` for now. Without `--run` no program runs, and where that leaves an answer open it says so. Exits 0 when it is done, whatever it found. JSON: `{"events", "changed", "open", "changes": [{"event", "is", "verdict"?: {"old", "new"}, "runs": [{"hook", "old", "new", "open"?}]}], "notReplayed"}`. All of it: [hook-tests.md](hook-tests.md#what-a-changed-hook-would-have-done).',
  test: 'Files are called `NAME.hooktest.yaml` or `NAME.hooktest.ts`; without a word all below this folder are performed. Exits 1 if one fails. It runs only what you trust, and never reaches your store or the daemon. JSON: `{"passed", "failed", "files": [{"file", "problems", "tests": [{"name", "line", "column", "passed", "ms", "failures", "events"}]}]}`. All of it: [hook-tests.md](hook-tests.md).',
  pause:
    'Without HOOK it pauses all hooks of the project, but not its guards: `hookline guard off` switches one off for a time. Exits 1 for a guard and for a managed hook. Runs that a pause prevents are recorded as skipped. Pending checks stay pending. JSON: `{"hook" | "project", "paused", "changed"}`.',
  resume:
    "Lists the pending checks of sessions: they run at the end of the next turn. JSON: as for `pause`, with `owed`, `missed` and `still`.",
  init: 'Shows the agents, hooks, languages and tools that it finds, and each change; at a terminal it asks for one after the other. Without a terminal and without `--yes` it writes nothing. Run twice it changes nothing. It trusts what it has written itself, and nothing else. Exits 1 when you have refused all, 3 when settings of an agent cannot be read. JSON: `{"root", "agents", "languages", "tests", "formatters", "hooks", "changes": [{"name", "files": [{"file", "before", "after"}]}], "written"}`. All of it: [init.md](init.md).',
  add: "Shows what comes and asks for one key; without a terminal it writes at once. Run twice it changes nothing. A file that is there is replaced only with `--update` or another `--level`; it shows the difference first. What it writes is trusted, nothing else of the project: [guards.md](guards.md), [recipes](init.md#recipes). Exits 1 where nothing here fits a recipe. JSON, with `--list`: a list of packs and recipes.",
  trust:
    "At a terminal it shows what is not trusted, the most dangerous first, and asks for one key for each folder. Without a terminal it trusts nothing and exits 1. `trust list` shows each folder with its hash, `trust diff` only what has changed: [security.md](security.md).",
  untrust:
    "All that was trusted of the folder is forgotten. Not for agents: [security.md](security.md#what-only-a-person-does).",
  list: "The built-in guard is marked `built in`. Where no other hook is active it says what to do next, and with `--verbose` every place that it looked at.",
  guard:
    "`list` and `stats` are operations: agents may call them. `off` and `on` are for people; `off` needs a terminal and exits 1 in an agent's shell. `off` holds in this project only; managed guards stay on. How to live with a guard: [guards.md](guards.md).",
  "allow-once":
    "It lists what was refused in this project in the last five minutes, and takes one key: 1 to 9 allows that call once, any other leaves. Where an agent has [appealed](guards.md#an-agent-may-complain), `e` writes an exception into the rule and `n` says no. Only a person at a terminal can use it: without one, in an agent's shell and below an agent it exits 1. What it is bound to: [guards.md](guards.md#allow-one-call).",
  appeal:
    "For agents. A person reads it in `allow-once`, `guard stats` and the dashboard; the guard stays as it is. At most 500 characters, one for each refusal and ten in a session. More: [guards.md](guards.md#an-agent-may-complain).",
  check:
    "Each finding is `file:line:column severity code message (suggestion)`; exits 1 if one is an error. What each code means: [errors/findings.md](errors/findings.md).",
  register:
    'Always JSON: `{EVENT: [{"id", "handler": {"kind", "command" | "name"}, "match"?, "blocking"?, "timeout"?, "summary"?}]}`, with the events as they are written; `{}` without hooks. Hooks that are disabled, or for another environment, are left out; of a broken file the last good guards are listed: [repository-hooks.md](repository-hooks.md).',
  schema:
    "JSON Schema 2020-12, with the conditions and actions that this project registers. How editors use it: [init.md](init.md#editors).",
  runs: '`tail` is a view to leave open beside an agent: a line for each run as it ends, with time, mark, hook and reason, until Ctrl-C. The marks: `✓` passed, `✗` denied, `?` asked, `!` failed, `·` did not run or does not count, `…` goes on. JSON: a list of `{"id", "hook", "hookName", "event", "eventId", "session", "status", "outcome", "receipt", "call", "reason", "result", "cause", "startedAt", "ms", "cwd", "sender"}`; `runs show` gives the same fields of one run, and more. `outcome`, which `--outcome` asks for, is `blocked`, `held` (the agent goes on instead of stopping), `asked`, `allowed`, `rewritten` or `failed`, and null where the answer left the event as it was; `call` is the tool and what it was about to do. An event that no hook matched has no run: `why` explains it. `cancel` ends a run of an automation that waits or is performed, here or, with a [Postgres store](postgres.md), on any machine; it exits 1 where there is nothing to cancel. JSON: `{"run", "status", "reason"}`.',
  "follow-ups":
    'Hooks can ask for actions afterwards; Hookline does none of them by itself. `list` covers the newest 1,000 runs. `run` takes `RUN.N`, or `RUN` where that has only one, and does each once. It opens a file in `$VISUAL` or `$EDITOR` on a terminal, and prints its name elsewhere. It shows a command first, then runs it in the repository\'s root. Exits 1 when the command failed, or nothing was done. JSON: a list of `{"id", "run", "number", "kind", "payload", "hook", "hookName", "event", "session", "at", "done"}`; of `run` `{"id", "kind", "done", …}`. More: [repository-hooks.md](repository-hooks.md#follow-ups).',
  why: 'Takes the id of a run, of an event or of a session, or the beginning of one; without any it is the newest event of this project. It names the hooks that answered, with what their programs said on standard error, those that listen to the event and did not run, and files of hooks that have changed since. JSON: `{"event", "outcome", "hooks": [{"hook", "name", "file", "line", "listens", "ran", "status", "because", "run", "notes", "withheld", "failure", "stderr", "changed"}]}`. More: [doctor.md](doctor.md).',
  install:
    "Agents: `claude-code`, `codex`, `gemini`, `qwen`, `copilot`, `opencode`, `pi`, `droid`. Running it twice changes nothing more. It records what it did, so that uninstall restores the settings exactly: [agents.md](agents.md).",
  doctor:
    'Looks at the store, the room on the disk, the daemon, the clients, the agents, other hooks in their files, hook files, trust and programs, and runs none of them. What is good is one line for each area. Each finding names one command that mends it; `--fix` does the safe ones. `--fire` runs each registered line as the agent would, with an event for no hook, names those that did not arrive, and asks whether guarded events are blocked where Hookline is gone. Exits 1 if something is bad. JSON: a list of `{"area", "finding", "is": "good" | "note" | "bad" | "fixed", "says", "run"?, "did"?, "agent"?}`. Every finding: [doctor.md](doctor.md).',
  uninstall: "Restores the same bytes. If the file was edited since, it removes only Hookline's entries.",
  up: "It runs in the foreground until Ctrl-C or `hookline down`, or in the background with `--background`. Each store has one daemon. `--once` does what is due, brings the record to a Postgres that is named, and ends; it exits 3 where that cannot be done. JSON: one line when it is running, with `pid`, `port`, `workspaces`, `automations`, `due`, `watches` and `queue`. All of it: [daemon.md](daemon.md).",
  open: 'The link lets one browser in, once, within an hour; the project of this folder is shown first. Without a daemon it exits 3. JSON: `{"url": …}`. All of it: [dashboard.md](dashboard.md).',
  down: 'Waits until it has stopped, within ten seconds: runs of automations continue at the next start. Without a daemon it says so, and exits 0. JSON: `{"stopped": PID | null}`.',
  worker:
    "It runs in the foreground until Ctrl-C. Exits 3 where the database cannot be used, or another process has its name. JSON: one line when it works and one for each change, with `name`, `store`, `here`, `cap`, `running`, `waiting`, `workers` and `stranded`. All of it: [workers.md](workers.md).",
  status:
    "Counts runs that a crash left open, and marks none. Of the daemon it shows version, age and memory, the agents that sent events, the times of decisions, watches, schedules, the queue, and broken automations. It names agents whose HTTP hooks use another port, and the command that repairs it. It says how many calls of the last session reached Hookline, and when each registration was last heard of here.",
  coverage:
    'Of each session that an agent has written down itself, how many of its calls reached Hookline; with SESSION also those that did not. JSON: a list of `{"session", "agent", "cwd", "last", "calls", "reached", "missed": [{"id", "tool", "subject", "at"?, "subagent"?}], "silentSince", "unknown", "because"}`, the newest first. All of it: [coverage.md](coverage.md).',
  git: "`install` and `uninstall` for a person; git's hook calls `git run pre-commit`, which exits with the code of the first script that fails. All of it: [git.md](git.md).",
  automation:
    "Automations of the store; ID is the automation's own, or `PROJECT/ID`. `fire` waits for the run that it started, unless the daemon performs it, and exits 1 if that fails. What the fields mean: [automations.md](automations.md).",
  project:
    "Hookline creates a folder's project with the first task, note, memory or automation there: [projects.md](projects.md).",
  task: "In the project of this folder, unless `--project` names another. Each change is an event, such as `task.completed`: [projects.md](projects.md).",
  note: "Each change is an event, such as `note.updated`; each note also has a copy as a file: [projects.md](projects.md).",
  memory: "Search finds words, and meanings where `memory.embeddings` names a model: [projects.md](projects.md).",
  mcp: "Not for people: an agent starts it, and works in this folder's project until it closes standard input. How to register it, and what models may do: [mcp.md](mcp.md).",
  store:
    "The owner of the tables runs `migrate`; the record of a machine is moved with `move`, which goes on where it was cut short and compares both sides: [postgres.md](postgres.md).",
  purge: "Hookline itself deletes what is older than the retention: [store.md](store.md).",
  completion:
    'The script offers commands, actions, flags and their values, and starts nothing when it does. In `~/.bashrc` or `~/.zshrc` (after `compinit`) write `eval "$(hookline completion bash)"`, with the name of the shell; in fish\'s configuration `hookline completion fish | source`.',
  hook: "Not for people: the agent's settings call it. It exits only 0 or 2, because agents read other codes in their own ways.",
};

const all = await everyCommand();
const order = headings.flatMap(([, names]) => names);
const shown = [...firstNames(all)]
  .filter(([name]) => !internalCommands.has(name))
  .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));

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

Flags of all commands, which may also stand before the command:

| flag | does |
|---|---|
${flagRows(globalFlags).join("\n")}

What is printed fits the terminal: long cells are broken between words, and columns that a person can do without are left out. A pipe gets
80 columns, or as many as \`COLUMNS\` says. Ids need no more than the beginning that no other has. \`list\`, \`check\`, \`runs\`, \`why last\`
and \`follow-ups list\` are about the project of this folder; \`--all\` shows all projects.

Commands with actions, such as \`task create\`, take the same parameters as the tools of [mcp.md](mcp.md). Objects and lists are
JSON; a flag for a list of texts may also be given several times. As a flag's value, \`@FILE\` reads a regular file, \`-\` reads
standard input, and \`@@\` begins a text with an @. \`null\` clears an optional value. These commands exit 1 when they are refused.

| variable | does |
|---|---|
| \`HOOKLINE_STORE\` | the store's file, or the [Postgres](postgres.md) to which the record goes; \`--store\` wins |
| \`HOOKLINE_DAEMON\` | \`off\`: Hookline asks and starts no [daemon](daemon.md#clients), and \`install\` registers the command in Node |
| \`HOOKLINE_DISABLE\` | \`1\`: where [Hookline is gone](claude-code.md#when-hookline-is-gone), an agent's events pass although a guard was active |
| \`HOOKLINE_HEADLESS\` | \`1\`: no person can answer in this session, so a hook's question is [denied, or what \`headless_ask\` says](guards.md#where-nobody-can-answer); \`0\`: a person can |
| \`HOOKLINE_MODEL\` | the default model, as \`provider/model\`, where a hook and the settings name none |
| \`HOOKLINE_RECORD\` | what the store keeps: \`redacted\`, \`full\` or \`none\`; default: \`redacted\` |
| \`HOOKLINE_RETENTION_DAYS\` | how many days the store keeps it; default: 30 |
| \`HOOKLINE_SESSION_ID\` | the agent's session that a commit belongs to; hooks' programs get it |
| \`HOOKLINE_DEPTH\` | set for hooks' programs: automations that they trigger are queued, and nothing waits for them |
| \`HOOKLINE_ENV\` | the environment, for repository hooks that name some; default: \`ci\` where \`CI\` is set, else \`dev\` |
| \`OTEL_EXPORTER_OTLP_ENDPOINT\` | where a daemon that you start sends [traces and metrics](telemetry.md#settings); other variables of OpenTelemetry count as well |
| \`XDG_STATE_HOME\` | the store is \`$XDG_STATE_HOME/hookline/hookline.db\`; default: \`~/.local/state/hookline/hookline.db\` |
| \`XDG_CONFIG_HOME\` | your own hooks are \`$XDG_CONFIG_HOME/hookline/hooks.json\`; default: \`~/.config/hookline/hooks.json\` |
| \`CLAUDE_CONFIG_DIR\` | Claude Code's folder, where it is not \`~/.claude\` |
| \`COLUMNS\` | how wide tables are where the output is no terminal; default: 80 |
| \`NO_COLOR\` | no colours, also on a terminal |
| \`HOOKLINE_DEBUG\` | errors show their stack |

${shown.map(section).join("\n")}`;

const flagRows = (flags: Command["flags"]): string[] =>
  Object.entries(flags).map(([flag, { does, isOnOrOff, isInternal }]) => {
    const written = isOnOrOff ? `--${flag}, --no-${flag}` : `--${flag}`;
    return `| \`${written}\` | ${cell(isInternal ? `internal: ${does}` : does)} |`;
  });

/** A command with what it takes. Of words the flag of the same name is left out. */
function described({ summary, usage, example, arguments: words = [], flags }: Command): string {
  const named = new Set(words.map(({ title }) => title.toLowerCase().replaceAll("_", "-")));
  const own = Object.fromEntries(Object.entries(flags).filter(([flag]) => !named.has(flag)));
  const rows = [...words.map(({ title, does }) => `| \`${title}\` | ${cell(does)} |`), ...flagRows(own)];
  const head = words.length > 0 ? "| argument or flag | does |" : "| flag | does |";
  const table = rows.length === 0 ? "" : `\n${head}\n|---|---|\n${rows.join("\n")}\n`;
  return `${sentence(summary)}\n\n\`\`\`sh\nhookline ${usage}\n${example}\n\`\`\`\n${table}`;
}

function section([name, summary]: (typeof shown)[number]): string {
  const command = all.get(name);
  const remark = remarks[name] ? `\n${remarks[name]}\n` : "";
  const actions = actionsOf(all, name);
  const [, first] = actions[0] ?? [];
  const own = command
    ? described(command)
    : `${sentence(summary)}\n\n\`\`\`sh\nhookline ${name} ACTION …\n${first?.example ?? ""}\n\`\`\`\n`;
  const below = actions.map(([action, one]) => `\n### ${name} ${action}\n\n${described(one)}`);
  return `## ${name}\n\n${own}${remark}${below.join("")}`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The variables that the command reads, but for the one that its own bin sets. */
const variables = (): string[] => {
  const text = sourceFiles()
    .filter((file) => file.startsWith("src/hosts/cli/"))
    .map((file) => readFileSync(file, "utf8"))
    .join("");
  return [...new Set(text.match(/\bHOOKLINE_[A-Z_]+/g))].filter((name) => name !== "HOOKLINE_BIN");
};

/** Variables and commands that nobody has described here. */
export function commandComplaints(): string[] {
  const place = "scripts/docs/command-line-page.ts";
  const page = commandLinePage();
  return [
    ...variables()
      .filter((name) => !page.includes(`\`${name}\``))
      .map((name) => `${place}: nothing is said about ${name}`),
    ...[...all].flatMap(([name, { flags }]) =>
      Object.entries(flags).flatMap(([flag, { does }]) =>
        does === "" ? [`the command ${name}: nothing describes --${flag}`] : [],
      ),
    ),
    ...Object.keys(groups)
      .filter((name) => actionsOf(all, name).length === 0)
      .map((name) => `src/hosts/cli/commands.ts: the group ${name} has no action`),
    ...shown
      .filter(([name]) => !headings.some(([, names]) => names.includes(name)))
      .map(([name]) => `src/hosts/cli/commands.ts: the command ${name} stands under no heading of the help`),
    ...shown.filter(([name]) => !remarks[name]).map(([name]) => `${place}: nothing is said about the command ${name}`),
  ];
}
