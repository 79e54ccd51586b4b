/** One statement after the other, waited for as spawnSync does: to start psql for each takes ten times as long, and tests ask in loops. */
import { createRequire } from "node:module";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";

/** Whom it asks: the folder of the server's socket, where the superuser needs no password. */
export interface Asked {
  host: string;
  port: number;
  database: string;
}

type Answer = { rows: string } | { failed: string };

/** Each question has a connection of its own, as a server may have been started anew since the last one. */
const answering = `
const { workerData: { pg, port, turn } } = require("node:worker_threads");
const { Client } = require(pg);
const texts = { getTypeParser: () => (text) => text };
port.on("message", async ({ asked, statement }) => {
  const answer = await ask(asked, statement).catch(({ message }) => ({ failed: "ERROR:  " + message }));
  port.postMessage(answer);
  Atomics.store(turn, 0, 1);
  Atomics.notify(turn, 0);
});
async function ask(asked, statement) {
  const client = new Client({ ...asked, user: "postgres", types: texts });
  client.on("error", () => {}); // the question itself says so
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, rowMode: "array" });
    return { rows: rows.map((row) => row.map((value) => value ?? "").join("|")).join("\\n") };
  } finally {
    await client.end();
  }
}`;

let thread: { port: MessagePort; turn: Int32Array } | undefined;

/** What `psql -At` prints of it. Throws with what the server says where it fails. */
export function askOnce(asked: Asked, statement: string): string {
  thread ??= begin();
  const { port, turn } = thread;
  Atomics.store(turn, 0, 0);
  port.postMessage({ asked, statement });
  Atomics.wait(turn, 0, 0);
  const answer: Answer = receiveMessageOnPort(port)?.message;
  if ("failed" in answer) throw new Error(`psql failed: ${answer.failed}`);
  return answer.rows;
}

function begin(): { port: MessagePort; turn: Int32Array } {
  const { port1, port2 } = new MessageChannel();
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const pg = createRequire(import.meta.url).resolve("pg");
  new Worker(answering, { eval: true, workerData: { pg, port: port2, turn }, transferList: [port2] }).unref();
  port1.unref();
  return { port: port1, turn };
}
