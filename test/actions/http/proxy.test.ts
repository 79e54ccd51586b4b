import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../../..");

test("[SD9] a proxy that the environment names gets nothing: it could lead a request anywhere", async (context) => {
  const seen: { [name: string]: string[] } = { proxy: [], server: [] };
  const origins: string[] = [];
  for (const name of ["proxy", "server"]) {
    const server = createServer(({ url = "" }, response) => {
      seen[name]?.push(url);
      response.end(name);
    });
    server.on("connect", (_request, socket) => {
      seen[name]?.push("CONNECT");
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    context.after(() => server.close());
    origins.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // it listens on a port
  }
  const [proxy = "", server = ""] = origins;
  const script = `
    import { fetch } from ${JSON.stringify(join(root, "src/actions/http/fetch.ts"))};
    import { webFetch } from ${JSON.stringify(join(root, "src/actions/http/web-fetch.ts"))};
    const signal = AbortSignal.timeout(600_000);
    const request = { url: ${JSON.stringify(server)}, method: "GET", headers: {}, body: "", limitInBytes: 100, reach: "internal" };
    console.log((await fetch(request, signal)).body, await (await webFetch("internal")(request.url)).text());`;
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: "1",
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: "",
  };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { env });
  assert.equal(stdout.trim(), "server server");
  assert.deepEqual(seen, { proxy: [], server: ["/", "/"] });
});
