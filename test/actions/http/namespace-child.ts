/**
 * Runs in a network of its own, where every address is this machine's: sends a request to each host that it reads, through the
 * guard, and says at which addresses connections arrived.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fetch } from "../../../src/actions/http/fetch.ts";
import { webFetch } from "../../../src/actions/http/web-fetch.ts";
import type { Reach } from "../../../src/engine/reach.ts";

const arrived: string[] = [];
const server = createServer((request, response) => {
  const target = new URL(request.url ?? "", "http://x").searchParams.get("to");
  if (target !== null) response.writeHead(302, { location: target });
  response.end("reached");
});
server.on("connection", (socket) => arrived.push(socket.localAddress ?? ""));
await new Promise<void>((resolve) => server.listen(0, "::", resolve));
const { port } = server.address() as AddressInfo; // it listens on a port

async function ask(url: string, reach: Reach): Promise<string> {
  const request = { url, method: "GET", headers: {}, body: "", limitInBytes: 100, reach };
  const signal = AbortSignal.timeout(600_000);
  return fetch(request, signal).then(
    ({ body }) => body,
    (error: Error) => error.message,
  );
}
const arrivedBy = async (work: () => Promise<unknown>): Promise<string[]> => {
  arrived.length = 0;
  await work();
  return [...arrived];
};

const hosts: string[] = JSON.parse(await text(process.stdin));
const byFetch = await arrivedBy(async () => {
  for (const host of hosts) await ask(`http://${host}:${port}/`, "public");
});
const byLibraries = await arrivedBy(async () => {
  for (const host of hosts) await webFetch("public")(`http://${host}:${port}/`).catch(() => {}); // refused
});
const open = await arrivedBy(() => ask(`http://93.184.216.34:${port}/`, "public"));
const inside = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]"];
const byRedirect = await arrivedBy(async () => {
  for (const reach of ["public", "internal"] as const)
    for (const host of inside) await ask(`http://93.184.216.34:${port}/?to=http://${host}:${port}/`, reach);
});
const own = await arrivedBy(() => ask(`http://10.0.0.1:${port}/?to=http://10.0.0.2:${port}/`, "internal"));
console.log(JSON.stringify({ byFetch, byLibraries, open, byRedirect, own }));
server.closeAllConnections();
server.close();
