/** A workspace with a guard, a rule, a hook that fails and one that is silent; and a session in it, told by a real client. */
import type { Place } from "../hosts/daemon/started.ts";

/** Markup, handlers, addresses of scripts, and characters that turn a line around. */
export const hostile =
  '<img src=x onerror="document.title=1"><script>document.title=2</script><a href="javascript:alert(1)">\u202egnp.exe {{1}}';

const hooks = {
  PreToolUse: [
    {
      matcher: "Bash",
      hooks: [
        { name: "says where it is", type: "command", command: 'echo \'{"additionalContext":"the folder is clean"}\'' },
        {
          name: "breaks",
          type: "command",
          if: "Bash(npm *)",
          command: "echo cannot find it >&2; exit 1",
        },
      ],
    },
  ],
  UserPromptSubmit: [{ hooks: [{ name: hostile, type: "command", command: `echo '${hostile}'` }] }],
  PostToolUse: [{ matcher: "Write", hooks: [{ name: "never asked", type: "command", command: "true" }] }],
};

const rules = `hooks:
  - id: no-force-push
    on: tool_start
    condition: { type: shell, runs: "git push *" }
    action:
      type: gate
      decision: deny
      reason: A force push rewrites what others have.
`;

const automation = `name: counts the files of a commit and says at some length what came of it
trigger: { type: event, event_type: code.committed, skip_llm: true }
cooldown_seconds: 0
context_steps:
  - { type: shell, command: "echo a-long-line-without-a-blank-a-long-line-without-a-blank-a-long-line-without-a-blank" }
`;

export const files: Readonly<Record<string, string>> = {
  "workspace/.hookline/automations/count.yaml": automation,
  "workspace/.hookline/hooks.json": JSON.stringify({ hooks }),
  "workspace/.hookline/rules/team.yaml": rules,
};

/** Told as the agent tells it. */
export function tell({ hooklineWith, workspace }: Place, event: string, more: object = {}): void {
  const payload = { session_id: "session-of-the-test", cwd: workspace, hook_event_name: event, ...more };
  hooklineWith(JSON.stringify(payload), "hook", "claude-code");
}

export const bash = (command: string): object => ({ tool_name: "Bash", tool_input: { command } });

export function tellSession(place: Place): void {
  tell(place, "SessionStart", { source: "startup" });
  tell(place, "UserPromptSubmit", { prompt: `Ship it ${hostile}` });
  tell(place, "PreToolUse", bash("ls"));
  tell(place, "PreToolUse", bash("npm test"));
  tell(place, "PreToolUse", bash(`git push --force ${hostile}`));
  tell(place, "PreToolUse", bash("git push --force origin main"));
}
