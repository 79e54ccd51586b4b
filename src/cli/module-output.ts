/** A project's modules may print; what agents and scripts read from us must hold nothing but our answer. */
import { format } from "node:util";

const methods = ["log", "info", "debug", "warn", "error"] as const;

type Write = (level: string, text: string) => void;

/** From here on what this process prints by console or past it goes to `write`. It is not undone: our own printers know a way around. */
export function divertOutput(write: Write): void {
  for (const method of methods)
    console[method] = (...parts: unknown[]) => write(method === "log" ? "info" : method, format(...parts));
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    write("info", typeof chunk === "string" ? chunk.trimEnd() : Buffer.from(chunk).toString().trimEnd());
    return true;
  };
}
