/** The table of commands: help, completion and dispatch read it. Code is loaded only when a command runs. */
import type { Command } from "./command.ts";

const event = {
  data: { type: "string" },
  session: { type: "string" },
} as const;

export const commands: Readonly<Record<string, Command>> = {
  demo: {
    summary: "replay a recorded agent session through a sample workspace and show what its hooks did",
    usage: "demo [--once]",
    example: "hookline demo --once",
    flags: { once: { type: "boolean" } },
    words: 0,
    load: async () => (await import("./demo.ts")).demo,
  },
  emit: {
    summary: "send one event down the line and show its outcome",
    usage: "emit EVENT [--data JSON|@FILE|-] [--session ID] [--cwd DIR] [--json]",
    example: `hookline emit PreToolUse --data '{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}'`,
    flags: event,
    words: 1,
    load: async () => (await import("./emit.ts")).emit,
  },
  explain: {
    summary: "say for every hook whether it would run on an event, and why; nothing runs",
    usage: "explain EVENT [--data JSON|@FILE|-] [--session ID] [--cwd DIR] [--json]",
    example: `hookline explain PreToolUse --data '{"tool_name":"Write","tool_input":{"file_path":"a.ts"}}'`,
    flags: event,
    words: 1,
    load: async () => (await import("./explain.ts")).explain,
  },
  list: {
    summary: "list the hooks that are in force here, in running order",
    usage: "list [--event EVENT] [--slow] [--json]",
    example: "hookline list --event PreToolUse",
    flags: { event: { type: "string" }, slow: { type: "boolean" } },
    words: 0,
    load: async () => (await import("./list.ts")).list,
  },
  check: {
    summary: "read hook files and report every mistake with file, line and column",
    usage: "check [PATH…] [--json]",
    example: "hookline check .claude/settings.json",
    flags: {},
    words: 1000,
    load: async () => (await import("./check.ts")).check,
  },
  schema: {
    summary: "print the JSON Schema of rules, app files or hookline.yaml, for editors",
    usage: "schema rules|app|config",
    example: "hookline schema rules > .hookline/rules.schema.json",
    flags: {},
    words: 1,
    load: async () => (await import("./schema.ts")).schema,
  },
  runs: {
    summary: "show what ran, newest first; one run whole; or follow them live",
    usage: "runs [show ID | tail] [--hook H] [--session S] [--event E] [--status S] [--limit N] [--json]",
    example: "hookline runs --status failed --limit 20",
    flags: {
      hook: { type: "string" },
      session: { type: "string" },
      event: { type: "string" },
      status: { type: "string" },
      limit: { type: "string" },
    },
    words: 2,
    load: async () => (await import("./runs.ts")).runs,
  },
  why: {
    summary: "tell in sentences how an event was decided, hook by hook",
    usage: "why RUN|EVENT|last [--json]",
    example: "hookline why last",
    flags: {},
    words: 1,
    load: async () => (await import("./why.ts")).why,
  },
  install: {
    summary: "register Hookline in an agent's own settings",
    usage: "install AGENT [--layer user|project|local] [--take-over] [--dry-run]",
    example: "hookline install claude-code --dry-run",
    flags: {
      layer: { type: "string" },
      http: { type: "boolean" },
      "take-over": { type: "boolean" },
      "dry-run": { type: "boolean" },
    },
    words: 1,
    load: async () => (await import("./install.ts")).install,
  },
  uninstall: {
    summary: "take Hookline out of an agent's settings again, exactly",
    usage: "uninstall AGENT [--layer user|project|local] [--dry-run]",
    example: "hookline uninstall claude-code",
    flags: { layer: { type: "string" }, "dry-run": { type: "boolean" } },
    words: 1,
    load: async () => (await import("./install.ts")).uninstall,
  },
  status: {
    summary: "show the store, the hooks in force and where agents are registered",
    usage: "status [--json]",
    example: "hookline status",
    flags: {},
    words: 0,
    load: async () => (await import("./status.ts")).status,
  },
  purge: {
    summary: "forget events and runs from before a date",
    usage: "purge --before DATE",
    example: "hookline purge --before 2026-01-01",
    flags: { before: { type: "string" } },
    words: 0,
    load: async () => (await import("./purge.ts")).purge,
  },
  hook: {
    summary: "what agents call: payload on stdin, the agent's own reply out",
    usage: "hook AGENT [--event NAME]",
    example: "hookline hook claude-code --event PreToolUse < payload.json",
    flags: { event: { type: "string" }, by: { type: "string" } },
    words: 1,
    load: async () => (await import("./help.ts")).hookIsDispatchedFirst,
  },
  supervise: {
    summary: "look after one background run (started by Hookline itself)",
    usage: "supervise",
    example: "hookline supervise < assignment.json",
    flags: {},
    words: 0,
    load: async () => (await import("./supervise.ts")).supervise,
  },
};

/** Not for people: left out of help and completion. */
export const internalCommands: ReadonlySet<string> = new Set(["supervise"]);
