/** What every agent does with the answers of Hookline's hooks, as effects on disk and in the next request to its model. One test for each promise. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { real } from "./first-run.ts";
import type { AgentName } from "./installed.ts";
import { type AgentSession, bin, type Hooks, startAgent } from "./session.ts";

/** What differs between agents. */
export interface Obedience {
  name: AgentName;
  /** A rewritten input takes effect; otherwise a guard's becomes a deny. */
  rewrites: boolean;
  /** The events whose context reaches the model's next request. */
  context: readonly string[];
  /** Its settings file, below the home. */
  settings: string;
}

const says = (output: object): string => `echo '${JSON.stringify(output)}'`;
const hook = (command: string, more: Fields = {}): Fields => ({ type: "command", command, ...more });
const guard = (condition: string): Fields =>
  hook("echo 'pushing is for people' >&2; exit 2", { name: "no push", role: "guard", if: condition });
const noPush: Hooks = { PreToolUse: [{ matcher: "Bash", hooks: [guard("Bash(git push *)")] }] };

/** Each line that hooks have written. */
const linesIn = async (session: AgentSession, file: string): Promise<string[]> =>
  session.has(file) ? (await session.read(file)).trim().split("\n") : [];

export function obeys({ name, rewrites, context, settings }: Obedience): void {
  test("a guard denies the shell call: it has no effect, and the model reads why", real(name), async (t) => {
    const session = await startAgent(t, name, ({ shell }) => ({
      turns: [shell("touch pushed.txt && git push"), shell("touch after.txt"), { text: "done" }],
    }));
    await session.register(noPush);
    const { code, stdout, stderr } = await session.run();
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.deepEqual([session.has("pushed.txt"), session.has("after.txt")], [false, true]);
    assert.match(session.heard(1), /pushing is for people/);
  });

  test("a guard on a file denies each tool that would write it", real(name), async (t) => {
    const session = await startAgent(t, name, ({ write, edit, shell }) => ({
      turns: [
        shell("cat secret/old.txt"),
        write("secret/new.txt", "x\n"),
        edit("secret/old.txt", "first", "changed"),
        write("open.txt", "fine\n"),
        { text: "done" },
      ],
    }));
    await session.write("secret/old.txt", "first\n");
    const denies = hook("echo 'secrets stay' >&2; exit 2", { role: "guard" });
    await session.register({
      PreToolUse: [
        { matcher: "Write", hooks: [{ ...denies, if: "Write(secret/**)" }] },
        { matcher: "Edit", hooks: [{ ...denies, if: "Edit(secret/**)" }] },
      ],
    });
    await session.run();
    assert.equal(session.has("secret/new.txt"), false);
    assert.equal(await session.read("secret/old.txt"), "first\n");
    assert.equal(await session.read("open.txt"), "fine\n", session.heard(4));
    assert.match(session.heard(2), /secrets stay/);
  });

  test(`a rewritten line ${rewrites ? "runs instead" : "is denied for a guard"}`, real(name), async (t) => {
    const session = await startAgent(t, name, ({ shell }) => ({
      turns: [shell("touch as-given.txt"), { text: "done" }],
    }));
    const output = { hookEventName: "PreToolUse", updatedInput: { command: "touch rewritten.txt" } };
    await session.register({
      PreToolUse: [{ matcher: "Bash", hooks: [hook(says({ hookSpecificOutput: output }), { role: "guard" })] }],
    });
    await session.run();
    assert.deepEqual([session.has("as-given.txt"), session.has("rewritten.txt")], [false, rewrites]);
    if (!rewrites) assert.match(session.heard(1), /another input only/);
  });

  test(`context of ${context.join(", ")} reaches the model's next request`, real(name), async (t) => {
    const session = await startAgent(t, name, ({ shell }) => ({
      turns: [shell("echo ok > ok.txt"), { text: "done" }],
    }));
    const tells = (hookEventName: string): Hooks[string] => [
      { hooks: [hook(says({ hookSpecificOutput: { hookEventName, additionalContext: `told at ${hookEventName}` } }))] },
    ];
    const all = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"];
    await session.register(Object.fromEntries(all.map((event) => [event, tells(event)])));
    await session.run();
    for (const event of all.slice(0, 2)) assert.match(session.heard(0), new RegExp(`told at ${event}`));
    assert.match(session.heard(1), /told at PostToolUse/);
    assert.match(session.heard(1), /told at PreToolUse/, "at once, or with the next event that takes it");
    assert.equal(session.has("ok.txt"), true);
  });

  test("a prompt that a hook blocks reaches no model", real(name), async (t) => {
    const session = await startAgent(t, name, { turns: [{ text: "done" }] });
    await session.register({ UserPromptSubmit: [{ hooks: [hook("echo 'not that' >&2; exit 2")] }] });
    await session.run();
    assert.equal(session.model.conversation().length, 0);
  });

  test("a Stop hook that always blocks runs four times and makes it go on three times", real(name), async (t) => {
    const session = await startAgent(t, name, { turns: [], endText: "I am done." });
    await session.register({ Stop: [{ hooks: [hook("echo x >> stops.txt; echo 'go on' >&2; exit 2")] }] });
    const { code } = await session.run();
    assert.equal(code, 0);
    assert.equal((await linesIn(session, "stops.txt")).length, 4);
    assert.equal(session.model.conversation().length, 4);
    assert.match(session.heard(1), /go on/);
  });

  for (const isGuarded of [true, false])
    test(
      `with Hookline gone ${isGuarded ? "a guarded call is refused" : "a call passes where no guard is"}`,
      real(name),
      async (t) => {
        const session = await startAgent(t, name, ({ shell }) => ({
          turns: [shell("touch ran.txt"), { text: "done" }],
        }));
        await registerForUser(session, isGuarded ? noPush : { PreToolUse: [{ hooks: [hook("true")] }] });
        await vanish(session, settings);
        const { code, stdout, stderr } = await session.run();
        assert.equal(code, 0, `${stdout}${stderr}`);
        assert.equal(session.has("ran.txt"), !isGuarded);
        if (isGuarded) assert.match(session.heard(1), /Hookline/);
      },
    );

  for (const [signal, end] of [
    ["KILL", "is killed"],
    ["STOP", "is stopped"],
  ] as const)
    test(`a guard still judges when the daemon ${end} in mid-session`, real(name), async (t) => {
      const session = await startAgent(
        t,
        name,
        ({ shell }) => ({
          turns: [
            shell(`kill -${signal} $(cat daemon.pid) && touch gone.txt`),
            shell("touch pushed.txt && git push"),
            { text: "done" },
          ],
        }),
        { daemon: true },
      );
      await session.register(noPush);
      const up = await session.hookline("up", "--background", "--port", "0", "--json");
      assert.equal(up.code, 0, `${up.stdout}${up.stderr}`);
      const { pid } = JSON.parse(up.stdout);
      t.after(() => continueProcess(pid));
      await session.write("daemon.pid", `${pid}`);
      const { code } = await session.run();
      continueProcess(pid);
      assert.equal(code, 0);
      assert.deepEqual([session.has("gone.txt"), session.has("pushed.txt")], [true, false]);
      assert.match(session.heard(2), /pushing is for people|guard/);
    });

  test("beside an install in Claude Code each call reaches the hooks once", real(name), async (t) => {
    const session = await startAgent(t, name, ({ shell }) => ({ turns: [shell("touch ran.txt"), { text: "done" }] }));
    await session.hookline("install", "claude-code");
    await session.hookline("install", "claude-code", "--layer", "project");
    await session.register({ PreToolUse: [{ matcher: "Bash", hooks: [hook("echo x >> calls.txt")] }] });
    await session.run();
    assert.equal(session.has("ran.txt"), true);
    assert.equal((await linesIn(session, "calls.txt")).length, 1);
  });

  test("uninstalled, it runs as if Hookline had never been there", real(name), async (t) => {
    const session = await startAgent(t, name, ({ shell }) => ({
      turns: [shell("touch pushed.txt && git push"), { text: "done" }],
    }));
    const before = await textAt(join(session.home, settings));
    await session.register(noPush);
    await session.hookline("uninstall", name);
    assert.equal(await textAt(join(session.home, settings)), before);
    await session.run();
    assert.equal(session.has("pushed.txt"), true);
  });
}

/** In the person's own file, which needs no trust: install then knows of guards at once. */
async function registerForUser(session: AgentSession, hooks: Hooks): Promise<void> {
  const folder = join(session.home, ".config/hookline");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "hooks.json"), JSON.stringify({ hooks }));
  const { code, stdout, stderr } = await session.hookline("install", session.name);
  assert.equal(code, 0, `${stdout}${stderr}`);
}

/** As if the package had been removed: no file of it lies where the lines look. */
async function vanish(session: AgentSession, settings: string): Promise<void> {
  const package_ = join(bin, "../..");
  for (const file of [settings, ".local/state/hookline/start.sh", ".local/state/hookline/client.sh"]) {
    const path = join(session.home, file);
    const text = await textAt(path);
    if (text !== undefined) await writeFile(path, text.replaceAll(package_, `${package_}-gone`));
  }
}

const textAt = async (path: string): Promise<string | undefined> =>
  existsSync(path) ? await readFile(path, "utf8") : undefined;

function continueProcess(pid: number): void {
  try {
    process.kill(pid, "SIGCONT");
  } catch {
    // it has ended
  }
}
