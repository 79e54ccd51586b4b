/** A daemon in this process with both its doors open, and senders as agents and our clients are. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { DaemonOptions } from "../../../src/hosts/daemon/daemon.ts";
import { type World, world } from "../../world.ts";
import { type Opened, openDaemon, proof, token, version } from "./hosted.ts";

export { proof, token, version } from "./hosted.ts";

export interface Sent {
  payload: string | Buffer;
  agent?: string;
  event?: string;
  by?: string;
  /** Over the unix socket. */
  locally?: boolean;
  environment?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string | undefined>>;
  /** Set: it goes away then. */
  signal?: AbortSignal;
}
export interface Heard {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  /** Whether it was told that its event is taken. */
  taken: boolean;
  text: string;
}
export interface Answer {
  exitCode: number;
  stdout: string;
  stderr: string;
}
export interface ToldDaemon extends Opened, World {
  /** As a client of ours, but for the moment of sending: on a slow machine some would rightly be refused as too late. */
  own(sent: Sent): Promise<Heard>;
  /** As an agent's own HTTP hook. */
  http(sent: Omit<Sent, "environment">): Promise<Heard>;
}

/** @param files by path: "workspace/…", "home/…" */
export async function toldDaemon(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  { variables = {}, complain = () => {} }: Partial<Pick<DaemonOptions, "variables" | "complain">> = {},
): Promise<ToldDaemon> {
  const place = world(t, files, { variables: { CI: "" } });
  const { folder, workspace, environment, atEnd } = place;
  const opened = await openDaemon(place, { variables, complain });
  atEnd(opened.close);
  const { port } = opened.server;
  const socket = join(folder, "daemon.sock");

  async function send({ agent = "claude-code", locally, signal, ...sent }: Sent, body: Buffer | string, head: object) {
    const query = new URLSearchParams();
    if (sent.event) query.set("event", sent.event);
    if (sent.by) query.set("by", sent.by);
    const given = { "content-length": String(Buffer.byteLength(body)), ...head, ...sent.headers };
    const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const asked = request({
      ...(locally ? { socketPath: socket } : { host: "127.0.0.1", port }),
      method: "POST",
      path: `/hook/${agent}?${query}`,
      headers,
      agent: false,
      ...(signal ? { signal } : {}),
    });
    let taken = false;
    asked.on("information", ({ statusCode }) => {
      taken ||= statusCode === 102;
    });
    asked.end(body);
    const [response] = await once(asked, "response");
    let text = "";
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode ?? 0, headers: response.headers, taken, text };
  }

  return {
    ...place,
    ...opened,
    own(sent) {
      const entries = Object.entries(sent.environment ?? environment).map(([name, value]) => `${name}=${value}\0`);
      const body = Buffer.concat([Buffer.from(sent.payload), Buffer.from(`\0${entries.join("")}`)]);
      return send(sent, body, {
        ...(sent.locally ? {} : { authorization: `Bearer ${token}` }),
        "content-type": "application/x-hookline",
        "x-hookline-version": version,
        "x-hookline-cwd": encodeURIComponent(workspace),
      });
    },
    http: (sent) => send(sent, sent.payload, { authorization: `Bearer ${token}`, "content-type": "application/json" }),
  };
}

/** What a client of ours would print, and how it would end. */
export function answerIn({ status, headers, text }: Heard): Answer {
  assert.equal(status, 200, text);
  assert.equal(headers["x-hookline-proof"], proof);
  const bytes = Buffer.from(text);
  const head = bytes.indexOf(10);
  const [exitCode = -1, out = -1, error = -1] = bytes.subarray(0, head).toString().split(" ").map(Number);
  assert.equal(bytes.length, head + 1 + out + error);
  const stdout = bytes.subarray(head + 1, head + 1 + out).toString();
  return { exitCode, stdout, stderr: bytes.subarray(head + 1 + out).toString() };
}

export const codeIn = ({ status, text }: Heard): string => `${status} ${JSON.parse(text).error.code}`;
