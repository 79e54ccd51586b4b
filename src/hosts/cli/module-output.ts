/**
 * What a project's modules could do to the process that they run in: print into our answer, end it, or crash it. None of
 * that may cost a guard its verdict. It holds against mistakes; a module that means harm runs with the user's rights anyway.
 */
import { format } from "node:util";
import type { Observation } from "../../engine/ports.ts";

const methods = ["log", "info", "debug", "warn", "error"] as const;

type Write = (level: string, text: string) => void;

/** From here on modules write to the log, and cannot end the process. It is not undone: our own printers know a way around. */
export function containModules(log: (seen: Observation) => void): void {
  const write: Write = (level, message) => log({ is: "log", level, message, hook: "module", run: "" });
  divertOutput(write);
  outlive(write);
}

/** What is printed by console or past it goes to `write`. */
function divertOutput(write: Write): void {
  for (const method of methods)
    console[method] = (...parts: unknown[]) => write(method === "log" ? "info" : method, format(...parts));
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    write("info", typeof chunk === "string" ? chunk.trimEnd() : Buffer.from(chunk).toString().trimEnd());
    return true;
  };
}

/** An unhandled error ends the process no more: one event would cost all others their verdicts. It is not undone. */
export function outliveErrors(told: (error: string) => void): void {
  const tell = (error: unknown): void => told(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.on("uncaughtException", tell);
  process.on("unhandledRejection", tell);
}

/** An unhandled error of a module is logged, and a call that would end the process fails instead. */
function outlive(write: Write): void {
  outliveErrors((error) => write("error", error));
  const refuse = (): never => {
    throw new Error("a module of a project may not end the process that answers for all its hooks");
  };
  const { kill, pid } = process;
  process.exit = refuse;
  process.abort = refuse;
  process.kill = (target, signal) =>
    target === pid || target === 0 || target === -pid ? refuse() : kill.call(process, target, signal);
}
