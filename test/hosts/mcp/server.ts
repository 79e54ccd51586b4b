/** The real command as a server, and the official client of the protocol that talks to it. */
import { after, type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bin } from "../../program.ts";
import { type World, world } from "../../world.ts";

export interface Connected {
  client: Client;
  transport: StdioClientTransport;
  /** What the server said on standard error. */
  said(): string;
}

export async function connect(
  t: Pick<TestContext, "after">,
  { workspace, environment }: Pick<World, "workspace" | "environment">,
  ...words: string[]
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "mcp", ...words],
    cwd: workspace,
    env: environment,
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (piece: Buffer) => {
    said += piece.toString("utf8");
  });
  const client = new Client({ name: "tests", version: "1.0.0" });
  t.after(() => client.close());
  await client.connect(transport);
  return { client, transport, said: () => said };
}

/** One for several tests of a file, each of which leaves the folder as the next may find it; called outside of them. */
export function sharedServer(): () => Promise<Connected & { place: World }> {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  let opening: Promise<Connected & { place: World }> | undefined;
  const open = async (): Promise<Connected & { place: World }> => {
    const t = { after: (work: () => unknown) => void ends.push(work) };
    const place = world(t, {}, { workspace: "shop" });
    return { ...(await connect(t, place)), place };
  };
  return () => {
    opening ??= open();
    return opening;
  };
}
