/** An empty git repository as `git init` makes it, without a process: only what git needs, and none of its sample hooks. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The branch is main. What is there already stays. */
export function emptyRepository(top: string): void {
  const folder = join(top, ".git");
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    join(folder, "config"),
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
  );
}
