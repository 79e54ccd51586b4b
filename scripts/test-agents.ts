/** `npm run test:agents`: installs the pinned coding agents into a folder that git ignores and runs the tests that need them. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { agentsFolder, findClaude } from "../test/real-agents/installed.ts";
import { installAgents, withThisNode } from "./install-agents.ts";

process.exitCode = main();

function main(): number {
  const refusal = "missing" in findClaude() ? install() : undefined;
  const claude = findClaude();
  if ("missing" in claude) {
    console.log(`test:agents: skipped — ${claude.missing}${refusal ? `; ${refusal}` : ""}`);
    return 0;
  }
  const files = readdirSync(agentsFolder).filter((name) => name.endsWith(".test.ts"));
  const tests = ["--test", ...files.map((name) => join(agentsFolder, name))];
  return spawnSync(process.execPath, tests, { stdio: "inherit", env: withThisNode }).status ?? 1;
}

function install(): string | undefined {
  console.log("test:agents: installing the pinned agents into test/real-agents/node_modules (about 370 MB, once)");
  return installAgents();
}
