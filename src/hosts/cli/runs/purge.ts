/** hookline purge: deletes old events and their runs. */
import { counted } from "../../../engine/words.ts";
import { instantOf } from "../../../formats/automations/moment.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { openStore } from "../store.ts";

export async function purge(invocation: Invocation): Promise<ExitCode> {
  const given = textFlag(invocation.flags, "before");
  if (!given) throw usageError("missing flag --before DATE", invocation.usage);
  const before = instantOf(given);
  if (before === undefined) throw usageError(`"${given}" is not a date such as 2026-01-31`, invocation.usage);
  if (before > Date.now()) throw usageError(`${given} lies in the future, so all would be deleted`, invocation.usage);
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
