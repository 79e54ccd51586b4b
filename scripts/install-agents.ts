/** Installs the pinned coding agents into a folder that git ignores, for the tests and the benchmark that need real ones. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type AgentName, agentsFolder, manifestOf, packagesOf } from "../test/real-agents/installed.ts";

/** This Node first: npm takes the newest version whose `engines` fit the Node that it runs on. */
export const withThisNode: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`,
};

/** Writes the manifest of the newest releases, of these agents and of what they need. Gives what is to be said: a release that cannot be asked for keeps the pinned version. */
export function wantNewest(names: readonly AgentName[]): string[] {
  const said: string[] = [];
  const pinned = manifestOf("pinned");
  const wanted = new Set(names.flatMap(packagesOf));
  const dependencies = Object.fromEntries(
    Object.entries(pinned.dependencies)
      .filter(([name]) => wanted.has(name))
      .map(([name, version]) => {
        const newest = newestOf(name);
        if (newest === undefined) said.push(`${name}: no newer release is known, so ${version} is taken`);
        return [name, newest ?? version];
      }),
  );
  mkdirSync(agentsFolder, { recursive: true });
  writeFileSync(join(agentsFolder, "package.json"), `${JSON.stringify({ ...pinned, dependencies }, null, 2)}\n`);
  return said;
}

function newestOf(name: string): string | undefined {
  const [program = "npm", ...words] = npmWith("view", name, "version");
  const { status, stdout } = spawnSync(program, words, { encoding: "utf8", env: withThisNode });
  const version = (stdout ?? "").trim();
  return status === 0 && /^\d[\w.+-]*$/.test(version) ? version : undefined;
}

function npmWith(...words: string[]): string[] {
  const npm = process.env.npm_execpath;
  return npm ? [process.execPath, npm, ...words] : ["npm", ...words];
}

/** No install scripts: the agents' native programs lie in packages of their own. Returns why it did not work. */
export function installAgents(): string | undefined {
  const flags = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--fetch-retries=1"];
  const [program, ...words] = npmWith("install", "--prefix", agentsFolder, ...flags);
  const done = spawnSync(program ?? "npm", words, { cwd: agentsFolder, encoding: "utf8", env: withThisNode });
  if (done.status === 0) return undefined;
  const said = `${done.stderr ?? ""}${done.error?.message ?? ""}`.split("\n").find((line) => /error/i.test(line));
  return `npm install did not work: ${said?.replace(/^npm (error|ERR!) */, "") ?? `exit ${done.status}`}`;
}
