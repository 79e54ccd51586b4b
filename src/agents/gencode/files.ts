/** GenCode's hook files, of specification 002. Hookline reads them and has no adapter for their agent. */
import { join } from "node:path";
import type { HookFiles } from "../adapter.ts";

const format = {
  name: "gen",
  family: "gen",
  /** Every other event of its files is fire and forget (specification 002, R51). */
  waitsFor: new Set(["PreToolUse", "PermissionRequest", "UserPromptSubmit", "PreCompact", "SessionStart", "Stop"]),
  overrides: true,
  variables: "gen",
} as const;

export const hookFiles: HookFiles = {
  format,
  user: ({ home }) => ({ path: join(home, ".gen", "settings.json"), label: "~/.gen/settings.json" }),
  project: ".gen/settings.json",
  local: ".gen/settings.local.json",
  markers: [],
  isNamed: (path) => /(^|\/)\.gen\//.test(path),
  plugins: {
    format,
    files: [
      { name: "plugin.json", isManifest: true },
      { name: ".gen-plugin/plugin.json", isManifest: true },
      { name: "hooks/hooks.json" },
    ],
    folder: ".gen/plugins",
    beside: ["marketplaces", "cache"],
  },
  variables: { prefix: "GEN", given: "if asked" },
};
