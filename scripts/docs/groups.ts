/** Where each page of docs/ stands: three doors, and what lies behind them. docs/README.md and the site's navigation are made from it. */

/** What a page is called in lists, and what it says. A name that ends in "/" is a folder: its README, and all pages in it. */
type Row = readonly [page: string, title: string, says: string];

interface Group {
  name: string;
  title: string;
  pages: readonly Row[];
}

export const groups: readonly Group[] = [
  {
    name: "use",
    title: "Use it with my agent",
    pages: [
      ["getting-started", "Getting started", "in ten minutes you have a hook that blocks"],
      [
        "init",
        "From nothing",
        "set up a project and the agents that are here; recipes; editors that know the hook files",
      ],
      ["agents", "Agents compared", "what each of the eight agents obeys, as measured"],
      ["claude-code", "Claude Code", "install and uninstall, which hooks Claude Code itself runs, limits"],
      ["codex", "Codex", "what hooks see there, and which answers it obeys"],
      ["copilot", "Copilot CLI", "the same for Copilot CLI"],
      ["droid", "Factory Droid", "the same for Factory Droid"],
      ["gemini", "Gemini CLI", "the same for Gemini CLI"],
      ["opencode", "OpenCode", "the plugin that Hookline writes, and what hooks can do there"],
      ["pi", "pi", "the extension that Hookline writes, and what hooks can do there"],
      ["qwen", "Qwen Code", "what hooks see there, and which answers it obeys"],
      [
        "guards",
        "Guards",
        "the guard pack; allow one call, switch a guard off for a time, try one first, see what each did",
      ],
      ["receipts", "Receipts", "whether the agent obeyed: what was decided, and what then happened"],
      ["git", "Git commits", "hooks before each commit, beside the hooks that are there"],
      [
        "coverage",
        "Which calls reached Hookline",
        "an agent's own record of a session against what came; since when nothing comes",
      ],
      ["doctor", "When a hook does not run", "`why`, `explain`, `doctor` and all that it finds"],
      [
        "daemon",
        "The daemon",
        "the process that answers agents, keeps clocks and watches, and takes events and webhooks",
      ],
      ["dashboard", "The dashboard", "what was blocked, sessions, runs and hooks in your browser"],
      ["postgres", "Many machines, one record", "rows of many machines in one Postgres"],
      ["workers", "Workers", "many machines perform the automations of all"],
      ["operations", "Operations", "run it for many people: deploy, back up, restore, size"],
      ["notifications", "Notifications", "post runs of automations to Discord, to Slack or to a program"],
      ["telemetry", "Telemetry", "traces and metrics for OpenTelemetry and Prometheus"],
      ["mcp", "Operations as tools", "every operation of Hookline as a tool of your agent"],
    ],
  },
  {
    name: "write",
    title: "Write hooks",
    pages: [
      ["rules", "Rules", "a condition and an action in a few lines of YAML"],
      [
        "hooks-json",
        "Hook files",
        "a command, a URL or a model that decides, in JSON: every field, what a command reads and may answer",
      ],
      [
        "scripts",
        "Scripts",
        "executables that run when a session begins, after a turn for changed files, before a commit",
      ],
      ["typescript", "TypeScript", "hooks in `hookline.config.ts`, and conditions and actions of your own"],
      ["models", "Hooks that ask a model", "which model, what it gets, what it costs"],
      ["tools", "Tools behind hooks", "tool servers, and Hookline's own tools"],
      ["language-servers", "Language servers", "diagnostics after a write"],
      ["hook-tests", "Tests of hooks", "without an agent, also in CI; what a changed hook would have done"],
      ["automations", "Automations", "tasks that start by themselves"],
      ["triggers", "Triggers", "what starts an automation: an event, a clock, changed files"],
      ["context-steps", "Context steps", "how an automation gathers facts before it asks a model, or instead of it"],
      ["automation-model", "The model of an automation", "its prompt, its tools, its cost"],
      ["projects", "Projects, tasks, notes, memory", "what automations and people work on"],
    ],
  },
  {
    name: "build",
    title: "Build it into a program",
    pages: [
      ["library", "The library", "the engine inside your own program, with your events and your hooks as functions"],
      ["exports", "What programs import", "every exported name, as its types say it"],
      ["store", "What is recorded", "for how long, and how to query it"],
    ],
  },
  {
    name: "reference",
    title: "Reference",
    pages: [
      ["command-line", "The command line", "every command"],
      ["hookline-yaml", "Settings", "every key of `hookline.yaml`"],
      ["events", "Events", "everything that hooks can listen to"],
      ["outcomes", "Outcomes", "what an answer can hold, and how answers are merged"],
      ["conditions", "Conditions", "every test on an event"],
      ["actions", "Actions", "everything that a rule can do"],
      ["handlers", "Handlers", "everything that a hook file can run"],
      ["templates", "Templates", "placeholders in the texts of rules"],
      ["errors/", "Errors", "every error, and [every finding about a hook file](errors/findings.md)"],
      ["glossary", "Glossary", "every word that these pages use in a special sense"],
    ],
  },
  {
    name: "compatibility",
    title: "Compatibility",
    pages: [
      ["compatibility", "Files of other tools", "which of your existing hook files Hookline runs, and how"],
      ["repository-hooks", "Repository hooks", "hooks of a repository on calls of tools, skills and subagents"],
      ["comparison", "Comparison", "Hookline beside the agents' own hooks, guards and git hook managers"],
      ["rulings", "Rulings", "points on which the formats contradict each other, each decided once (R1, R2 …)"],
      ["conformance", "Conformance", "every claim, and the test that proves it"],
    ],
  },
  {
    name: "inside",
    title: "Inside",
    pages: [
      ["security", "Security", "trust, what is promised and what is not"],
      ["performance", "Performance", "what Hookline costs, measured"],
      ["architecture", "Architecture", "folders, who may import whom, the life of an event"],
      ["adding", "Adding something", "three walks through the code: a condition, what a Stop's denial does, an agent"],
      ["decisions/", "Decisions", "those that may surprise you, with their reasons"],
    ],
  },
];

/** The path of a row's page below docs/. */
export const fileOf = (page: string): string => (page.endsWith("/") ? `${page}README.md` : `${page}.md`);

/** The pages of a group as a list, for docs/README.md. */
export const listOf = ({ pages }: Group): string =>
  pages.map(([page, title, says]) => `- [${title}](${fileOf(page)}): ${says}`).join("\n");

export const start = "README.md";

/** Every page below docs/ is the start or stands in one group, once, and every row has its page. */
export function groupComplaints(files: readonly string[]): string[] {
  const rows = groups.flatMap(({ pages }) => pages.map(([page]) => page));
  const placesOf = (file: string): number =>
    rows.filter((row) => fileOf(row) === file || (row.endsWith("/") && file.startsWith(row))).length;
  return [
    ...files
      .filter((file) => file !== start && placesOf(file) !== 1)
      .map((file) => `docs/${file}: it stands in ${placesOf(file)} groups, not in one — scripts/docs/groups.ts`),
    ...rows
      .filter((row) => !files.includes(fileOf(row)))
      .map((row) => `scripts/docs/groups.ts: there is no docs/${fileOf(row)}`),
  ];
}
