/** Installs the pinned coding agents into a folder that git ignores, for the tests and the benchmark that need real ones. */
import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { agentsFolder } from "../test/real-agents/installed.ts";

/** This Node first: npm takes the newest version whose `engines` fit the Node that it runs on. */
export const withThisNode: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`,
};

/** No install scripts: the agents' native programs lie in packages of their own. Returns why it did not work. */
export function installAgents(): string | undefined {
  const npm = process.env.npm_execpath;
  const [program, ...before] = npm ? [process.execPath, npm] : ["npm"];
  const flags = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--fetch-retries=1"];
  const words = [...before, "install", "--prefix", agentsFolder, ...flags];
  const done = spawnSync(program ?? "npm", words, { cwd: agentsFolder, encoding: "utf8", env: withThisNode });
  if (done.status === 0) return undefined;
  const said = `${done.stderr ?? ""}${done.error?.message ?? ""}`.split("\n").find((line) => /error/i.test(line));
  return `npm install did not work: ${said?.replace(/^npm (error|ERR!) */, "") ?? `exit ${done.status}`}`;
}
