/** Conversations and real scripts (specification 004): who runs when, what is owed, and whose message goes first. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  type CompletionCall,
  type Conversation,
  createHookline,
  type Evaluation,
  type Hookline,
} from "../../../src/index.ts";
import { isGone } from "../../runtime/processes/gone.ts";
import { type World as Place, world } from "../../world.ts";

interface Workspace extends Pick<Place, "folder" | "home" | "environment" | "write"> {
  read(name: string): string;
}

/** A repository with one commit and these scripts; `log` is where scripts say that they ran. */
function workspaceOf(t: TestContext, scripts: Readonly<Record<string, string>>): Workspace {
  const own = Object.entries(scripts).map(([name, body]) => [`workspace/.hookline/hooks/${name}`, body]);
  const here = world(t, { ...Object.fromEntries(own), "workspace/.gitignore": "log\n" });
  const { workspace, environment } = here;
  const git = (...words: string[]): Buffer =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: workspace, env: environment });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "begin");
  return {
    ...{ folder: workspace, home: here.home, environment },
    write: (name, text) => here.write(`workspace/${name}`, text),
    read: (name) => (here.has(`workspace/${name}`) ? here.read(`workspace/${name}`) : ""),
  };
}

const fileScript = (name: string, body: string, more = ""): string =>
  `#!/bin/sh\n#---\n# name: ${name}\n# type: file\n# pattern: "*.txt"\n${more}#---\n${body}\n`;

type Answer = (prompt: string, call: CompletionCall) => void | Promise<void>;
interface World extends Workspace {
  line: Hookline;
  conversation: Conversation;
  evaluations: Evaluation[];
  prompts: string[];
  runs(): Promise<string[]>;
}

async function worldOf(t: TestContext, scripts: Readonly<Record<string, string>>, answer: Answer): Promise<World> {
  const workspace = workspaceOf(t, scripts);
  const { folder: cwd, home, environment } = workspace;
  const line = await createHookline({ cwd, environment, home });
  t.after(() => line.close());
  const evaluations: Evaluation[] = [];
  const prompts: string[] = [];
  await line.emit("SessionStart", { source: "startup" }, { session: "s" });
  const conversation = line.conversation("s", {
    grace: 0,
    onEvaluation: (evaluation) => void evaluations.push(evaluation),
    async complete(prompt, call) {
      prompts.push(prompt);
      await answer(prompt, call);
    },
  });
  const runs = async (): Promise<string[]> =>
    [...(await line.runs({ event: "Stop" }))].reverse().map(({ hookName, status }) => `${hookName} ${status}`);
  return { ...workspace, line, conversation, evaluations, prompts, runs };
}

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
