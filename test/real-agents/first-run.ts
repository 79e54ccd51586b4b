/** What every real agent does before any hook is there: it runs its tools for the scripted model, ends, and goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentName, missingAgent, versions } from "./installed.ts";
import { startAgent } from "./session.ts";

interface Limits {
  skip: string | false;
  /** For a machine that does much else, where some of these agents need more than a minute to start. */
  timeout: number;
}
/** For what holds in any version of an agent. */
export const inAnyVersion = (name: AgentName): Limits => ({ skip: missingAgent(name), timeout: 600_000 });
/** For what was only looked at in the pinned version. */
export const real = (name: AgentName): Limits => ({
  ...inAnyVersion(name),
  ...(versions !== "pinned" && { skip: "it is about the pinned version" }),
});

export function runsByItself(name: AgentName): void {
  test("it runs a shell call and a file write of the model's, and ends", inAnyVersion(name), async (t) => {
    const session = await startAgent(t, name, ({ shell, write, edit }) => ({
      turns: [
        shell("echo from the shell > shell.txt"),
        write("written.txt", "first\nsecond\n"),
        shell("cat written.txt"),
        edit("written.txt", "second", "changed"),
        { text: "That is all." },
      ],
    }));
    const ended = await session.run();
    const said = `${ended.stdout}${ended.stderr}`;
    assert.equal(ended.code, 0, said);
    assert.equal(session.has("shell.txt"), true, said);
    assert.equal(await session.read("shell.txt"), "from the shell\n");
    assert.match(session.heard(3), /first.*second/);
    assert.equal(await session.read("written.txt"), "first\nchanged\n", session.heard(4));
    assert.equal(session.model.conversation().length, 5);
  });

  test("it goes on with its last session: its model hears both prompts", inAnyVersion(name), async (t) => {
    const session = await startAgent(t, name, ({ shell }) => ({
      turns: [{ text: "That is the first answer." }, shell("touch made"), { text: "That is all." }],
    }));
    const ended = [
      await session.run({ prompt: "The first prompt." }),
      await session.run({ prompt: "The second prompt.", continued: true }),
    ];
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0],
      ended.map(({ stdout, stderr }) => stdout + stderr).join("\n"),
    );
    assert.equal(session.has("made"), true);
    assert.match(session.heard(1), /The first prompt.*That is the first answer.*The second prompt/);
  });
}
