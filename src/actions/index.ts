/** The handlers that come with Hookline. One line each; the registry, the schemas and the documentation read this table. */
import type { Handler } from "../engine/ports.ts";
import { registerBuiltins } from "./builtin/index.ts";
import { command } from "./command/command.ts";
import { createCommandTemplates } from "./command/template.ts";
import { unknownStep } from "./context-steps/context-step.ts";
import { fileDiff, gitDiff } from "./context-steps/diff.ts";
import { listFiles, readFile } from "./context-steps/files.ts";
import { httpGet } from "./context-steps/http-get.ts";
import { contextShell } from "./context-steps/program.ts";
import { createTask, dbQuery, memorySearch } from "./context-steps/projects.ts";
import { runTests } from "./context-steps/run-tests.ts";
import type { Callback } from "./function/function.ts";
import { agent, prompt } from "./model/ask.ts";
import { askModel, noModel } from "./model/ask-model.ts";
import { compactContext, gate, injectMessage, log, notify, transformParams, transformResult } from "./rules/actions.ts";
import { shell } from "./rules/shell.ts";
import { mcpTool, moduleAction, moduleActionInject, pipe } from "./rules/tools.ts";
import { script } from "./script/script.ts";
import { createSettingsHandlers, forget } from "./settings-handlers.ts";

/** @param functions the callbacks of this process, by id */
export function createHandlers(functions: ReadonlyMap<string, Callback>): ReadonlyMap<string, Handler> {
  const handlers = new Map<string, Handler>([
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
    ["pipe", forget(pipe)],
    ["gate", forget(gate)],
    ["inject_message", forget(injectMessage)],
    ["transform_params", forget(transformParams)],
    ["transform_result", forget(transformResult)],
    ["compact_context", forget(compactContext)],
    ["log", forget(log)],
    ["notify", forget(notify)],
    ["shell", forget(shell)],
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
  registerBuiltins((name, handler) => void handlers.set(name, handler));
  return handlers;
}
