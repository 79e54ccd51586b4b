/** The handlers that come with Hookline. One line each; the registry, the schemas and the documentation read this table. */
import type { Handler } from "../core/ports.ts";
import { abilitySuggestion } from "./ability-suggestion.ts";
import { agent } from "./agent.ts";
import { askModel } from "./ask-model.ts";
import { autoTestDeploy } from "./auto-test-deploy.ts";
import { buildCheck } from "./build-check.ts";
import { command } from "./command.ts";
import { createCommandTemplates } from "./command-template.ts";
import { compactContext } from "./compact-context.ts";
import { compileYaml } from "./compile-yaml.ts";
import { contextShell } from "./context-shell.ts";
import { createTask } from "./create-task.ts";
import { dbQuery } from "./db-query.ts";
import { fileDiff } from "./file-diff.ts";
import type { Callback } from "./function.ts";
import { gate } from "./gate.ts";
import { gitDiff } from "./git-diff.ts";
import { httpGet } from "./http-get.ts";
import { injectMessage } from "./inject-message.ts";
import { listFiles } from "./list-files.ts";
import { log } from "./log.ts";
import { lspDiagnose } from "./lsp-diagnose.ts";
import { mcpTool } from "./mcp-tool.ts";
import { memorySearch } from "./memory-search.ts";
import { moduleAction, moduleActionInject } from "./module-action.ts";
import { noModel } from "./no-model.ts";
import { notify } from "./notify.ts";
import { pipe } from "./pipe.ts";
import { prompt } from "./prompt.ts";
import { readFile } from "./read-file.ts";
import { runTests } from "./run-tests.ts";
import { script } from "./script.ts";
import { createSettingsHandlers, forget } from "./settings-handlers.ts";
import { shell } from "./shell.ts";
import { softGuardrail } from "./soft-guardrail.ts";
import { transformParams, transformResult } from "./transform.ts";
import { unknownStep } from "./unknown-step.ts";
import { usageTracker } from "./usage-tracker.ts";

/** @param functions the callbacks of this process, by id */
export function createHandlers(functions: ReadonlyMap<string, Callback>): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ...createSettingsHandlers(functions),
    ["command", forget({ ...command, ...createCommandTemplates() })],
    ["prompt", forget(prompt)],
    ["agent", forget(agent)],
    ["ask_model", forget(askModel)],
    ["no_model", forget(noModel)],
    ["mcp_tool", forget(mcpTool)],
    ["module_action", forget(moduleAction)],
    ["module_action_inject", forget(moduleActionInject)],
    ["script", forget(script)],
    ["usage_tracker", forget(usageTracker)],
    ["ability_suggestion", forget(abilitySuggestion)],
    ["soft_guardrail", forget(softGuardrail)],
    ["build_check", forget(buildCheck)],
    ["pipe", forget(pipe)],
    ["gate", forget(gate)],
    ["inject_message", forget(injectMessage)],
    ["transform_params", forget(transformParams)],
    ["transform_result", forget(transformResult)],
    ["compact_context", forget(compactContext)],
    ["log", forget(log)],
    ["notify", forget(notify)],
    ["shell", forget(shell)],
    ["lsp_diagnose", forget(lspDiagnose)],
    ["compile_yaml", forget(compileYaml)],
    ["auto_test_deploy", forget(autoTestDeploy)],
    ["context_shell", forget(contextShell)],
    ["read_file", forget(readFile)],
    ["http_get", forget(httpGet)],
    ["git_diff", forget(gitDiff)],
    ["run_tests", forget(runTests)],
    ["list_files", forget(listFiles)],
    ["file_diff", forget(fileDiff)],
    ["db_query", forget(dbQuery)],
    ["memory_search", forget(memorySearch)],
    ["create_task", forget(createTask)],
    ["unknown_step", forget(unknownStep)],
  ]);
}
