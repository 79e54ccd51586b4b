/** What hooks do to a real Codex: judged by what lies on disk and by what reaches its model, never by its screen. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { isCovered } from "./covered.ts";
import { real, runsByItself } from "./first-run.ts";
import { obeys } from "./obeys.ts";
import { startAgent } from "./session.ts";

runsByItself("codex");
isCovered("codex");
obeys("codex", { permission: "none" });

/** Models that it knows get its own tool for patches. */
const known = ["-m", "gpt-5.5"];
const patching = (...lines: string[]): { calls: { tool: string; input: { input: string } }[] } => ({
  calls: [{ tool: "apply_patch", input: { input: `${["*** Begin Patch", ...lines, "*** End Patch"].join("\n")}\n` } }],
});
const denies = (condition: string) => ({
  type: "command",
  command: "echo 'secrets stay' >&2; exit 2",
  role: "guard",
  if: condition,
});

test(
  "its own tool for patches is denied for one file of several, and a rewritten patch is applied",
  real("codex"),
  async (t) => {
    const session = await startAgent(t, "codex", {
      turns: [
        patching("*** Add File: a.txt", "+x", "*** Update File: secret/old.txt", "@@", "-first", "+changed"),
        patching("*** Delete File: secret/old.txt"),
        patching("*** Add File: plain.txt", "+given"),
        { text: "done" },
      ],
    });
    await session.write("secret/old.txt", "first\n");
    const file_path = join(session.repository, "plain.txt");
    const output = { hookEventName: "PreToolUse", updatedInput: { file_path, content: "rewritten\n" } };
    await session.register({
      PreToolUse: [
        { matcher: "Write|Edit", hooks: [denies("Edit(secret/**)"), denies("Write(secret/**)")] },
        {
          matcher: "Write",
          hooks: [
            {
              type: "command",
              command: `echo '${JSON.stringify({ hookSpecificOutput: output })}'`,
              if: "Write(plain.txt)",
            },
          ],
        },
      ],
    });
    await session.run({ flags: known });
    assert.equal(session.has("a.txt"), false);
    assert.equal(await session.read("secret/old.txt"), "first\n");
    assert.match(session.heard(1), /secrets stay/);
    assert.equal(await session.read("plain.txt"), "rewritten\n");
  },
);

test("a line that the model runs in another folder is judged by the project's hooks", real("codex"), async (t) => {
  const session = await startAgent(t, "codex", ({ shell }) => ({
    turns: [
      { calls: [{ tool: "exec_command", input: { cmd: "touch pushed.txt && git push", workdir: "/tmp" } }] },
      { calls: [{ tool: "exec_command", input: { cmd: "pwd > where.txt", workdir: "sub" } }] },
      shell("git init --quiet nested"),
      { calls: [{ tool: "exec_command", input: { cmd: "touch pushed.txt && git push", workdir: "nested" } }] },
      { text: "done" },
    ],
  }));
  await session.write("sub/x", "");
  await session.register({ PreToolUse: [{ matcher: "Bash", hooks: [denies("Bash(git push *)")] }] });
  await session.run();
  assert.match(session.heard(1), /secrets stay/);
  assert.match(session.heard(4), /secrets stay.*secrets stay/);
  assert.equal(session.has("nested/pushed.txt"), false);
  assert.equal(await session.read("sub/where.txt"), `${session.repository}/sub\n`);
});

test("a project's registration is found from a folder below the project", real("codex"), async (t) => {
  const session = await startAgent(t, "codex", ({ shell }) => ({
    turns: [shell("touch pushed.txt && git push"), { text: "done" }],
  }));
  await session.write("sub/x", "");
  await session.register({ PreToolUse: [{ matcher: "Bash", hooks: [denies("Bash(git push *)")] }] });
  await session.hookline("install", "codex", "--layer", "project");
  await session.hookline("uninstall", "codex");
  await session.run({ flags: ["-C", "sub"] });
  assert.match(session.heard(1), /secrets stay/);
  assert.equal(session.has("sub/pushed.txt"), false);
});

test(
  "a subagent's calls are judged too, its stop can be held, and its prompt is no prompt of the person's",
  real("codex"),
  async (t) => {
    // The subagent plays the same turns: it cannot start another one.
    const session = await startAgent(t, "codex", ({ shell }) => ({
      turns: [
        { calls: [{ tool: "spawn_agent", input: { message: "SUBAGENT begin" } }] },
        shell("touch pushed.txt && git push"),
        { text: "done" },
      ],
    }));
    await session.register({
      UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo x >> prompts.txt" }] }],
      PreToolUse: [{ matcher: "Bash", hooks: [denies("Bash(git push *)")] }],
      SubagentStart: [
        {
          hooks: [
            {
              type: "command",
              command: `echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"told at start"}}'`,
            },
          ],
        },
      ],
      SubagentStop: [
        {
          hooks: [
            {
              type: "command",
              command: "[ -e held.txt ] && touch ended.txt || { touch held.txt; echo 'one more step' >&2; exit 2; }",
            },
          ],
        },
      ],
      Stop: [
        { hooks: [{ type: "command", command: "for i in $(seq 300); do [ -e ended.txt ] && break; sleep 0.1; done" }] },
      ],
    });
    await session.run({ flags: ["-m", "fake-model"] }); // other models are offered no subagents
    assert.equal(session.has("pushed.txt"), false);
    assert.equal(session.has("ended.txt"), true, "its stop was held");
    assert.equal(await session.read("prompts.txt"), "x\n");
    const all = JSON.stringify(session.model.conversation().map(({ body }) => body));
    assert.match(all, /told at start/);
    assert.match(all, /one more step/);
  },
);
