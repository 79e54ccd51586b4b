/** hookline purge: deletes old events and their runs. */
import { counted } from "../../../engine/words.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { openStore } from "../store.ts";

export async function purge(invocation: Invocation): Promise<ExitCode> {
  const given = textFlag(invocation.flags, "before");
  const before = Date.parse(given ?? "");
  if (Number.isNaN(before))
    throw usageError(given ? `"${given}" is not a date` : "missing flag --before DATE", invocation.usage);
  const store = openStore(invocation);
  const events = await store.purge(before);
  store.close();
  if (invocation.json) invocation.terminal.print(JSON.stringify({ events }));
  else
    invocation.terminal.print(
      `deleted ${counted(events, "event")} from before ${new Date(before).toISOString()}, and their runs`,
    );
  return 0;
}
