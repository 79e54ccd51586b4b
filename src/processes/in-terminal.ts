/** Runs a program that takes over the person's terminal, such as an editor. Apart from spawn.ts, which gives none. */

/** Its exit code; undefined: it could not be started, or was ended by a signal. Never rejects. */
export function runInTerminal(
  program: string,
  args: readonly string[],
  { cwd, environment }: { cwd: string; environment: Readonly<Record<string, string>> },
): Promise<number | undefined> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...environment }, stdio: "inherit" });
    child.once("error", () => resolve(undefined));
    child.once("exit", (code) => resolve(code ?? undefined));
  });
}
