/** Agents that tell the daemon over HTTP: what their settings say, which port is noted, and daemons that are told none. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { bin } from "../../program.ts";
import { goes, isGone } from "../../runtime/processes/gone.ts";
import type { Place } from "../daemon/started.ts";

export async function listening(t: TestContext, at = 0): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(at, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { server, port: (server.address() as AddressInfo).port }; // it listens on a port
}

/** A port that is free, which a daemon would take that is told none. Whatever listens at the usual one is another's. */
export async function noted(t: TestContext, place: Place): Promise<number> {
  const { server, port } = await listening(t);
  server.close();
  place.write("state/hookline/daemon-on-demand", `${port}\n`);
  return port;
}

/** Starts a daemon apart, at whatever port it takes where these words say none; it is ended with the test. */
export function upApart(t: TestContext, place: Place, ...words: string[]): { port: number; stderr: string } {
  const { status, stdout, stderr } = place.hookline("up", "--background", "--json", ...words);
  assert.equal(status, 0, stderr);
  const { pid, port } = JSON.parse(stdout);
  t.after(() => {
    if (!isGone(pid)) process.kill(pid, "SIGKILL");
    return goes(pid);
  });
  return { port, stderr };
}

/**
 * The same in a process of the test, which is ended at once: what it has said by then. Two processes fewer than to start it apart
 * and to end it by a command.
 *
 * @param meanwhile what is asked while it is up
 */
export async function upOnce(
  { workspace, environment, atEnd }: Place,
  words: readonly string[] = [],
  meanwhile: (port: number) => Promise<unknown> = async () => undefined,
): Promise<{ port: number; stderr: string }> {
  const child = spawn(process.execPath, [bin, "up", "--json", ...words], {
    ...{ cwd: workspace, env: environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  atEnd(() => void child.kill("SIGKILL"));
  const closed = once(child, "close");
  const complaints = text(child.stderr);
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    closed.then(async () => assert.fail(`it ended: ${await complaints}`)),
  ]);
  const { port } = JSON.parse(line);
  await meanwhile(port);
  child.kill("SIGINT");
  assert.deepEqual(await closed, [0, null]);
  return { port, stderr: await complaints };
}

export const settingsOf = (place: Place): string => place.read("home/.claude/settings.json");
export const registeredPort = (place: Place): string | undefined => /127\.0\.0\.1:(\d+)/.exec(settingsOf(place))?.[1];

/** As a person's edit does it, or settings of another machine. */
export const registerAt = (place: Place, port: number): void =>
  place.write("home/.claude/settings.json", settingsOf(place).replace(/(127\.0\.0\.1:)\d+/g, `$1${port}`));
