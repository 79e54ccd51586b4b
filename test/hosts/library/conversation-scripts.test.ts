/** Conversations and real scripts (specification 004): who runs when, what is owed, and whose message goes first. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { isGone } from "../../runtime/processes/gone.ts";
import { fileScript, worldOf } from "./conversation-world.ts";

/** Resolves with the file's text once it ends in a line break. */
async function written(path: string): Promise<string> {
  const watcher = watch(dirname(path));
  try {
    for (;;) {
      if (existsSync(path) && readFileSync(path, "utf8").endsWith("\n")) return readFileSync(path, "utf8");
      await once(watcher, "change");
    }
  } finally {
    watcher.close();
  }
}

test("[E32, E33, E34] a failing script is fixed in a completion of its own, while the next one waits", async (t) => {
  const scripts = {
    "a.sh": fileScript("Hook A", "echo A >> log; grep -q fixed a.txt || { echo a.txt is broken; exit 1; }"),
    "b.sh": fileScript("Hook B", "echo B $HOOKLINE_CHANGED_FILES >> log"),
  };
  const world = await worldOf(t, scripts, (_prompt, { cause }) => {
    world.write("a.txt", cause === "user" ? "new\n" : "fixed\n");
    if (cause === "user") world.write("b.txt", "new\n");
  });
  await world.conversation.say("write a and b");
  await world.conversation.idle();
  assert.equal(world.read("log"), "A\nA\nB a.txt b.txt\n");
  assert.deepEqual(await world.runs(), ["Hook A failed", "Hook B skipped", "Hook A completed", "Hook B completed"]);
  assert.equal(world.prompts.length, 2);
  assert.match(world.prompts[1] ?? "", /^\[Hookline Hook Failed\] "Hook A".*a\.txt is broken.*\(Attempt 1\/3\)/s);
});

test("[E22, E35, E38] a message of the user ends the evaluation with its processes, and what is pending runs after it", async (t) => {
  const scripts = {
    "a.sh": fileScript(
      "slow",
      'test -e done && exit 0\ntouch done\nsleep 300 & echo "$$ $!" > pids.tmp; mv pids.tmp pids; wait',
    ),
  };
  const gone: boolean[][] = [];
  let pids: number[] = [];
  const world = await worldOf(t, scripts, (prompt) => {
    if (prompt === "one") world.write("a.txt", "new\n");
    else gone.push(pids.map(isGone));
  });
  await world.conversation.say("one");
  pids = (await written(join(world.folder, "pids"))).split(/\s+/).filter(Boolean).map(Number);
  assert.deepEqual(pids.map(isGone), [false, false]);
  await world.conversation.say("two");
  assert.deepEqual(gone, [[true, true]]); // before its completion began
  await world.conversation.idle();
  assert.deepEqual(world.prompts, ["one", "two"]);
  assert.deepEqual(
    world.evaluations.map(({ aborted = false }) => aborted),
    [true, false],
  );
  assert.deepEqual(await world.runs(), ["slow cancelled", "slow completed"]);
});

test("[ET18, ET20] what is paused does not run; let go, it is evaluated at once, and what it finds is the next prompt", async (t) => {
  const scripts = {
    "a.sh": fileScript("checked", "echo ran >> log; grep -q fixed a.txt || { echo broken; exit 1; }"),
  };
  const world = await worldOf(t, scripts, (_prompt, { cause }) => {
    world.write("a.txt", cause === "user" ? "new\n" : "fixed\n");
  });
  for (const what of [undefined, "checked", "a.sh"]) {
    assert.equal(await world.line.pause(what), true);
    assert.equal(await world.line.pause(what), false);
    assert.equal((await world.line.paused()).size, 1);
    await world.conversation.say("write");
    await world.conversation.idle();
    assert.equal(world.read("log"), "");
    assert.deepEqual(world.prompts.splice(0), ["write"]);
    assert.equal(await world.line.resume(what), true);
    await world.conversation.idle();
    assert.equal(world.read("log"), "ran\nran\n");
    assert.match(world.prompts.splice(0).join(), /^\[Hookline Hook Failed\] "checked"/);
    assert.equal(await world.line.resume(what), false);
    rmSync(join(world.folder, "log"));
  }
  await assert.rejects(world.line.pause("chekced"), /did you mean "checked"/);
});
