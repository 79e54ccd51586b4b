/**
 * The commands that are no rows of src/operations/: most live on a terminal, or are a process. find.ts puts the rows beside these; of
 * two with one name this one counts. Code is loaded only when a command runs.
 */
import type { Command } from "./command.ts";

/** `hook` is found before any table is asked: main.ts. */
const isDispatchedFirst = (): 2 => 2;

const agentNames = async (): Promise<readonly string[]> => Object.keys((await import("../../agents/index.ts")).agents);

export const commands: Readonly<Record<string, Command>> = {
  init: {
    summary: "set up this project: guards, recipes and the agents that are here; shows each change first",
    usage: "init [--team] [--yes] [--dry-run] [--json]",
    example: "hookline init",
    flags: {
      team: {
        type: "boolean",
        does: "also writes into CONTRIBUTING or README what Hookline is, how to install it and how to go on without",
      },
      yes: { type: "boolean", does: "makes each change that it proposes, without asking" },
      "dry-run": {
        type: "boolean",
        does: "shows each change, writes nothing, and shows changes of agents' settings whole",
      },
    },
    words: 0,
    load: async () => (await import("./init/init.ts")).init,
  },
  demo: {
    summary: "replay a recorded agent session, and show it in the dashboard",
    usage: "demo [--once]",
    example: "hookline demo --once",
    flags: { once: { type: "boolean", does: "exits when the replay is over, and serves no dashboard" } },
    words: 0,
    stays: true,
    load: async () => (await import("../../../examples/demo/demo.ts")).demo,
  },
  replay: {
    summary: "send recorded events to today's hooks, or to a changed file, and show what would change",
    usage: "replay RUN|SESSION|DAY [--with FILE] [--run] [--all] [--json]",
    example: "hookline replay today --with guard.yaml",
    flags: {
      with: {
        type: "string",
        does: "this hook file takes the place of the one with its name, or is added; the project's own file stays as it is",
      },
      run: {
        type: "boolean",
        does: "runs programs, in a scratch copy of the project; without it none runs, and a program whose file and input are unchanged counts with its recorded answer",
      },
      all: { type: "boolean", does: "of a day the events of all projects, not only of this one" },
    },
    words: 1,
    load: async () => (await import("./replay/replay.ts")).replay,
  },
  "guard off": {
    summary: "switch one guard off in this project, for at most 24 hours; for a person at a terminal",
    usage: "guard off ID --for TIME [--json]",
    example: "hookline guard off builtin:self_protection --for 1h",
    flags: { for: { type: "string", does: "how long, such as `30m`, `1h` or `1h30m`; at most `24h`; required" } },
    words: 1,
    load: async () => (await import("./guards/guard.ts")).guardOff,
  },
  "guard on": {
    summary: "switch a guard on again before its time is over",
    usage: "guard on ID [--json]",
    example: "hookline guard on builtin:self_protection",
    flags: {},
    words: 1,
    load: async () => (await import("./guards/guard.ts")).guardOn,
  },
  "allow-once": {
    summary: "let one refused call happen once, within five minutes",
    usage: "allow-once",
    example: "hookline allow-once",
    flags: {},
    words: 0,
    load: async () => (await import("./guards/allow-once.ts")).allowOnce,
  },
  check: {
    summary: "read hook files and list every mistake with its place",
    usage: "check [PATH…] [--all] [--json]",
    example: "hookline check .claude/settings.json",
    flags: { all: { type: "boolean", does: "also the automations that the store keeps for other projects" } },
    words: 1000,
    load: async () => (await import("./hooks/check.ts")).check,
  },
  add: {
    summary: "add a pack of rules or a recipe, to this project or all of yours",
    usage:
      "add [guard | RECIPE] [--level quiet|standard|strict] [--report | --obey] [--user] [--yes] [--update] [--list] [--json]",
    example: "hookline add tests",
    flags: {
      level: {
        type: "string",
        takes: ["quiet", "standard", "strict"],
        does: "which rules: `quiet` has those that disturb almost no work, `strict` all; default: `standard`",
      },
      report: {
        type: "boolean",
        does: "the rules only record what they would do, as for a first week; `guard stats` counts it",
      },
      obey: { type: "boolean", does: "the rules of a file that was written with `--report` count from now on" },
      user: { type: "boolean", does: "writes to your own hook files, for all your projects, and not to this project" },
      yes: { type: "boolean", does: "writes without asking" },
      update: {
        type: "boolean",
        does: "compares the file with the pack or the recipe and takes over what has changed; rules of your own stay",
      },
      list: { type: "boolean", does: "lists the packs and the recipes, or the rules of a pack, and writes nothing" },
    },
    words: 1,
    takes: async () => ["guard"],
    load: async () => (await import("./packs/add.ts")).add,
  },
  test: {
    summary: "run tests of hooks in a copy of the project, without an agent",
    usage: "test [FILE…] [--watch] [--junit FILE] [--json] | test --from RUN [FILE]",
    example: "hookline test .hookline",
    flags: {
      from: {
        type: "string",
        does: "makes a test of what a recorded run's event was answered; prints it, or writes it to FILE, which must be new",
      },
      watch: { type: "boolean", does: "runs again after each change of a file of the project, until Ctrl-C" },
      junit: { type: "string", does: "also writes the results to this file, as CI servers read them" },
    },
    words: 1000,
    load: async () => (await import("./testing/test.ts")).test,
  },
  trust: {
    summary: "show what the hooks of this project run, and ask you to trust it",
    usage: "trust [PATH] [--hash H] [--watch] | trust list | trust diff [PATH] [--json]",
    example: "hookline trust",
    flags: {
      hash: {
        type: "string",
        does: "trusts without asking if the folder still has this hash. `trust list --json` prints it. For CI, after you have read the files",
      },
      watch: { type: "boolean", does: "keeps running, shows each change of a hook file and asks whether to trust it" },
    },
    words: 2,
    takes: async () => ["list", "diff"],
    load: async () => (await import("./trust/trust.ts")).trust,
  },
  untrust: {
    summary: "stop trusting the hooks of this project: they no longer run",
    usage: "untrust [PATH]",
    example: "hookline untrust",
    flags: {},
    words: 1,
    load: async () => (await import("./trust/trust.ts")).untrust,
  },
  register: {
    summary: "print the repository hooks of this project by event, as JSON",
    usage: "register [--validate]",
    example: "hookline register --validate",
    flags: {
      validate: {
        type: "boolean",
        does: "also reports every mistake with file and line on standard error; exits 1 if one is an error",
      },
    },
    words: 0,
    load: async () => (await import("./hooks/register.ts")).register,
  },
  schema: {
    summary: "print the JSON Schema of a file format, for editors",
    usage: "schema rules|settings|scripts|registry|automation|config|app|tests",
    example: "hookline schema rules > .hookline/schemas/rules.json",
    flags: {},
    words: 1,
    takes: async () => ["rules", "settings", "scripts", "registry", "automation", "config", "app", "tests"],
    load: async () => (await import("./hooks/schema.ts")).schema,
  },
  "runs cancel": {
    summary: "end a run of an automation that waits or is performed, on any machine",
    usage: "runs cancel RUN [--json]",
    example: "hookline runs cancel 06e5qxk8t0z4",
    flags: {},
    words: 1,
    load: async () => (await import("./runs/cancel.ts")).cancel,
  },
  "follow-ups run": {
    summary: "do what a hook has proposed to do later, once",
    usage: "follow-ups run RUN[.N] [--yes] [--json]",
    example: "hookline follow-ups run 06e5qxk8t0z4.1",
    flags: { yes: { type: "boolean", does: "runs a command without asking; needed where there is no terminal" } },
    words: 1,
    load: async () => (await import("./runs/follow-ups.ts")).followUps,
  },
  install: {
    summary: "register Hookline in an agent's own settings",
    usage: "install AGENT [--layer user|project|local] [--http] [--mod|--mod-alone] [--take-over] [--dry-run]",
    example: "hookline install claude-code --dry-run",
    flags: {
      layer: {
        type: "string",
        takes: ["user", "project", "local"],
        does: "which of the agent's settings files: `user`, `project` or `local`; default: `user`",
      },
      http: {
        type: "boolean",
        does: "the agent sends its events to the daemon over HTTP, where it can; not for `project`, because the file then holds a token",
      },
      mod: {
        type: "boolean",
        does: "Claude Code asks Hookline about tool calls from inside too, where another mod cannot lift a denial",
      },
      "mod-alone": {
        type: "boolean",
        does: "the same, in the place of the commands for tool calls: no process starts for a call",
      },
      "take-over": {
        type: "boolean",
        does: "moves the agent's own hooks into Hookline's file; uninstall moves them back",
      },
      "dry-run": { type: "boolean", does: "shows what would change, line by line, and writes nothing" },
    },
    words: 1,
    takes: async () => agentNames(),
    load: async () => (await import("./agents/install.ts")).install,
  },
  doctor: {
    summary: "check all that hooks need, from store to agents; each finding names the command that mends it",
    usage: "doctor [--fire] [--fix] [--json]",
    example: "hookline doctor --fix",
    flags: {
      fire: {
        type: "boolean",
        does: "runs each registered line with a payload for no hook, as the agent would, and says which events did not arrive",
      },
      fix: {
        type: "boolean",
        does: "does what is safe and says what it did: execute bits, modes of the state folder, a daemon that hooks wait for, registrations that lead nowhere",
      },
    },
    words: 0,
    load: async () => (await import("./doctor/doctor.ts")).doctor,
  },
  uninstall: {
    summary: "remove Hookline from an agent's settings, restoring them exactly",
    usage: "uninstall AGENT [--layer user|project|local] [--dry-run]",
    example: "hookline uninstall claude-code",
    flags: {
      layer: { type: "string", takes: ["user", "project", "local"], does: "as for `install`" },
      "dry-run": { type: "boolean", does: "shows what would change, line by line, and writes nothing" },
    },
    words: 1,
    takes: async () => agentNames(),
    load: async () => (await import("./agents/install.ts")).uninstall,
  },
  store: {
    summary: "make a Postgres store's tables, or move the record there or back",
    usage:
      "store migrate --store postgres://OWNER@HOST/DATABASE [--writer ROLE] [--reader ROLE] [--keep DAYS] [--json], store move --to postgres://…|sqlite:FILE [--store …] [--json]",
    example: "hookline store move --to postgres://hookline_writer@db.example.com/hookline",
    flags: {
      to: {
        type: "string",
        does: "where the record goes: `postgres://ROLE@HOST/DATABASE`, or `sqlite:FILE`, which must be new",
      },
      writer: { type: "string", does: "gives this role the right to write rows, and no other" },
      reader: { type: "string", does: "gives this role the right to read rows" },
      keep: { type: "string", does: "days after which events and runs are forgotten; at first 30" },
    },
    words: 1,
    takes: async () => ["migrate", "move"],
    load: async () => (await import("./shared-store/store.ts")).store,
  },
  git: {
    summary: "install or remove the pre-commit hook",
    usage: "git install|uninstall [--dry-run] [--json], git run pre-commit",
    example: "hookline git install",
    flags: {
      "dry-run": { type: "boolean", does: "shows what would change and writes nothing" },
      by: { type: "string", isInternal: true, does: "the hook file that git started" },
      renew: { type: "boolean", isInternal: true, does: "said by the hook files of earlier builds" },
    },
    words: 2,
    takes: async () => ["install", "uninstall", "run"],
    load: async () => (await import("./git/git.ts")).git,
  },
  up: {
    summary: "run the daemon: schedules, watched files, automations, HTTP",
    usage:
      "up [--port 4665] [--workspace DIR]… [--store FILE|postgres://…] [--background | --once] [--idle-exit MINUTES] [--service systemd|launchd] [--json]",
    example: "hookline up --workspace ~/shop --workspace ~/site",
    flags: {
      port: {
        type: "string",
        does: "the port on this machine; 0: any free port. Default: the port that agents' HTTP hooks use, else 4665, else any free port",
      },
      workspace: {
        type: "string",
        multiple: true,
        does: "a folder whose automation files are active; may be given more than once; default: the current folder",
      },
      once: { type: "boolean", does: "runs what is due and queued now, waits for it and exits: for cron, or a test" },
      background: {
        type: "boolean",
        does: "starts it in the background, and returns when it is running or has failed",
      },
      "idle-exit": {
        type: "string",
        does: "stops after so many minutes without events, unless a schedule, a watch or a run needs it; default: it stays",
      },
      service: {
        type: "string",
        takes: ["systemd", "launchd"],
        does: "starts nothing: prints a `systemd` user unit or a `launchd` agent that runs it from login on with these flags; default of `--workspace` here: your home folder",
      },
      "on-demand": {
        type: "boolean",
        isInternal: true,
        does: "how clients start it. It exits when a daemon is already running, exits when you start your own, and stops after an hour without events",
      },
    },
    words: 0,
    stays: true,
    prepare: async (given) => (await import("./daemon/options.ts")).becomeSmall(given),
    load: async () => (await import("./daemon/up.ts")).up,
  },
  open: {
    summary: "print a link to the dashboard, which lets one browser in",
    usage: "open [--json]",
    example: "hookline open",
    flags: {},
    words: 0,
    load: async () => (await import("./daemon/open.ts")).open,
  },
  down: {
    summary: "stop the daemon; automations continue at its next start",
    usage: "down [--store FILE] [--json]",
    example: "hookline down",
    flags: {},
    words: 0,
    load: async () => (await import("./daemon/lock.ts")).down,
  },
  worker: {
    summary: "perform automations that other machines have put into a Postgres store, beside other workers",
    usage: "worker --store postgres://ROLE@HOST/DATABASE [--name NAME] [--json]",
    example: "hookline worker --store postgres://hookline_writer@db.example.com/hookline",
    flags: {
      name: {
        type: "string",
        does: "its name, which no other process may have at the same time; default: one that stays in your state folder",
      },
    },
    words: 0,
    stays: true,
    load: async () => (await import("./worker/worker.ts")).worker,
  },
  purge: {
    summary: "delete events and runs that are older than a date",
    usage: "purge --before DATE",
    example: "hookline purge --before 2026-01-01",
    flags: { before: { type: "string", does: "a date such as 2026-01-01; everything older is deleted" } },
    words: 0,
    load: async () => (await import("./runs/purge.ts")).purge,
  },
  mcp: {
    summary: "serve every operation to an agent as an MCP tool",
    usage: "mcp [--read-only] [--tools LIST]",
    example: "claude mcp add hookline -- npx hookline mcp --tools task,note,memory",
    flags: {
      "read-only": { type: "boolean", does: "offers only the tools that change nothing" },
      tools: {
        type: "string",
        does: "offers only these tools: a list with commas of operations, or of groups such as `task`; `task_*` is the same",
      },
    },
    words: 0,
    load: async () => (await import("../mcp/server.ts")).mcp,
  },
  completion: {
    summary: "print what makes your shell complete commands and flags",
    usage: "completion bash|zsh|fish",
    example: 'eval "$(hookline completion bash)"',
    flags: {},
    words: 1,
    takes: async () => ["bash", "zsh", "fish"],
    load: async () => (await import("./completion.ts")).completion,
  },
  hook: {
    summary: "internal: agent entry point; reads a payload, prints the reply",
    usage: "hook AGENT [--event NAME]",
    example: "hookline hook claude-code --event PreToolUse < payload.json",
    flags: {
      event: { type: "string", does: "the event, for payloads that do not name it themselves" },
      by: { type: "string", isInternal: true, does: "the registration that calls, so that a redelivery is recognized" },
    },
    words: 1,
    takes: async () => agentNames(),
    load: async () => isDispatchedFirst,
  },
  supervise: {
    summary: "internal: supervise one background run; Hookline starts it",
    usage: "supervise",
    example: "hookline supervise < assignment.json",
    flags: {},
    words: 0,
    load: async () => (await import("./runs/supervise.ts")).supervise,
  },
};

/** Names that are no commands, only the beginning of some. */
export const groups: Readonly<Record<string, string>> = {
  guard: "list the guards and what they have done, or switch one off for a time",
  "follow-ups": "list what hooks proposed to do later, or do one of these",
  automation: "create, list, change and fire the automations of a project",
  project: "create, list and change the projects that automations work in",
  task: "create, list, start and finish the tasks of a project",
  note: "write, read and delete the notes of a project",
  memory: "store what a project should remember, and search it",
};

/** The commands as help groups them, the most used first; the first name of a list stands for all of it. */
export const headings: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Every day", ["init", "add", "list", "explain", "runs", "why", "trust", "allow-once", "status", "open", "demo"]],
  [
    "Hooks",
    [
      ...["check", "test", "emit", "run", "rerun", "replay", "pause", "resume", "guard", "untrust", "follow-ups"],
      ...["convert", "schema", "register"],
    ],
  ],
  ["Agents", ["install", "uninstall", "doctor", "coverage", "git", "mcp", "appeal", "hook"]],
  ["Automations", ["automation", "up", "down", "worker", "project", "task", "note", "memory"]],
  ["Maintenance", ["completion", "purge", "store"]],
];

/** What automations act on: one line of help, as each has the same actions. */
export const records: readonly string[] = ["project", "task", "note", "memory"];

/** Not for people: left out of help and completion. */
export const internalCommands: ReadonlySet<string> = new Set(["supervise"]);
