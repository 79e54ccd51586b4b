/** Where agents that have no adapter here load code from: their hooks, plugins and extensions. As documented by each; none was measured. */
import type { LoadedCode } from "./adapter.ts";

const listed = ["list"];

export const otherCode: readonly LoadedCode[] = [
  // Several agents read these, each in its own form.
  { places: [], lines: { folders: [".agents/skills", ".agents/commands"], forms: ["quoted", "fenced", "braced"] } },
  {
    places: [".cursor/hooks.json", ".cursor/hooks", ".cursor/plugins", ".cursor/extensions"],
    program: { names: ["cursor", "cursor-agent"], flags: ["--install-extension", "--plugin-dir"] },
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
];
