import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { createExternalServices } from "../../src/hosts/compose/external-services.ts";
import { startPipedProcess } from "../../src/runtime/processes/piped-process.ts";
import { contextOf, PATH } from "./context.ts";
import { outputOf, runStep, stepNamed, temporaryFolder } from "./step-context.ts";

async function addressOf(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => response.end("ok")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

function repositoryIn(t: TestContext): string {
  const root = temporaryFolder(t);
  const options = { cwd: root, env: { PATH, HOME: root } };
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
  execFileSync("git", ["init", "-q", "-b", "main", "."], options);
  writeFileSync(join(root, "a.txt"), "one\n");
  execFileSync("git", ["add", "a.txt"], options);
  execFileSync("git", [...identity, "commit", "-q", "-m", "first"], options);
  return root;
}

test("[A25, A26, A27, A30, A31, A36, A37] a result has the fields that the step's table names, and no others", async (t) => {
  const root = repositoryIn(t);
  const given: { [type: string]: Fields } = {
    shell: { command: "true" },
    read_file: { path: "a.txt" },
    http: { url: await addressOf(t) },
    git_diff: {},
    run_tests: { command: "true" },
    list_files: {},
    file_diff: { path: "a.txt" },
  };
  for (const [type, params] of Object.entries(given)) {
    const { ok, output } = await runStep(type, params, { root });
    const named = Object.keys(stepNamed(type).contextStep?.gives ?? {});
    assert.deepEqual([ok, Object.keys(output).sort()], [true, [...named, "_step_index"].sort()], type);
    assert.deepEqual(JSON.parse(JSON.stringify(output)), output, `${type} gives JSON`);
  }
});

test("[A30] a line of a project can ask git", async (t) => {
  const root = repositoryIn(t);
  const outside = createExternalServices({
    start: startPipedProcess,
    environment: { PATH, HOME: root },
    home: root,
    root: () => root,
    settings: () => assert.fail("git needs no settings"),
    changesOf: () => assert.fail("git needs no changes"),
  });
  t.after(() => outside.close());
  const words = ["rev-parse", "--abbrev-ref", "HEAD"];
  const question = { folder: root, words, limit: 10, keptInBytes: 1000 };
  assert.deepEqual(await outside.ports.git?.(question, new AbortController().signal), {
    ok: true,
    stdout: "main\n",
    cut: false,
  });
});

test("[X2, A30, A37] git is not asked once the step is to stop", async (t) => {
  const root = repositoryIn(t);
  const stopped = { root, signal: AbortSignal.abort() };
  for (const [type, params] of [
    ["git_diff", {}],
    ["file_diff", { path: "a.txt" }],
  ] as const)
    assert.match(String((await outputOf(type, params, stopped)).error), /stopped/);
});

test("[A24] a step that lacks its surroundings says so", async () => {
  for (const [type, params] of [
    ["shell", { command: "true" }],
    ["git_diff", {}],
    ["http", { url: "http://127.0.0.1/" }],
  ] as const) {
    const context = contextOf();
    const { ok, output } = await stepNamed(type).run(params, {
      ...context,
      ports: { ...context.ports, spawn: undefined, fetch: undefined, git: undefined } as never, // a host without them
    });
    assert.deepEqual([ok, /^nothing here can /.test(String(output.error))], [false, true], type);
  }
});
