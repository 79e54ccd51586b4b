/** One process of a project's modules, from its start to its end: what is asked of it, what it asks, and how a busy one is found out. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { conventions } from "../../agents/index.ts";
import { messageOf } from "../../engine/error.ts";
import type { Fields, Json, Seconds } from "../../engine/event.ts";
import type { ToolAnswer } from "../../engine/external-services.ts";
import { type Asker, createDialogue, createPrinted } from "../../runtime/processes/dialogue.ts";
import { startApart } from "../../runtime/processes/piped-process.ts";
import { notLoadedWithin } from "./import-module.ts";
import {
  type Description,
  type FromModules,
  type Given,
  readDescription,
  readLine,
  type Target,
  type ToModules,
} from "./wire.ts";

/** What a call may ask of us while it runs, and how long it may. */
export interface CallOptions {
  signal?: AbortSignal;
  limit?: Seconds;
  /** What is said when that is over. */
  late?: string;
  callTool?: (name: string, input: Fields) => Promise<ToolAnswer>;
  log?: (level: string, message: string) => void;
}

export interface ModulesProcess {
  /** Rejects when the process has ended meanwhile, or the limit is over. */
  import(order: Omit<Extract<ToModules, { is: "import" }>, "is" | "id">): Promise<Description>;
  /** Rejects with what the function has thrown; when its caller gives up; and when the process ends. */
  call(target: Target, given: Given, options: CallOptions): Promise<unknown>;
  /** Resolves when it answers or has ended: a call that was given up may have left it busy. */
  ready(): Promise<void>;
  hasEnded(): boolean;
  /** Ends it as soon as it has answered what is under way. Safe to call twice. */
  retire(reason: string): void;
  /** Ends it and what it has started: it is told, then asked by TERM, then killed. Safe to call twice. */
  end(reason: string): void;
}

export type Log = (level: string, message: string) => void;

/** Without a call. */
const idleAtMost: Seconds = 60;
/** For a process that can still answer, to say so. */
const answersWithin: Seconds = 0.25;

type Said = Extract<FromModules, { is: "answer" | "error" }>;
type Call = Asker<Said> & CallOptions;

/** Rejects with what the system says. @param folder where it works: that of the project */
export async function startModules(folder: string, log: Log): Promise<ModulesProcess> {
  const own = Object.entries(process.env).filter(([name]) => !conventions.isSessionSecret(name));
  const child = await startApart({
    program: process.execPath,
    args: ["--disable-warning=ExperimentalWarning", entry()],
    cwd: folder,
    environment: Object.fromEntries(own) as Record<string, string>, // it holds what is set
  });
  child.keeps(false);
  const printed = createPrinted((line) => log("info", line));
  child.onComplaint(printed.hear);
  const dialogue = createDialogue<Said, Call>({
    child,
    idle: idleAtMost,
    stray: "is dropped",
    read(line) {
      const message = readLine(line);
      if (!message) return "it wrote a line that is no answer";
      if (message.is === "answer" || message.is === "error") return { id: message.id, answer: message };
      if (message.is === "tool") void callTool(message);
      else (dialogue.asker(message.id ?? "")?.log ?? log)(message.level, message.message);
      return undefined;
    },
    ended: printed.flush,
  });
  let probe: Promise<void> | undefined;

  const say = (message: ToModules): void => dialogue.say(`${JSON.stringify(message)}\n`);

  async function callTool({ id, tool, name, input }: Extract<FromModules, { is: "tool" }>): Promise<void> {
    try {
      const call = dialogue.asker(id)?.callTool;
      if (!call) throw new Error("the call that asked for it is over");
      const answer = (await call(name, input)) as unknown as Json; // tools answer JSON
      say({ is: "tool", tool, answer });
    } catch (error) {
      say({ is: "tool", tool, error: messageOf(error) });
    }
  }

  function ask(message: (id: string) => ToModules, options: CallOptions): Promise<unknown> {
    const { signal, limit, late = `it did not answer within ${limit} s` } = options;
    return new Promise((resolve, reject) => {
      const giveUp = (reason: string): void => {
        say({ is: "abort", id: call.id ?? "" });
        dialogue.forget(call);
        over();
        reject(new Error(reason));
        if (options !== aliveness) probe ??= isAlive();
      };
      const timer = limit === undefined ? undefined : setTimeout(() => giveUp(late), limit * 1000);
      const aborted = (): void => giveUp("its caller waits no longer");
      const over = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
        child.keeps(dialogue.underWay() > 0); // as long as something is waited for, this process stays
      };
      const call: Call = {
        ...options,
        settle(settled) {
          over();
          if (settled.is === "failure")
            reject(new Error(`the process of the project's modules is gone: ${settled.reason}`));
          else if (settled.answer.is === "error") reject(new Error(settled.answer.message));
          else resolve(settled.answer.answer);
        },
      };
      child.keeps(true);
      dialogue.send(call, (id) => `${JSON.stringify(message(id))}\n`);
      if (signal?.aborted) aborted();
      else signal?.addEventListener("abort", aborted, { once: true });
    });
  }

  async function isAlive(): Promise<void> {
    await ask((id) => ({ is: "ping", id }), aliveness).catch(() => end("it was busy when its time was over"));
    probe = undefined;
  }

  const end = (reason: string): void => dialogue.end("cancelled", reason);

  return {
    import: async (order) =>
      readDescription(
        await ask((id) => ({ is: "import", id, ...order }), {
          limit: order.limit + answersWithin, // before, it says so itself
          late: notLoadedWithin(order.limit),
        }),
      ),
    call: (target, given, options) => ask((id) => ({ is: "call", id, target, given }), options),
    ready: async () => probe,
    hasEnded: dialogue.isOver,
    retire: dialogue.retire,
    end,
  };
}

const aliveness: CallOptions = { limit: answersWithin };

/** From source, or from the bundle. */
function entry(): string {
  const places = ["./module-process.ts", "./module-process.js", "../module-process.js"];
  const found = places.map((name) => new URL(name, import.meta.url)).find((url) => existsSync(url));
  if (!found) throw new Error("the program that runs modules is missing: install Hookline again");
  return fileURLToPath(found);
}
