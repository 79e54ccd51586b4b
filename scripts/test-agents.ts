/**
 * `npm run test:agents -- claude-code codex …`: installs the pinned coding agents into a folder that git ignores and runs the
 * tests of those that are named, or of all; one agent after the other, because each is heavy. With `--other-versions`
 * it runs the contract of every agent against the versions that test/real-agents/other-versions pins.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type AgentName,
  agentNames,
  agentsFolder,
  findAgent,
  isAgent,
  versions,
} from "../test/real-agents/installed.ts";
import { installAgents, withThisNode } from "./install-agents.ts";

const testsFolder = join(import.meta.dirname, "..", "test", "real-agents");
process.exitCode = main(process.argv.slice(2));

function main(words: readonly string[]): number {
  if (words.includes("--other-versions") && versions !== "other") {
    const again = [import.meta.filename, ...words];
    const env = { ...withThisNode, HOOKLINE_AGENT_VERSIONS: "other" };
    return spawnSync(process.execPath, again, { stdio: "inherit", env }).status ?? 1;
  }
  return testAll(words.filter((word) => word !== "--other-versions"));
}

function testAll(words: readonly string[]): number {
  const unknown = words.filter((word) => !isAgent(word));
  if (unknown.length > 0) {
    console.error(`test:agents: no agent is called ${unknown.join(", ")}; there are ${agentNames.join(", ")}`);
    return 2;
  }
  const named = agentNames.filter((name) => words.length === 0 || words.includes(name));
  const refusal = named.some((name) => "missing" in findAgent(name)) ? install() : undefined;
  const codes = named.map((name) => testAgent(name, refusal));
  return codes.find((code) => code !== 0) ?? 0;
}

function testAgent(name: AgentName, refusal: string | undefined): number {
  const found = findAgent(name);
  if ("missing" in found) {
    console.log(`test:agents: ${name} skipped — ${found.missing}${refusal ? `; ${refusal}` : ""}`);
    return 0;
  }
  console.log(`test:agents: ${name}`);
  const files = readdirSync(testsFolder).filter((file) => file.endsWith(".test.ts") && isOf(file, name));
  const tests = ["--test", ...files.map((file) => join(testsFolder, file))];
  return spawnSync(process.execPath, tests, { stdio: "inherit", env: withThisNode }).status ?? 1;
}

/** `claude-code.test.ts` and `claude-code-rules.test.ts` are Claude Code's. */
function isOf(file: string, name: AgentName): boolean {
  return file.startsWith(`${name}.`) || file.startsWith(`${name}-`);
}

function install(): string | undefined {
  console.log(
    `test:agents: installing the pinned agents into ${relative("", agentsFolder)}/node_modules (about 2 GB, once)`,
  );
  return installAgents();
}
