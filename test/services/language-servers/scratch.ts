/** A scratch project with language servers in it, and the servers that Hookline starts there. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { LanguageServers } from "../../../src/engine/external-services.ts";
import type { PipedProcess } from "../../../src/engine/program.ts";
import type { Config } from "../../../src/formats/config/config.ts";
import { startPipedProcess } from "../../../src/runtime/processes/piped-process.ts";
import { livingSince } from "../../../src/runtime/processes/process-table.ts";
import { createLanguageServers } from "../../../src/services/language-servers/index.ts";

const modules = join(import.meta.dirname, "../../../node_modules");
export const script: string = join(import.meta.dirname, "../../fixtures/language-servers/scripted.mjs");

export interface Scratch {
  root: string;
  servers: LanguageServers;
  /** Every process that was started, in order. */
  started: PipedProcess[];
  /** Writes a file and gives its path. */
  write(path: string, text: string): string;
  /** Puts a package or a program of this checkout into the project's node_modules. */
  install(path: string, from: string): void;
}

export const soon = (seconds = 600): AbortSignal => AbortSignal.timeout(seconds * 1000);

/** The files of these, text by path, lie in a folder of the test's own. */
export function scratch(
  context: TestContext,
  files: { readonly [path: string]: string } = {},
  configured: Config["languageServers"] = {},
  { isTrusted = true }: { isTrusted?: boolean } = {},
): Scratch {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-language-")));
  const started: PipedProcess[] = [];
  const servers = createLanguageServers({
    servers: configured,
    root,
    isTrusted: () => isTrusted,
    environment: {
      PATH: `${join(root, "programs")}:${dirname(process.execPath)}`,
      HOME: root,
      GOPATH: root,
      SOME_API_KEY: "none",
      SSH_AUTH_SOCK: "none",
    },
    async start(command) {
      const child = await startPipedProcess(command);
      started.push(child);
      return child;
    },
  });
  const at = (path: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  const write = (path: string, text: string): string => {
    writeFileSync(at(path), text);
    return join(root, path);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  context.after(async () => {
    await servers.close();
    rmSync(root, { recursive: true, force: true });
  });
  const install = (path: string, from: string): void => symlinkSync(join(modules, from), at(`node_modules/${path}`));
  return { root, servers, started, write, install };
}

/** The scripted server, for files that end in `.scripted`. */
export const scripted = (behaviour: string, ...more: string[]): Config["languageServers"] => ({
  scripted: {
    command: process.execPath,
    args: [script, behaviour, ...more],
    extensions: [".scripted"],
    settings: { scripted: { rules: { strict: true } } },
  },
});

/** Whether anything of the process's group is left and runs; what has ended and was not yet waited for does not. */
export const isAlive = (pid: number): boolean => livingSince(0).some(({ group }) => group === pid);
