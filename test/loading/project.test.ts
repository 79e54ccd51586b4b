import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findProject } from "../../src/loading/project.ts";
import { hooks, names, workspace } from "./workspace.ts";

/** A repository of the project's files with one commit, and a linked worktree of it in the home. */
function addWorktree({ project, home }: { project: string; home: string }): void {
  for (const words of [["init"], ["add", "."], ["commit", "-m", "first"], ["worktree", "add", join(home, "linked")]])
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...words], {
      cwd: project,
      stdio: "ignore",
    });
}

test("[R34] the root is the nearest folder upward with a marker, and folders go from the repository's root down to it", (context) => {
  const { home, project } = workspace(context);
  for (const folder of [".git", "packages/a/.claude", "packages/a/src"])
    mkdirSync(join(project, folder), { recursive: true });
  const found = findProject(join(project, "packages/a/src"), home);
  assert.equal(found.root, join(project, "packages/a"));
  assert.deepEqual(found.folders, [project, join(project, "packages"), join(project, "packages/a")]);
});

test("[R34] each marker makes a root, and without a repository only that folder counts", (context) => {
  const { home, project } = workspace(context);
  for (const marker of [".hookline", ".claude", ".discobot", ".system/hooks", ".git"]) {
    const root = join(project, marker.replaceAll("/", "-"));
    mkdirSync(join(root, marker), { recursive: true });
    mkdirSync(join(root, "deep/er"), { recursive: true });
    assert.deepEqual(findProject(join(root, "deep/er"), home).folders, [root], marker);
  }
});

test("[R58] the search stops below the home folder; where nothing is found the folder itself is the root", (context) => {
  const { home, project } = workspace(context, { "home/.claude/settings.json": {} });
  const found = findProject(project, home);
  assert.deepEqual([found.root, found.folders], [project, [project]]);
  assert.equal(findProject(home, home).root, home);
});

test("[R34] starting in a subfolder changes nothing, and nested hook files come later in the order", (context) => {
  const place = workspace(context, {
    "home/project/.git/HEAD": "",
    "home/project/.claude/settings.json": hooks("Stop", "outer"),
    "home/project/packages/a/.claude/settings.json": hooks("Stop", "inner"),
    "home/project/packages/a/src/x.ts": "",
    "home/project/packages/b/y.ts": "",
  });
  const inside = place.load(join(place.project, "packages/a/src"));
  assert.deepEqual(names(inside), ["outer", "inner"]);
  assert.deepEqual(
    inside.set.hooks.map(({ origin }) => origin.root),
    [place.project, join(place.project, "packages/a")],
  );
  assert.equal(place.load(join(place.project, "packages/b")).set.id, place.load().set.id);
  assert.equal(inside.set.hooks[0]?.id, place.load().set.hooks[0]?.id);
});

test("[R34] a linked worktree without hook files uses the main worktree's, and its own once it has some", (context) => {
  const place = workspace(context, { "home/project/a.txt": "a" });
  addWorktree(place);
  place.write("home/project/.claude/settings.json", hooks("Stop", "main"));
  const linked = join(place.home, "linked");
  assert.deepEqual(names(place.load(linked)), ["main"]);
  assert.equal(place.load(linked).root, linked);
  place.write("home/linked/.claude/settings.json", hooks("Stop", "own"));
  assert.deepEqual(names(place.load(linked)), ["own"]);
});

test("[R34] a linked worktree whose folders hold no hook files keeps the main worktree's hooks", (context) => {
  const place = workspace(context, { "home/project/a.txt": "a" });
  addWorktree(place);
  place.write("home/project/.claude/settings.json", hooks("Stop", "main"));
  const linked = join(place.home, "linked");
  place.write("home/linked/.claude/agents/x.md", "an agent");
  place.write("home/linked/.claude/settings.local.json", { permissions: { allow: ["Bash(ls)"] } });
  place.write("home/linked/.hookline/status.json", {});
  place.write("home/linked/.hookline/rules/.keep", "");
  place.write("home/linked/.hookline/rules/README.md", "what the rules are for");
  place.write("home/linked/.hookline/hooks/README.md", "what the scripts are for");
  place.write("home/linked/.claude/settings.json", { hooks: {} });
  assert.deepEqual(names(place.load(linked)), ["main"]);
  place.write("home/linked/.hookline/hooks.json", hooks("Stop", "own"));
  assert.deepEqual(names(place.load(linked)), ["own"]);
});

test("[R34] a folder with a marker inside a linked worktree keeps the main worktree's hooks beside its own", (context) => {
  const place = workspace(context, { "home/project/packages/a/x.ts": "" });
  addWorktree(place);
  place.write("home/project/.claude/settings.json", hooks("Stop", "main"));
  place.write("home/linked/packages/a/.claude/agents/x.md", "an agent");
  const inside = join(place.home, "linked/packages/a");
  assert.deepEqual([names(place.load(inside)), place.load(inside).root], [["main"], inside]);
  place.write("home/linked/packages/a/.hookline/hooks.json", hooks("Stop", "inner"));
  const both = place.load(inside);
  assert.deepEqual(names(both).sort(), ["inner", "main"]);
  const inner = both.set.hooks.find(({ name }) => name === "inner");
  assert.match(inner?.id ?? "", /^settings:packages\/a\/\.hookline\/hooks\.json:/);
});
