/** From nothing to a refused push: the package from its tarball, `hookline init --yes`, and a real Claude Code. No file is written by hand. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { registration, startClaude } from "./claude-session.ts";
import { missingAgent } from "./installed.ts";

const skip = missingAgent("claude-code") || (registration === "plain" && "Hookline is left out of this run");

test("after init a headless Claude Code cannot push, forced or not, and without Hookline it can", {
  skip,
  timeout: 600_000,
}, async (t) => {
  const push = (command: string) => ({ calls: [{ tool: "Bash", input: { command, description: "Push it" } }] });
  const session = await startClaude(
    t,
    {
      turns: [
        push("git push origin HEAD:plain"),
        push("git push --force origin HEAD:forced"),
        push("git status"),
        { text: "That is all." },
        push("git push origin HEAD:after"),
        { text: "Pushed." },
      ],
    },
    { daemon: true, ownPackage: "installed" },
  );
  const git = (...words: string[]): string =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], {
      ...{ cwd: session.repository, encoding: "utf8" },
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null" },
    });
  const remote = join(session.home, "remote.git");
  git("init", "--quiet", "--bare", remote);
  git("remote", "add", "origin", remote);
  git("commit", "--quiet", "--allow-empty", "--message", "start");
  const pushed = () =>
    git("ls-remote", "--heads", remote)
      .replaceAll(/^.*refs\/heads\//gm, "")
      .trim();

  const begun = Date.now();
  const init = await session.hookline("init", "--yes");
  assert.equal(init.code, 0, init.stderr);
  const first = await session.run();
  t.diagnostic(`from \`hookline init\` to the refused push: ${Date.now() - begun} ms`);
  assert.equal(first.code, 0, first.stderr);
  assert.match(session.heard(1), /A person decides when this is pushed\.[\s\S]*No person can be asked in this session/);
  assert.match(session.heard(2), /No person can be asked in this session/);
  assert.match(session.heard(3), /On branch/);
  assert.equal(pushed(), "");
  const why = await session.hookline("runs", "--json");
  assert.ok(
    JSON.parse(why.stdout).some(({ hook }: { hook: string }) => hook.includes("people-push")),
    why.stdout,
  );

  assert.equal((await session.hookline("uninstall", "claude-code")).code, 0);
  assert.equal((await session.run()).code, 0);
  assert.equal(pushed(), "forced\nplain");
});
