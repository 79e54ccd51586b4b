/** The token of agents' own HTTP hooks. It stands in their settings and so outlives the daemon, which reads it as installation writes and removes it. */
import { readFileSync } from "node:fs";
import { isPrivate } from "../files/write.ts";
import { createBearer } from "./admission.ts";

/** How long one that was read is believed: after that it may have been taken back. */
const believedFor = 1_000;
const shortest = 16;

/** @param file nobody else may read it, else it holds none. @returns whether an Authorization header holds the token */
export function createHttpToken(file: string, elapsed: () => number): (authorization: unknown) => boolean {
  let token = "";
  let holds: (authorization: unknown) => boolean = () => false;
  let readAt = Number.NEGATIVE_INFINITY;

  function read(): void {
    readAt = elapsed();
    const found = tokenIn(file);
    if (found === token) return;
    token = found;
    holds = token.length < shortest ? () => false : createBearer(token);
  }

  return (authorization) => {
    if (elapsed() - readAt <= believedFor && holds(authorization)) return true;
    read();
    return holds(authorization);
  };
}

function tokenIn(file: string): string {
  try {
    return isPrivate(file) ? readFileSync(file, "utf8").trim() : "";
  } catch {
    return ""; // nothing was installed so
  }
}
