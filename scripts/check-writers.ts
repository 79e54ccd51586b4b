/** What writes to a terminal: the one sink that makes foreign text visible, and the few places that write only their own words (T26). */
import { readFileSync } from "node:fs";
import { sourceFiles } from "./imports.ts";

/** How a program reaches its standard output and standard error. */
const writes =
  /process\.(?:stdout|stderr)|\bconsole\.|\{ stdin, stdout \}|stdio: "inherit"|writeSync\((?:1|2|descriptor)\b|\/dev\/(?:tty|std)/;

/** Why each of them may: nothing foreign goes through it, or a program reads it and not a person. */
const allowed: Readonly<Record<string, string>> = {
  "src/runtime/queues/shared/dbos.ts": "keeps DBOS from writing there while it makes its tables",
  "src/hosts/cli/invocation.ts": "gives both streams to the sink",
  "src/hosts/cli/terminal.ts": "is the sink, and asks its own questions",
  "src/hosts/cli/main.ts": "prints help and versions, and an error by safeText",
  "src/hosts/cli/module-output.ts": "takes the output away from modules",
  "src/hosts/cli/runs/follow-up-kinds.ts": "asks its own question",
  "src/hosts/cli/hook.ts": "answers the agent, byte for byte, as its protocol says",
  "src/hosts/mcp/server.ts": "answers an MCP client, in JSON",
  "src/runtime/processes/start.ts": "hands the terminal to the person's own editor",
};

const complaints: string[] = [];
const used = new Set<string>();
for (const file of sourceFiles()) {
  const lines = readFileSync(file, "utf8").split("\n");
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:\*|\/\/|\/\*\*)/.test(line) || !writes.test(line)) continue;
    if (Object.hasOwn(allowed, file)) used.add(file);
    else
      complaints.push(`${file}:${index + 1} writes past the terminal: use terminal.print or terminal.error\n  ${line}`);
  }
}
for (const file of Object.keys(allowed))
  if (!used.has(file)) complaints.push(`scripts/check-writers.ts: ${file} writes nothing any more: remove its row`);

if (complaints.length > 0) console.error(complaints.join("\n"));
process.exitCode = complaints.length > 0 ? 1 : 0;
