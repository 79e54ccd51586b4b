/**
 * `npm run test:agents -- claude-code codex …`: installs the pinned coding agents into a folder that git ignores and runs the
 * tests of those that are named, or of all; one agent after the other, because each is heavy. With `--other-versions`
 * it runs the contract of every agent against the versions that test/real-agents/other-versions pins. With `--latest` it installs the
 * newest release of each, runs the contract, compares the agent's own list of events with ours, and writes both down.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { agents } from "../src/agents/index.ts";
import { resultsFile } from "../test/real-agents/claims.ts";
import {
  type AgentName,
  agentNames,
  agentsFolder,
  findAgent,
  isAgent,
  type Versions,
  versions,
} from "../test/real-agents/installed.ts";
import { newEvents } from "../test/real-agents/listed-events.ts";
import { installAgents, wantNewest, withThisNode } from "./install-agents.ts";

const testsFolder = join(import.meta.dirname, "..", "test", "real-agents");
process.exitCode = main(process.argv.slice(2));

function main(words: readonly string[]): number {
  const flag = Object.keys(versionsOf).find((one) => words.includes(one));
  const wanted = flag === undefined ? "pinned" : (versionsOf[flag] ?? "pinned");
  if (wanted !== "pinned" && versions !== wanted) {
    const again = [import.meta.filename, ...words];
    const written = wanted === "latest" ? { HOOKLINE_AGENT_RESULTS: "write" } : {};
    const env = { ...withThisNode, HOOKLINE_AGENT_VERSIONS: wanted, ...written };
    return spawnSync(process.execPath, again, { stdio: "inherit", env }).status ?? 1;
  }
  const names = words.filter((word) => word !== flag);
  return wanted === "latest" ? testLatest(names) : testAll(names);
}

const versionsOf: Readonly<Record<string, Versions>> = { "--other-versions": "other", "--latest": "latest" };

function testLatest(words: readonly string[]): number {
  const named = agentNames.filter((name) => words.length === 0 || words.includes(name));
  for (const line of wantNewest(named)) console.log(`test:agents: ${line}`);
  const code = testAll(words);
  const found = named.map((name) => noteNewEvents(name));
  return found.some((one) => one) ? 1 : code;
}

/** Whether there are any. */
function noteNewEvents(name: AgentName): boolean {
  const found = findAgent(name);
  const agent = agents[name];
  if ("missing" in found || !agent) return false;
  const names = newEvents(agent, found.before[0] ?? found.program);
  const file = resultsFile(name, "latest");
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  if (before && names) writeFileSync(file, `${JSON.stringify({ ...before, newEvents: names }, null, 2)}\n`);
  if (names?.length) console.log(`test:agents: ${name} has events that no table of ours has: ${names.join(", ")}`);
  return (names?.length ?? 0) > 0;
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
    `test:agents: installing the ${versions} agents into ${relative("", agentsFolder)}/node_modules (about 2 GB, once)`,
  );
  return installAgents();
}
