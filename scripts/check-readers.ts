/**
 * Code that reads files past `src/files/regular-file.ts`: a repository or a home folder may hold links to devices that never end and pipes without a writer,
 * and reading one would hang a command before anything is trusted.
 */
import { readFileSync } from "node:fs";
import { sourceFiles } from "./imports.ts";

/** What reads a file, of node:fs and node:fs/promises. */
const readers =
  /\b(?:readFile|readFileSync|createReadStream|open|openSync|openAsBlob|opendir|readSync|readvSync|copyFile|copyFileSync|cp|cpSync)\b/g;
const imported = /import (?:\* as \w+|\w+|\{([^}]*)\}) from "(?:node:)?fs(?:\/promises)?"/g;

const own = "reads what Hookline wrote into its own state folder";
const package_ = "reads Hookline's own package";
const system = "reads /proc, whose files are the system's";

/** Why each of them may. */
const allowed: Readonly<Record<string, string>> = {
  "src/files/regular-file.ts": "is that reader",
  "src/files/own-files.ts": package_,
  "src/files/write.ts": "makes files",
  "src/files/lines-of-file.ts": "opens without waiting, takes only a regular file, and reads up to a limit",
  "src/actions/model/tools.ts":
    "opens no link and waits for no pipe, takes only a regular file, and reads up to a limit",
  "src/actions/builtin/usage-tracker.ts": "opens without waiting, and reads by lines up to a limit",
  "src/actions/repository.ts": "writes, and opens without waiting",
  "src/actions/script/user.ts": "reads /etc/passwd",
  "src/agents/git/files.ts": "copies a hook of git that it has looked at",
  "src/hosts/cli/agents/clone-bundle.ts": package_,
  "src/hosts/cli/command.ts": "reads standard input, and Hookline's own package",
  "src/hosts/cli/daemon/background.ts": own,
  "src/hosts/cli/daemon/start.ts": "writes the output of a daemon",
  "src/hosts/cli/hook.ts": "reads standard input",
  "src/hosts/cli/packs/pack.ts": package_,
  "src/hosts/cli/packs/proposal.ts": package_,
  "src/hosts/cli/packs/recipe.ts": package_,
  "src/hosts/cli/runs/supervise.ts": "reads standard input",
  "src/hosts/cli/testing/scratch.ts": "copies regular files alone",
  "src/hosts/daemon/dashboard/files.ts": package_,
  "src/runtime/changes/watched.ts": "makes a file of its own",
  "src/runtime/processes/ancestors.ts": system,
  "src/runtime/processes/process-table.ts": system,
  "src/runtime/processes/spawner-slot.ts": system,
};

const complaints: string[] = [];
const used = new Set<string>();
for (const file of sourceFiles()) {
  const text = readFileSync(file, "utf8");
  const names = [...text.matchAll(imported)].flatMap(
    ([all, listed]) => listed?.match(readers) ?? (listed ? [] : [all]),
  );
  if (names.length === 0) continue;
  if (Object.hasOwn(allowed, file)) used.add(file);
  else
    complaints.push(
      `${file} reads past the reader of regular files (${names.join(", ")}): use src/files/regular-file.ts, which waits for no pipe and has a limit`,
    );
}
for (const file of Object.keys(allowed))
  if (!used.has(file)) complaints.push(`scripts/check-readers.ts: ${file} reads no file any more: remove its row`);

if (complaints.length > 0) console.error(complaints.join("\n"));
process.exitCode = complaints.length > 0 ? 1 : 0;
