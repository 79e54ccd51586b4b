/** An agent's call that a daemon of its own process is told of over its unix socket, by a sender that waits as long as it takes. */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { Place } from "./started.ts";

export const telling = (place: Place, id = "toolu_1"): string =>
  JSON.stringify({
    ...{ hook_event_name: "PreToolUse", session_id: "s1", cwd: place.workspace, transcript_path: "" },
    ...{ tool_name: "Bash", tool_input: { command: "rm -rf x" }, tool_use_id: id },
  });

/** As a client of ours, over its unix socket; gives what the agent would read on its standard output and error. */
export function tellOverSocket(place: Place, id: string, text: string): Promise<string> {
  const state = place.state;
  const version = /"version":"([^"]+)"/.exec(readFileSync(join(state, "daemon.json"), "utf8"))?.[1] ?? "";
  const told = JSON.parse(telling(place, id));
  const payload = JSON.stringify({ ...told, tool_input: { command: `rm -rf x ${text}` } });
  const environment = Object.entries(place.environment).map(([name, value]) => `${name}=${value}\0`);
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        socketPath: join(state, "daemon.sock"),
        method: "POST",
        path: "/hook/claude-code?event=PreToolUse&by=user",
        headers: {
          "content-type": "application/x-hookline",
          "x-hookline-version": version,
          "x-hookline-sent": String(Date.now() + 600_000), // on a slow machine some would rightly be refused as too late
          "x-hookline-cwd": encodeURIComponent(place.workspace),
        },
      },
      async (response) => {
        let answer = "";
        for await (const chunk of response) answer += String(chunk);
        resolve(answer);
      },
    );
    sending.on("error", reject);
    sending.end(`${payload}\0${environment.join("")}`);
  });
}
