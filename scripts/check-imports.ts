/** Who may import whom: the picture in docs/architecture.md, as a check. Change a rule in the commit that needs it, with the reason. */
import { importsOf, sourceFiles } from "./imports.ts";

const everything = "*";
/** Folder (or file) below src/ → the folders it may import. Node's own modules are allowed everywhere but in core. */
const rules: Readonly<Record<string, readonly string[] | typeof everything>> = {
  core: [],
  files: [],
  shell: ["core"],
  conditions: ["core", "shell"],
  protocols: ["core"],
  processes: ["core", "files"],
  trust: ["core"],
  queues: ["core"],
  projects: ["core", "files"],
  dialects: ["core"],
  stores: ["core", "files", "projects"],
  triggers: ["core", "files", "processes"], // of processes the type of git's answers
  scripts: ["core", "files", "handlers"], // of handlers the words that runs are known by
  handlers: ["core", "files", "shell", "protocols"],
  agents: ["core", "files", "protocols", "dialects"], // of dialects the type of what is particular to settings files
  llm: ["core", "dialects", "protocols"], // of dialects the type of the settings, of protocols how JSON is found among words
  tools: ["core", "dialects", "files"], // of dialects the type of the settings
  "language-servers": ["core", "dialects", "files"], // of dialects the type of the settings
  mcp: ["core", "operations"],
  notify: ["core", "dialects", "tools"], // of dialects the type of the settings, of tools how they are filled
  operations: ["core", "files", "sources", "projects", "dialects"], // of dialects what an automation is
  sources: ["core", "files", "dialects", "trust", "agents"],
  modules: ["core", "handlers", "definition.ts", "sources"], // of sources the type of a place
  testing: everything,
  cli: everything,
  "index.ts": everything,
  daemon: everything,
  "host-ports.ts": everything, // a part of index.ts
  "resident.ts": everything, // what index.ts and the daemon are both built on
  "loading.ts": everything, // composes what sources may not import: the dialects' registry, patterns, modules
  "automations.ts": everything, // composes automations: their rows, the registry, what reads times and knows models
  "board.ts": everything, // composes projects: their records, git, settings, events
  "outside.ts": everything, // composes tools, models and language servers
  "budgets.ts": ["core", "agents", "dialects"], // of agents how long they wait, of dialects the type of the settings
  "budget-watch.ts": ["core", "dialects", "budgets.ts"], // of dialects the type of the settings
  "extended.ts": ["core"],
  "define.ts": ["core", "handlers", "definition.ts", "modules"],
  "definition.ts": ["core", "handlers"],
  "conversation.ts": ["core"],
  "pauses.ts": ["core", "operations"],
  "registered.ts": ["core", "definition.ts", "handlers", "sources"],
  "durable-queue.ts": ["core", "processes", "queues", "stores", "system.ts"],
  "system.ts": ["core", "processes"],
  "tracking.ts": ["core", "triggers"],
};
/** Libraries, and the one folder that may load each: a second user needs a second reason. */
const packages: Readonly<Record<string, readonly string[]>> = {
  "jsonc-parser": ["dialects", "agents"],
  re2js: ["conditions"],
  picomatch: ["conditions"],
  unbash: ["shell"],
  "@lezer/python": ["conditions"],
  yaml: ["dialects", "handlers"],
  "@ai-sdk/anthropic": ["llm"],
  "@ai-sdk/google": ["llm"],
  "@ai-sdk/openai": ["llm"],
  "@ai-sdk/openai-compatible": ["llm"],
  "@modelcontextprotocol/client": ["tools"],
  "@modelcontextprotocol/server": ["mcp"],
  "@modelcontextprotocol/server/stdio": ["mcp"],
  ajv: ["handlers"],
  croner: ["dialects", "triggers"], // what a pattern means is asked where it is read, and where it is waited for
  hono: ["daemon"],
  "@hono/node-server": ["daemon"],
  "ajv/dist/2020.js": ["handlers"],
  "vscode-languageserver-protocol/node": ["language-servers"],
};

const placeOf = (file: string): string => file.split("/")[1] ?? "";
const complaints: string[] = [];
for (const file of sourceFiles()) {
  const place = placeOf(file);
  const allowed = rules[place];
  if (allowed === undefined)
    complaints.push(`${file}:1 src/${place} has no rule — add one to scripts/check-imports.ts`);
  for (const { line, to, own } of importsOf(file)) {
    const where = `${file}:${line}`;
    if (own) {
      const target = placeOf(to);
      if (target !== place && allowed !== everything && !allowed?.includes(target))
        complaints.push(`${where} ${place} may not import ${target} (${to})`);
    } else if (to.startsWith("node:")) {
      if (place === "core") complaints.push(`${where} core may not import ${to}: it does no I/O`);
    } else if (!packages[to]?.includes(place)) complaints.push(`${where} ${place} may not import the package ${to}`);
  }
}
for (const complaint of complaints) console.log(complaint);
console.log(`${sourceFiles().length} files, ${complaints.length} wrong imports`);
process.exitCode = complaints.length === 0 ? 0 : 1;
