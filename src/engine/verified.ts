/**
 * What a person has trusted runs where it lies, so its files are looked at twice: right before something of it starts, and when
 * that has ended or answered (R93). An answer of other bytes does not count.
 */
import type { Hook } from "./hook.ts";
import type { Ports } from "./ports.ts";
import { type Ended, notStarted, withoutAnswer } from "./program.ts";

/** @param path what holds other bytes than a person has trusted */
export const notTrustedBytes = (path: string): string =>
  `${path} is not what was trusted: hookline trust shows what has changed`;
export const changedMeanwhile = (path: string): string =>
  `${path} was changed while it ran, so its answer does not count: hookline trust shows what has changed`;

/** Nothing that the hook starts is started unseen, whatever starts it. */
export function verifying(ports: Ports, hook: Hook): Ports {
  const { spawn, residents, changed } = ports;
  if (!changed) return ports;
  const seen = (ended: Ended): Ended => {
    const path = ended.how === "exit" || ended.how === "detached" ? changed(hook) : undefined;
    if (path === undefined) return ended;
    ended.rest?.end();
    return withoutAnswer(ended, changedMeanwhile(path));
  };
  return {
    ...ports,
    ...(spawn && {
      async spawn(command, options) {
        const path = changed(hook);
        if (path !== undefined) return notStarted(notTrustedBytes(path));
        const ended = seen(await spawn(command, options));
        const { rest } = ended;
        return rest ? { ...ended, rest: { ...rest, done: rest.done.then(seen) } } : ended;
      },
    }),
    ...(residents && {
      residents: {
        ...residents,
        async ask(question) {
          const reply = await residents.ask({
            ...question,
            command() {
              const path = changed(hook);
              return path === undefined ? question.command() : notTrustedBytes(path);
            },
          });
          const path = reply.is === "answer" ? changed(hook) : undefined;
          if (path === undefined) return reply;
          return { is: "failure", failure: "launch", reason: changedMeanwhile(path), notes: reply.notes };
        },
      },
    }),
  };
}
