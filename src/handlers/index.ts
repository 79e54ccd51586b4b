/** The handlers that come with Hookline. One line each; the registry, the schemas and the documentation read this table. */
import type { Handler } from "../core/ports.ts";
import { abilitySuggestion } from "./ability-suggestion.ts";
import { agent } from "./agent.ts";
import { autoTestDeploy } from "./auto-test-deploy.ts";
import { buildCheck } from "./build-check.ts";
import { command } from "./command.ts";
import { createCommandTemplates } from "./command-template.ts";
import { compactContext } from "./compact-context.ts";
import { compileYaml } from "./compile-yaml.ts";
import type { Callback } from "./function.ts";
import { gate } from "./gate.ts";
import { injectMessage } from "./inject-message.ts";
import { log } from "./log.ts";
import { lspDiagnose } from "./lsp-diagnose.ts";
import { mcpTool } from "./mcp-tool.ts";
import { moduleAction, moduleActionInject } from "./module-action.ts";
import { notify } from "./notify.ts";
import { pipe } from "./pipe.ts";
import { prompt } from "./prompt.ts";
import { script } from "./script.ts";
import { createSettingsHandlers, forget } from "./settings-handlers.ts";
import { shell } from "./shell.ts";
import { softGuardrail } from "./soft-guardrail.ts";
import { transformParams, transformResult } from "./transform.ts";
import { usageTracker } from "./usage-tracker.ts";

/** @param functions the callbacks of this process, by id */
export function createHandlers(functions: ReadonlyMap<string, Callback>): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ...createSettingsHandlers(functions),
    ["command", forget({ ...command, ...createCommandTemplates() })],
    ["prompt", forget(prompt)],
    ["agent", forget(agent)],
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
  ]);
}
