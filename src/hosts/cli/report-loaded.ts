/** What a command says on standard error of the hooks that it has loaded. Apart from loaded.ts, which each event of an agent loads. */
import type { LoadedHooks } from "../../loading/load.ts";
import { untrustedWords } from "../../operations/hooks/hook-counts.ts";
import type { Invocation } from "./command.ts";
import { reportProblems } from "./terminal.ts";

/** What is broken, and how much does not run because no person has trusted it. */
export function reportLoaded(
  loaded: Pick<LoadedHooks, "problems" | "set" | "untrusted">,
  invocation: Invocation,
): void {
  reportProblems(loaded, invocation);
  const asking = untrustedWords(loaded);
  if (asking !== undefined) invocation.terminal.error(`hookline: ${asking}`);
}
