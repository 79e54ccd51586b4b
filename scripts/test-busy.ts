/**
 * npm run test:busy: the tests of each commit beside twenty processes that never rest, three times in a row. A test that depends on
 * time or load fails here. It takes an hour or more on two cores; `--times N` runs it N times, other words go to npm test.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";

const words = process.argv.slice(2);
const at = words.indexOf("--times");
const [, asked = "3"] = at < 0 ? [] : words.splice(at, 2);
const times = Number(asked);
const busy: ChildProcess[] = Array.from({ length: 20 }, () =>
  // It ends with this process: its standard input is closed then.
  spawn("sh", ["-c", "(while :; do :; done) & cat >/dev/null; kill $!"], { stdio: ["pipe", "ignore", "ignore"] }),
);
let failed = 0;
for (let run = 1; run <= times && failed === 0; run++) {
  console.log(`\nrun ${run} of ${times}, beside ${busy.length} busy processes`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "test.ts"), ...words], {
    stdio: "inherit",
  });
  if (status !== 0) failed += 1;
}
for (const one of busy) one.stdin?.end();
process.exitCode = failed;
