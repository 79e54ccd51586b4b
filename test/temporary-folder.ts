/** A folder of one test, or of one file's tests, which is gone after it. Its name holds no link, so that programs and tests call it alike. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function temporaryFolder(context: { after(work: () => unknown): void }): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-")));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
