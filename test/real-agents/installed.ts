/** Where the real agents are that `npm run test:agents` installs, and whether they run. Apart, because the installer asks it too. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Which versions run: those that all tests are written for; others, to see whether the contract holds there too; or the newest. */
const sets = { pinned: ".", other: "other-versions", latest: "latest" } as const;
export type Versions = keyof typeof sets;
export const versions: Versions =
  (["other", "latest"] as const).find((one) => one === process.env.HOOKLINE_AGENT_VERSIONS) ?? "pinned";

/** Its own manifest pins the exact versions; git ignores what is installed beside it. */
export const agentsFolder: string = join(import.meta.dirname, sets[versions]);
export const modulesFolder: string = join(agentsFolder, "node_modules");

export const agentNames = ["claude-code", "codex", "gemini", "qwen", "copilot", "opencode", "pi", "droid"] as const;
export type AgentName = (typeof agentNames)[number];
export const isAgent = (name: string): name is AgentName => agentNames.some((known) => known === name);

/**
 * Where each agent's program lies. A package whose program is native has it in the package of the platform, because its own
 * `bin` is a stub until an install script has run; `*` is one folder of any name.
 */
const agents: { readonly [name in AgentName]: { package: string } & ({ native: string } | { script: string }) } = {
  "claude-code": { package: "@anthropic-ai/claude-code", native: "claude" },
  codex: { package: "@openai/codex", native: "vendor/*/bin/codex" },
  gemini: { package: "@google/gemini-cli", script: "bundle/gemini.js" },
  qwen: { package: "@qwen-code/qwen-code", script: "cli-entry.js" },
  copilot: { package: "@github/copilot", native: "copilot" },
  opencode: { package: "opencode-ai", native: "bin/opencode" },
  droid: { package: "droid", native: "bin/droid" },
  pi: { package: "@mariozechner/pi-coding-agent", script: "dist/cli.js" },
};

/** A program and what stands before the words that it is given. */
export interface Program {
  program: string;
  before: readonly string[];
}
type Found = Program | { missing: string };

/** What npm is to install for an agent: its package, and what its plugins import. */
export const packagesOf = (name: AgentName): string[] => [
  agents[name].package,
  ...(name === "opencode" ? ["@opencode-ai/plugin"] : []),
];

/** The manifest of a set of versions. */
export const manifestOf = (set: Versions): { dependencies: { [name: string]: string } } =>
  JSON.parse(readFileSync(join(import.meta.dirname, sets[set], "package.json"), "utf8"));

/** The exact versions that the tests were written for, by package. */
export function pinnedVersions(): { [name: string]: string } {
  return manifest(join(agentsFolder, "package.json"))?.dependencies ?? {};
}

/** What starts the pinned version of an agent, or why nothing does. */
export function findAgent(name: AgentName): Found {
  const row = agents[name];
  const version = pinnedVersions()[row.package];
  const own = join(modulesFolder, row.package);
  const installed = manifest(join(own, "package.json"));
  if (installed?.version !== version) return { missing: `${row.package} ${version} is not installed` };
  if ("script" in row) return { program: process.execPath, before: [join(own, row.script)] };
  const program = nativeProgram(row.native, Object.keys(installed?.optionalDependencies ?? {}));
  return program
    ? { program, before: [] }
    : { missing: `${row.package} ${version} has no program that runs on this machine` };
}

export const versionOf = (name: AgentName): string => pinnedVersions()[agents[name].package] ?? "";

/** What a test is skipped with: why the agent is missing, or false. */
export function missingAgent(name: AgentName): string | false {
  const found = findAgent(name);
  return "missing" in found && `${found.missing}; npm run test:agents -- ${name} installs it`;
}

function nativeProgram(path: string, platforms: readonly string[]): string | undefined {
  const programs = platforms
    .flatMap((platform) => expand(join(modulesFolder, platform), path.split("/")))
    .flatMap((program) => [program, `${program}.exe`])
    .filter((program) => existsSync(program));
  // where the package manager chose more than one, the processor decides: only one that starts will do
  return programs.length > 1 ? programs.find(starts) : programs[0];
}

function expand(folder: string, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) return [folder];
  if (step !== "*") return expand(join(folder, step), rest);
  return (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => expand(join(folder, name), rest));
}

/** In a home of its own: some unpack themselves there. */
function starts(program: string): boolean {
  const known = started.get(program);
  if (known !== undefined) return known;
  const home = mkdtempSync(join(tmpdir(), "hookline-agent-"));
  const does = (() => {
    try {
      execFileSync(program, ["--version"], { env: { PATH: process.env.PATH, HOME: home }, stdio: "ignore" });
      return true;
    } catch {
      return false;
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  })();
  started.set(program, does);
  return does;
}
const started = new Map<string, boolean>();

interface Manifest {
  version?: string;
  dependencies?: { [name: string]: string };
  optionalDependencies?: { [name: string]: string };
}

function manifest(path: string): Manifest | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}
