/** The tools by name that are known to exist, for warnings about matchers that mean none of them. */
import { tools } from "../core/tools.ts";

const claudeTools =
  "AskUserQuestion BashOutput CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillBash " +
  "KillShell LSP ListMcpResourcesTool Monitor ReadMcpResourceTool SendMessage StructuredOutput TaskCreate TaskGet TaskList " +
  "TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch";

/** Those of Claude Code 2.1.330 and its earlier versions: with a pattern of their own, and the others. */
export const knownTools: readonly string[] = [...Object.keys(tools), ...claudeTools.split(" ")];

/** What other agents call their tools: these match too (R11), so a matcher that names one is no mistake. */
export const nativeTools: readonly string[] = (
  "exec_command apply_patch view_image spawn_agent run_shell_command write_file replace read_file glob grep_search " +
  "search_file_content list_directory web_fetch google_web_search save_memory bash create edit view task write list " +
  "fetch Shell Delete Execute Create ApplyPatch execute_bash developer__shell run_in_terminal exec"
).split(" ");
