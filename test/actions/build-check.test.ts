/** build_check with real folders and real programs: what is built, how it is told, and what stands in the way of names. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { buildCheck } from "../../src/actions/builtin/build-check/build-check.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { StepResult } from "../../src/engine/ports.ts";
import type { Found } from "../../src/engine/record.ts";
import { contextOf, PATH, temporaryFolder } from "./context.ts";

const patterns = await loadPatterns();

/** A repository with these files; programs are put first on the PATH. */
function repository(t: TestContext, files: Record<string, string>, programs: Record<string, string> = {}): string {
  const root = temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) write(join(root, path), text);
  for (const [name, lines] of Object.entries(programs)) {
    write(join(root, ".programs", name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(root, ".programs", name), 0o755);
  }
  return root;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

interface Wish {
  changed?: string[];
  changes?: HookEvent["changes"];
  match?: Found;
  params?: Fields;
  signal?: AbortSignal;
}

async function check(root: string, wish: Wish): Promise<StepResult> {
  const { params = {}, changed } = wish;
  assert.deepEqual(buildCheck.params.check(params), []);
  assert.deepEqual(buildCheck.inspect?.({ ...params }, patterns), []);
  const context = contextOf({
    name: "SessionStop",
    cwd: root,
    data: changed ? { changed_files: changed } : {},
    origin: { root },
    caller: { environment: { PATH: `${join(root, ".programs")}:${PATH}` } },
    ...(wish.signal ? { signal: wish.signal } : {}),
  });
  return buildCheck.run(params, {
    ...context,
    event: wish.changes ? { ...context.event, changes: wish.changes } : context.event,
    scope: wish.match ? { ...context.scope, match: wish.match } : context.scope,
    ports: { ...context.ports, patterns },
    signal: context.signal,
  });
}

const told = (result: StepResult): string[] => result.outcome?.messages?.map(({ text }) => text) ?? [];
const scripts = (names: readonly string[]): string =>
  JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, "x"])) });

test("[B38] the specification's story: two services are built by the root's scripts, and the failure is found", async (t) => {
  const npm = `case "$2" in build:auth) echo "services/auth/src/login.ts(58,7): error TS2322: Type 'string' is wrong."; exit 2;; esac`;
  const root = repository(
    t,
    {
      "package.json": scripts(["build:billing", "build:auth"]),
      "services/billing/src/invoice.ts": "",
      "services/auth/src/login.ts": "",
    },
    { npm },
  );
  const changed = ["services/billing/src/invoice.ts", "services/billing/src/line.ts", "services/auth/src/login.ts"];
  const result = await check(root, { changed });
  assert.ok(result.ok);
  assert.deepEqual(told(result), [
    "Ran `npm run build:auth` and `npm run build:billing` for modified services.",
    "Auth build: failed with TypeScript error in services/auth/src/login.ts:58. TS2322: Type 'string' is wrong.",
    "Billing build: success.",
  ]);
  assert.deepEqual(result.outcome?.followUps, [
    { kind: "open_file", payload: { path: "services/auth/src/login.ts", line: 58 } },
  ]);
  assert.equal(result.outcome?.verdict, undefined, "without block it only tells");
});

test("[B38] with block a failure denies the stop with its report, and a success does not", async (t) => {
  const root = repository(
    t,
    { "package.json": scripts(["build"]) },
    { npm: "test -e good || { echo broken >&2; exit 1; }" },
  );
  const failed = await check(root, { changed: ["a.ts"], params: { block: true } });
  assert.deepEqual(failed.outcome?.verdict, { is: "deny", reason: "Build: failed: exit 1: broken.", by: "hook-1" });
  writeFileSync(join(root, "good"), "");
  const passed = await check(root, { changed: ["a.ts"], params: { block: true } });
  assert.deepEqual([passed.outcome?.verdict, told(passed)], [undefined, ["Ran `npm run build`.", "Build: success."]]);
});

test("[B38] each service is built as its manifest says, by the package manager that left its lock file", async (t) => {
  const echo = 'echo "$(basename "$0") $* in ${PWD##*/}" >> "$OUT"';
  const root = repository(
    t,
    {
      "pnpm-lock.yaml": "",
      "services/api/go.mod": "module api",
      "services/core/Cargo.toml": "[package]",
      "apps/web/package.json": scripts(["build"]),
      "apps/web/yarn.lock": "",
      "apps/admin/package.json": scripts(["build"]),
      "apps/empty/package.json": scripts(["test"]),
      "tools/lint/package.json": scripts(["build"]),
    },
    Object.fromEntries(["go", "cargo", "yarn", "pnpm", "npm"].map((name) => [name, echo.replace("$OUT", "ROOT/out")])),
  );
  for (const name of ["go", "cargo", "yarn", "pnpm", "npm"]) {
    const file = join(root, ".programs", name);
    writeFileSync(file, readFileSync(file, "utf8").replace("ROOT", root));
  }
  const folders = ["services/api", "services/core", "apps/web", "apps/admin", "apps/empty", "tools/lint"];
  const result = await check(root, { changed: [...folders.map((folder) => `${folder}/src/deep/a`), "README.md"] });
  assert.deepEqual(readFileSync(join(root, "out"), "utf8").trim().split("\n"), [
    "pnpm run build in admin",
    "yarn run build in web",
    "go build ./... in api",
    "cargo check in core",
    "pnpm run build in lint",
  ]);
  const notes = [
    "changed files that belong to no service: 1, such as README.md",
    "nothing says how apps/empty is built",
  ];
  assert.deepEqual(result.notes, notes);
});

test("[B38] nothing to build: no message", async (t) => {
  const root = repository(t, { "services/a/x": "" });
  for (const changed of [[], ["README.md"], ["services/a/x"], ["services/gone/x"], ["../outside/x"]])
    assert.equal((await check(root, { changed })).outcome, undefined, String(changed));
});

test("[B38] it fails if the changed files are unknown, so that its failure policy answers", async (t) => {
  const root = repository(t, { "services/a/x": "" });
  for (const wish of [{ changes: { unknown: "git is not there" } }, {}]) {
    const result = await check(root, { ...wish, params: { block: true } });
    assert.match(result.ok ? "" : result.reason, /^which files have changed is not known: /);
  }
});

test("[B38] each of the services that changed is built by one command, which gets the service's name", async (t) => {
  const root = repository(t, { "services/a/x": "", "services/b/x": "" });
  const params = { command: 'echo "$HOOKLINE_SERVICE" >> out', block: true };
  await check(root, { changed: ["services/a/x", "services/b/x"], params });
  assert.equal(readFileSync(join(root, "out"), "utf8"), "a\nb\n");
  const shared = repository(t, { "package.json": scripts(["build:a"]), "services/a/x": "", "apps/a/x": "" });
  write(join(shared, ".programs/npm"), "#!/bin/sh\necho $2 >> out\n");
  chmodSync(join(shared, ".programs/npm"), 0o755);
  await check(shared, { changed: ["services/a/x", "apps/a/x"] });
  assert.equal(readFileSync(join(shared, "out"), "utf8"), "build:a\n", "a script that two share runs once");
});

test("[B38] names of folders and what programs print stay on their line, visible and short", async (t) => {
  const name = `x\n\u202eforged${"y".repeat(150)}`;
  const root = repository(t, { [`services/${name}/x`]: "" });
  const command = `printf 'no \\033[31m%s\\n' ${"z".repeat(900)} >&2; exit 1`;
  const result = await check(root, { changed: [`services/${name}/x`], params: { command, block: true } });
  const [{ text = "" } = {}, ...others] = result.outcome?.messages ?? [];
  for (const said of [text, ...others.map((one) => one.text), result.outcome?.verdict?.reason ?? "\n"]) {
    assert.doesNotMatch(said, /[\p{Cc}\p{Cf}]/u);
    assert.ok(said.length < 600);
  }
});

test("[B38] what has changed: the hook's own match before the event, and the event before the workspace", async (t) => {
  const files = { "a/go.mod": "", "b/go.mod": "", "c/go.mod": "" };
  const root = repository(t, files, { go: "exit 0" });
  const changes = { base: root, files: ["c/x.go"], earlier: ["b/x.go"], removed: [] };
  const paths = async (wish: Wish): Promise<unknown> => {
    const { built } = (await check(root, wish)).output;
    return Array.isArray(built) ? built.map((one) => (one as Fields).path) : built; // each is an object
  };
  assert.deepEqual(await paths({ changes }), ["b", "c"], "of the whole session");
  assert.deepEqual(await paths({ changes, changed: ["a/x.go"] }), ["a"]);
  assert.deepEqual(await paths({ changes, changed: ["a/x.go", "b/x.go"], match: { files: ["b/x.go"] } }), ["b"]);
});

test("[B38] a command of one's own gets names as values, however they are written", async (t) => {
  const name = "b $(touch pwned) 'q\" ;x";
  const root = repository(t, { [`services/${name}/a`]: "" });
  const command = `printf '%s|' {service} "{path}" "$HOOKLINE_SERVICE" "$HOOKLINE_SERVICE_PATH" >> out`;
  const result = await check(root, { changed: [`services/${name}/a`], params: { command } });
  assert.ok(result.ok && told(result).at(-1)?.endsWith("build: success."), told(result).join());
  assert.equal(readFileSync(join(root, "out"), "utf8"), `${name}|services/${name}|`.repeat(2));
  assert.equal(existsSync(join(root, "pwned")), false);
});

test("[B38] a name that would be an option, and a place that takes no value, are refused", async (t) => {
  const root = repository(t, { "services/-rf/a": "" });
  const result = await check(root, { changed: ["services/-rf/a"], params: { command: "rm {service}" } });
  assert.match(told(result).at(-1) ?? "", /failed: .*takes it for an option/);
  const [fault] = buildCheck.inspect?.({ command: "cat <<X\n{service}\nX" }, patterns) ?? [];
  assert.deepEqual([fault?.path, fault?.found.startsWith("{service} ")], [["command"], true]);
  assert.deepEqual(
    buildCheck.inspect?.({ services: ["+(a)"] }, patterns).map(({ path }) => path),
    [["services", 0]],
  );
});

test("[B38] services are found by globs of one's own, and never by a link out of the repository", async (t) => {
  const outside = repository(t, { a: "", "go.mod": "" });
  const root = repository(t, { "modules/x/deep/a": "" }, { go: "exit 0" });
  symlinkSync(outside, join(root, "modules/y"));
  const params = { services: ["./modules/*/"], command: "echo {path} >> out" };
  await check(root, { changed: ["modules/x/deep/a", "modules/y/a"], params });
  assert.equal(readFileSync(join(root, "out"), "utf8"), "modules/x\n");
});

test("[B38] each build has its own limit, and the other builds continue", async (t) => {
  const root = repository(t, { "services/a/x": "", "services/b/x": "" });
  const command = 'case "$HOOKLINE_SERVICE" in a) sleep 30;; esac';
  const params = { command, timeout: 5, parallel: 2 };
  const result = await check(root, { changed: ["services/a/x", "services/b/x"], params });
  assert.deepEqual(told(result).slice(1), ["A build: failed: it did not end within 5 s.", "B build: success."]);
});

test("[B38] when the stop does not wait any longer, the build is ended and the next is not begun", async (t) => {
  const root = repository(t, { "services/a/x": "", "services/b/x": "" });
  const over = new AbortController();
  const command = "echo {service} >> begun; sleep 30";
  const running = check(root, { changed: ["services/a/x", "services/b/x"], params: { command }, signal: over.signal });
  while (!existsSync(join(root, "begun"))) await new Promise((resolve) => setTimeout(resolve, 10));
  over.abort();
  const result = await running;
  assert.ok(!result.ok && result.failure === "timeout");
  assert.equal(readFileSync(join(root, "begun"), "utf8"), "a\n");
});

test("[B38] a missing program is reported, and the file of an error only if it is in the repository", async (t) => {
  const root = repository(t, { "a/Cargo.toml": "" });
  const params = { command: "echo '/etc/passwd:3:1: error: no'; exit 1", services: ["a"] };
  const result = await check(root, { changed: ["a/x.rs"], params });
  assert.match(told(result).at(-1) ?? "", /^A build: failed with an error in \/etc\/passwd:3\. no$/);
  assert.equal(result.outcome?.followUps, undefined);
  rmSync(join(root, "a", "Cargo.toml"));
  write(join(root, "a", "go.mod"), "");
  const context = contextOf({
    name: "SessionStop",
    cwd: root,
    data: { changed_files: ["a/x.go"] },
    caller: { environment: { PATH: "" } },
  });
  const missing = await buildCheck.run(
    {},
    { ...context, ports: { ...context.ports, patterns }, signal: context.signal },
  );
  assert.match(told(missing).at(-1) ?? "", /^A build: failed: .*go/);
});
