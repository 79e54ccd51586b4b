/** The table of commands: help, completion, documentation and dispatch read it. Code is loaded only when a command runs. */
import type { Command } from "./command.ts";

const event = {
  data: { type: "string" },
  session: { type: "string" },
} as const;

/** `hook` and the actions of groups are found before this table is asked: main.ts. */
const isDispatchedFirst = (): 2 => 2;

/** What the actions are, and what they take, the table of operations says. */
const group = (name: string, summary: string, example: string, ownActions?: Command["ownActions"]): Command => ({
  summary,
  usage: `${name} ACTION …`,
  example,
  flags: {},
  words: 0,
  load: async () => isDispatchedFirst,
  choose: async (given) => (await import("./operations/actions.ts")).chooseAction(name, given, await ownActions?.()),
  ...(ownActions ? { ownActions } : {}),
});

export const commands: Readonly<Record<string, Command>> = {
  demo: {
    summary: "replay a recorded agent session and show what its hooks did",
    usage: "demo [--once]",
    example: "hookline demo --once",
    flags: { once: { type: "boolean" } },
    words: 0,
    load: async () => (await import("../../../examples/demo/demo.ts")).demo,
  },
  emit: {
    summary: "try an event and show the decision",
    usage: "emit EVENT [--data JSON|@FILE|-] [--session ID] [--cwd DIR] [--json]",
    example: `hookline emit PreToolUse --data '{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}'`,
    flags: event,
    words: 1,
    load: async () => (await import("./hooks/emit.ts")).emit,
  },
  explain: {
    summary: "show which hooks would run on an event, and why; nothing runs",
    usage: "explain EVENT [--data JSON|@FILE|-] [--session ID] [--cwd DIR] [--json]",
    example: `hookline explain PreToolUse --data '{"tool_name":"Write","tool_input":{"file_path":"a.ts"}}'`,
    flags: event,
    words: 1,
    load: async () => (await import("./hooks/emit.ts")).explain,
  },
  run: {
    summary: "run one hook now, ignoring its limits, and show the result",
    usage: "run HOOK [--data JSON|@FILE|-] [--session ID] [--all] [--json]",
    example: "hookline run go-fmt.sh --all",
    flags: { ...event, all: { type: "boolean" } },
    words: 1,
    load: async () => (await import("./hooks/run.ts")).run,
  },
  rerun: {
    summary: "replay a run against the current hook",
    usage: "rerun RUN [--json]",
    example: "hookline rerun 06e5qxk8t0z4s1h7m2c9v3b6na",
    flags: {},
    words: 1,
    load: async () => (await import("./hooks/run.ts")).rerun,
  },
  pause: {
    summary: "pause a hook, or all hooks of the project except its guards",
    usage: "pause [HOOK] [--json]",
    example: "hookline pause go-fmt.sh",
    flags: {},
    words: 1,
    load: async () => (await import("./hooks/pause.ts")).pause,
  },
  resume: {
    summary: "resume a paused hook or project, and list pending checks",
    usage: "resume [HOOK] [--json]",
    example: "hookline resume go-fmt.sh",
    flags: {},
    words: 1,
    load: async () => (await import("./hooks/pause.ts")).resume,
  },
  list: {
    summary: "list the active hooks, in running order",
    usage: "list [--event EVENT] [--slow] [--all] [--json]",
    example: "hookline list --event PreToolUse",
    flags: { event: { type: "string" }, slow: { type: "boolean" }, all: { type: "boolean" } },
    words: 0,
    load: async () => (await import("./hooks/list.ts")).list,
  },
  guard: group(
    "guard",
    "list the guards and what they have done, or switch one off for a time",
    "hookline guard list",
    async () => (await import("./guards/guard.ts")).guardActions,
  ),
  "allow-once": {
    summary: "let one refused call happen once, within five minutes",
    usage: "allow-once CODE [--json]",
    example: "hookline allow-once h4x9k2pm",
    flags: {},
    words: 1,
    load: async () => (await import("./guards/allow-once.ts")).allowOnce,
  },
  check: {
    summary: "read hook files and list every mistake with its place",
    usage: "check [PATH…] [--all] [--json]",
    example: "hookline check .claude/settings.json",
    flags: { all: { type: "boolean" } },
    words: 1000,
    load: async () => (await import("./hooks/check.ts")).check,
  },
  add: {
    summary: "add a pack of rules to this project, or to all of yours",
    usage:
      "add [guard] [--level quiet|standard|strict] [--report | --obey] [--user] [--yes] [--update] [--list] [--json]",
    example: "hookline add guard",
    flags: {
      level: { type: "string" },
      report: { type: "boolean" },
      obey: { type: "boolean" },
      user: { type: "boolean" },
      yes: { type: "boolean" },
      update: { type: "boolean" },
      list: { type: "boolean" },
    },
    words: 1,
    load: async () => (await import("./packs/add.ts")).add,
  },
  trust: {
    summary: "show what the hooks of this project run, and ask you to trust it",
    usage: "trust [PATH] [--hash H] [--watch] | trust list | trust diff [PATH] [--json]",
    example: "hookline trust",
    flags: { hash: { type: "string" }, watch: { type: "boolean" } },
    words: 2,
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
    flags: { validate: { type: "boolean" } },
    words: 0,
    load: async () => (await import("./hooks/register.ts")).register,
  },
  schema: {
    summary: "print the JSON Schema of a file format, for editors",
    usage: "schema rules|app|config|automation|hooks",
    example: "hookline schema rules > .hookline/rules.schema.json",
    flags: {},
    words: 1,
    load: async () => (await import("./hooks/register.ts")).schema,
  },
  runs: {
    summary: "list what hooks did, newest first; show one run; follow new ones",
    usage:
      "runs [show RUN | tail] [--hook HOOK] [--status STATUS] [--since TIME] [--text TEXT] [--event EVENT] [--session ID] [--project DIR | --all] [--limit N] [--json]",
    example: "hookline runs --status failed --since 2h",
    flags: {
      hook: { type: "string" },
      since: { type: "string" },
      text: { type: "string" },
      project: { type: "string" },
      all: { type: "boolean" },
      session: { type: "string" },
      event: { type: "string" },
      status: { type: "string" },
      limit: { type: "string" },
    },
    words: 2,
    load: async () => (await import("./runs/runs.ts")).runs,
  },
  "follow-ups": {
    summary: "list what hooks proposed to do later, or do one of these",
    usage: "follow-ups list [--all] [--json] | follow-ups run RUN[.N] [--yes] [--json]",
    example: "hookline follow-ups list",
    flags: { all: { type: "boolean" }, yes: { type: "boolean" } },
    words: 2,
    load: async () => (await import("./runs/follow-ups.ts")).followUps,
  },
  why: {
    summary: "explain the decision on an event in sentences, hook by hook",
    usage: "why RUN|EVENT|last [--all] [--json]",
    example: "hookline why last",
    flags: { all: { type: "boolean" } },
    words: 1,
    load: async () => (await import("./runs/why.ts")).why,
  },
  install: {
    summary: "register Hookline in an agent's own settings",
    usage: "install AGENT [--layer user|project|local] [--http] [--take-over] [--dry-run]",
    example: "hookline install claude-code --dry-run",
    flags: {
      layer: { type: "string" },
      http: { type: "boolean" },
      "take-over": { type: "boolean" },
      "dry-run": { type: "boolean" },
    },
    words: 1,
    load: async () => (await import("./agents/install.ts")).install,
  },
  doctor: {
    summary: "check each agent that calls Hookline; --fire sends an event through each registration",
    usage: "doctor [--fire] [--json]",
    example: "hookline doctor --fire",
    flags: { fire: { type: "boolean" } },
    words: 0,
    load: async () => (await import("./agents/doctor.ts")).doctor,
  },
  uninstall: {
    summary: "remove Hookline from an agent's settings, restoring them exactly",
    usage: "uninstall AGENT [--layer user|project|local] [--dry-run]",
    example: "hookline uninstall claude-code",
    flags: { layer: { type: "string" }, "dry-run": { type: "boolean" } },
    words: 1,
    load: async () => (await import("./agents/install.ts")).uninstall,
  },
  git: {
    summary: "install or remove the pre-commit hook",
    usage: "git install|uninstall [--dry-run] [--json], git run pre-commit",
    example: "hookline git install",
    flags: { "dry-run": { type: "boolean" }, by: { type: "string" }, renew: { type: "boolean" } },
    words: 2,
    load: async () => (await import("./git/git.ts")).git,
  },
  up: {
    summary: "run the daemon: schedules, watched files, automations, HTTP",
    usage:
      "up [--port 4665] [--workspace DIR]… [--store FILE] [--background | --once] [--idle-exit MINUTES] [--service systemd|launchd] [--json]",
    example: "hookline up --workspace ~/shop --workspace ~/site",
    flags: {
      port: { type: "string" },
      workspace: { type: "string", multiple: true },
      once: { type: "boolean" },
      background: { type: "boolean" },
      "idle-exit": { type: "string" },
      service: { type: "string" },
      "on-demand": { type: "boolean" },
    },
    words: 0,
    stays: true,
    prepare: async (given) => (await import("./daemon/options.ts")).becomeSmall(given),
    load: async () => (await import("./daemon/up.ts")).up,
  },
  down: {
    summary: "stop the daemon; automations continue at its next start",
    usage: "down [--store FILE] [--json]",
    example: "hookline down",
    flags: {},
    words: 0,
    load: async () => (await import("./daemon/place.ts")).down,
  },
  status: {
    summary: "show the store, the daemon, the active hooks and the agents",
    usage: "status [--json]",
    example: "hookline status",
    flags: {},
    words: 0,
    load: async () => (await import("./daemon/status.ts")).status,
  },
  purge: {
    summary: "delete events and runs that are older than a date",
    usage: "purge --before DATE",
    example: "hookline purge --before 2026-01-01",
    flags: { before: { type: "string" } },
    words: 0,
    load: async () => (await import("./runs/runs.ts")).purge,
  },
  automation: group(
    "automation",
    "create, list, change and fire the automations of a project",
    "hookline automation list",
  ),
  project: group("project", "create, list and change the projects that automations work in", "hookline project list"),
  task: group(
    "task",
    "create, list, start and finish the tasks of a project",
    'hookline task create "Repair the login test"',
  ),
  note: group("note", "write, read and delete the notes of a project", "hookline note list"),
  memory: group(
    "memory",
    "store what a project should remember, and search it",
    'hookline memory search "flaky tests"',
  ),
  mcp: {
    summary: "serve every operation to an agent as an MCP tool",
    usage: "mcp [--read-only] [--tools LIST]",
    example: "claude mcp add hookline -- npx hookline mcp --tools task,note,memory",
    flags: { "read-only": { type: "boolean" }, tools: { type: "string" } },
    words: 0,
    load: async () => (await import("../mcp/server.ts")).mcp,
  },
  hook: {
    summary: "internal: agent entry point; reads a payload, prints the reply",
    usage: "hook AGENT [--event NAME]",
    example: "hookline hook claude-code --event PreToolUse < payload.json",
    flags: { event: { type: "string" }, by: { type: "string" } },
    words: 1,
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

/** The commands as help groups them, the most used first; the first name of a list stands for all of it. */
export const headings: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Every day", ["init", "add", "list", "explain", "runs", "why", "trust", "allow-once", "status", "demo"]],
  [
    "Hooks",
    [
      ...["check", "test", "emit", "run", "rerun", "replay", "pause", "resume", "guard", "untrust", "follow-ups"],
      ...["convert", "schema", "register"],
    ],
  ],
  ["Agents", ["install", "uninstall", "doctor", "git", "mcp", "hook"]],
  ["Automations", ["automation", "up", "down", "project", "task", "note", "memory"]],
  ["Maintenance", ["completion", "purge"]],
];

/** What automations act on: one line of help, as each has the same actions. */
export const records: readonly string[] = ["project", "task", "note", "memory"];

/** Not for people: left out of help and completion. */
export const internalCommands: ReadonlySet<string> = new Set(["supervise"]);
