/** The mistakes that people make most in hook files: `check` finds each where it stands, once, and says what to write. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Problem } from "../../../src/engine/hook.ts";
import { runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Mistake {
  called: string;
  file: string;
  /** The mark ▸ stands where the finding has to point, and is not in the file. */
  text: string;
  /** The remedy, as `check` says it. */
  says: string;
  /** The file may be executed. */
  runs?: true;
  beside?: { readonly [file: string]: string };
}

/** One hook of a settings file, with its event around it. */
const settings = (event: string, group: string): string => `{
  "hooks": {
    ${event}: [
      ${group}
    ]
  }
}
`;
const claude = ".claude/settings.json";
const own = ".hookline/hooks.json";
const handler = '{ "hooks": [{ "type": "command", "command": "true" }] }';
const rules = ".hookline/rules/a.yaml";
const rule = (more: string): string => `hooks:\n  - id: one\n${more.replace(/^/gm, "    ")}\n`;
const script = ".hookline/hooks/a.sh";
const registry = ".system/hooks/a.yaml";
const automation = ".hookline/automations/a.yaml";
const config = "hookline.yaml";

const mistakes: readonly Mistake[] = [
  // Settings files of agents, and our own in their form.
  {
    called: "an event of a settings file is misspelt",
    file: claude,
    text: settings('▸"PreToolUsage"', handler),
    says: 'did you mean "PreToolUse"?',
  },
  {
    called: "a matcher names a tool in another case",
    file: claude,
    text: settings('"PreToolUse"', '{ ▸"matcher": "bash", "hooks": [{ "type": "command", "command": "true" }] }'),
    says: 'did you mean "Bash"?',
  },
  {
    called: "a matcher names a tool that there is not",
    file: claude,
    text: settings('"PreToolUse"', '{ ▸"matcher": "Wrte|Edit", "hooks": [{ "type": "command", "command": "true" }] }'),
    says: 'did you mean "Write"?',
  },
  {
    called: "a matcher is no expression",
    file: claude,
    text: settings('"PreToolUse"', '{ ▸"matcher": "Bash(", "hooks": [{ "type": "command", "command": "true" }] }'),
    says: "write a list of names (Write|Edit), Tool(pattern) or a linear regular expression",
  },
  {
    called: "a matcher looks ahead",
    file: claude,
    text: settings('"PreToolUse"', '{ ▸"matcher": "(?!Read).*", "hooks": [{ "type": "command", "command": "true" }] }'),
    says: "write a list of names (Write|Edit), Tool(pattern) or a linear regular expression",
  },
  {
    called: "the key of a command is misspelt",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [{ "type": "command", ▸"comand": "true" }] }'),
    says: 'did you mean "command"?',
  },
  {
    called: "the type of a handler is misspelt",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [{ ▸"type": "comand", "command": "true" }] }'),
    says: 'did you mean "command"?',
  },
  {
    called: "a handler has no command",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [▸{ "type": "command" }] }'),
    says: 'write "command": "…"',
  },
  {
    called: "a time limit is a text",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [{ "type": "command", "command": "true", ▸"timeout": "30" }] }'),
    says: "write 30",
  },
  {
    called: "a time limit is in milliseconds",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [{ "type": "command", "command": "true", ▸"timeout": 30000 }] }'),
    says: "write 30",
  },
  {
    called: "a comma is missing in a settings file",
    file: claude,
    text: settings('"PreToolUse"', '{ "matcher": "Bash" ▸"hooks": [{ "type": "command", "command": "true" }] }'),
    says: "write a comma before it",
  },
  {
    called: "the hooks of a settings file are a list",
    file: claude,
    text: '{ "hooks": [▸{ "event": "Stop", "type": "command", "command": "true" }] }\n',
    says: 'write "hooks": { "Stop": [ … ] }',
  },
  {
    called: "an event stands outside of hooks",
    file: claude,
    text: `{ ▸"Stop": [${handler}] }\n`,
    says: 'move it: "hooks": { "Stop": [ … ] }',
  },
  {
    called: "an entry has no list of hooks",
    file: claude,
    text: settings('"Stop"', '▸{ "type": "command", "command": "true" }'),
    says: 'write { "hooks": [{ "type": "command", "command": … }] }',
  },
  {
    called: "an if stands on an event without a tool",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [{ "type": "command", "command": "true", ▸"if": "Bash(git *)" }] }'),
    says: "remove the if",
  },
  {
    called: "a settings hook runs a script that is not there",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [▸{ "type": "command", "command": "./.claude/hooks/gone.sh" }] }'),
    says: "looked for",
  },
  {
    called: "a settings hook runs a script without the run bit",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [▸{ "type": "command", "command": "./.claude/hooks/a.sh" }] }'),
    says: "chmod +x",
    beside: { ".claude/hooks/a.sh": "#!/bin/sh\ntrue\n" },
  },
  {
    called: "a settings hook runs a program that is not installed",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [▸{ "type": "command", "command": "pretier-of-nobody --write ." }] }'),
    says: "install it",
  },
  {
    called: "a hook reads a variable that nothing sets",
    file: claude,
    text: settings('"PostToolUse"', '{ "hooks": [▸{ "type": "command", "command": "cat \\"$CLAUDE_FILE_PATHS\\"" }] }'),
    says: "read stdin: jq -r '.tool_input.file_path'",
  },
  {
    called: "a hook that means to refuse exits with 1",
    file: claude,
    text: settings('"PreToolUse"', '{ "hooks": [▸{ "type": "command", "command": "echo blocked >&2; exit 1" }] }'),
    says: "write exit 2 and the reason on stderr",
  },
  {
    called: "the port of an address is out of range",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [{ "type": "http", ▸"url": "http://localhost:99999/hook" }] }'),
    says: 'write "url": "http://localhost:8080…"',
  },
  {
    called: "an address has no scheme",
    file: claude,
    text: settings('"Stop"', '{ "hooks": [{ "type": "http", ▸"url": "localhost:8080/hook" }] }'),
    says: 'write "url": "http://localhost:8080/hook"',
  },
  {
    called: "a key of our own hook file is misspelt",
    file: own,
    text: settings('"Stop"', '{ "hooks": [{ "type": "command", "command": "true", ▸"prioriti": 1 }] }'),
    says: 'did you mean "priority"?',
  },
  {
    called: "a list of what is denied is misspelt",
    file: own,
    text: '{ ▸"denny": ["Bash(git push *)"] }\n',
    says: 'write "deny": [ … ]',
  },
  {
    called: "a pattern of what is denied names a tool that there is not",
    file: own,
    text: '{ "deny": [▸"Bsh(git push *)"] }\n',
    says: 'did you mean "Bash"?',
  },
  // Rules.
  {
    called: "a key of a rule is misspelt",
    file: rules,
    text: rule("on: turn_end\n▸conditon: { type: always }\naction: { type: log, message: a }"),
    says: 'did you mean "condition"?',
  },
  {
    called: "an event of a rule is misspelt",
    file: rules,
    text: rule("on: ▸turn_ended\ncondition: { type: always }\naction: { type: log, message: a }"),
    says: 'did you mean "turn_end"',
  },
  {
    called: "a condition is misspelt",
    file: rules,
    text: rule("condition: { type: ▸tool_nam, match: Bash }\naction: { type: log, message: a }"),
    says: 'did you mean "tool_name"?',
  },
  {
    called: "an action is misspelt",
    file: rules,
    text: rule("condition: { type: always }\naction: { type: ▸inject_mesage, message: a }"),
    says: 'did you mean "inject_message"?',
  },
  {
    called: "a rule has no action",
    file: rules,
    text: "hooks:\n  - ▸id: one\n    condition: { type: always }\n",
    says: "write action: { type: log, message: … }",
  },
  {
    called: "an action is only a name",
    file: rules,
    text: rule("condition: { type: always }\naction: ▸log"),
    says: "write action: { type: log }",
  },
  {
    called: "a root of a placeholder is misspelt",
    file: rules,
    text: rule('condition: { type: always }\naction: { type: log, message: ▸"{{trun.number}}" }'),
    says: "did you mean {{turn.number}}?",
  },
  {
    called: "a name under a known root is misspelt",
    file: rules,
    text: rule('condition: { type: always }\naction: { type: log, message: ▸"{{turn.numbr}}" }'),
    says: 'did you mean "number"?',
  },
  {
    called: "a name of an expression is misspelt",
    file: rules,
    text: rule("condition: { type: expression, expr: ▸trun > 3 }\naction: { type: log, message: a }"),
    says: 'did you mean "turn"?',
  },
  {
    called: "a part of the tool in an expression is misspelt",
    file: rules,
    text: rule(
      "on: tool_start\ncondition: { type: expression, expr: ▸tool.parms.path == '/' }\naction: { type: log, message: a }",
    ),
    says: 'did you mean "params"?',
  },
  {
    called: "a parameter of an action has another name",
    file: rules,
    text: rule("condition: { type: always }\naction: { type: inject_message, ▸message: a }"),
    says: 'write "content"',
  },
  {
    called: "a number of a rule is a text",
    file: rules,
    text: rule('condition: { type: always }\naction: { type: log, message: a }\ncooldown: ▸"30"'),
    says: "write 30",
  },
  {
    called: "a number of a condition is a text",
    file: rules,
    text: rule('condition: { type: turn_count, threshold: ▸"30" }\naction: { type: log, message: a }'),
    says: "write 30",
  },
  {
    called: "a condition about a tool stands on an event without one",
    file: rules,
    text: rule("on: session_start\ncondition: { type: ▸tool_name, match: Bash }\naction: { type: log, message: a }"),
    says: "write on: tool_start, or tool_end",
  },
  {
    called: "an action has no effect on its event",
    file: rules,
    text: rule("on: session_end\ncondition: { type: always }\naction: { type: ▸inject_message, content: a }"),
    says: "write on: turn_start or turn_end",
  },
  {
    called: "a gate stands where nothing can be refused",
    file: rules,
    text: rule("on: session_end\ncondition: { type: always }\naction: { type: ▸gate, reason: a }"),
    says: "write on:",
  },
  {
    called: "an expression of a rule cannot be read",
    file: rules,
    text: rule("condition: { type: expression, expr: turn ▸>> 3 }\naction: { type: log, message: a }"),
    says: "",
  },
  {
    called: "a rule is indented by a tab",
    file: rules,
    text: "hooks:\n▸\t- id: one\n\t  condition: { type: always }\n\t  action: { type: log, message: a }\n",
    says: "spaces",
  },
  {
    called: "a text of a rule holds a colon",
    file: rules,
    text: rule("condition: { type: always }\naction:\n  type: log\n  message: ▸Note: run the tests"),
    says: "quotes",
  },
  {
    called: "a quote is not closed",
    file: rules,
    text: rule('condition: { type: always }\naction:\n  type: log\n  message: ▸"Run the tests'),
    says: "close it",
  },
  {
    called: "a pattern begins with a star",
    file: rules,
    text: rule("condition: { type: file_changed, pattern: ▸*.ts }\naction: { type: log, message: a }"),
    says: 'write "*.ts"',
  },
  {
    called: "two rules have one id",
    file: rules,
    text: `${rule("condition: { type: always }\naction: { type: log, message: a }")}  - ▸id: one\n    condition: { type: always }\n    action: { type: log, message: a }\n`,
    says: "give it an id of its own",
  },
  {
    called: "a flag is a word that YAML does not take for one",
    file: rules,
    text: rule("condition: { type: always }\naction: { type: log, message: a }\nenabled: ▸no"),
    says: "write false",
  },
  // Scripts.
  {
    called: "a script has no run bit",
    file: script,
    text: "▸#!/bin/sh\n#---\n# type: session\n#---\ntrue\n",
    says: "chmod +x",
  },
  {
    called: "a script has no shebang",
    file: script,
    text: "▸#---\n# type: session\n#---\ntrue\n",
    says: "#!/usr/bin/env bash",
    runs: true,
  },
  {
    called: "the type of a script is misspelt",
    file: script,
    text: "#!/bin/sh\n#---\n# type: ▸sesion\n#---\ntrue\n",
    says: 'did you mean "session"?',
    runs: true,
  },
  {
    called: "a script of files names none",
    file: script,
    text: "#!/bin/sh\n#---\n# ▸type: file\n#---\ntrue\n",
    says: "write pattern:",
    runs: true,
  },
  {
    called: "a key of a script is misspelt",
    file: script,
    text: '#!/bin/sh\n#---\n# type: pre-commit\n# ▸patern: "*.ts"\n#---\ntrue\n',
    says: 'did you mean "pattern"?',
    runs: true,
  },
  {
    called: "a time limit of a script is no time",
    file: script,
    text: "#!/bin/sh\n#---\n# type: session\n# timeout: ▸soon\n#---\ntrue\n",
    says: "a duration such as 5m",
    runs: true,
  },
  {
    called: "the front matter of a script is not closed",
    file: script,
    text: "#!/bin/sh\n▸#---\n# type: session\ntrue\n",
    says: "write #--- on a line of its own after the last field",
    runs: true,
  },
  {
    called: "a delimiter of a script holds a blank",
    file: script,
    text: "#!/bin/sh\n▸# ---\n# type: session\n# ---\ntrue\n",
    says: "write ---, #--- or //---, with nothing before or between",
    runs: true,
  },
  {
    called: "a script names a program that is not installed",
    file: script,
    text: "▸#!/usr/bin/env pyhton-of-nobody\n#---\n# type: session\n#---\ntrue\n",
    says: "install it",
    runs: true,
  },
  {
    called: "the first line of a script ends as on Windows",
    file: script,
    text: "▸#!/bin/sh\r\n#---\r\n# type: session\r\n#---\r\ntrue\r\n",
    says: "",
    runs: true,
  },
  // Repository hooks.
  {
    called: "an event of a repository hook is misspelt",
    file: registry,
    text: "id: one\nevent_type: ▸PostAbilityCal\nhandler: { kind: script, command: 'true' }\n",
    says: 'did you mean "PostAbilityCall"',
  },
  {
    called: "a key of a repository hook is misspelt",
    file: registry,
    text: "id: one\n▸event_typ: PostAbilityCall\nhandler: { kind: script, command: 'true' }\n",
    says: 'did you mean "event_type"?',
  },
  {
    called: "a built-in handler is misspelt",
    file: registry,
    text: "id: one\nevent_type: PostAbilityCall\nhandler: { kind: builtin, name: ▸usage_traker }\n",
    says: 'did you mean "usage_tracker"?',
  },
  {
    called: "the kind of a handler is misspelt",
    file: registry,
    text: "id: one\nevent_type: PostAbilityCall\nhandler: { kind: ▸scrip, command: 'true' }\n",
    says: 'did you mean "script"?',
  },
  {
    called: "a handler of a script has no command",
    file: registry,
    text: "id: one\nevent_type: PostAbilityCall\n▸handler: { kind: script }\n",
    says: "write command:",
  },
  {
    called: "a number of a repository hook is a text",
    file: registry,
    text: 'id: one\nevent_type: PostAbilityCall\nhandler: { kind: script, command: "true" }\nmatch: { min_duration_ms: ▸"500" }\n',
    says: "write 500",
  },
  {
    called: "an ability is asked of an event that has none",
    file: registry,
    text: "id: one\nevent_type: SessionStart\nhandler: { kind: script, command: 'true' }\n▸match: { ability_scope: Bash }\n",
    says: "remove it from match, or listen to PostAbilityCall",
  },
  {
    called: "a repository hook runs a script that is not there",
    file: registry,
    text: "▸id: one\nevent_type: PostAbilityCall\nhandler: { kind: script, command: ./scripts/gone.sh }\n",
    says: "looked for",
  },
  // Automations.
  {
    called: "a cron pattern cannot be",
    file: automation,
    text: 'name: One\ntrigger: { type: cron, cron: ▸"0 25 * * *", skip_llm: true }\n',
    says: "write minute, hour, day, month and weekday, such as 0 3 * * 1-5",
  },
  {
    called: "a time zone is misspelt",
    file: automation,
    text: 'name: One\ntrigger: { type: cron, cron: "0 3 * * *", zone: ▸Europe/Berln, skip_llm: true }\n',
    says: 'did you mean "Europe/Berlin"?',
  },
  {
    called: "the type of a trigger is misspelt",
    file: automation,
    text: "name: One\ntrigger: { type: ▸peroidic, interval_seconds: 600, skip_llm: true }\n",
    says: 'did you mean "periodic"?',
  },
  {
    called: "an application event is nearly ours",
    file: automation,
    text: "name: One\ntrigger: { type: event, event_type: ▸task.complete, skip_llm: true }\n",
    says: 'did you mean "task.completed"?',
  },
  {
    called: "an interval is a text",
    file: automation,
    text: 'name: One\ntrigger: { type: periodic, interval_seconds: ▸"600", skip_llm: true }\n',
    says: "write 600",
  },
  {
    called: "a context step is misspelt",
    file: automation,
    text: "name: One\ntrigger: { type: event, event_type: task.completed, skip_llm: true }\ncontext_steps:\n  - { type: ▸run_test }\n",
    says: 'did you mean "run_tests"?',
  },
  {
    called: "a prompt names a step that does not run",
    file: automation,
    text: "name: One\ntrigger: { type: event, event_type: task.completed, skip_llm: true }\nprompt_template: ▸See {{step_1}}\n",
    says: "steps are counted from 0",
  },
  {
    called: "a tool of an automation is misspelt",
    file: automation,
    text: "name: One\ntrigger: { type: event, event_type: task.completed, skip_llm: true }\ntools: [▸read_fil]\n",
    says: "did you mean",
  },
  // The settings of Hookline, and modules.
  {
    called: "a key of the settings is misspelt",
    file: config,
    text: "▸notifcations: {}\n",
    says: 'did you mean "notifications"?',
  },
  {
    called: "a number of the settings is a text",
    file: config,
    text: 'hook_engine: { max_concurrent_hooks: ▸"2" }\n',
    says: "write 2",
  },
  {
    called: "the port of a server is out of range",
    file: config,
    text: "mcp_servers: { one: { url: ▸'http://localhost:99999/mcp' } }\n",
    says: 'write "http://localhost:8080…"',
  },
  {
    called: "an event of a budget is misspelt",
    file: config,
    text: "budgets: { events: { ▸PreToolUsage: 500 } }\n",
    says: 'did you mean "PreToolUse"?',
  },
  {
    called: "a module of the settings is not there",
    file: config,
    text: "extensions: [▸./gone.ts]\n",
    says: "correct its name",
  },
  {
    called: "a hook of a module listens to an event that there is not",
    file: "hookline.config.ts",
    text: 'export default {\n  hooks: [\n    {\n      on: "▸PreToolUsage",\n      run: () => undefined,\n    },\n  ],\n};\n',
    says: 'did you mean "PreToolUse"?',
  },
  {
    called: "a module cannot be read",
    file: "hookline.config.ts",
    text: "export default {\n  hooks: [\n    { on: ▸,\n  ],\n};\n",
    says: "",
  },
];

const mark = "▸";

function place(text: string): { line: number; column: number } {
  const lines = text.slice(0, text.indexOf(mark)).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

for (const { called, file, text, says, runs, beside = {} } of mistakes)
  test(`${called}: check points at it once and says what to write`, (context) => {
    const folder = temporaryFolder(context);
    const workspace = join(folder, "workspace");
    mkdirSync(join(folder, "home"), { recursive: true });
    mkdirSync(join(workspace, ".git"), { recursive: true });
    for (const [name, content] of Object.entries({ ...beside, [file]: text.replaceAll(mark, "") })) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true });
      writeFileSync(join(workspace, name), content);
    }
    if (runs) chmodSync(join(workspace, file), 0o755);
    const { stdout, stderr } = runCommand(["check", "--json"], {
      cwd: workspace,
      environment: { HOME: join(folder, "home"), PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" },
    });
    assert.equal(stderr, "");
    const found: Problem[] = JSON.parse(stdout);
    const shown = found.filter(({ severity }) => severity !== "note");
    assert.deepEqual(
      shown.map(({ file: where, line, column }) => ({ file: where, line, column })),
      [{ file: join(workspace, file), ...place(text) }],
      JSON.stringify(shown, undefined, 1),
    );
    const [{ message = "", suggestion = "" } = {}] = shown;
    assert.ok(suggestion !== "" && suggestion.includes(says), `${message} (${suggestion})`);
  });
