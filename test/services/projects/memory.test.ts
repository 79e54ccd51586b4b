import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import type { Config } from "../../../src/formats/config/config.ts";
import { wordsOf } from "../../../src/services/projects/memory-words.ts";
import { add, contents, type Endpoint, endpoint, search, settingsFor, withProject } from "./memory-world.ts";
import type { World } from "./world.ts";

test("what shares more and rarer words with the question comes first, in any form of the word", async (context) => {
  const world = await withProject(context);
  await add(world, "The deploy runs at night.");
  await add(world, "Deploying needs the staging key, and the deploy window.");
  await add(world, "Lunch is at noon.");
  const found = await search(world, "How do deploys get their keys?");
  assert.deepEqual(contents(found), [
    "Deploying needs the staging key, and the deploy window.",
    "The deploy runs at night.",
  ]);
  const [first, second] = found.results.map(({ similarity }) => similarity);
  assert.ok(first === 1 && second !== undefined && second > 0 && second < 1, `${first} ${second}`);
  assert.equal(found.note, null);
});

test("stop words find nothing by themselves, unless there are no others", async (context) => {
  const world = await withProject(context);
  await add(world, "To be or not to be");
  await add(world, "A kettle");
  assert.deepEqual(contents(await search(world, "what is the kettle")), ["A kettle"]);
  assert.deepEqual(contents(await search(world, "to be or not to be")), ["To be or not to be"]);
  assert.deepEqual((await search(world, "")).count, 0);
  assert.deepEqual((await search(world, "?! \"*' AND -- OR")).count, 1, "OR is a stop word among stop words");
  assert.deepEqual(wordsOf("The Login, the LOGIN of Zoë"), ["login", "zoë"]);
});

test("words are found in languages that do not part them as others do", async (context) => {
  const world = await withProject(context);
  await add(world, "Lunch is at noon.");
  for (const [content, found, missed] of [
    ["请求在三次重试之后被拒绝。", ["重试", "请求被拒绝了吗", "三"], "数据库"],
    ["請求書の金額は切り上げます。v2デプロイ", ["金額", "デプロイのやり方", "額は", "v2"], "休暇"],
    ["การปรับใช้ระบบทำตอนกลางคืน", ["กลางคืน", "ระบบ"], "อาหาร"],
    ["서버를 배포합니다", ["서버", "배포"], "점심"],
  ] as const) {
    await add(world, content);
    for (const query of found) assert.deepEqual(contents(await search(world, query)), [content], query);
    assert.deepEqual(contents(await search(world, missed)), []);
  }
});

test("every text in a question is words and never a query language", async (context) => {
  const world = await withProject(context);
  await add(world, "content near heading");
  for (const query of [
    '"',
    "NEAR(",
    "heading:x",
    "a* OR",
    "^content",
    "{content heading}: near",
    "-content",
    "\0",
    "\ud800",
  ])
    await search(world, query);
  assert.equal((await search(world, "heading:near*")).count, 1);
});

test("each project remembers its own, and without a project all is searched", async (context) => {
  const world = await withProject(context);
  await add(world, "kettle one");
  await add(world, "kettle two", { project: "other" });
  assert.deepEqual(contents(await search(world, "kettle")), ["kettle one"]);
  const all = (await world.board.memory.search({ query: "kettle", limit: 5 }, new AbortController().signal)).hits;
  assert.deepEqual(all.map(({ project }) => project).sort(), ["app", "other"]);
});

test("the same thing is remembered once, and secrets are not", async (context) => {
  const world = await withProject(context);
  const first = (await add(world, "the key is s3cret-value")) as Fields; // as it is documented
  const again = (await add(world, "the key is s3cret-value")) as Fields; // as it is documented
  assert.equal(first.id, again.id);
  assert.deepEqual(contents(await search(world, "key")), ["the key is [redacted]"]);
  await add(world, "a kettle", { source: "chat s3cret-value", heading: "of s3cret-value" });
  const [{ source, heading } = assert.fail()] = (await search(world, "kettle")).results;
  assert.deepEqual([source, heading], ["chat [redacted]", "of [redacted]"]);
  await assert.rejects(add(world, "  \n"), { message: /nothing to remember/ });
});

test("notes and results of tasks are found in their current form", async (context) => {
  const world = await withProject(context);
  const write = (content: string): Promise<unknown> =>
    world.ask("note_write", { name: "Plan", content, project: "app" });
  await write("# Rollback\nUse the kettle.\n# Other\nNothing.");
  const [found] = (await search(world, "kettle")).results;
  assert.deepEqual([found?.source, found?.heading, found?.content], ["note:plan", "Rollback", "Use the kettle."]);
  await write("# Rollback\nUse the teapot.");
  assert.deepEqual([(await search(world, "kettle")).count, (await search(world, "teapot")).count], [0, 1]);
  await world.ask("note_delete", { name: "plan", project: "app" });
  assert.equal((await search(world, "teapot")).count, 0);
  const { id } = await world.board.createTask({ title: "Clean", project: "app" }, "k");
  await world.ask("task_complete", { id, result: "descaled the kettle" });
  assert.deepEqual((await search(world, "kettle")).results[0]?.source, `task:${id}`);
});

test("with a model for embeddings a question finds what means the same without sharing a word", async (context) => {
  const local = await endpoint(context);
  const world = await withProject(context, settingsFor(local), "the-key");
  await add(world, "The automobile is red.");
  await add(world, "It may rain.");
  await add(world, "red paint");
  const found = await search(world, "vehicle, red");
  assert.deepEqual(contents(found), ["The automobile is red.", "red paint"], "found both ways stands before one way");
  assert.deepEqual([found.note, found.results[0]?.similarity], [null, 1]);
  const [first, second] = local.asked;
  assert.deepEqual([first?.path, first?.key, first?.model], ["/v1/embeddings", "Bearer the-key", "embed-1"]);
  assert.deepEqual(first?.input, ["vehicle, red"]);
  assert.deepEqual(
    second?.input.map((one) => one.trim()),
    ["red paint", "It may rain.", "The automobile is red."],
  );
});

test("each memory is embedded once, and again only for another model or another text", async (context) => {
  const local = await endpoint(context);
  const settings = settingsFor(local);
  const world = await withProject(context, settings, "the-key");
  await add(world, "a car");
  await search(world, "vehicle");
  await search(world, "automobile");
  assert.deepEqual(
    local.asked.map(({ input }) => input.length),
    [1, 1, 1],
  );
  settings.memory = { embeddings: "local/embed-2" };
  const other = await withProjectOf(world, settings);
  assert.deepEqual(contents(await search(other, "vehicle")), ["a car"]);
});

const addMany = async (world: World, count: number): Promise<void> => {
  for (let number = 1; number <= count; number++) await add(world, `the automobile ${number}`);
};
const countsOf = ({ asked }: Endpoint): number[] => asked.map(({ input }) => input.length);

test("vectors that a model gave before it failed are kept and ranked, and the next search continues from there", async (context) => {
  const local = await endpoint(context, { status: 503, from: 3 });
  const world = await withProject(context, settingsFor(local), "the-key");
  await addMany(world, 70);
  const first = await search(world, "vehicle", { limit: 100 });
  const [question, taken = 0] = countsOf(local); // 64 on a quiet machine: it asks for as many as there is time for
  assert.deepEqual([first.count, question, taken > 0 && taken <= 64], [taken, 1, true]);
  assert.match(String(first.note), /^not all were compared by meaning: the model local\/embed-1 gave no answer/);
  delete local.trouble.status;
  const second = await search(world, "vehicle", { limit: 100 });
  const [again, ...rest] = countsOf(local).slice(3);
  assert.deepEqual([second.count, second.note, again], [70, null, 1]);
  assert.equal(
    rest.reduce((sum, count) => sum + count, 0),
    70 - taken,
  );
});

test("a slow model is asked only as long as there is time", async (context) => {
  const local = await endpoint(context, { slow: 200 });
  const world = await withProject(context, settingsFor(local), "the-key");
  await addMany(world, 30);
  await search(world, "vehicle");
  const [question, first = 0] = countsOf(local);
  assert.ok(question === 1 && first <= 25, String(first));
});

test("a text that the model refuses delays no other, and is not sent again", async (context) => {
  const local = await endpoint(context, { refuses: /automobile 3$/ });
  const world = await withProject(context, settingsFor(local), "the-key");
  await addMany(world, 5);
  const first = await search(world, "vehicle");
  assert.deepEqual([first.count, first.note], [4, null]);
  const before = local.asked.length;
  assert.equal((await search(world, "vehicle")).count, 4);
  assert.equal(local.asked.length, before + 1);
});

/** The same store, as another process with other settings sees it. */
async function withProjectOf(
  world: World,
  settings: Partial<Config>,
  user: Partial<Config> = settings,
): Promise<World> {
  const { openProjectService: openBoard } = await import("../../../src/hosts/compose/projects.ts");
  const { emptyConfig } = await import("../../../src/formats/config/config.ts");
  const { createOperations } = await import("../../../src/operations/index.ts");
  const { store, engine } = world;
  const board = await openBoard({
    ...{ store, engine, now: Date.now, id: () => "id", home: "/nobody", environment: { EMBED_KEY: "k" } },
    redact: (text) => text,
    settingsIn: () => ({ config: { ...emptyConfig, ...settings }, userConfig: { ...emptyConfig, ...user } }),
    complain: () => {},
  });
  const operations = createOperations({
    store,
    engine,
    active: () => ({ set: { id: "s", hooks: [] } }),
    ...{ cwd: process.cwd(), home: "/home" },
    board: async () => board,
  });
  const ask: World["ask"] = async (name, input = {}) =>
    (await operations.call(`hookline.${name}`, input, new AbortController().signal)).output;
  return { ...world, ask };
}

test("where the endpoint answers nonsense, words find what they can, and a note says so without the key", async (context) => {
  const local = await endpoint(context);
  const world = await withProject(context, settingsFor(local), "the-key");
  await add(world, "a red car");
  for (const trouble of [
    { status: 500, body: "the-key is not welcome" },
    { status: 200, body: "<html>" },
    { status: 200, body: '{"data":[]}' },
    { status: 200, body: '{"data":[{"embedding":["x"]},{"embedding":[null]}]}' },
  ]) {
    Object.assign(local.trouble, trouble);
    const found = await search(world, "red vehicle");
    assert.deepEqual(contents(found), ["a red car"], trouble.body);
    assert.match(String(found.note), /^found by words alone: the model local\/embed-1 gave no answer/);
    assert.doesNotMatch(String(found.note), /the-key/);
  }
});

test("a model that cannot be asked is reported, and words find what they can", async (context) => {
  const missing = { memory: { embeddings: "nobody/x" } };
  const world = await withProject(context, missing);
  await add(world, "a red car");
  const found = await search(world, "red");
  assert.deepEqual([found.count, /no provider is called "nobody"/.test(String(found.note))], [1, true]);
  const wrongKind = await withProjectOf(world, {
    memory: { embeddings: "claude-haiku-4-5" },
    models: { providers: { anthropic: { kind: "anthropic", key: "k" } } },
  });
  assert.match(String((await search(wrongKind, "red")).note), /makes no embeddings by OpenAI's protocol/);
});

test("a project's file says only of this machine where memories go; other addresses are the user's to name", async (context) => {
  const world = await withProject(context);
  await add(world, "a red car");
  const models = { providers: { far: { kind: "openai-compatible", url: "http://embed.invalid/v1" } } } as const;
  const settings = { memory: { embeddings: "far/x" }, models };
  const ofProject = await withProjectOf(world, settings, {});
  const refused = await search(ofProject, "red");
  assert.match(String(refused.note), /a project's file says that far\/x is at http:\/\/embed\.invalid/);
  const ofUser = await withProjectOf(world, settings, { models });
  const asked = await search(ofUser, "red");
  assert.match(String(asked.note), /the model far\/x gave no answer/, "it was asked, and is not there");
  assert.deepEqual([contents(refused), contents(asked)], [["a red car"], ["a red car"]]);
});
