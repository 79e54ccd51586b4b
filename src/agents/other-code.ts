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
  { places: [".clinerules/hooks", "Cline/Hooks"] },
  { places: [".kilocode/plugin", ".kilocode/plugins", ".kilo/plugin", ".kilo/plugins", ".config/kilo/plugin"] },
  { places: ["crush.json", ".crush.json", ".config/crush/crush.json"] },
  { places: [".kiro/hooks", ".kiro/agents"] },
  { places: [".codeium/windsurf/hooks.json", ".windsurf/hooks.json"] },
  {
    places: [".config/goose/plugins", ".config/goose/config.yaml", ".goose/plugins"],
    program: { names: ["goose"], commands: { plugin: listed } },
  },
  {
    places: [".amp/plugins", ".amp/settings.json", ".config/amp/plugins", ".config/amp/settings.json"],
    program: { names: ["amp"], whenRun: true, commands: { plugin: listed, plugins: listed } },
  },
  {
    places: [".augment/settings.json", ".augment/settings.local.json", ".augment/hooks", ".augment/plugins"],
    lines: { folders: [".augment/commands", ".augment/skills"], forms: ["quoted", "fenced"] },
    program: { names: ["auggie"], commands: { plugin: listed, plugins: listed } },
  },
  { places: [".trae/hooks.json", ".trae/hooks", ".trae/plugins", ".trae-cn/hooks.json"] },
  {
    ofPlugin: [".codebuddy-plugin"],
    places: [".codebuddy/settings.json", ".codebuddy/settings.local.json", ".codebuddy/hooks", ".codebuddy/plugins"],
    lines: {
      folders: [".codebuddy/skills", ".codebuddy/commands", ".codebuddy/agents"],
      forms: ["quoted", "fenced"],
    },
    program: { names: ["codebuddy"], commands: { plugin: listed }, flags: ["--plugin-dir", "--settings"] },
  },
  {
    places: [".iflow/settings.json", ".iflow/hooks", ".iflow/extensions", ".iflow/plugins"],
    lines: { folders: [".iflow/commands", ".iflow/skills"], forms: ["braced", "quoted"] },
    program: { names: ["iflow"], commands: { extensions: listed, extension: listed } },
  },
  {
    places: [".openhands/hooks.json", ".openhands/hooks", ".openhands/setup.sh", ".openhands/pre-commit.sh"],
    program: { names: ["openhands"] },
  },
  { places: [".qoder/settings.json", ".qoder/settings.local.json", ".qoder/hooks", ".qoder/plugins"] },
  { places: [".kimi/config.toml", ".kimi/hooks", ".kimi/plugins"] },
  { places: [".grok/settings.json", ".grok/user-settings.json", ".grok/hooks", ".grok/plugins"] },
  { places: [".letta/settings.json", ".letta/settings.local.json", ".letta/hooks"] },
  { places: [".devin/hooks.json", ".devin/hooks", ".devin/settings.json"] },
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
