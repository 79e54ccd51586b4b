/** Many memories. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { add, contents, endpoint, search, settingsFor, withProject } from "./memory-world.ts";

test("of twenty thousand memories with vectors the right one is found", async (context) => {
  const local = await endpoint(context);
  const world = await withProject(context, settingsFor(local), "the-key");
  await add(world, "the automobile");
  await search(world, "car");
  const vector = Buffer.from(new Float32Array([0, 0, 1]).buffer);
  const { maker } = world.store.database.get<{ maker: string }>("select embedded_by as maker from memory") ?? {
    maker: "",
  };
  world.store.database.run(
    `with recursive other (number) as (select 1 union all select number + 1 from other where number < 20000)
     insert into memory (id, key, project, source, heading, content, vector, embedded_by, created)
     select 'm' || number, 'm' || number, 'app', 's', '', 'filler text about rain', ?, ?, 0 from other`,
    vector,
    maker,
  );
  assert.deepEqual(contents(await search(world, "vehicle", { limit: 1 })), ["the automobile"]);
});
