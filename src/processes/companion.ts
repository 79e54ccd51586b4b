/** Programs that stay and are spoken to over their pipes. They and all that they start end with us, or when told to. */
import type { Seconds } from "../core/event.ts";
import type { StartCompanion } from "../core/program.ts";
import { createCookie, withCookie } from "./cookie.ts";
import { start } from "./start.ts";
import { createTree, endTree } from "./tree.ts";

/** Between TERM and KILL. */
const grace: Seconds = 2;
const complaintsKept = 4_000;

export const startCompanion: StartCompanion = async (command) => {
  const cookie = createCookie();
  const started = await start({ ...command, input: "" }, withCookie(command.environment, cookie));
  if ("reason" in started) throw new Error(started.reason);
  const { child, pid } = started;
  const tree = createTree(pid, cookie);
  let complaints = "";
  let ending: Promise<void> | undefined;
  const endNow = (): void => tree.kill();
  process.once("exit", endNow); // a crash of ours must not leave servers behind

  child.stderr.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-complaintsKept);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", ignored);
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      process.removeListener("exit", endNow);
      resolve(signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`);
    });
  });
  return {
    pid,
    write: (text) => void child.stdin.write(text),
    onOutput: (listener) => void child.stdout.on("data", listener),
    complaints: () => complaints.trim(),
    ended,
    end() {
      ending ??= endTree(tree, grace).then(() => {
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      });
      return ending;
    },
  };
};

/** Its pipes break when it ends; `ended` tells that. */
const ignored = (): void => {};
