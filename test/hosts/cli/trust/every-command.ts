/** Every command of the table with words that make sense in a stranger's repository; a command without words here fails a test. */
import { internalCommands } from "../../../../src/hosts/cli/commands.ts";
import { everyCommand as all } from "../../../../src/hosts/cli/find.ts";
import type { HostileRepository } from "./hostile-repositories.ts";

type Words = readonly string[];

const data = JSON.stringify({ tool_name: "Write", tool_input: { file_path: "a.ts", content: "x" } });
const emitted = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "PreAbilityCall"];

/** Each has to end by itself. Words that are wrong use (exit code 2) fail. */
const table: Readonly<Record<string, (repository: HostileRepository) => readonly Words[]>> = {
  emit: ({ event = "SessionStart" }) =>
    [...new Set([...emitted, event])].map((name) => ["emit", name, "--data", data, "--session", "s1"]),
  explain: ({ event = "Stop" }) => [
    ["explain", "PreToolUse", "--data", data],
    ["explain", event, "--json"],
  ],
  run: () => [],
  rerun: () => [["rerun", "last"]],
  replay: () => [
    ["replay", "last"],
    ["replay", "today", "--run"],
    ["replay", "today", "--with", "stranger.hooktest.yaml"],
  ],
  test: () => [["test", "--json"]],
  pause: () => [["pause"]],
  resume: () => [["resume"]],
  list: () => [["list"], ["list", "--json"], ["list", "--event", "PreToolUse"], ["list", "--slow"]],
  guard: () => [
    ["guard", "list"],
    ["guard", "stats", "--json"],
    ["guard", "off", "builtin:self_protection", "--for", "1h"],
    ["guard", "on", "builtin:self_protection"],
  ],
  "allow-once": () => [["allow-once"]],
  appeal: () => [["appeal", "it is my own"]],
  coverage: () => [["coverage"], ["coverage", "--all"]],
  init: () => [["init"]],
  add: () => [
    ["add", "--list"],
    ["add", "guard", "--user", "--yes"],
  ],
  check: ({ files }) => [["check"], ["check", "--json"], ["check", "."], ["check", ...Object.keys(files)]],
  trust: () => [["trust"], ["trust", "list"], ["trust", "list", "--json"], ["trust", "diff"], ["trust", "--hash", "0"]],
  untrust: () => [["untrust"]],
  register: () => [["register"], ["register", "--validate"]],
  schema: () => [["schema", "rules"]],
  runs: () => [["runs"], ["runs", "--json"], ["runs", "--hook", "none"], ["runs", "cancel", "none"]],
  "follow-ups": () => [["follow-ups", "list", "--all"]],
  why: () => [["why", "last"]],
  install: () => [
    ["install", "claude-code", "--dry-run"],
    ["install", "claude-code", "--layer", "project", "--dry-run"],
    ["install", "claude-code", "--layer", "local", "--dry-run"],
  ],
  open: () => [["open"]],
  ...{ worker: () => [], store: () => [] }, // they are about a Postgres, and look at no folder
  doctor: () => [
    ["doctor", "--json"],
    ["doctor", "--fire"],
  ],
  uninstall: () => [["uninstall", "claude-code", "--dry-run"]],
  git: () => [
    ["git", "install", "--dry-run"],
    ["git", "uninstall", "--dry-run"],
    ["git", "run", "pre-commit"],
  ],
  status: () => [["status"], ["status", "--json"]],
  purge: () => [["purge", "--before", "2020-01-01"]],
  completion: () => [
    ["completion", "bash"],
    ["completion", "zsh"],
    ["completion", "fish"],
  ],
};

/** Of the groups: every action, with what it must be given. */
const given: Readonly<Record<string, Words>> = {
  "automation create": ["own", "--prompt-template", "hello"],
  "automation show": ["stranger"],
  "automation delete": ["stranger"],
  "automation enable": ["stranger"],
  "automation disable": ["stranger"],
  "automation fire": ["stranger"],
  "automation pause": ["stranger"],
  "automation resume": ["stranger"],
  "automation edit": ["stranger", "--name", "other"],
  "automation apply": [".hookline/automations/stranger.yaml"],
  "project delete": ["none"],
  "task show": ["none"],
  "task start": ["none"],
  "task complete": ["none"],
  "task create": ["a task"],
  "task fail": ["none", "no"],
  "note show": ["none"],
  "note write": ["a note", "text"],
  "note delete": ["none"],
  "memory add": ["text"],
  "memory search": ["text"],
};

/** What takes a process of its own, or is of no repository: traced.ts starts `hook`, `up` and `down`. */
export const elsewhere: ReadonlySet<string> = new Set(["demo", "up", "down", "mcp", "hook", ...internalCommands]);

export const names: readonly string[] = [...(await all()).keys()];

/** By its own name, or by that of its group. */
export const covered = (name: string): boolean =>
  elsewhere.has(name) || Object.hasOwn(table, name) || name.includes(" ");

export const everyCommand = (repository: HostileRepository): Words[] => [
  ...Object.values(table).flatMap((row) => row(repository)),
  ...names
    .filter((name) => name.includes(" ") && !Object.hasOwn(table, name.split(" ")[0] ?? ""))
    .map((name) => [...name.split(" "), ...(given[name] ?? [])]),
];
