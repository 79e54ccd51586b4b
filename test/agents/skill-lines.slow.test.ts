/** Lines of skills that come by other ways. */
import { deepEqual, equal, match } from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { createPlace, line, said, skill, verdictOf, written } from "./skill-world.ts";

test("a line that is put together by several writes, additions, insertions or patches is judged by what the file will hold", (t) => {
  const half = ".claude/commands/half.md";
  const whole = ".claude/commands/whole.md";
  const { hook } = createPlace(t, { [`work/${half}`]: "x\n!`git push", [`work/${whole}`]: "x\n!`git push`\n" });
  const call = (tool_name: string, tool_input: Fields): Fields => ({
    ...{ hook_event_name: "PreToolUse", tool_use_id: "t4", tool_name, tool_input },
  });
  const bash = (command: string): Fields => call("Bash", { command });
  const more = " --force origin main`";
  const file = ".claude/commands/new.md";
  const hunk = `*** Update File: ${whole}\n@@\n x\n-!\`git push\`\n+!\`git push --force origin main\`\n`;
  const refused: Fields[] = [
    call("Edit", { file_path: whole, old_string: "push", new_string: "push --force origin main" }),
    call("Edit", { file_path: half, old_string: "push", new_string: `push${more}` }),
    call("MultiEdit", {
      file_path: whole,
      edits: [
        { old_string: "git push", new_string: "git X" },
        { old_string: "X", new_string: "push --force origin main" },
      ],
    }),
    call("str_replace_editor", { command: "str_replace", path: whole, old_str: "push", new_str: "push --force a b" }),
    call("mcp__fs__edit_file", { path: whole, edits: [{ oldText: "push", newText: "push --force a b" }] }),
    call("edit", { filePath: whole, oldString: "push", newString: "push --force a b" }),
    call("mcp__fs__append_file", { path: half, content: more }),
    call("mcp__fs__write_file", { path: half, content: more, mode: "append" }),
    call("mcp__code__insert_after", { relative_path: half, line: 2, body: more }),
    call("NotebookEdit", { notebook_path: half, new_source: more }),
    call("apply_patch", { input: `*** Begin Patch\n${hunk}*** End Patch` }),
    call("apply_patch", { patchText: `*** Begin Patch\n${hunk}*** End Patch` }),
    call("mcp__fs__patch", {
      diff: `--- a/${whole}\n+++ b/${whole}\n@@ -1,2 +1,2 @@\n x\n-!\`git push\`\n+!\`git push${more}\n`,
    }),
    bash(`printf '${more}' >> ${half}`),
    bash(`echo '${more}' | tee -a ${half}`),
    bash(`cat >> ${half} <<'E'\n${more}\nE`),
    bash(`printf '!\`git push' > ${file}; printf '${more}' >> ${file}`),
    bash(`printf '%s' '!\`git ' >> ${file} && printf '%s' 'push' >> ${file} && echo '${more}' >> ${file}`),
    bash(`echo -n '!\`git push' | tee ${file}; echo '${more}' | tee -a ${file}`),
  ];
  deepEqual(
    refused.filter((wire) => verdictOf(hook(wire)) !== "deny").map((wire) => wire.tool_input),
    [],
  );
  const free: Fields[] = [
    call("Edit", { file_path: whole, old_string: "x", new_string: "y" }),
    call("mcp__fs__append_file", { path: whole, content: "and more" }),
    bash(`echo 'and more' >> ${whole}`),
  ];
  deepEqual(
    free.filter((wire) => hook(wire) !== undefined).map((wire) => wire.tool_input),
    [],
  );
});

test("a link to such a folder is that folder", (t) => {
  const { hook, work } = createPlace(t, { "work/.claude/commands/a.md": "a" });
  symlinkSync(join(work, ".claude", "commands"), join(work, "c"));
  equal(verdictOf(hook(written("c/x.md", "!`git push --force origin main`"))), "deny");
});

test("where no event comes for such lines, the prompt or the call that names their file is refused", (t) => {
  const { hook } = createPlace(t, {
    "work/.claude/skills/release/SKILL.md": `${skill}!\`git push --force origin main\``,
    "work/.qwen/commands/git/up.md": "!{git push --force origin main}",
    "work/.claude/commands/ok.md": "!`git status`",
  });
  const called = (skill: string): Fields => ({
    hook_event_name: "PreToolUse",
    tool_name: "Skill",
    tool_input: { skill },
  });
  const expanded = (command_name: string): Fields => ({
    hook_event_name: "UserPromptExpansion",
    command_name,
    prompt: `/${command_name}`,
  });
  const prompt = (text: string): Fields => ({
    hook_event_name: "UserPromptSubmit",
    prompt: text,
    submitted_prompt: text,
  });
  equal(verdictOf(hook(called("release"))), "deny");
  equal(hook(called("ok")), undefined);
  equal(hook(expanded("release"))?.decision, "block");
  equal(hook(expanded("ok")), undefined);
  equal(JSON.stringify(hook(prompt("/git:up now"), "qwen"))?.includes("git push --force"), true);
  equal(hook(prompt("read /git/up.md"), "qwen"), undefined);
});

test("a model that calls a skill by whatever field, and a person who types a command in any agent, are judged by the lines of its file", (t) => {
  const push = "!{git push --force origin main}";
  const quoted = "!`git push --force origin main`";
  const { hook } = createPlace(t, {
    "work/.claude/skills/ship/SKILL.md": `---\nname: release-it\n---\n${quoted}`,
    "work/.qwen/skills/ship/SKILL.md": `---\nname: ship\n---\n${quoted}`,
    "work/.gemini/commands/git/up.toml": `prompt = "${push}"`,
    "work/.opencode/command/up.md": quoted,
    "home/.qwen/extensions/team/commands/up.md": push,
    "work/.claude/commands/été.md": quoted,
  });
  const call = (tool_name: string, tool_input: Fields): Fields => ({
    hook_event_name: "PreToolUse",
    tool_name,
    tool_input,
  });
  const prompt = (text: string): Fields => ({
    hook_event_name: "UserPromptSubmit",
    prompt: text,
    submitted_prompt: text,
  });
  const refused: [Fields, string?][] = [
    [call("Skill", { name: "ship" })],
    [call("Skill", { skill: "ship" })],
    [call("Skill", { command: "ship now" })],
    [call("Skill", { skill: "release-it" })],
    [call("SlashCommand", { command: "/été" })],
    [call("skill", { skill: "ship" }), "qwen"],
    [{ hook_event_name: "BeforeTool", tool_name: "activate_skill", tool_input: { name: "ship" } }, "gemini"],
    [prompt("/team:up"), "qwen"],
    [prompt("/up"), "qwen"],
    [prompt("  /ship it"), "qwen"],
    [{ hook_event_name: "BeforeAgent", prompt: "/git:up now" }, "gemini"],
  ];
  const passed = refused.filter(
    ([wire, agent]) => !JSON.stringify(hook(wire, agent) ?? "").includes("git push --force"),
  );
  deepEqual(
    passed.map(([wire]) => wire),
    [],
  );
  equal(hook(prompt("/help"), "qwen"), undefined);
  equal(hook(call("Skill", { name: "other" })), undefined);
});

test("[R104] an event that is newer than this Hookline is judged if it comes before a call, and else recorded and never blocked", (t) => {
  const { hook, run } = createPlace(t);
  const call = { ...line("git push --force origin main"), hook_event_name: "PreTerminalLine" };
  deepEqual(said(hook(call)), ["PreTerminalLine", "deny"]);
  equal(hook({ ...call, tool_input: { command: "git status" } }), undefined);
  equal(hook({ hook_event_name: "SessionDelete", reason: "old" }), undefined);
  equal(hook({ ...call, hook_event_name: "TerminalClosed" }), undefined);
  const gemini = { ...call, tool_name: "run_shell_command" };
  equal(JSON.stringify(hook(gemini, "gemini"))?.includes('"deny"'), true);
  match(run("why --event claude-code.SessionDelete").stdout, /claude-code\.SessionDelete/);
});
