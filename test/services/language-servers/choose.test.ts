/** Which server a file gets. */

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Config } from "../../../src/formats/config/config.ts";
import { type Choice, chooseServer, knownServers } from "../../../src/services/language-servers/choose.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Project {
  root: string;
  path: string;
  choose(file: string, servers?: Config["languageServers"], how?: { isTrusted: boolean }): Choice | string;
}

/** @param programs relative to the folder; those below `path/` are on the PATH */
function project(context: TestContext, programs: readonly string[]): Project {
  const root = temporaryFolder(context);
  for (const program of programs) {
    mkdirSync(dirname(join(root, program)), { recursive: true });
    writeFileSync(join(root, program), "");
    chmodSync(join(root, program), 0o755);
  }
  const path = join(root, "path");
  return {
    root,
    path,
    choose: (file, servers = {}, { isTrusted } = { isTrusted: true }) =>
      chooseServer(join(root, file), { servers, root, environment: { PATH: path }, isTrusted: () => isTrusted }),
  };
}

const noTyping = { disableAutomaticTypingAcquisition: true };
const programOf = (choice: Choice | string): string => (typeof choice === "string" ? choice : choice.program);

test("[D61] what the project has installed goes before the PATH, and the package's own before the project's", (t) => {
  const name = "pyright-langserver";
  const own = `packages/app/node_modules/.bin/${name}`;
  const { root, choose } = project(t, [`path/${name}`, `node_modules/.bin/${name}`, own]);
  assert.equal(programOf(choose("packages/app/src/a.py")), join(root, own));
  assert.equal(programOf(choose("packages/other/a.py")), join(root, `node_modules/.bin/${name}`));
  rmSync(join(root, "node_modules"), { recursive: true });
  assert.equal(programOf(choose("a.py")), join(root, "path", name));
});

test("[D61] the next program of a language is tried where the first is missing", (t) => {
  const { root, choose } = project(t, ["path/pylsp"]);
  assert.equal(programOf(choose("a.py")), join(root, "path/pylsp"));
});

test("[D61] where no server is installed, the sentence says what to install", (t) => {
  const { choose } = project(t, []);
  for (const { languages, install } of knownServers)
    for (const extension of Object.keys(languages)) {
      const reason = choose(`a${extension}`);
      assert.ok(typeof reason === "string" && reason.includes(install) && reason.includes(extension));
    }
  assert.match(String(choose("a.cobol")), /no language server is known for \.cobol files/);
  assert.match(String(choose("Makefile")), /without an extension/);
});

test("[D61] hookline.yaml replaces a server, adds one and switches one off", (t) => {
  const { root, choose } = project(t, ["tools/own", "path/gopls", "path/other"]);
  const servers: Config["languageServers"] = {
    mine: { command: "./tools/own", extensions: [".py", ".ext"], language: "mine" },
    go: false,
    other: { command: "other", args: ["--stdio"], extensions: [".go2"] },
  };
  assert.equal(programOf(choose("a.py", servers)), join(root, "tools/own"));
  const added = choose("A.EXT", servers);
  assert.ok(typeof added === "object");
  assert.equal(added.language, "mine");
  const onPath = choose("a.go2", servers);
  assert.ok(typeof onPath === "object");
  assert.deepEqual([onPath.program, onPath.args, onPath.language], [join(root, "path/other"), ["--stdio"], "go2"]);
  assert.match(String(choose("a.go", servers)), /"go" is switched off/);
  assert.match(
    String(choose("a.x", { gone: { command: "./none", extensions: [".x"] } })),
    /correct the command of "gone"/,
  );
});

test("[D61] a file outside of the project gets the project's server, and no folder above it is searched", (t) => {
  const { root, choose } = project(t, ["node_modules/.bin/pyright-langserver"]);
  assert.equal(programOf(choose("../a.py")), join(root, "node_modules/.bin/pyright-langserver"));
});

test("[D61] TypeScript below 7 is driven by typescript-language-server with the project's own tsserver", (t) => {
  const { root, choose } = project(t, ["path/typescript-language-server", "node_modules/typescript/lib/tsserver.js"]);
  writeFileSync(join(root, "node_modules/typescript/package.json"), '{"version":"5.9.3"}');
  const choice = choose("src/a.tsx");
  assert.ok(typeof choice === "object");
  assert.equal(choice.server, "typescript-language-server");
  assert.equal(choice.language, "typescriptreact");
  assert.deepEqual(choice.initialization, {
    ...noTyping,
    tsserver: { path: join(root, "node_modules/typescript/lib") },
  });
});

test("[D61] TypeScript from 7 on is its own language server", (t) => {
  const { root, choose } = project(t, ["path/typescript-language-server", "node_modules/typescript/bin/tsc"]);
  writeFileSync(join(root, "node_modules/typescript/package.json"), '{"version":"7.0.2"}');
  const choice = choose("a.ts");
  assert.ok(typeof choice === "object");
  assert.deepEqual(
    [choice.program, choice.args],
    [join(root, "node_modules/typescript/bin/tsc"), ["--lsp", "--stdio"]],
  );
  const path = "elsewhere/lib";
  const configured = {
    command: "typescript-language-server",
    extensions: [".ts"],
    initialization: { tsserver: { path } },
  };
  const given = choose("a.ts", { typescript: configured });
  assert.ok(typeof given === "object");
  assert.equal(given.server, "typescript-language-server");
  assert.deepEqual(given.initialization, { ...noTyping, tsserver: { path } });
});

test("[D61] a program that may not be executed is none", (t) => {
  const { root, choose } = project(t, ["path/gopls"]);
  chmodSync(join(root, "path/gopls"), 0o644);
  assert.equal(typeof choose("a.go"), "string");
  symlinkSync(join(root, "nowhere"), join(root, "path/zls"));
  assert.equal(typeof choose("a.zig"), "string");
});

test("the page names every known server as the table has it", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/language-servers.md"), "utf8");
  const rows = page.split("<!-- servers -->")[1]?.split("\n\n")[0]?.trim().split("\n").slice(2);
  assert.deepEqual(
    rows,
    knownServers.map(({ name, languages, commands, install }) => {
      const programs = commands.map(([program]) => program).join(", ");
      return `| \`${name}\` | ${Object.keys(languages).join(" ")} | ${programs} | ${install} |`;
    }),
  );
});

test("[D61] a project without TypeScript of its own is checked by the one next to the PATH's programs", (t) => {
  const shared = "path/node_modules";
  const { root, choose } = project(t, [`${shared}/.bin/typescript-language-server`, `${shared}/typescript/bin/tsc`]);
  writeFileSync(join(root, shared, "typescript", "package.json"), JSON.stringify({ version: "7.0.2" }));
  const environment = { PATH: join(root, shared, ".bin") };
  const found = chooseServer(join(root, "project", "a.ts"), {
    servers: {},
    root: join(root, "project"),
    environment,
    isTrusted: () => true,
  });
  assert.equal(programOf(found), join(root, shared, "typescript/bin/tsc"));
  assert.equal(programOf(choose("a.ts")).includes("no language server"), true);
});

test("before a person has trusted a project, none of its own programs is its language server, and no server runs its code", (t) => {
  const { root, choose } = project(t, [
    ...["pyright-langserver", "typescript-language-server"].map((name) => `node_modules/.bin/${name}`),
    ...["tools/own", "path/in-project"],
  ]);
  const outside = project(t, ["path/pyright-langserver", "path/typescript-language-server", "path/rust-analyzer"]);
  const untrusted = { isTrusted: false };
  const servers: Config["languageServers"] = {
    mine: { command: "./tools/own", extensions: [".own"] },
    other: { command: "in-project", extensions: [".other"] },
  };
  for (const file of ["a.py", "a.ts", "a.own", "a.other", "a.rs", "a.zig", "a.rb"]) {
    const reason = choose(file, servers, untrusted);
    assert.match(String(reason), /hookline trust shows what would run, and asks$/, file);
  }
  const shared = (file: string): Choice | string =>
    chooseServer(join(root, file), {
      servers: {},
      root,
      environment: { PATH: outside.path, HOME: dirname(root) },
      isTrusted: () => false,
    });
  assert.equal(programOf(shared("a.py")), join(outside.path, "pyright-langserver"));
  assert.equal(programOf(shared("a.ts")), join(outside.path, "typescript-language-server"));
  mkdirSync(join(root, "node_modules/typescript/lib"), { recursive: true });
  writeFileSync(join(root, "node_modules/typescript/package.json"), '{"version":"5.9.0"}');
  assert.match(String(shared("a.ts")), /the TypeScript of the project would run, which is not trusted/);
});

test("every server of TypeScript is told to install no typings, unless a person has configured it otherwise", (t) => {
  const { choose } = project(t, ["path/typescript-language-server", "path/vtsls"]);
  const servers: Config["languageServers"] = {
    vtsls: { command: "vtsls", extensions: [".tsx", ".js"] },
  };
  for (const choice of [choose("a.ts"), choose("a.js", servers), choose("a.tsx", servers)]) {
    assert.ok(typeof choice === "object");
    assert.equal(choice.initialization.disableAutomaticTypingAcquisition, true);
    assert.deepEqual(choice.settings["js/ts"], { tsserver: { automaticTypeAcquisition: { enabled: false } } });
  }
  const own = choose("a.js", {
    mine: {
      ...servers.vtsls,
      extensions: [".js"],
      command: "vtsls",
      initialization: { disableAutomaticTypingAcquisition: false },
    },
  });
  assert.ok(typeof own === "object");
  assert.equal(own.initialization.disableAutomaticTypingAcquisition, false);
});
