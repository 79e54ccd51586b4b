/** hookline purge: forgets events and runs from before a date. */
import { type ExitCode, type Invocation, textFlag, usageError } from "./command.ts";
import { openStore } from "./store.ts";

export async function purge(invocation: Invocation): Promise<ExitCode> {
  const given = textFlag(invocation.flags, "before");
  const before = Date.parse(given ?? "");
  if (Number.isNaN(before))
    throw usageError(given ? `"${given}" is not a date` : "--before is missing", invocation.usage);
  const store = await openStore(invocation);
  const events = await store.purge(before);
  store.close();
  if (invocation.json) invocation.terminal.print(JSON.stringify({ events }));
  else
    invocation.terminal.print(
      `forgot ${events} event${events === 1 ? "" : "s"} and their runs from before ${new Date(before).toISOString()}`,
    );
  return 0;
}
