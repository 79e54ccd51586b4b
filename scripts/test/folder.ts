/** Where a run of the tests puts its files: what a test leaves behind goes with it. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function folderOfRun(): string {
  const folder = mkdtempSync(join(process.env.TMPDIR ?? memoryFolder() ?? tmpdir(), "hookline-test-"));
  chmodSync(folder, 0o1777); // some tests are other users for a while
  return folder;
}

/** A file system in memory: the tests write and flush so much that a disk takes two to four times as long. */
function memoryFolder(): string | undefined {
  const place = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < 2 ** 30) return undefined; // containers may have 64 megabytes there
    const trial = mkdtempSync(join(place, "hookline-test-"));
    try {
      writeFileSync(join(trial, "program"), "#!/bin/sh\n", { mode: 0o700 });
      return spawnSync(join(trial, "program")).status === 0 ? place : undefined; // it may be mounted without execution
    } finally {
      rmSync(trial, { recursive: true });
    }
  } catch {
    return undefined; // another system, or not ours to write to
  }
}
