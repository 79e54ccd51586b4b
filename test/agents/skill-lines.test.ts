/** Shell lines that an agent runs itself, out of skills and slash commands: guards judge them as they judge calls (R104). */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { runCommand } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Place {
  home: string;
  work: string;
  put(file: string, text: string): void;
  run(words: string, input?: string): ReturnType<typeof runCommand>;
  /** What the agent is told about this payload. */
  hook(wire: Fields, agent?: string): Fields | undefined;
}

function createPlace(t: TestContext, files: Readonly<Record<string, string>> = {}, headless = "0"): Place {
  const folder = realpathSync(temporaryFolder(t));
  const [home, work] = [join(folder, "home"), join(folder, "work")];
  const environment = { PATH: process.env.PATH ?? "", HOME: home, HOOKLINE_HEADLESS: headless };
  const put = (file: string, text: string): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  mkdirSync(home);
  put("work/.hookline/hooks.local.json", rules);
  for (const [file, text] of Object.entries(files)) put(file, text);
  const run = (words: string, input = ""): ReturnType<typeof runCommand> =>
    runCommand(words.split(" "), { cwd: work, environment, input });
  return {
    ...{ home, work, put, run },
    hook(wire, agent = "claude-code") {
      const { status, stdout, stderr } = run(`hook ${agent}`, JSON.stringify({ session_id: "s", cwd: work, ...wire }));
      deepEqual([status, stderr], [0, ""]);
      return stdout === "" ? undefined : JSON.parse(stdout);
    },
  };
}
const rules = JSON.stringify({
  hooks: { PreToolUse: [{ deny: ["Bash(git push --force *)"] }, { ask: ["Bash(git tag *)"] }] },
});

const line = (command: string): Fields => ({
  hook_event_name: "PreSkillShellCommand",
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id: "t1",
  command_name: "release",
  command_source: "projectSettings",
  invoked_by: "claude",
});

const said = (answer: Fields | undefined): unknown[] => {
  const specific = isRecord(answer?.hookSpecificOutput) ? answer.hookSpecificOutput : {};
  return [specific.hookEventName, specific.permissionDecision];
};

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

test("an event that is newer than this Hookline is judged if it comes before a call, and else recorded and never blocked", (t) => {
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

test("check says of an event in an agent's file that it is newer than this Hookline, and no error", (t) => {
  const hooks = { TerminalClosed: [{ hooks: [{ type: "command", command: "true" }] }] };
  const { run } = createPlace(t, { "work/.claude/settings.json": JSON.stringify({ hooks }) });
  const { status, stdout, stderr } = run("check");
  match(stdout + stderr, /warning unknown-event .*TerminalClosed.* newer than this Hookline/);
  equal(status, 0);
});
