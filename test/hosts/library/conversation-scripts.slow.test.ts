/** Other ways of scripts between the completions of a conversation. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { fileScript, worldOf } from "./conversation-world.ts";

test("[ET24, E37, E38] a script that always fails starts three completions, then the person gets a message; it stays pending", async (t) => {
  const scripts = { "a.sh": fileScript("never", "exit 1") };
  const world = await worldOf(t, scripts, (prompt) => {
    if (prompt === "write") world.write("a.txt", "new\n");
  });
  const attempts = (): (string | undefined)[] =>
    world.prompts.splice(0).map((text) => /Attempt \d\/\d/.exec(text)?.[0]);
  await world.conversation.say("write");
  await world.conversation.idle();
  assert.deepEqual(attempts(), [undefined, "Attempt 1/3", "Attempt 2/3", "Attempt 3/3"]);
  assert.match(world.evaluations.at(-1)?.outcome.messages?.[0]?.text ?? "", /3 continuations per prompt were reached/);
  await world.conversation.say("only talk");
  await world.conversation.idle();
  assert.deepEqual(attempts(), [undefined, "Attempt 1/3", "Attempt 2/3", "Attempt 3/3"]);
});

test("[ET22] one that failed runs again after the next turn, though nothing has changed", async (t) => {
  const scripts = { "a.sh": fileScript("quiet", "echo ran >> log; exit 1", "# notify_llm: false\n") };
  const world = await worldOf(t, scripts, (prompt) => {
    if (prompt === "write") world.write("a.txt", "new\n");
  });
  await world.conversation.say("write");
  await world.conversation.idle();
  await world.conversation.say("only talk");
  await world.conversation.idle();
  assert.equal(world.read("log"), "ran\nran\n");
  assert.deepEqual(world.prompts, ["write", "only talk"]);
});

test("[ET23] files that the turn itself committed are checked", async (t) => {
  const scripts = { "a.sh": fileScript("checked", "echo $HOOKLINE_CHANGED_FILES >> log") };
  const world = await worldOf(t, scripts, () => {
    world.write("a.txt", "new\n");
    const words = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all"];
    execFileSync("git", ["add", "-A"], { cwd: world.folder });
    execFileSync("git", words, { cwd: world.folder });
  });
  await world.conversation.say("write and commit");
  await world.conversation.idle();
  assert.equal(world.read("log"), "a.txt\n");
});
