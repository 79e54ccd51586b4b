/** Programs that Hookline starts before a person has trusted anything: none that the project brings, whatever PATH says (SAFETY T5). */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { lineOf } from "../../src/actions/command/environment.ts";
import { findOutside } from "../../src/files/paths.ts";
import { createGit } from "../../src/runtime/processes/git.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Programs in a project and in places of the person, each of which says where it lies. */
function place(t: TestContext): { root: string; home: string; system: string; brings(...folders: string[]): string[] } {
  const folder = temporaryFolder(t);
  const [home, system] = [join(folder, "home"), join(folder, "system")];
  const root = join(home, "project");
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "src", "deep"), { recursive: true });
  const put = (path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho "$0" >> ${join(folder, "ran")}\n`, { mode: 0o755 });
  };
  const brings = (...folders: string[]): string[] => {
    for (const one of folders) for (const name of ["git", "bash", "sh"]) put(join(one, name));
    return folders;
  };
  brings(system);
  return { root, home, system, brings };
}

const ways: Readonly<Record<string, (given: ReturnType<typeof place>) => string[]>> = {
  "its bin folder": ({ root, brings }) => brings(join(root, "bin")),
  "its node_modules": ({ root, brings }) => brings(join(root, "node_modules", ".bin")),
  "a folder below the one that a person is in": ({ root, brings }) => brings(join(root, "src", "deep", "bin")),
  "a link elsewhere that leads into it": ({ root, home, brings }) => {
    brings(join(root, "bin"));
    symlinkSync(join(root, "bin"), join(home, "tools"));
    return [join(home, "tools")];
  },
  "links of its own to programs of the system": ({ root }) => {
    mkdirSync(join(root, "bin"));
    for (const name of ["git", "bash", "sh"]) symlinkSync("/bin/sh", join(root, "bin", name));
    return [join(root, "bin")];
  },
};
for (const [what, bring] of Object.entries(ways))
  test(`no git and no shell of an untrusted project is found although PATH names it: ${what}`, (t) => {
    const given = place(t);
    const { root, home, system } = given;
    const environment = { PATH: [...bring(given), system].join(":"), HOME: home };
    for (const folder of [root, join(root, "src"), join(root, "src", "deep")]) {
      for (const name of ["git", "bash", "sh"])
        assert.equal(findOutside(name, environment, folder), join(system, name), `${name} in ${folder}`);
      const line = lineOf({ command: "true" }, environment, folder);
      assert.equal(typeof line === "object" && line.program, join(system, "bash"));
    }
  });

test("a person's own programs are found in a project below the home folder, also where that is a repository itself", (t) => {
  const { root, home, brings } = place(t);
  mkdirSync(join(home, ".git"));
  const environment = { PATH: brings(join(home, "bin")).join(), HOME: home };
  for (const folder of [home, root]) assert.equal(findOutside("git", environment, folder), join(home, "bin", "git"));
});

test("a question to git about a repository that brings a git of its own starts none", async (t) => {
  const { root, home, brings } = place(t);
  const git = createGit({ PATH: brings(join(root, "bin")).join(), HOME: home });
  const found = await git.repositoryAt(root);
  assert.match("none" in found ? found.none : "", /no program git is in PATH/);
});
