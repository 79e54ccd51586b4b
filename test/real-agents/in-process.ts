/** What hooks do in an agent that loads a file of ours: the same story for each, judged by what lies on disk and by what reaches its model. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { real } from "./first-run.ts";
import type { AgentName } from "./installed.ts";
import { type AgentSession, bin, type Hooks, startAgent } from "./session.ts";

const refusing = (reason: string): Hooks[string][number]["hooks"] => [
  { type: "command", command: `echo '${reason}' >&2; exit 2`, role: "guard" },
];
const printing = (event: string, answer: object): Hooks[string] => [
  {
    hooks: [
      {
        type: "command",
        command: `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...answer } })}'`,
      },
    ],
  },
];
const told = (event: string, text: string): Hooks => ({ [event]: printing(event, { additionalContext: text }) });

const noPush: Hooks = { PreToolUse: [{ matcher: "Bash(git push *)", hooks: refusing("nobody pushes") }] };

/** Our file in the agent, below its home. */
interface Own {
  file: string;
}

/** As if the package had been moved away: nothing that the line tries can be started. */
function moveAway(session: AgentSession, { file }: Own): void {
  const state = join(session.home, ".local", "state", "hookline");
  for (const one of [join(session.home, file), join(state, "start.sh")]) {
    const text = readFileSync(one, "utf8");
    const moved = text
      .replaceAll(bin, "/nowhere/hookline.js")
      .replaceAll(/\/[^"' ]*\/build\/bin\/hookline\.js/g, "/nowhere/hookline.js");
    writeFileSync(one, moved.replaceAll(join(state, "client.sh"), "/nowhere/client.sh"));
  }
}

export function obeys(name: AgentName, own: Own): void {
  test(
    "a guard refuses a call and each tool that changes a file, a rewrite takes effect, and what hooks tell reaches the model, beside Claude Code's registration",
    real(name),
    async (t) => {
      const session = await startAgent(t, name, ({ shell, write, edit }) => ({
        turns: [
          shell("touch pushed; git push origin main"),
          write("secret/new.txt", "new\n"),
          edit("secret/old.txt", "old", "changed"),
          shell("touch as-it-was"),
          shell("echo allowed > allowed.txt"),
          { text: "That is all." },
        ],
      }));
      await session.write("secret/old.txt", "old\n");
      await session.hookline("install", "claude-code", "--layer", "project");
      await session.register({
        PreToolUse: [
          ...(noPush.PreToolUse ?? []),
          { matcher: "Write(secret/**)", hooks: refusing("no new secrets") },
          { matcher: "Edit(secret/**)", hooks: refusing("no other secrets") },
          {
            matcher: "Bash(touch as-it-was)",
            hooks:
              printing("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "touch rewritten" } })[0]
                ?.hooks ?? [],
          },
        ],
        ...told("SessionStart", "told at the start"),
        ...told("UserPromptSubmit", "told with the prompt"),
        ...told("PostToolUse", "told with the result"),
      });
      const ended = await session.run();
      const said = `${ended.stdout}${ended.stderr}`;
      assert.equal(ended.code, 0, said);
      assert.deepEqual(
        ["pushed", "secret/new.txt", "as-it-was", "rewritten", "allowed.txt"].filter((path) => session.has(path)),
        ["rewritten", "allowed.txt"],
        said,
      );
      assert.equal(await session.read("secret/old.txt"), "old\n");
      assert.match(session.heard(0), /told at the start.*told with the prompt/);
      assert.match(session.heard(1), /nobody pushes/);
      assert.match(session.heard(2), /no new secrets/);
      assert.match(session.heard(3), /no other secrets/);
      assert.match(session.heard(4), /told with the result/);
      assert.equal(session.model.conversation().length, 6);
    },
  );

  test("a prompt that a hook refuses reaches no model", real(name), async (t) => {
    const session = await startAgent(t, name, { turns: [{ text: "Never." }] });
    await session.register({ UserPromptSubmit: [{ hooks: refusing("not this prompt") }] });
    const { code, stdout, stderr } = await session.run();
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /not this prompt/);
    assert.equal(session.model.conversation().length, 0);
  });

  test(
    "with Hookline gone, calls are refused where a guard was active, and pass where none was",
    real(name),
    async (t) => {
      for (const [hooks, made] of [
        [noPush, []],
        [told("PostToolUse", "told"), ["made"]],
      ] as const) {
        const session = await startAgent(t, name, ({ shell }) => ({
          turns: [shell("touch made"), { text: "That is all." }],
        }));
        await session.register(hooks);
        await session.run({ flags: ["--help"] }); // before it, the person trusts the hooks
        await session.hookline("install", name);
        moveAway(session, own);
        const { code, stdout, stderr } = await session.run();
        assert.equal(code, 0, stdout + stderr);
        assert.deepEqual(
          readdirSync(session.repository).filter((file) => file === "made"),
          made,
          session.heard(1),
        );
        if (made.length === 0) assert.match(session.heard(1), /a guard is active/);
      }
    },
  );

  for (const signal of ["KILL", "STOP"])
    test(
      `after the daemon got SIG${signal} in the middle of a session, guarded calls are still refused, and the session goes on`,
      real(name),
      async (t) => {
        const session = await startAgent(
          t,
          name,
          ({ shell }) => ({
            turns: [
              shell("touch before"),
              shell(`kill -${signal} $(cat daemon.pid)`),
              shell("touch pushed; git push origin main"),
              shell("touch after"),
              { text: "That is all." },
            ],
          }),
          { daemon: true },
        );
        await session.register(noPush);
        const up = await session.hookline("up", "--background", "--port", "0", "--json");
        const { pid } = JSON.parse(up.stdout);
        await session.write("daemon.pid", String(pid));
        const { code, stdout, stderr } = await session.run();
        if (signal === "STOP") process.kill(pid, "SIGKILL"); // a stopped one cannot be asked to end
        assert.equal(code, 0, stdout + stderr);
        assert.deepEqual(
          ["before", "pushed", "after"].filter((path) => session.has(path)),
          ["before", "after"],
          stdout + stderr,
        );
        assert.match(session.heard(3), /nobody pushes|a guard is active/);
      },
    );
}

/** Denies each stop, and counts them in a file of the repository. */
export const alwaysBlocking: Hooks = {
  Stop: [{ hooks: [{ type: "command", command: 'echo x >>"$PWD/stops.txt"; echo "not yet" >&2; exit 2' }] }],
};
