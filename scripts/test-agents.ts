/** `npm run test:agents`: installs the pinned coding agents into a folder that git ignores and runs the tests that need them. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { agentsFolder, findClaude } from "../test/agents/installed.ts";

// This Node first: npm takes the newest version whose `engines` fit the Node that it runs on.
const environment = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}` };

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
  return spawnSync(process.execPath, tests, { stdio: "inherit", env: environment }).status ?? 1;
}

/** No install scripts: the agents' native programs lie in packages of their own. Returns why it did not work. */
function install(): string | undefined {
  console.log("test:agents: installing the pinned agents into test/agents/node_modules (about 370 MB, once)");
  const npm = process.env.npm_execpath;
  const [program, ...before] = npm ? [process.execPath, npm] : ["npm"];
  const flags = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--fetch-retries=1"];
  const words = [...before, "install", "--prefix", agentsFolder, ...flags];
  const done = spawnSync(program ?? "npm", words, { cwd: agentsFolder, encoding: "utf8", env: environment });
  if (done.status === 0) return undefined;
  const said = `${done.stderr ?? ""}${done.error?.message ?? ""}`.split("\n").find((line) => /error/i.test(line));
  return `npm install did not work: ${said?.replace(/^npm (error|ERR!) */, "") ?? `exit ${done.status}`}`;
}
