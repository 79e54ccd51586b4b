/** Where agents that have no adapter here load code from: their hooks, plugins and extensions. As documented by each; none was measured. */
import type { LoadedCode } from "./adapter.ts";

const listed = ["list"];

export const otherCode: readonly LoadedCode[] = [
  // Several agents read these, each in its own form.
  { places: [], lines: { folders: [".agents/skills", ".agents/commands"], forms: ["quoted", "fenced", "braced"] } },
  {
    ofPlugin: [".cursor-plugin"],
    places: [".cursor/hooks.json", ".cursor/hooks", ".cursor/plugins", ".cursor/extensions"],
    program: {
      names: ["cursor", "cursor-agent"],
      commands: { plugin: listed, plugins: listed },
      flags: ["--install-extension", "--plugin-dir"],
    },
  },
  {
    places: [".factory/hooks.json", ".factory/hooks", ".factory/plugins", ".factory/settings.json"],
    program: { names: ["droid"], commands: { plugin: listed } },
  },
  { places: [".clinerules/hooks", "Cline/Hooks"] },
  { places: [".kilocode/plugin", ".kilocode/plugins", ".kilo/plugin", ".kilo/plugins", ".config/kilo/plugin"] },
  { places: ["crush.json", ".crush.json", ".config/crush/crush.json"] },
  { places: [".kiro/hooks", ".kiro/agents"] },
  { places: [".codeium/windsurf/hooks.json", ".windsurf/hooks.json"] },
  {
    places: [".config/goose/plugins", ".config/goose/config.yaml", ".goose/plugins"],
    program: { names: ["goose"], commands: { plugin: listed } },
  },
  // Tools of packages that write into the folders of agents: skills, slash commands, hooks, and servers of tools.
  {
    places: [],
    program: {
      names: ["skills"],
      whenRun: true,
      looks: ["--list", "-l"],
      commands: Object.fromEntries(
        "add a install i update upgrade remove rm experimental_install experimental_sync"
          .split(" ")
          .map((word) => [word, []]),
      ),
    },
  },
  ...[
    { names: ["openskills", "smithery", "@smithery/cli", "claude-flow"] },
    { names: ["rulesync", "ruler"], looks: ["--dry-run", "--check"] },
  ].map((tool) => ({
    places: [],
    program: {
      ...tool,
      whenRun: true,
      commands: Object.fromEntries(
        "install i add update sync remove uninstall manage generate apply revert init mcp skill hooks"
          .split(" ")
          .map((word) => [word, [...listed, "search"]]),
      ),
    },
  })),
  ...[
    { names: ["add-skill"], looks: ["--list", "-l"] },
    { names: ["claude-code-templates", "cct"], looks: ["--dry-run"] },
    { names: ["add-mcp", "install-mcp", "mcp-add"] },
  ].map((tool) => ({ places: [], program: { ...tool, whenRun: true, always: true } })),
];
