/** docs/agents.md: what each agent does with the same hooks, from the results of the real agents' tests and from the adapters' tables. */
import { existsSync, readFileSync } from "node:fs";
import type { AgentAdapter } from "../../src/agents/adapter.ts";
import { agents } from "../../src/agents/index.ts";
import { lineFolders } from "../../src/agents/skill-lines.ts";
import { agentEventNames, rowOf, verdictsOf } from "../../src/engine/events.ts";
import { type Claim, claims, type Measured, type Results, resultsFile } from "../../test/real-agents/claims.ts";
import type { Versions } from "../../test/real-agents/installed.ts";

const all = (): AgentAdapter[] => Object.values(agents);

const words: Readonly<Record<Measured, string>> = { enforced: "yes", instead: "refused instead", no: "no", none: "—" };

function resultsOf({ name }: AgentAdapter, versions: Versions = "pinned"): Results | undefined {
  const file = resultsFile(name, versions);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

/** What the contract gave in another version of the agent. */
function otherVersion(agent: AgentAdapter, versions: Versions): string {
  const [pinned, other] = [resultsOf(agent), resultsOf(agent, versions)];
  if (!pinned || !other) return "not measured";
  const differing = Object.entries(claims).filter(
    ([claim]) => other.claims[claim as Claim] !== pinned.claims[claim as Claim],
  ); // keys of the table
  const differences = differing.map(
    ([claim, sentence]) => `${sentence}: ${words[other.claims[claim as Claim] ?? "no"]}`,
  ); // a key of the table
  const { newEvents = [] } = other;
  const events = newEvents.length === 0 ? [] : [`new events: ${newEvents.join(", ")}`];
  const day = versions === "latest" ? ` (${other.date})` : "";
  return `${other.version}${day}: ${[...differences, ...events].join("; ") || "the same"}`;
}

function measuredTable(): string {
  const measured = all().map((agent) => ({ agent, results: resultsOf(agent) }));
  const said = (results: Results | undefined, claim: Claim): string => {
    const found = results?.claims[claim];
    return found === undefined ? "not measured" : words[found];
  };
  return table(
    ["", ...measured.map(({ agent }) => `[${agent.title}](${agent.name}.md)`)],
    [
      ["version", ...measured.map(({ results }) => results?.version ?? "")],
      ["measured on", ...measured.map(({ results }) => results?.date ?? "")],
      ...Object.entries(claims).map(([claim, sentence]) => [
        sentence,
        ...measured.map(({ results }) => said(results, claim as Claim)), // a key of the table
      ]),
      ["another version", ...measured.map(({ agent }) => otherVersion(agent, "other"))],
      ["newest release", ...measured.map(({ agent }) => otherVersion(agent, "latest"))],
    ],
  );
}

/** What an agent's reply can carry, in the words of the table's columns. */
function takes({ capabilities, verdicts = {} }: AgentAdapter, event: (typeof agentEventNames)[number]): string {
  const accepts = capabilities[event];
  if (!accepts) return "";
  const kinds = accepts.includes("verdict") ? (verdicts[event] ?? verdictsOf(rowOf(event))) : [];
  const rewrites = { updatedInput: "rewrite", updatedOutput: "new result" } as const;
  const more = [
    ...(accepts.includes("updatedInput") ? [rewrites.updatedInput] : []),
    ...(accepts.includes("updatedOutput") ? [rewrites.updatedOutput] : []),
    ...(accepts.includes("context") ? ["context"] : []),
    ...(accepts.includes("stop") ? ["stop"] : []),
  ];
  return [...kinds, ...more].join(", ") || "told only";
}

function eventsTable(): string {
  const sent = agentEventNames.filter((event) => all().filter(({ capabilities }) => capabilities[event]).length > 1);
  return table(
    ["event", ...all().map(({ title }) => title)],
    sent.map((event) => [`\`${event}\``, ...all().map((agent) => takes(agent, event))]),
  );
}

/** What receipts are made of. */
function reportsTable(): string {
  const ends = agentEventNames.filter((event) =>
    ["turn over", "agent over", "session over"].includes(rowOf(event).calls ?? ""),
  );
  const failures = { ran: "it ran", "perhaps refused": "it ran, or was refused" } as const;
  return table(
    [
      "agent",
      "its id of a call",
      "a failed call is reported as",
      "a rewritten call is reported with",
      "what ends a turn",
    ],
    all().map(({ title, reports, sends }) => [
      title,
      reports?.id === undefined ? "none" : `\`${reports.id}\``,
      reports ? failures[reports.failures] : "nothing",
      reports?.input === "as it ran" ? "the input with which it ran" : "not measured",
      ends.filter((event) => sends.has(event)).join(", "),
    ]),
  );
}

/** Where such lines stand, of all agents. */
const folders = (): string =>
  `\`${[...new Set(lineFolders({ home: "/home/me", environment: {} }).map(({ folder }) => folder))].filter((one) => !one.startsWith("/") && !one.includes(".config")).join("`, `")}\``;

export const agentsPage = (): string => `# Agents

<!-- Made by \`npm run docs\` from the results in test/real-agents/results and the adapters in src/agents. -->

Hookline runs the same hooks in ${all().length} agents. \`hookline install AGENT\` registers it, \`hookline doctor --fire\` sends an event through each
registration and names what stayed silent, and \`hookline uninstall AGENT\` restores the agent's settings.

## What each agent obeys

Measured with the real agents, headless, against a scripted model: by what lies on disk afterwards and by what the model is sent.
\`npm run test:agents\` repeats it; \`HOOKLINE_AGENT_RESULTS=write npm run test:agents\` also writes the results that this table is made of.

${measuredTable()}

"—": the agent has no MCP or no subagents, or it asks for no permission without a person at its screen.

"Another version": \`npm run test:agents -- --other-versions\` runs the same tests with it. "Newest release": \`npm run test:agents -- --latest\`
installs the newest release of each agent, runs the same tests, compares the agent's own list of events with Hookline's, and writes down what it finds, with the
day. \`.github/workflows/agents.yml\` does so each night.

"Refused instead": the agent runs no rewritten call, so a guard's rewrite refuses the call, with the input that it wants as the reason. A rewrite of
another hook is dropped there, and its run says so.

## What each event can carry

For events that more than one agent sends. A verdict that is not listed is given in a weaker form: \`ask\` of a guard becomes \`deny\`. Context
that an event cannot carry waits for the next event of the session that can.

${eventsTable()}

## What each agent reports

By what an agent reports of a call, Hookline knows whether it has obeyed: its [receipt](receipts.md). Codex reports no end of a patch in a shell line.

${reportsTable()}

## Shell lines in skills and slash commands

Agents run such lines themselves, out of words for the model. Claude Code alone asks its hooks before it does so:

| agent | its lines | when they are judged |
|---|---|---|
| Claude Code, from 2.1.332 on | \`\` !\`…\` \`\`, and blocks that begin with three backquotes and \`!\` | when each is about to run ([PreSkillShellCommand](events.md#preskillshellcommand)), when they are written, and when a slash command or the tool Skill names their file |
| Claude Code before that | the same | when they are written, and when a slash command or the tool Skill names their file |
| Qwen Code | \`!{…}\` | when they are written, and when the tool Skill or a prompt names their file |
| OpenCode, Gemini CLI | \`\` !\`…\` \`\`, \`!{…}\` | when they are written, and when a tool for skills or a prompt names their file |
| Codex, Copilot CLI, pi, Factory Droid | none are known | — |

- **Written**: each line that a tool for files or a shell line puts into ${folders()} is judged as a call of \`Bash\`,
  for deny and ask. An edit, an addition, a patch, or several writes of one line are judged by what the file holds
  afterwards; \`hookline explain\` shows the lines. The reason names the file and the line. In \`hookline runs\` such a line is a PreSkillShellCommand.
- The [built-in guard](security.md#the-built-in-guard) asks before a call writes shell lines, hooks, or a text that it cannot see beforehand into such a file. Text without
  them needs no question.
- **What is left**: Qwen Code, OpenCode and Gemini CLI run the lines of a slash command that a person types before any hook hears of the prompt (UserPromptExpansion of Qwen
  Code and \`command.execute.before\` of OpenCode come afterwards; as their sources and pages say, not tried). Hookline judges the lines when it
  hears of the prompt, which for a file that a program, a \`git pull\` or a person has written is too late there. A command of an extension of Gemini CLI or Qwen Code is looked for by its name; one of another plugin is not. What stands for \`$ARGUMENTS\` is not known when a line is judged.

## Limits

- A guard sees the calls that the agent reports. What a program does by itself after it was allowed is not seen.
- Where an agent asks the person to trust hooks, only that person can do it, in the agent. \`install\` says what to click.
`;
