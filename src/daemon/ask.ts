/** Asks a daemon of the same user how it is. */
import { messageOf } from "../core/error.ts";
import type { Fields } from "../core/event.ts";
import { isRecord } from "../core/schema.ts";
import type { DaemonState } from "./state-file.ts";

const answersWithin = 2_000;

/** What `GET /status` says, or why it says nothing. Never rejects. */
export async function statusOf({ port, token }: Pick<DaemonState, "port" | "token">): Promise<Fields> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/status`, {
      headers: { authorization: `Bearer ${token}`, connection: "close" },
      signal: AbortSignal.timeout(answersWithin),
      redirect: "error",
    });
    const status: unknown = await response.json();
    if (response.ok && isRecord(status)) return status as Fields; // it came as JSON
    return { unreachable: `it answers ${response.status}` };
  } catch (error) {
    return { unreachable: error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error) };
  }
}
