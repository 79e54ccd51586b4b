/** Shell lines that an agent runs itself, out of skills and slash commands: guards judge them as they judge calls (R104). */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { createPlace, line, type Place, said, skill, verdictOf, written } from "./skill-world.ts";

test("a line of a skill is refused or asked about by the rules for calls, and the answer names its own event", (t) => {
  const { hook } = createPlace(t);
  deepEqual(said(hook(line("git push --force origin main"))), ["PreSkillShellCommand", "deny"]);
  deepEqual(said(hook(line("git tag v1"))), ["PreSkillShellCommand", "ask"]);
  equal(hook(line("git status")), undefined);
});

test("a hook's program is told of such a line as of a call, and the input that it would give instead refuses the line", (t) => {
  const answer = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}`;
  const hooks = {
    PreToolUse: [{ hooks: [{ command: `cat >../seen.json; echo '${answer}'`, role: "guard" }] }],
  };
  const { hook, work } = createPlace(t, { "work/.hookline/hooks.json": JSON.stringify({ hooks }) });
  const told = hook(line("make docs"));
  deepEqual(said(told), ["PreSkillShellCommand", "deny"]);
  ok(!JSON.stringify(told).includes("updatedInput"));
  const seen = JSON.parse(readFileSync(join(work, "..", "seen.json"), "utf8"));
  deepEqual([seen.hook_event_name, seen.tool_input.command], ["PreToolUse", "make docs"]);
});

test("install registers the event, check takes a hook on it, and such a hook hears no other call", (t) => {
  const hooks = { PreSkillShellCommand: [{ matcher: "Bash", hooks: [{ command: "echo no >&2; exit 2" }] }] };
  const { run, hook, home } = createPlace(t, { "work/.hookline/hooks.json": JSON.stringify({ hooks }) });
  const { status, stderr } = run("install claude-code");
  equal(status, 0, stderr);
  match(
    readFileSync(join(home, ".claude", "settings.json"), "utf8"),
    /--event PreSkillShellCommand --by user --guarded/,
  );
  const checked = run("check");
  deepEqual(
    [checked.status, /[1-9] (error|warning)/.test(checked.stdout + checked.stderr)],
    [0, false],
    checked.stdout,
  );
  deepEqual(said(hook(line("git status"))), ["PreSkillShellCommand", "deny"]);
  equal(hook({ ...line("git status"), hook_event_name: "PreToolUse" }), undefined);
});

test("[R104] check says of an event in an agent's file that it is newer than this Hookline, and no error", (t) => {
  const hooks = { TerminalClosed: [{ hooks: [{ type: "command", command: "true" }] }] };
  const { run } = createPlace(t, { "work/.claude/settings.json": JSON.stringify({ hooks }) });
  const { status, stdout, stderr } = run("check");
  match(stdout + stderr, /warning unknown-event .*TerminalClosed.* newer than this Hookline/);
  equal(status, 0);
});

test("a skill, a slash command and an agent are judged by their lines when they are written, by tools and by shell lines", (t) => {
  const { hook } = createPlace(t);
  const push = "!`git push --force origin main`";
  const refused: Fields[] = [
    written(".claude/skills/x/SKILL.md", skill + push),
    written(".claude/commands/x.md", `Now ${push} it`),
    written("packages/a/.claude/agents/x.md", skill + push),
    written("~/.claude/skills/x/SKILL.md", skill + push),
    written(".claude/commands/x.md", "```!\nls\ngit push --force origin main\n```\n"),
    written(".gemini/commands/x.toml", 'prompt = """\n!{git push --force origin {{args}}}\n"""'),
    written(".qwen/commands/x.md", "!{git push --force origin main}"),
    written(".opencode/command/x.md", "`!`git push --force origin main`"),
    written(".agents/skills/x/SKILL.md", skill + push),
    {
      ...written("", ""),
      tool_name: "mcp__files__write_file",
      tool_input: { path: ".claude/commands/x.md", content: push },
    },
    { ...written("", ""), tool_name: "Bash", tool_input: { command: `cat > .claude/commands/x.md <<'E'\n${push}\nE` } },
    { ...written("", ""), tool_name: "Bash", tool_input: { command: `cd .claude/commands && echo '${push}' > x.md` } },
  ];
  deepEqual(
    refused.filter((wire) => verdictOf(hook(wire)) !== "deny").map((wire) => wire.tool_input),
    [],
  );
  equal(verdictOf(hook(written(".claude/commands/x.md", "!`git tag v1`"))), "ask");
  const told = JSON.stringify(hook(written(".claude/skills/x/SKILL.md", skill + push)));
  match(told, /"hookEventName":"PreToolUse".*SKILL\.md holds the line `git push --force origin main`/);
  const free: Fields[] = [
    written(".claude/skills/x/SKILL.md", `${skill}Run \`git push --force origin main\` never. Use \`!\` and \`?\`.`),
    written(".claude/commands/x.md", "Status: !`git status`"),
    written("docs/x.md", push),
    written(".claude/skills/x/run.py", `print("${push}")`),
  ];
  deepEqual(
    free.filter((wire) => hook(wire) !== undefined).map((wire) => wire.tool_input),
    [],
  );
});

test("a line is read as the parser of its file gives it, however its signs are written", (t) => {
  const push = "git push --force origin main";
  const shell = (command: string): Fields => ({ ...written("", ""), tool_name: "Bash", tool_input: { command } });
  const { hook } = createPlace(t, { "work/.gemini/commands/old.toml": `prompt = "\\u0021{${push}}"` });
  const refused = [
    written(".gemini/commands/x.toml", `prompt = "\\u0021{${push}}"`),
    written(".gemini/commands/x.toml", `prompt = "\\U00000021{${push}}"`),
    written(".gemini/commands/x.toml", `prompt = "\\x21\\x7b${push}}"`),
    written(".gemini/commands/x.toml", `prompt = """\n!\\\n   {${push}}"""`),
    written(".gemini/commands/x.toml", `prompt = "!{git \\u0070ush --force origin main}"`),
    written(".qwen/commands/x.md", `---\nprompt: "\\x21{${push}}"\n---\n`),
    written(".opencode/command/x.md", `---\ntemplate: "\\u0021\\u0060${push}\\u0060"\n---\n`),
    shell(`cat > .gemini/commands/x.toml <<'E'\nprompt = "\\u0021{${push}}"\nE`),
    {
      ...written("", ""),
      tool_name: "mcp__fs__write",
      tool_input: { files: [{ path: ".gemini/commands/x.toml", content: `prompt = "\\u0021{${push}}"` }] },
    },
    { hook_event_name: "UserPromptExpansion", command_name: "old" },
  ];
  deepEqual(
    refused.filter((wire) => !/deny|block/.test(JSON.stringify(hook(wire) ?? ""))),
    [],
  );
  const free = [
    written(".gemini/commands/x.toml", 'prompt = "say \\"hello\\" and \\u00e9"'),
    written(".gemini/commands/y.toml", `prompt = "run {${push}} never"`),
  ];
  deepEqual(
    free.filter((wire) => hook(wire) !== undefined),
    [],
  );
});

test("a line that an edit puts together of what is there and what is new is judged as a whole", (t) => {
  const file = ".claude/commands/x.md";
  const { hook } = createPlace(t, {
    [`work/${file}`]: "Do\n`git push --force origin main`\nand !`git tag v1`\n",
  });
  const edit = (old_string: string, new_string: string): Fields => ({
    ...{ hook_event_name: "PreToolUse", tool_name: "Edit", tool_use_id: "t3" },
    tool_input: { file_path: file, old_string, new_string },
  });
  equal(verdictOf(hook(edit("Do\n", "Do\n!"))), "deny");
  equal(hook(edit("and", "or")), undefined); // the other line was there before
});

test("explain shows the lines of a file that a call writes or names, and which hook would run on their account", (t) => {
  const { run } = createPlace(t, { "work/.claude/commands/up.md": "!`git push --force origin main`" });
  const told = (event: string, data: Fields, ...more: string[]): string =>
    runExplain(run, [event, "--data", JSON.stringify(data), ...more]);
  const write = {
    tool_name: "Write",
    tool_input: { file_path: ".claude/commands/x.md", content: "!`git push --force a b`" },
  };
  match(told("PreToolUse", write), /judged with the call\n {2}git push --force a b: in .*commands\/x\.md/);
  const all: { because: string; would: string; of?: { line: string } }[] = JSON.parse(
    told("PreToolUse", write, "--json"),
  );
  const [one] = all.filter(({ of }) => of);
  equal(one?.of?.line, "git push --force a b");
  match(`${one?.would} ${one?.because}`, /^run .*x\.md holds the line `git push --force a b`: /);
  const called = { tool_name: "Skill", tool_input: { skill: "up" } };
  match(told("PreToolUse", called), / {2}git push --force origin main: in .*commands\/up\.md/);
  ok(!told("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } }).includes("judged with the call"));
});

const runExplain = (run: Place["run"], words: string[]): string => {
  const { status, stdout, stderr } = run(["explain", ...words]);
  equal(status, 0, stderr);
  return stdout;
};
