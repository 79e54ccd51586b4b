/** A folder of one test, which is gone after it. Its name holds no link, so that programs and tests call it alike. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export function temporaryFolder(context: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-")));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
