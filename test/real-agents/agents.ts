/** How each real agent is run headless against a scripted model, and what its own tools are called. One row per agent. */
import { join } from "node:path";
import type { Fields } from "../../src/engine/event.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../testing/scripted-model.ts";
import type { AgentName } from "./installed.ts";

/** Where a session lives, and its model's address on loopback. */
export interface Place {
  home: string;
  repository: string;
  temporary: string;
  model: string;
  /** An MCP server over stdio that the agent is told of by the name `tasks`. */
  server?: { command: string; args: string[] };
}
/** An answer of the model that is one call of one of the agent's own tools. Paths are relative to the repository. */
export interface Tools {
  shell(command: string): ScriptedAnswer;
  write(path: string, text: string): ScriptedAnswer;
  edit(path: string, old: string, text: string): ScriptedAnswer;
}
interface Row {
  /** Beside PATH, HOME and the like: the model's address, and no reports, updates or downloads. */
  environment(place: Place): { [name: string]: string };
  /** Its own configuration, by path from the home. */
  files?(place: Place): { [path: string]: string };
  words(prompt: string, options: { continued: boolean; flags: readonly string[] }): string[];
  /** What lets it use its tools without a person, as far as that is no matter of a test. */
  allow: readonly string[];
  /** `edit` replaces whole lines, because Codex patches by lines. */
  tools: { [Name in keyof Tools]: (...words: Parameters<Tools[Name]>) => ScriptedCall };
  /** What it calls a tool of the MCP server `tasks`; absent: it has no MCP. */
  mcp?(tool: string): string;
  /** The call that starts a subagent; absent: it has none. */
  subagent?(prompt: string): ScriptedCall;
  /** What it takes beside `allow` to be offered both of them at once. Absent: nothing. */
  offering?: readonly string[];
  /** What it takes instead of `allow` to read hooks, and to need a person's permission for its tools. Absent: nothing. */
  hooksOnly?: readonly string[];
  /** Of files in its calls; absent: whole. */
  paths?: "relative";
  /** Where it reads hooks in the shape of Claude Code's settings, if it does, to see what it does without Hookline. */
  plainHooks?: string;
  /** Folders, from the home and from the repository, in which it would otherwise install this package from the network. */
  seeds?: { package: string; home: readonly string[]; repository: readonly string[] };
}

const json = (value: Fields): string => `${JSON.stringify(value, null, 2)}\n`;
/** A string or a list of strings is the same in JSON and in TOML. */
const quoted = (value: string | string[]): string => JSON.stringify(value);
const key = "none";
const modelName = "fake-model";

export const rows: { readonly [name in AgentName]: Row } = {
  "claude-code": {
    environment: ({ model, temporary }) => ({
      CLAUDE_CODE_TMPDIR: temporary,
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "0",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      IS_SANDBOX: "1", // lets root run it
    }),
    files: ({ server }): { [path: string]: string } =>
      server ? { ".claude.json": json({ mcpServers: { tasks: { ...server } } }) } : {},
    words: (prompt, { continued, flags }) => ["-p", prompt, ...(continued ? ["--continue"] : []), ...flags],
    allow: ["--allowedTools", "Bash,Write,Edit,Read,Agent,mcp__tasks"],
    mcp: (tool) => `mcp__tasks__${tool}`,
    subagent: (prompt) => ({ tool: "Agent", input: { description: "look", prompt, subagent_type: "general-purpose" } }),
    tools: {
      shell: (command) => ({ tool: "Bash", input: { command, description: "a step" } }),
      write: (file_path, content) => ({ tool: "Write", input: { file_path, content } }),
      edit: (file_path, old_string, new_string) => ({ tool: "Edit", input: { file_path, old_string, new_string } }),
    },
    plainHooks: ".claude/settings.json",
  },
  /**
   * The model's name decides which tools it offers: `gpt-5.5` gets exec_command and apply_patch; an unknown name gets
   * exec_command and, for subagents, multi_agent_v1; `gpt-6.1-sol` gets `exec`, whose JavaScript calls the others.
   */
  codex: {
    environment: () => ({ FAKE_KEY: key }),
    files: ({ model, server, repository }) => ({
      ".codex/config.toml": [
        'model = "gpt-5.5"',
        'model_provider = "fake"',
        "check_for_update_on_startup = false",
        // it would read no file of a repository that nobody has trusted
        `[projects.${quoted(repository)}]`,
        'trust_level = "trusted"',
        "[analytics]",
        "enabled = false",
        "[model_providers.fake]",
        'name = "fake"',
        `base_url = "${model}/v1"`,
        'env_key = "FAKE_KEY"',
        'wire_api = "responses"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
        ...(server
          ? ["[mcp_servers.tasks]", `command = ${quoted(server.command)}`, `args = ${quoted(server.args)}`]
          : []),
        "",
      ].join("\n"),
    }),
    words: (prompt, { continued, flags }) => [
      "exec",
      ...(continued ? ["resume", "--last"] : []),
      "--json",
      ...flags,
      prompt,
    ],
    // it would run no hook that the person has not looked at
    allow: ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"],
    hooksOnly: ["--dangerously-bypass-hook-trust"],
    mcp: (tool) => tool,
    subagent: (message) => ({ tool: "spawn_agent", input: { message } }),
    offering: ["-m", "fake-model"], // its own models are offered no subagents, and search for the tools of servers first
    tools: {
      shell: (cmd) => ({ tool: "exec_command", input: { cmd } }),
      write: (path, text) => patching(`*** Add File: ${path}`, signed("+", text)),
      edit: (path, old, text) => patching(`*** Update File: ${path}`, "@@", signed("-", old), signed("+", text)),
    },
    paths: "relative",
    plainHooks: ".codex/hooks.json",
  },
  gemini: {
    environment: ({ model }) => ({
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: "true", // it would load no hook of the repository, and nobody is there to trust it
    }),
    files: ({ server }) => ({
      ".gemini/settings.json": json({
        ...(server && { mcpServers: { tasks: { ...server } } }),
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
    words: (prompt, { continued, flags }) => [
      "-m",
      "gemini-2.5-flash", // it checks the name
      ...(continued ? ["--resume", "latest"] : []),
      ...flags,
      "-p",
      prompt,
    ],
    allow: ["--approval-mode=yolo"],
    mcp: (tool) => `mcp_tasks_${tool}`,
    subagent: (prompt) => ({ tool: "invoke_agent", input: { agent_name: "generalist", prompt } }),
    tools: {
      shell: (command) => ({ tool: "run_shell_command", input: { command, description: "a step" } }),
      write: (file_path, content) => ({ tool: "write_file", input: { file_path, content } }),
      edit: (file_path, old_string, new_string) => ({
        tool: "replace",
        input: { file_path, old_string, new_string, instruction: "a step" },
      }),
    },
  },
  qwen: {
    environment: ({ model }) => ({
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: modelName,
      QWEN_SANDBOX: "false",
    }),
    files: ({ server }) => ({
      ".qwen/settings.json": json({
        ...(server && { mcpServers: { tasks: { ...server } } }),
        security: { auth: { selectedType: "openai" } },
        model: { name: modelName },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
    words: (prompt, { continued, flags }) => [...(continued ? ["--continue"] : []), ...flags, "-p", prompt],
    allow: ["--yolo"],
    mcp: (tool) => `mcp__tasks__${tool}`,
    subagent: (prompt) => ({ tool: "agent", input: { description: "look", prompt, subagent_type: "general-purpose" } }),
    tools: {
      shell: (command) => ({
        tool: "run_shell_command",
        input: { command, description: "a step", is_background: false },
      }),
      write: (file_path, content) => ({ tool: "write_file", input: { file_path, content } }),
      edit: (file_path, old_string, new_string) => ({ tool: "edit", input: { file_path, old_string, new_string } }),
    },
  },
  copilot: {
    environment: ({ model }) => ({
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: modelName,
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    }),
    files: ({ server, repository }) => ({
      ".copilot/config.json": json({ trustedFolders: [repository] }), // else it loads no hook of it
      ...(server && {
        ".copilot/mcp-config.json": json({ mcpServers: { tasks: { type: "local", ...server, tools: ["*"] } } }),
      }),
    }),
    words: (prompt, { continued, flags }) => [
      ...(continued ? ["--continue"] : []),
      "--no-color",
      ...flags,
      "-p",
      prompt,
    ],
    allow: ["--allow-all-tools", "--allow-all-paths"],
    mcp: (tool) => `tasks-${tool}`,
    subagent: (prompt) => ({
      tool: "task",
      input: { agent_type: "task", name: "sub", description: "sub", prompt, mode: "sync" },
    }),
    tools: {
      shell: (command) => ({
        tool: "bash",
        input: { command, description: "a step", mode: "sync", initial_wait: 30 },
      }),
      write: (path, file_text) => ({ tool: "create", input: { path, file_text } }),
      edit: (path, old_str, new_str) => ({ tool: "edit", input: { path, old_str, new_str } }),
    },
  },
  droid: {
    environment: () => ({ FACTORY_API_KEY: key }),
    files: ({ model, server }) => ({
      ...(server && { ".factory/mcp.json": json({ mcpServers: { tasks: { type: "stdio", ...server } } }) }),
      ".factory/settings.json": json({
        model: "custom:fake-0",
        customModels: [
          {
            ...{ model: modelName, id: "custom:fake-0", index: 0, displayName: "fake", baseUrl: model, apiKey: key },
            ...{ provider: "anthropic", maxOutputTokens: 4096 },
          },
        ],
        cloudSessionSync: false,
        enableDroidShield: false,
      }),
    }),
    words: (prompt, { flags }) => ["exec", ...flags, "-m", "custom:fake-0", prompt],
    allow: ["--skip-permissions-unsafe"],
    mcp: (tool) => `tasks___${tool}`,
    tools: {
      shell: (command) => ({ tool: "Execute", input: { summary: "Make one step of it", command } }),
      write: (file_path, content) => ({ tool: "Create", input: { file_path, content } }),
      edit: (file_path, old_str, new_str) => ({ tool: "Edit", input: { file_path, old_str, new_str } }),
    },
  },
  opencode: {
    environment: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_SHARE: "1",
    }),
    files: ({ model, server }) => ({
      ".config/opencode/opencode.json": json({
        ...(server && { mcp: { tasks: { type: "local", command: [server.command, ...server.args] } } }),
        autoupdate: false,
        share: "disabled",
        model: `fake/${modelName}`,
        small_model: `fake/${modelName}`,
        enabled_providers: ["fake"],
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            name: "fake",
            options: { baseURL: `${model}/v1`, apiKey: key },
            models: { [modelName]: { tool_call: true, limit: { context: 200_000, output: 8_000 } } },
          },
        },
      }),
    }),
    words: (prompt, { continued, flags }) => [
      "run",
      "--format",
      "json",
      ...(continued ? ["--continue"] : []),
      ...flags,
      prompt,
    ],
    allow: [],
    mcp: (tool) => `tasks_${tool}`,
    subagent: (prompt) => ({ tool: "task", input: { description: "look", prompt, subagent_type: "general" } }),
    tools: {
      shell: (command) => ({ tool: "bash", input: { command, description: "a step" } }),
      write: (filePath, content) => ({ tool: "write", input: { filePath, content } }),
      edit: (filePath, oldString, newString) => ({ tool: "edit", input: { filePath, oldString, newString } }),
    },
    seeds: { package: "@opencode-ai/plugin", home: [".config/opencode"], repository: [".opencode"] },
  },
  pi: {
    environment: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }),
    files: ({ model }) => ({
      ".pi/agent/models.json": json({
        providers: {
          fake: {
            baseUrl: `${model}/v1`,
            api: "openai-completions",
            apiKey: key,
            compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
            models: [{ id: modelName }],
          },
        },
      }),
    }),
    words: (prompt, { continued, flags }) => [
      "--model",
      `fake/${modelName}`,
      "--offline",
      ...(continued ? ["--continue"] : []),
      ...flags,
      "-p",
      prompt,
    ],
    allow: [],
    tools: {
      shell: (command) => ({ tool: "bash", input: { command } }),
      write: (path, content) => ({ tool: "write", input: { path, content } }),
      edit: (path, oldText, newText) => ({ tool: "edit", input: { path, edits: [{ oldText, newText }] } }),
    },
  },
};

/** The tools of one agent, in one repository. */
export function toolsOf(name: AgentName, repository: string): Tools {
  const { tools, paths } = rows[name];
  const at = (path: string) => (paths === "relative" ? path : join(repository, path));
  return {
    shell: (command) => ({ calls: [tools.shell(command)] }),
    write: (path, text) => ({ calls: [tools.write(at(path), text)] }),
    edit: (path, old, text) => ({ calls: [tools.edit(at(path), old, text)] }),
  };
}

const patching = (...lines: readonly string[]): ScriptedCall => ({
  tool: "apply_patch",
  input: { input: ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n") },
});

const signed = (sign: string, text: string): string =>
  text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign}${line}`)
    .join("\n");
