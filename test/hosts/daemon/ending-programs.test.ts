/** What becomes of the programs of a daemon that ends or is killed: of those that answer, of those that stay, and of those that hide. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { endDaemon } from "../../../src/hosts/cli/daemon/place.ts";
import { daemonFilesOf, runningDaemon } from "../../../src/hosts/daemon/state-file.ts";
import { bin } from "../../program.ts";
import { goes, isGone, isOf } from "../../runtime/processes/gone.ts";
import { type Place, placeFor, type Started, until } from "./started.ts";

const linux = { skip: process.platform === "linux" ? false : "reads /proc" };

/** Has a child in a session of its own, which holds its streams; says who they are, and answers when it is let. */
const guard = `import json, os, subprocess, sys, time
for line in sys.stdin:
    child = subprocess.Popen(["sleep", "300"], start_new_session=True)
    with open("asked.part", "w") as file:
        print(os.getpid(), child.pid, file=file)
    os.rename("asked.part", "asked")
    while not os.path.exists("go"):
        time.sleep(0.02)
    print(json.dumps({"id": json.loads(line)["id"], "exit": 2, "stderr": "a person pushes"}), flush=True)
`;
const staying = { command: "exec python3 -S guard.py", resident: true };
/** The same, started for each event. */
const waiting = {
  command:
    "setsid sleep 300 & echo $$ $! > asked.part; mv asked.part asked; until [ -e go ]; do sleep 0.02; done; echo a person pushes >&2; exit 2",
};

const withGuard = (t: TestContext, hook: object): Place =>
  placeFor(t, {
    "workspace/guard.py": guard,
    "home/.config/hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", role: "guard", timeout: 60, ...hook }] }] },
    }),
  });

/** The agent's call, which the daemon judges: gives the client's exit code and what it said. */
function tell(t: TestContext, { workspace, environment }: Place): Promise<string> {
  const words = ["hook", "claude-code", "--event", "PreToolUse", "--by", "user"];
  const child = spawn(process.execPath, [bin, ...words], { cwd: workspace, env: environment });
  t.after(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  child.stdin.end(
    JSON.stringify({
      ...{ hook_event_name: "PreToolUse", session_id: "s1", cwd: workspace, transcript_path: "" },
      ...{ tool_name: "Bash", tool_input: { command: "git push" }, tool_use_id: "toolu_1" },
    }),
  );
  return once(child, "close").then(([code]) => `${code}: ${said.trim()}`);
}

/** The processes of the guard, once it is asked; they end with the test. */
async function asked(t: TestContext, { workspace }: Place): Promise<number[]> {
  const file = join(workspace, "asked");
  const pids = await until(
    () => (existsSync(file) ? readFileSync(file, "utf8").split(" ").map(Number) : undefined),
    "it is asked",
  );
  t.after(() => {
    for (const pid of pids) if (!isGone(pid)) process.kill(pid, "SIGKILL");
  });
  return pids;
}

/** Until it is the daemon that asks the guard: on a busy machine a client that no daemon answers in time judges by itself. */
async function asking(
  t: TestContext,
  place: Place,
  daemon: Started,
): Promise<{ said: Promise<string>; pids: number[] }> {
  for (;;) {
    const said = tell(t, place);
    const pids = await asked(t, place);
    if (isOf(daemon.child.pid, pids[0] ?? 0)) return { said, pids };
    place.write("workspace/go", "");
    await said;
    for (const name of ["go", "asked"]) rmSync(join(place.workspace, name));
  }
}

describe("the programs of a daemon that ends", { concurrency: true }, () => {
  for (const [what, hook] of Object.entries({ "that stays": staying, "that is started for each event": waiting })) {
    test(
      `[A50] a guard ${what} is waited for, its verdict counts, and then nothing of it is left`,
      linux,
      async (t) => {
        const place = withGuard(t, hook);
        const daemon = await place.up();
        const { said, pids } = await asking(t, place, daemon);
        const exit = once(daemon.child, "exit");
        daemon.child.kill("SIGTERM");
        await until(
          () => existsSync(join(place.environment.XDG_STATE_HOME ?? "", "hookline", "daemon.address")) === false,
          "it is ending",
        );
        place.write("workspace/go", "");
        assert.match(await said, /a person pushes/);
        assert.deepEqual(await exit, [0, null]);
        assert.deepEqual(pids.map(isGone), [true, true]);
        assert.equal(existsSync(join(place.environment.XDG_STATE_HOME ?? "", "hookline", "daemon.mark")), false);
      },
    );

    test(`[A50] an event that a guard ${what} has not decided when the daemon ends is blocked`, linux, async (t) => {
      const place = withGuard(t, hook);
      const daemon = await place.up();
      const { said, pids } = await asking(t, place, daemon);
      const exit = once(daemon.child, "exit");
      daemon.child.kill("SIGTERM");
      assert.match(await said, /^2: |"permissionDecision":"deny"/);
      assert.deepEqual(await exit, [0, null]);
      assert.deepEqual(pids.map(isGone), [true, true]);
    });
  }

  for (const [what, hook] of Object.entries({ "that stays": staying, "that is started for each event": waiting }))
    test(
      `[F1] of a daemon that was killed while it asked a guard ${what}, the next one ends what is left`,
      linux,
      async (t) => {
        const place = withGuard(t, hook);
        const daemon = await place.up();
        const { said, pids } = await asking(t, place, daemon);
        daemon.child.kill("SIGKILL");
        assert.match(await said, /^2: /);
        const next = await place.up();
        for (const pid of pids) assert.ok(await goes(pid), `${pid}`);
        assert.equal(await next.stop(), 0);
      },
    );

  test("[X8] the command that kills a stopped daemon ends its programs, too", linux, async (t) => {
    const place = withGuard(t, staying);
    const daemon = await place.up();
    const { said, pids } = await asking(t, place, daemon);
    daemon.child.kill("SIGSTOP");
    const files = daemonFilesOf(join(place.environment.XDG_STATE_HOME ?? "", "hookline", "hookline.db"));
    const running = runningDaemon(files);
    assert.ok(running);
    await endDaemon(running, files.state, 300);
    for (const pid of pids) assert.ok(await goes(pid), `${pid}`);
    assert.match(await said, /^2: /);
  });

  test("[X8] asked to end while it starts, whenever that is, it ends", async (t) => {
    const { workspace, environment } = placeFor(t);
    for (let after = 20; after <= 420; after += 50) {
      const child = spawn(process.execPath, [bin, "up", "--port", "0"], { cwd: workspace, env: environment });
      t.after(() => void child.kill("SIGKILL"));
      await pause(after);
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      const way = await Promise.race([exit, pause(15_000, "it goes on", { ref: false })]);
      assert.ok(Array.isArray(way), `${after} ms: ${way}`);
    }
  });
});
