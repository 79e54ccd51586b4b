import assert from "node:assert/strict";
import { test } from "node:test";
import type { Runner } from "./running.ts";

const eightMegabytes = "x".repeat(8 << 20);

export function testInputAndOutput(runner: Runner): void {
  test("[X3, C35] a program that reads all of its stdin gets it, and gets its end", async () => {
    const ended = await runner.line("cat; echo; cat", { input: '{"a":1}' });
    assert.equal(ended.stdout, '{"a":1}\n');
    assert.equal(ended.code, 0);
  });

  test("[F7] a program that never reads 8 MB of stdin, or closes it, answers by its exit code", async () => {
    const results = await Promise.all([
      runner.line("exit 0", { input: eightMegabytes }),
      runner.line("exec 0<&-; echo 'no' >&2; exit 2", { input: eightMegabytes }),
    ]);
    assert.deepEqual(
      results.map(({ how, code, stderr }) => ({ how, code, stderr })),
      [
        { how: "exit", code: 0, stderr: "" },
        { how: "exit", code: 2, stderr: "no\n" },
      ],
    );
  });

  test("[F7] a program that reads late still gets all of it", async () => {
    const ended = await runner.line("sleep 0.2; wc -c", { input: eightMegabytes });
    assert.equal(ended.stdout.trim(), String(8 << 20));
  });

  test("[F8] a character that arrives in two halves is one character", async () => {
    const ended = await runner.line("printf 'caf\\xc3'; sleep 0.1; printf '\\xa9'");
    assert.equal(ended.stdout, "café");
  });

  test("[X3, F5] a program that writes without end is ended at the limit, with the head and the tail kept", async () => {
    const ended = await runner.line("echo first; exec yes");
    assert.equal(ended.how, "output");
    assert.match(ended.reason ?? "", /output_limit/);
    assert.match(ended.stdout, /^first\ny\n/);
    assert.match(ended.stdout, /y\n$/);
    assert.ok(ended.stdout.length < (1 << 20) + 100);
    assert.ok(ended.dropped >= 63 << 20);
    assert.equal(ended.survivors, 0);
  });

  test("[F5] stdout and stderr count together", async () => {
    const limits = { endsAtInBytes: 100_000 };
    const ended = await runner.line("yes | head -c 60000; yes | head -c 60000 >&2; sleep 60", { limits });
    assert.equal(ended.how, "output");
  });

  test("[R54] what a program wrote just before its exit is all there", async () => {
    const ended = await runner.line("head -c 60000 /dev/zero | tr '\\0' x; exit 3");
    assert.equal(ended.stdout.length, 60_000);
    assert.equal(ended.code, 3);
  });

  test("[R54] of 5 MB that a program wrote before its exit each byte is counted", async () => {
    const ended = await runner.line("head -c 5000000 /dev/zero | tr '\\0' x; exit 3");
    assert.equal(ended.dropped, 5_000_000 - (1 << 20));
    assert.match(ended.stdout, /x$/);
  });

  test("[F9] a program that a signal ended has no exit code", async () => {
    const ended = await runner.line("kill -KILL $$");
    assert.equal(ended.how, "exit");
    assert.equal(ended.code, undefined);
    assert.equal(ended.signal, "SIGKILL");
  });
}
