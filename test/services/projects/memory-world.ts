/** Projects with memories, and an endpoint that gives texts vectors by their subjects. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import type { Config } from "../../../src/formats/config/config.ts";
import { type World, worldOf } from "./world.ts";

export async function withProject(context: TestContext, settings: Partial<Config> = {}, key?: string): Promise<World> {
  const world = await worldOf(context, { settings, ...(key === undefined ? {} : { environment: { EMBED_KEY: key } }) });
  for (const name of ["app", "other"]) await world.ask("project_create", { name, workspace: world.place(name) });
  return world;
}
export const add = (world: World, content: string, more: Fields = {}): Promise<unknown> =>
  world.ask("memory_add", { content, project: "app", ...more });

export interface Found {
  results: { content: string; similarity: number; source: string; heading: string; project_id: string }[];
  count: number;
  note: string | null;
}
export const search = async (world: World, query: string, more: Fields = {}): Promise<Found> =>
  (await world.ask("memory_search", { query, project: "app", ...more })) as unknown as Found; // as it is documented
export const contents = ({ results }: Found): string[] => results.map(({ content }) => content);

/** An endpoint of OpenAI's form, whose vectors say which of a few subjects a text is about. */
export async function endpoint(context: TestContext, trouble: Trouble = {}): Promise<Endpoint> {
  const asked: Endpoint["asked"] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const { model, input } = JSON.parse(text) as { model: string; input: string[] }; // what is sent
      asked.push({ path: request.url ?? "", key: request.headers.authorization, model, input });
      const data = input.map((one, index) => ({
        index,
        embedding: subjects.map((words) => (words.test(one) ? 1 : 0)),
      }));
      const { from = 1, body = JSON.stringify({ data: data.reverse() }), slow = 0 } = trouble;
      const refused = input.some((one) => trouble.refuses?.test(one));
      const status = refused ? 400 : asked.length >= from ? trouble.status : undefined;
      setTimeout(() => {
        response.writeHead(status ?? 200, { "content-type": "application/json" });
        response.end(body);
      }, slow);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, trouble }; // it listens on TCP
}
export interface Trouble {
  status?: number;
  body?: string;
  /** The first request that is answered so. */
  from?: number;
  /** What is answered with 400 wherever it stands. */
  refuses?: RegExp;
  /** Milliseconds that each answer takes. */
  slow?: number;
}
export interface Endpoint {
  url: string;
  asked: { path: string; key: string | undefined; model: string; input: string[] }[];
  trouble: Trouble;
}
const subjects = [/car|vehicle|automobile/i, /money|invoice|payment/i, /weather|rain/i];

export const settingsFor = ({ url }: Endpoint): Partial<Config> => ({
  memory: { embeddings: "local/embed-1" },
  models: { providers: { local: { kind: "openai-compatible", url, key_variable: "EMBED_KEY" } } },
});
