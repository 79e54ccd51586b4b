import { after, before } from "node:test";
import { openPostgresStore } from "../../src/storage/postgres/postgres.ts";
import { testStore } from "../storage/contract.ts";
import { type Prepared, startPrepared } from "./prepared.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startPrepared();
});
after(() => cluster.close());

testStore("postgres", async (given) => {
  cluster.empty();
  return openPostgresStore({ ...given, url: cluster.store });
});
