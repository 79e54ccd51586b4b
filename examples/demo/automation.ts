/**
 * The end of the demo: an automation that runs the tests after each commit, asks a model only where one fails, and tells
 * the team. The model and the team's chat are played, on loopback and in their real protocols; all else is as ever.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HookEvent } from "../../src/engine/event.ts";
import type { Run } from "../../src/engine/record.ts";
import { isRecord } from "../../src/engine/schema.ts";
import type { Line } from "../../src/hosts/cli/line.ts";
import type { Place } from "../../src/hosts/cli/place.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import type { Hear } from "./session.ts";

/** What the automation reaches beyond the sample. */
export interface Stage {
  /** Where the sample's processes find it. */
  environment: Readonly<Record<string, string>>;
  /** What the team's chat was sent. */
  notices: readonly string[];
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const model = await startScriptedModel({
    turns: [
      {
        calls: [{ tool: "hookline_task_create", input: { title: "Repair GET /health: it answers 500", priority: 10 } }],
      },
      { text: "GET /health answers 500 since the last commit. I made a task of it." },
    ],
  });
  const chat = await openChat();
  return {
    environment: {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "played",
      HOOKLINE_MODEL: "anthropic/claude-haiku-4-5",
      TEAM_CHAT_URL: chat.url,
    },
    notices: chat.notices,
    async close() {
      await Promise.all([model.close(), chat.close()]);
    },
  };
}

async function openChat(): Promise<{ url: string; notices: string[]; close(): Promise<void> }> {
  const { createServer } = process.getBuiltinModule("node:http");
  const notices: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    request.on("end", () => {
      const said: unknown = JSON.parse(body);
      if (isRecord(said) && typeof said.text === "string") notices.push(said.text);
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    notices,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The person's own settings: where the team is told. */
export function writeChannel(home: string): void {
  const folder = join(home, ".config", "hookline");
  mkdirSync(folder, { recursive: true });
  const url = "${TEAM_CHAT_URL}";
  const channel = { kind: "slack", webhook_url: url, events: ["completed"] };
  writeFileSync(join(folder, "config.yaml"), JSON.stringify({ notifications: { team: channel } }));
}

const commits = [
  { message: "Add /health endpoint" },
  { message: "Say how long the server is up", from: "status: 200, body: 'ok'", to: "status: 500, body: 'ok'" },
] as const;

/** Two commits: the tests pass after the first, and not after the second. */
export async function playAutomation(
  line: Line,
  { cwd, environment }: Place,
  { finished, hear }: { finished: Finished; hear: Hear },
): Promise<void> {
  const { now, id } = line.ports;
  for (const { message, ...change } of commits) {
    if ("from" in change) edit(join(cwd, "src", "server.js"), change.from, change.to);
    const event: HookEvent = { id: id(), name: "code.committed", at: now(), cwd, data: { message }, sender: "demo" };
    const outcome = await line.engine.emit(event, { environment });
    hear({ event, outcome, runs: [await finished(event.id)] });
  }
}

/** Resolves with the run of this event once it has ended. */
export type Finished = (event: string) => Promise<Run>;

const edit = (file: string, from: string, to: string): void =>
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
