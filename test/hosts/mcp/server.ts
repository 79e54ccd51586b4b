/** The real command as a server, and the official client of the protocol that talks to it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bin, codeCache } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export interface Scratch {
  folder: string;
  workspace: string;
  environment: Record<string, string>;
  write(name: string, text: string): void;
}

export function scratch(t: Pick<TestContext, "after">): Scratch {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "shop");
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
  };
  for (const path of [workspace, environment.HOME]) mkdirSync(path);
  return {
    folder,
    workspace,
    environment,
    write(name, text) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
  };
}

export interface Connected {
  client: Client;
  transport: StdioClientTransport;
  /** What the server said on standard error. */
  said(): string;
}

export async function connect(
  t: Pick<TestContext, "after">,
  { workspace, environment }: Scratch,
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
export function sharedServer(): () => Promise<Connected & { place: Scratch }> {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  let opening: Promise<Connected & { place: Scratch }> | undefined;
  const open = async (): Promise<Connected & { place: Scratch }> => {
    const t = { after: (work: () => unknown) => void ends.push(work) };
    const place = scratch(t);
    return { ...(await connect(t, place)), place };
  };
  return () => {
    opening ??= open();
    return opening;
  };
}
