/** Trusts a workspace of a benchmark, as a person does who has looked at it: what is measured is what users have after that. */
import { spawnSync } from "node:child_process";

interface Workspace {
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
}

export function trustWith(bin: string, { cwd, environment }: Workspace): void {
  const run = (...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "trust", ...words], {
      cwd,
      env: environment as NodeJS.ProcessEnv,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`hookline trust ${words.join(" ")} exited ${status}: ${stderr}`);
    return stdout;
  };
  for (const { path, hash, state } of JSON.parse(run("list", "--json")))
    if (state !== "trusted") run(path, "--hash", hash);
}
