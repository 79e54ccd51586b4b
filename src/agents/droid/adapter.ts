/** Factory Droid 0.215.0: what differs from Claude Code in its files, its tools and its answers. Loaded on every event. */
import type { AgentAdapter } from "../adapter.ts";
import { claudeShaped } from "../claude-shaped/family.ts";

const informed = { accepts: ["context"] } as const;
const silent = { accepts: [] };

export const droid: AgentAdapter = claudeShaped({
  name: "droid",
  title: "Factory Droid",
  program: { name: "droid", measured: "0.215.0" },
  folder: ".factory",
  file: "settings.json",
  local: "settings.local.json",
  rows: {
    SessionStart: informed,
    SessionEnd: silent,
    // "droid exec" sends none; what it takes elsewhere is as documented
    UserPromptSubmit: { refuses: "block", accepts: ["verdict", "context"] },
    // where nobody sits before it, it runs a call that was to be asked about; context is not shown to the model
    PreToolUse: { refuses: "permission", accepts: ["verdict", "updatedInput", "stop"], verdicts: ["deny", "allow"] },
    // it takes a decision to block here, and the model does not hear of it
    PostToolUse: informed,
    Notification: silent,
    Stop: { refuses: "continue", accepts: ["verdict"] },
    SubagentStop: silent,
    PreCompact: silent,
  },
  tools: {
    Execute: { is: "Bash", fields: { fireAndForget: "run_in_background" } },
    Create: { is: "Write" },
    Edit: { is: "Edit", fields: { old_str: "old_string", new_str: "new_string", change_all: "replace_all" } },
    Read: { is: "Read" },
    Grep: { is: "Grep" },
    Glob: { is: "Glob", fields: { patterns: "pattern", folder: "path" } },
    LS: { is: "LS", fields: { directory_path: "path" } },
    FetchUrl: { is: "WebFetch" },
    WebSearch: { is: "WebSearch" },
    Task: { is: "Agent" },
    Skill: { is: "Skill" },
    TodoWrite: { is: "TodoWrite" },
  },
  betweenServerAndTool: "___",
  patches: { tool: "ApplyPatch", field: "input" },
  variables: {
    prefix: "FACTORY",
    given: "to its own",
    namesProject: true,
    others: ["DROID_PROJECT_DIR", "DROID_PLUGIN_ROOT", "FACTORY_DISABLE_SETTINGS_PERSISTENCE", "FACTORY_EXEC_"],
  },
  loads: {
    places: [".factory/hooks.json", ".factory/hooks", ".factory/plugins"],
    program: { names: ["droid"], commands: { plugin: ["list"] } },
  },
  switches: { hooksDisabled: "Factory Droid runs no hooks while this is true" },
});
