/** Takes one case of the dispatch measurements in this thread, which has met no other. dispatch.ts starts it. */
import assert from "node:assert/strict";
import { parentPort, workerData } from "node:worker_threads";
import { cases } from "./dispatch.ts";
import { makeWorld } from "./dispatch-world.ts";
import { loadPeers } from "./peers.ts";

const take = cases[String(workerData)];
assert(take, `there is no case ${workerData}`);
parentPort?.postMessage(await take(await makeWorld(), await loadPeers()));
