/** The language servers of one project: started when a file first asks for one, kept, and ended together. */

import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Diagnosis, Diagnostic, LanguageServers } from "../../engine/external-services.ts";
import type { StartPipedProcess } from "../../engine/program.ts";
import { changedMeanwhile } from "../../engine/verified.ts";
import { isInside } from "../../files/paths.ts";
import { type FileText, readRegularFile } from "../../files/regular-file.ts";
import { unlessAborted } from "../until-aborted.ts";
import { type Choice, chooseServer, type Surroundings } from "./choose.ts";
import type { Session } from "./session.ts";

export interface LanguageServerOptions extends Surroundings {
  start: StartPipedProcess;
  /** The first file of the project's settings that is not what was trusted; absent: none ever is. */
  changed?(): string | undefined;
}

/** Servers answer about files of this size after minutes, and no person wrote them. */
const largestFileInBytes = 2 << 20;

export function createLanguageServers(options: LanguageServerOptions): LanguageServers {
  const { root } = options;
  const servers = new Map<string, Server>();
  const ending = new AbortController();
  let closing: Promise<void> | undefined;

  /** The running server; a new one if there is none, or if it has ended. A sentence if it does not start. */
  function serverOf(choice: Choice): Promise<Session | string> {
    if (closing) throw closed(root);
    const key = JSON.stringify([choice.program, choice.args, choice.initialization]);
    const known = servers.get(key);
    if (known && !known.isOver()) return known.session;
    const made = hold(open(choice, options, ending.signal));
    servers.set(key, made);
    return made.session;
  }

  /** A server that ended over it is started once more. */
  async function ask(choice: Choice, file: string, text: string, signal: AbortSignal): Promise<Diagnostic[] | string> {
    for (let attempt = 1; ; attempt++) {
      const session = await unlessAborted(serverOf(choice), signal, () => {
        const reason = "it was still starting when the time was up";
        return new HooklineError("language_server_failed", { name: choice.server, where: root, reason });
      });
      if (typeof session === "string") return session;
      try {
        return await session.diagnose({ file, language: choice.language, text, signal });
      } catch (error) {
        if (attempt > 1 || signal.aborted || !session.hasEnded()) throw error;
      }
    }
  }

  async function closeAll(): Promise<void> {
    ending.abort(); // what is only starting is not needed
    const opened = await Promise.allSettled([...servers.values()].map(({ session }) => session));
    const running = opened.flatMap((one) =>
      one.status === "fulfilled" && typeof one.value === "object" ? [one.value] : [],
    );
    await Promise.all(running.map((session) => session.close()));
  }

  return {
    async diagnose(file, text, signal) {
      if (closing) throw closed(root);
      const choice = chooseServer(file, options);
      if (typeof choice === "string") return skipped(file, choice);
      if (!(await isReallyInside(root, file))) return skipped(file, `it lies outside of the project ${root}`);
      const read = text === undefined ? await readText(file) : { text };
      if ("refused" in read) return skipped(file, read.refused);
      const found = await ask(choice, file, read.text, signal);
      if (typeof found === "string") return skipped(file, found);
      const path = options.changed?.();
      if (path !== undefined) return skipped(file, changedMeanwhile(path));
      return { file, server: choice.server, diagnostics: found };
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

interface Server {
  session: Promise<Session | string>;
  /** It did not start, or its process has ended. */
  isOver(): boolean;
}

function hold(session: Promise<Session | string>): Server {
  let isOver = (): boolean => false;
  session.then(
    (opened) => {
      isOver = () => typeof opened === "string" || opened.hasEnded();
    },
    () => {
      isOver = () => true; // its caller gets the reason
    },
  );
  return { session, isOver: () => isOver() };
}

const closed = (where: string): HooklineError =>
  new HooklineError("closed", { name: "the set of language servers", where });

const skipped = (file: string, reason: string): Diagnosis => ({ file, skipped: reason, diagnostics: [] });

/** A sentence where the program cannot be started at all. Rejects where it starts and then fails. */
async function open(
  choice: Choice,
  { start, root, environment }: LanguageServerOptions,
  signal: AbortSignal,
): Promise<Session | string> {
  const { server, program, args, install } = choice;
  try {
    const { openSession } = await import("./session.ts");
    const child = await start({ program, args: [...args], cwd: root, environment: withoutSecrets(environment) });
    return await openSession(child, choice, { root, signal });
  } catch (error) {
    if (error instanceof HooklineError) throw error;
    return `the language server ${server} cannot be started (${messageOf(error)}): ${install}`;
  }
}

/** Toolchains are found by variables of many names; keys and sessions are none of a language server's business. */
const withoutSecrets = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !/KEY|TOKEN|SECRET|PASSW|CREDENTIAL|SOCK|MESSAGING|_AUTH/i.test(name),
    ),
  );

/** Wherever links lead: a project's servers are asked about the project's files. */
async function isReallyInside(root: string, file: string): Promise<boolean> {
  const [base, real] = await Promise.all([realOf(root), realOf(file)]);
  return isInside(base, real);
}

/** Of what is not there, or not for us to see, the folder in which it would lie. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return dirname(path) === path ? path : realOf(dirname(path));
  }
}

async function readText(file: string): Promise<FileText> {
  try {
    return await readRegularFile(file, largestFileInBytes);
  } catch (error) {
    throw new HooklineError("file_unreadable", { reason: messageOf(error), where: file }, { cause: error });
  }
}
