/** hookline explain: would each hook run on this event, and why; nothing runs. */

import type { Explanation } from "../../engine/explain.ts";
import { complaintAbout } from "../../engine/hook.ts";
import { systemPorts } from "../../runtime/system.ts";
import type { ExitCode, Invocation } from "./command.ts";
import { eventFrom } from "./event-input.ts";
import { openLine } from "./line.ts";
import { shortPath } from "./list.ts";
import { openStoreToRead } from "./store.ts";
import { table } from "./terminal.ts";

export async function explain(invocation: Invocation): Promise<ExitCode> {
  const { id, now } = systemPorts();
  const event = eventFrom(invocation, invocation.usage, id(), now());
  const line = await openLine({ place: invocation, store: await openStoreToRead(invocation) });
  const complaint = complaintAbout(line.loaded, (path) => shortPath(path, invocation.cwd, invocation.home));
  if (complaint) invocation.terminal.error(`hookline: ${complaint}`);
  const explanations = await line.engine.explain(event);
  await line.close();
  if (invocation.json) invocation.terminal.print(JSON.stringify(explanations));
  else print(invocation, explanations);
  return 0;
}

function print({ terminal, cwd, home }: Invocation, explanations: readonly Explanation[]): void {
  if (explanations.length === 0) {
    terminal.print("no hook is in force here: hookline list says where they are looked for");
    return;
  }
  const columns = [
    { title: "would", style: (value: string) => (value === "run" ? ("green" as const) : ("dim" as const)) },
    { title: "hook", fills: true as const },
    { title: "because", fills: true as const },
    { title: "where" },
  ];
  const rows = explanations.map((one) => [
    one.would,
    one.name,
    one.because,
    `${shortPath(one.file ?? "", cwd, home)}${one.line ? `:${one.line}` : ""}`,
  ]);
  for (const row of table(terminal, columns, rows)) terminal.print(row);
}
