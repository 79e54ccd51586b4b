/** The handlers that come with Hookline. One line each; the registry, the schemas and the documentation read these tables. */
import type { Handler } from "../engine/ports.ts";
import { abilitySuggestion } from "./builtin/ability-suggestion/suggestion.ts";
import { autoTestDeploy } from "./builtin/auto-test-deploy.ts";
import { buildCheck } from "./builtin/build-check/build-check.ts";
import { compileYaml } from "./builtin/compile-yaml/compile-yaml.ts";
import { lspDiagnose } from "./builtin/lsp-diagnose.ts";
import { softGuardrail } from "./builtin/soft-guardrail.ts";
import { usageTracker } from "./builtin/usage-tracker.ts";
import { command } from "./command/command.ts";
import { createCommandTemplates } from "./command/template.ts";
import { unknownStep } from "./context-steps/context-step.ts";
import { fileDiff, gitDiff, listFiles, readFile } from "./context-steps/files.ts";
import { httpGet } from "./context-steps/http-get.ts";
import { contextShell } from "./context-steps/program.ts";
import { createTask, dbQuery, memorySearch } from "./context-steps/projects.ts";
import { runTests } from "./context-steps/run-tests.ts";
import type { Callback } from "./function/function.ts";
import { agent, prompt } from "./model/ask.ts";
import { askModel, noModel } from "./model/ask-model.ts";
import { compactContext, injectMessage, log, notify, transformParams, transformResult } from "./rules/actions.ts";
import { shell } from "./rules/shell.ts";
import { mcpTool, moduleAction, moduleActionInject, pipe } from "./rules/tools.ts";
import { script } from "./script/script.ts";
import { createSettingsHandlers } from "./settings-handlers.ts";
import { handler } from "./step.ts";

/** @param functions the callbacks of this process, by id */
export function createHandlers(functions: ReadonlyMap<string, Callback>): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ...createSettingsHandlers(functions),
    ["command", handler({ ...command, ...createCommandTemplates() })],
    ["prompt", prompt],
    ["agent", agent],
    ["ask_model", askModel],
    ["no_model", noModel],
    ["mcp_tool", mcpTool],
    ["module_action", moduleAction],
    ["module_action_inject", moduleActionInject],
    ["script", script],
    ["pipe", pipe],
    ["inject_message", injectMessage],
    ["transform_params", transformParams],
    ["transform_result", transformResult],
    ["compact_context", compactContext],
    ["log", log],
    ["notify", notify],
    ["shell", handler(shell)],
    ["context_shell", contextShell],
    ["read_file", readFile],
    ["http_get", httpGet],
    ["git_diff", gitDiff],
    ["run_tests", runTests],
    ["list_files", listFiles],
    ["file_diff", fileDiff],
    ["db_query", dbQuery],
    ["memory_search", memorySearch],
    ["create_task", createTask],
    ["unknown_step", unknownStep],
    ...builtins,
  ]);
}

/** Handlers that decide by the event alone: they start no program, send nothing and read no file. */
export const decidesAlone: ReadonlySet<string> = new Set([
  ...["gate", "inject_message", "transform_params", "transform_result", "compact_context", "log", "notify"],
  ...["soft_guardrail", "invalid", "no_model"],
]);

/** The ready-made handlers of repository hooks and rules: nothing else in Hookline knows them. */
const builtins: ReadonlyMap<string, Handler> = new Map([
  ["usage_tracker", usageTracker],
  ["ability_suggestion", abilitySuggestion],
  ["soft_guardrail", softGuardrail],
  ["build_check", buildCheck],
  ["lsp_diagnose", lspDiagnose],
  ["compile_yaml", compileYaml],
  ["auto_test_deploy", autoTestDeploy],
]);
