/** docs/events.md: the event table as a person reads it. */
import type { AgentEventName } from "../../src/engine/event.ts";
import { agentEventNames, type EventRow, rowOf, verdictsOf } from "../../src/engine/events.ts";

/** When each event happens: the only thing about events that the table itself does not know. */
const moments: { readonly [N in AgentEventName]: string } = {
  SessionStart: "a session begins, is resumed, cleared or compacted",
  SessionEnd: "a session ends",
  SessionStop: "a person stops the session",
  Setup: "the agent sets a repository up or maintains it",
  InstructionsLoaded: "the agent reads a file of instructions",
  UserPromptSubmit: "a prompt is sent, before the model sees it",
  UserPromptExpansion: "a slash command is about to become a prompt",
  PreToolUse: "the model asks for a tool, before it runs and before permissions are asked",
  PreSkillShellCommand: "a skill or a slash command holds a shell line, before the agent runs it",
  PostToolUse: "a tool has run",
  PostToolUseFailure: "a tool has failed",
  PostToolBatch: "all tools that the model asked for at once have run",
  PermissionRequest: "a person would be asked for permission",
  PermissionDenied: "a permission was denied",
  Notification: "the agent tells the person something",
  Stop: "the agent has finished its answer",
  StopFailure: "the turn ended in an error",
  Interrupt: "a person interrupted the agent",
  SubagentStart: "a subagent begins",
  SubagentStop: "a subagent has finished",
  PreCompact: "the conversation is about to be compacted",
  PostCompact: "the conversation was compacted",
  PreModelSwitch: "another model is about to be chosen",
  PostModelSwitch: "another model was chosen",
  TeammateIdle: "a teammate has nothing to do",
  TaskCreated: "a task is created",
  TaskCompleted: "a task is about to count as done",
  Elicitation: "an MCP server asks the person something",
  ElicitationResult: "the person answered an MCP server",
  ConfigChange: "a settings file changed",
  WorktreeCreate: "a worktree is to be made",
  WorktreeRemove: "a worktree was removed",
  CwdChanged: "the agent moved to another folder",
  DirectoryAdded: "a folder was added to the session",
  FileChanged: "a watched file changed",
  MessageDisplay: "a part of an answer is about to be shown",
};

export function eventsPage(): string {
  const rows = agentEventNames.map((name) => {
    const row = rowOf(name);
    return `| [${name}](#${name.toLowerCase()}) | ${moments[name]} | ${row.matchOn ? `\`${row.matchOn}\`` : "–"} | ${row.mode === "sync" ? "yes" : "no"} |`;
  });
  return `# Events

Names are Claude Code's. **Waited for** says whether the sender waits for the answer: an event that takes no answer is
fire and forget, and its hooks run in the background. A matcher on an event that has nothing to match is ignored, with a
finding. What the answers mean is in [outcomes.md](outcomes.md); an answer that an event does not take is never dropped
in silence: it goes with a later event, becomes a weaker one, or leaves a note in the run.

**Events of your own** hold a dot, such as \`deploy.started\`. They are waited for, have nothing to match, and take
${list(rowOf("deploy.started").accepts)}; verdicts ${list(verdictsOf(rowOf("deploy.started")))}.

| event | when | a matcher sees | waited for |
|---|---|---|---|
${rows.join("\n")}

${agentEventNames.map(section).join("\n")}`;
}

function section(name: AgentEventName): string {
  const row = rowOf(name);
  const facts = [
    ...(row.aliases ? [`- also called ${list(row.aliases)}`] : []),
    ...(row.matchOn ? [`- a matcher sees \`${row.matchOn}\`${kindOf(row)}`] : []),
    ...(row.judgedAs ? [`- hooks on \`${row.judgedAs}\` hear it too`] : []),
    ...(row.values ? [`- its values: ${list(row.values)}`] : []),
    row.accepts.length > 0 ? `- takes ${list(row.accepts)}` : "- takes no answer",
    ...(row.accepts.includes("verdict") ? [`- verdicts: ${list(verdictsOf(row))}`] : []),
    ...(row.costs
      ? [
          `- an answer with ${list(row.costs.fields)} goes on with the conversation: at most ${row.costs.max} times per prompt, then it becomes a message to the person`,
        ]
      : []),
    ...(row.holdsOpenFor ? ["- notices of `asyncRewake` hooks that are waiting hold it open"] : []),
  ];
  return `## ${name}\n\n${moments[name][0]?.toUpperCase()}${moments[name].slice(1)}.\n\n${facts.join("\n")}\n`;
}

const kindOf = ({ matchTool, matchFile }: EventRow): string =>
  matchTool ? ", and the tool's class" : matchFile ? " and its base name" : "";

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
