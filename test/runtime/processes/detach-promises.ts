import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Runner, temporaryFolder } from "./running.ts";

const detaches = (line: string): boolean => /^\{"async":\s*true\}$/.test(line.trim());

export function testDetaching(runner: Runner): void {
  test("[C37, CT28] a first line that detaches lets go at once, and the work completes", async (context) => {
    const file = join(temporaryFolder(context), "done");
    const line = `echo '{"async":true}'; until [ -e '${file}.go' ]; do sleep 0.05; done; cat; echo done > '${file}'`;
    const ended = await runner.line(line, { detaches, input: "the event" });
    assert.equal(ended.how, "detached");
    writeFileSync(`${file}.go`, ""); // it cannot have ended before
    const rest = await ended.rest?.done;
    assert.equal(rest?.how, "exit");
    assert.equal(rest?.stdout, '{"async":true}\nthe event');
    assert.equal(readFileSync(file, "utf8"), "done\n");
  });

  test("[C34] a detached program is not cancelled with the turn", async (context) => {
    const go = join(temporaryFolder(context), "go");
    const turn = new AbortController();
    const line = `echo '{"async": true}'; until [ -e '${go}' ]; do sleep 0.05; done; echo on`;
    const ended = await runner.line(line, { detaches, signal: turn.signal });
    turn.abort();
    writeFileSync(go, "");
    const rest = await ended.rest?.done;
    assert.deepEqual([rest?.how, rest?.stdout], ["exit", '{"async": true}\non\n']);
  });

  test("[C34, C37] the marker needs no line break, and a detached program can be ended", async () => {
    const ended = await runner.line(`printf '{"async":true}'; sleep 60`, { detaches });
    assert.equal(ended.how, "detached");
    ended.rest?.end();
    assert.equal((await ended.rest?.done)?.how, "aborted");
  });

  test("[C37] a first line of 200 kB is no marker and breaks nothing", async () => {
    const ended = await runner.line(
      `printf '{"a":"'; head -c 200000 /dev/zero | tr '\\0' x; echo '"}'; echo '{"async":true}'`,
      {
        detaches,
      },
    );
    assert.equal(ended.how, "exit");
    assert.equal(ended.stdout.length, 200_000 + 9 + 15);
  });

  test("[R61] a released program outlives this process, and its output goes to the process that took over", async (context) => {
    const folder = temporaryFolder(context);
    const script = join(folder, "release.ts");
    writeFileSync(
      script,
      `import { spawn as fork } from "node:child_process";
     ${runner.script}
     const line = \`echo '{"async":true}'; until [ -e go ]; do sleep 0.05; done; echo after\`;
     const ended = await spawn(
       { program: "bash", args: ["--norc", "-c", line], cwd: ${JSON.stringify(folder)}, environment: { PATH: process.env.PATH }, input: "" },
       { signal: new AbortController().signal, detaches: () => true },
     );
     const { stdout } = ended.rest.release();
     fork("bash", ["--norc", "-c", "cat > got; mv got taken"], { cwd: ${JSON.stringify(folder)}, detached: true, stdio: [stdout, "ignore", "ignore"] }).unref();`,
    );
    const ended = await runner.line(`'${process.execPath}' --no-warnings '${script}'`, { leftovers: "keep" });
    assert.equal(ended.code, 0, ended.stderr);
    writeFileSync(join(folder, "go"), ""); // the process that started it has ended
    const seen = await runner.line("until [ -e taken ]; do sleep 0.05; done; cat taken", {
      cwd: folder,
    });
    assert.equal(seen.stdout, "after\n");
  });
}
