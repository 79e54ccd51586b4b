/** hookline why: how an event was decided, hook by hook, in sentences; also for hooks that did not match (R37). */

import { loadPatterns } from "../../../conditions/patterns.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { effectLines } from "../hooks/effect-lines.ts";
import { registryAt } from "../loaded.ts";
import { openRecord } from "../shared-store/record.ts";
import { askedEvent } from "./asked-event.ts";
import { reasonsOf } from "./reasons.ts";
import { tell } from "./why-words.ts";

export async function why(invocation: Invocation): Promise<ExitCode> {
  const store = await openRecord(invocation);
  try {
    const asked = await askedEvent(store, invocation);
    const { stored } = asked;
    const reasons = await reasonsOf(store, stored, {
      place: invocation,
      isAll: invocation.flags.all === true,
      registry: await registryAt({ ...invocation, cwd: stored.event.cwd }),
      patterns: await loadPatterns(),
    });
    if (asked.note !== undefined) invocation.terminal.error(`hookline: ${asked.note}`);
    if (invocation.json)
      invocation.terminal.print(
        JSON.stringify({ event: stored.event, outcome: stored.outcome ?? null, hooks: reasons }),
      );
    else
      tell(invocation, {
        ...{ stored, reasons, run: asked.run },
        does: await effectLines(stored.event, invocation, invocation.terminal),
      });
    return 0;
  } finally {
    store.close();
  }
}
