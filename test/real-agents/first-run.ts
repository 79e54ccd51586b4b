/** What every real agent does before any hook is there: it runs its tools for the scripted model, and ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentName, missingAgent } from "./installed.ts";
import { startAgent } from "./session.ts";

/** How long: for a machine that does much else, where some of these agents take a minute to start. */
export const real = (name: AgentName): { skip: string | false; timeout: number } => ({
  skip: missingAgent(name),
  timeout: 300_000,
});

export function runsByItself(name: AgentName): void {
  test("it runs a shell call and a file write of the model's, and ends", real(name), async (t) => {
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
}
