/** npm run test:browser: the dashboard in Debian's Chromium, or in one of playwright's; without one it says so, and that is all. */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "../test/browser/open.ts";

if (findBrowser() === undefined) {
  console.log("skipped: there is no chromium on this machine (apt-get install chromium)");
  console.log("0 passed, 0 failed");
} else {
  const words = [join("scripts", "test.ts"), ...globSync("test/browser/*.test.ts")];
  process.exitCode = spawnSync(process.execPath, words, { stdio: "inherit" }).status ?? 1;
}
