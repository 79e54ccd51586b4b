/** Who may import whom: the rooms of docs/architecture.md, as a check. Change a rule in the commit that needs it, with the reason. */
import { importsOf, sourceFiles } from "./imports.ts";

const everything = "*";
/** Room (folder or file below src/) → the rooms it may import. Node's own modules are allowed everywhere but in the engine. */
const rooms: Readonly<Record<string, readonly string[] | typeof everything>> = {
  engine: [],
  files: ["engine"], // what the system says, in words
  shell: ["engine"],
  conditions: ["engine", "files", "shell"], // of files where a link leads
  formats: ["engine", "shell", "files"], // of files what looks at the script of a hook
  actions: ["engine", "files", "shell"],
  agents: ["engine", "files", "formats", "actions"], // of formats the type of a settings format, of actions the keys of an answer
  runtime: ["engine", "files"],
  services: ["engine", "files", "formats", "actions"], // of formats the types of settings, of actions how JSON is found in text, and the one way out by HTTP
  storage: ["engine", "files", "services"], // of services what a row of a project holds
  loading: ["engine", "files", "shell", "conditions", "formats", "agents"], // of shell which programs only look
  operations: ["engine", "files", "formats", "agents", "conditions", "loading", "services"], // of agents how payloads are read, of conditions what a person is told of them
  hosts: everything,
  "index.ts": everything,
  "define.ts": ["engine", "actions", "hosts"], // what modules of users import: definitions, never a running part
};
/** Libraries, and the one room that may load each: a second user needs a second reason. */
const packages: Readonly<Record<string, readonly string[]>> = {
  "jsonc-parser": ["formats", "agents"],
  re2js: ["conditions"],
  picomatch: ["conditions"],
  unbash: ["shell"],
  "@lezer/python": ["conditions"],
  yaml: ["formats", "actions"],
  "@ai-sdk/anthropic": ["services"],
  "@ai-sdk/google": ["services"],
  "@ai-sdk/openai": ["services"],
  "@ai-sdk/openai-compatible": ["services"],
  "@dbos-inc/dbos-sdk": ["runtime"],
  "@modelcontextprotocol/client": ["services"],
  "@modelcontextprotocol/server": ["hosts"],
  "@modelcontextprotocol/server/stdio": ["hosts"],
  ajv: ["actions"],
  "ajv/dist/2020.js": ["actions"],
  croner: ["formats", "runtime"], // what a pattern means is asked where it is read, and where it is waited for
  diff: ["hosts"],
  pg: ["storage"],
  "string-width": ["hosts"],
  "vscode-languageserver-protocol/node": ["services"],
};

const roomOf = (file: string): string => file.split("/")[1] ?? "";
const wrong: string[] = [];
const reached = new Map<string, Set<string>>();
for (const file of sourceFiles()) {
  const room = roomOf(file);
  const allowed = rooms[room];
  if (allowed === undefined) wrong.push(`${file}:1 src/${room} has no rule — add one to scripts/check-imports.ts`);
  for (const { line, to, own } of importsOf(file)) {
    const where = `${file}:${line}`;
    if (own) {
      const target = roomOf(to);
      if (target === room) continue;
      reached.set(room, (reached.get(room) ?? new Set()).add(target));
      if (allowed !== everything && !allowed?.includes(target))
        wrong.push(`${where} ${room} may not import ${target} (${to})`);
    } else if (to.startsWith("node:")) {
      if (room === "engine") wrong.push(`${where} the engine may not import ${to}: it does no I/O`);
    } else if (!packages[to]?.includes(room)) wrong.push(`${where} ${room} may not import the package ${to}`);
  }
}
for (const room of reached.keys()) wrong.push(...circlesFrom(room));
for (const line of wrong) console.log(line);
console.log(`${sourceFiles().length} files, ${wrong.length} wrong imports`);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Ways that lead from a room back to it: two rooms that need each other are one. A circle is named once, by its first room. */
function circlesFrom(room: string): string[] {
  const circles: string[] = [];
  const walk = (way: readonly string[]): void => {
    for (const next of reached.get(way.at(-1) ?? "") ?? []) {
      if (next === room) circles.push(`a circle of rooms: ${[...way, next].join(" → ")}`);
      else if (next > room && !way.includes(next)) walk([...way, next]);
    }
  };
  walk([room]);
  return circles;
}
