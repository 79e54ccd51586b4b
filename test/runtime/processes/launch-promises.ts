import assert from "node:assert/strict";
import { chmodSync, closeSync, copyFileSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Runner, temporaryFolder } from "./running.ts";

export function testLaunching(runner: Runner, name: "child" | "helper"): void {
  test("[X4, F9] a program that is not there is a launch failure that names it", async () => {
    const ended = await runner.program("hookline-has-no-such-program", []);
    assert.equal(ended.how, "launch");
    assert.match(ended.reason ?? "", /hookline-has-no-such-program was not found \(ENOENT\)/);
  });

  test("[X4, F9] a script without execute permission is a launch failure that names the remedy", async (context) => {
    const script = join(temporaryFolder(context), "guard.sh");
    writeFileSync(script, "#!/bin/sh\nexit 0\n", { mode: 0o644 });
    const ended = await runner.program(script, []);
    assert.equal(ended.how, "launch");
    assert.ok(ended.reason?.includes(`chmod +x ${script}`), ended.reason);
  });

  test("[X4] a missing interpreter and a missing folder are not reported as a missing program", async (context) => {
    const folder = temporaryFolder(context);
    const script = join(folder, "guard");
    writeFileSync(script, "#!/no/such/interpreter\n", { mode: 0o755 });
    const [interpreter, gone] = await Promise.all([
      runner.program(script, []),
      runner.program("true", [], { cwd: join(folder, "gone") }),
    ]);
    assert.match(interpreter.reason ?? "", /interpreter in the #! line/);
    assert.match(gone.reason ?? "", /the folder .*gone does not exist/);
  });

  test("[F9] arguments that are too large, or hold a NUL, are a launch failure, not an exception", async () => {
    const [large, nul] = await Promise.all([
      runner.program("true", ["x".repeat(3 << 20)]),
      runner.program("true", ["a\0b"]),
    ]);
    assert.equal(large.how, "launch");
    assert.match(large.reason ?? "", /too large \(E2BIG\)/);
    assert.equal(nul.how, "launch");
  });

  test("[F9] a program that is being written is tried once more", {
    skip: process.platform !== "linux",
  }, async (context) => {
    const program = join(temporaryFolder(context), "copy-of-true");
    copyFileSync("/bin/true", program);
    chmodSync(program, 0o755);
    const writing = openSync(program, "r+");
    const running = runner.program(program, []);
    closeSync(writing);
    assert.equal((await running).code, 0);
    const still = openSync(program, "r+");
    context.after(() => closeSync(still));
    const ended = await runner.program(program, []);
    if (ended.how === "launch") assert.match(ended.reason ?? "", /being written by another process \(ETXTBSY\)/);
    else assert.equal(ended.code, 0); // some kernels allow it
  });

  test("[F9] no free file descriptors is a launch failure, where it is this process that needs them", {
    skip: process.platform === "win32",
  }, async (context) => {
    const script = join(temporaryFolder(context), "starve.ts");
    writeFileSync(
      script,
      `import { openSync } from "node:fs";
     ${runner.script}
     const run = () => spawn({ program: "true", args: [], cwd: "/", environment: { PATH: process.env.PATH }, input: "" }, { signal: new AbortController().signal });
     await run();
     try { for (;;) openSync("/dev/null", "r"); } catch {}
     const { how, reason } = await run();
     console.log(JSON.stringify({ how, reason }));`,
    );
    const ended = await runner.line(`ulimit -n 64; exec '${process.execPath}' --no-warnings '${script}'`);
    const { how, reason } = JSON.parse(ended.stdout);
    if (name === "helper") return assert.equal(how, "exit"); // it has its own
    assert.equal(how, "launch");
    assert.match(reason, /too many open files/);
  });

  test("[F9] a signal that was there before the start starts nothing", async (context) => {
    const file = join(temporaryFolder(context), "ran");
    const ended = await runner.line(`touch '${file}'`, { signal: AbortSignal.abort() });
    assert.equal(ended.how, "aborted");
    assert.throws(() => openSync(file, "r"));
  });

  test("[F9] a signal that comes while the start is tried again still ends the program", {
    skip: process.platform !== "linux",
  }, async (context) => {
    const program = join(temporaryFolder(context), "copy-of-sleep");
    copyFileSync("/bin/sleep", program);
    chmodSync(program, 0o755);
    const writing = openSync(program, "r+");
    const controller = new AbortController();
    const running = runner.program(program, ["3600"], { signal: controller.signal });
    controller.abort(); // the first try has just been refused, or it runs already: either way it is stopped
    closeSync(writing);
    const ended = await running;
    assert.equal(ended.how, "aborted");
    assert.ok(ended.ms < 600_000);
  });
}
