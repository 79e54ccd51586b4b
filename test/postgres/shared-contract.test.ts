import { after } from "node:test";
import { testQueue } from "../runtime/queues/contract.ts";
import { startCluster } from "./cluster.ts";
import { makeTables, queueOn, sqlOf } from "./shared-world.ts";

const cluster = await startCluster({ settings: ["fsync = off"] });
after(() => cluster.close());
let number = 0;

testQueue("shared", async (cap) => {
  number += 1;
  const name = `contract_${number}`;
  cluster.sql(`create database ${name}`);
  const url = cluster.url("postgres", name);
  const sql = sqlOf(url);
  await makeTables(sql);
  const opened = await queueOn(url, { cap, own: true, poll: 0.5 });
  return {
    queue: opened.queue,
    add: async (item) => opened.queue.add(item, {}),
    async close() {
      await opened.close();
      await sql.close();
    },
  };
});
